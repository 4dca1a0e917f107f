//! Many at once, and a disk that plays up: no mark is lost, a gate that can close closes, and one that cannot be opened is
//! not closed.

use super::world::{Claude, World, command_in, shell_response};
use crate::driver::{denial, notice};
use serde_json::json;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use tests::binaries;
use tests::payloads;
use tests::process::Invocation;

const PLAN: &str = "requirements: {plan: {enabled: true}}\n";
const COPIES: usize = 30;

#[track_caller]
fn is_refused(claude: &Claude<'_>) -> bool {
    denial(claude.before(&claude.edit("a.rs")).as_ref()).is_some()
}

/// `req` as a session's shell runs it, without the shell.
fn req(world: &World, claude: &Claude<'_>, args: &[&str]) -> Invocation {
    Invocation::new(binaries::path("req"), &world.sandbox)
        .args(args.iter().map(std::ffi::OsString::from))
        .env("CLAUDECODE", "1")
        .env("CLAUDE_CODE_SESSION_ID", claude.session.id.as_str())
}

#[test]
fn thirty_marks_set_at_once_are_all_kept() {
    let mut yaml = "requirements:\n".to_owned();
    for number in 0..COPIES {
        writeln!(yaml, "  r{number}: {{enabled: true, scope: [session, branch, permanent, single_use]}}").unwrap();
    }
    for scope in ["session", "branch", "permanent", "single_use"] {
        let world = World::of_team(&yaml.replace("[session, branch, permanent, single_use]", scope));
        let claude = world.claude();
        let running: Vec<_> = (0..COPIES)
            .map(|number| req(&world, &claude, &["satisfy", &format!("r{number}")]).start())
            .collect();
        for copy in running {
            copy.wait().assert_exit(0);
        }
        claude.passes(&claude.edit("a.rs"));
    }
}

#[test]
fn thirty_sessions_that_mark_the_same_at_once_are_all_kept() {
    let world = World::of_team(PLAN);
    let sessions: Vec<Claude<'_>> = (1..=COPIES).map(|number| world.another(number.try_into().unwrap())).collect();
    let running: Vec<_> =
        sessions.iter().map(|claude| req(&world, claude, &["satisfy", "plan"]).start()).collect();
    for copy in running {
        copy.wait().assert_exit(0);
    }
    let marks = world.marks("main.json");
    assert_eq!(marks["requirements"]["plan"]["sessions"].as_object().unwrap().len(), COPIES);
    assert!(sessions.iter().all(|claude| !is_refused(claude)));
}

#[test]
fn marks_set_and_cleared_at_once_leave_a_whole_file() {
    let world = World::of_team(PLAN);
    let (claude, other) = (world.claude(), world.another(2));
    other.does("req satisfy plan");
    let running: Vec<_> = (0..COPIES)
        .map(|number| {
            let verb = if number % 2 == 0 { "satisfy" } else { "clear" };
            req(&world, &claude, &[verb, "plan"]).start()
        })
        .collect();
    for copy in running {
        copy.wait().assert_exit(0);
    }
    assert!(!is_refused(&other), "nobody else's mark went");
    req(&world, &claude, &["satisfy", "plan"]).run().assert_exit(0);
    assert!(!is_refused(&claude));
}

/// The world as a user sees it whom permissions bind.
#[cfg(unix)]
fn unprivileged(world: &World) -> impl Fn(&Claude<'_>, &payloads::Payload) -> Option<serde_json::Value> {
    use crate::driver::{documented, restrict};
    world.open_to_all();
    tests::process::give_to_unprivileged(&world.sandbox.state_dir());
    for folder in [".claude", ".claude/hooks", ".local", ".local/bin"] {
        restrict(&world.sandbox.home().join(folder), 0o755);
    }
    let program = world.copied_program();
    let req = program.with_file_name("req");
    fs::copy(binaries::path("req"), &req).unwrap();
    restrict(&req, 0o755);
    let (sandbox, program) = (world.sandbox.env(), program);
    let project = world.sandbox.project();
    let root = world.sandbox.project();
    let sandbox_of = move |world: &World| {
        Invocation::new(&program, &world.sandbox)
            .only_env(sandbox.clone())
            .env("CLAUDE_PROJECT_DIR", project.display().to_string())
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .cwd(root.clone())
            .unprivileged()
    };
    move |claude, event| documented(&sandbox_of(claude.world()).stdin(event.to_bytes()).run())
}

#[test]
#[cfg(unix)]
fn what_cannot_be_marked_is_not_asked_for_and_the_user_is_told() {
    let guarded = PLAN.replace(
        "{plan:",
        "{guard: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [trunk]}, plan:",
    );
    let world = World::of_team(&guarded);
    crate::driver::restrict(&world.sandbox.project().join(".git"), 0o555);
    let ask = unprivileged(&world);
    let claude = world.claude();
    let answer = ask(&claude, &claude.event_before(&claude.edit("a.rs")));
    assert_eq!(denial(answer.as_ref()), None, "{answer:?}");
    let told = notice(answer.as_ref());
    assert!(told.contains("plan") && told.contains(".git/requirements"), "{told}");
    crate::driver::restrict(&world.sandbox.project().join(".git"), 0o755);
    world.sandbox.git(&["branch", "--move", "trunk"]);
    crate::driver::restrict(&world.sandbox.project().join(".git"), 0o555);
    let answer = ask(&claude, &claude.event_before(&claude.edit("a.rs")));
    let text = denial(answer.as_ref()).expect("what needs no mark is refused");
    assert!(text.contains("guard"), "{text}");
    crate::driver::restrict(&world.sandbox.project().join(".git"), 0o755);
}

#[test]
#[cfg(unix)]
fn a_folder_of_marks_that_became_read_only_is_still_read() {
    let world = World::of_team(PLAN);
    let marked = world.claude();
    marked.does("req satisfy plan");
    let folder = world.marks_file("");
    crate::driver::restrict(&folder, 0o755);
    crate::driver::restrict(&world.marks_file("main.json"), 0o644);
    let ask = unprivileged(&world);
    assert_eq!(ask(&marked, &marked.event_before(&marked.edit("a.rs"))), None);
}

#[test]
#[cfg(unix)]
fn a_state_folder_that_is_read_only_opens_no_gate() {
    let world = World::of_team(PLAN);
    let ask = unprivileged(&world);
    crate::driver::restrict(&world.sandbox.state_dir(), 0o500);
    let claude = world.claude();
    for git in [0o777, 0o777] {
        crate::driver::restrict(&world.sandbox.project().join(".git"), git);
        let answer = ask(&claude, &claude.event_before(&claude.edit("a.rs")));
        assert!(denial(answer.as_ref()).is_some(), "{answer:?}");
    }
    claude.shell("req satisfy plan").assert_exit(0);
    crate::driver::restrict(&world.marks_file(""), 0o755);
    crate::driver::restrict(&world.marks_file("main.json"), 0o644);
    let answer = ask(&claude, &claude.event_before(&claude.edit("a.rs")));
    assert_eq!(denial(answer.as_ref()), None, "{answer:?}");
    crate::driver::restrict(&world.sandbox.state_dir(), 0o700);
}

#[test]
fn a_damaged_file_of_marks_is_set_aside_and_told_and_closes_the_gate() {
    for garbage in ["", "{", "[]", "{\"version\": \"1.0\"}", "\u{0}\u{1}"] {
        let world = World::of_team(PLAN);
        let claude = world.claude();
        claude.does("req satisfy plan");
        fs::write(world.marks_file("main.json"), garbage).unwrap();
        let answer = claude.before(&claude.edit("a.rs"));
        assert!(denial(answer.as_ref()).is_some(), "{garbage}");
        assert!(notice(answer.as_ref()).contains("main.json.corrupt"), "{garbage}: {answer:?}");
        assert_eq!(fs::read_to_string(world.marks_file("main.json.corrupt")).unwrap(), garbage);
        claude.does("req satisfy plan");
        claude.passes(&claude.edit("a.rs"));
    }
}

#[test]
fn marks_of_a_newer_version_count_and_are_not_changed() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    claude.does("req satisfy plan");
    let mut marks = world.marks("main.json");
    marks["version"] = json!("7.0");
    marks["new"] = json!("thing");
    fs::write(world.marks_file("main.json"), marks.to_string()).unwrap();
    claude.passes(&claude.edit("a.rs"));
    let other = world.another(2);
    let answer = other.shell("req satisfy plan --branch");
    assert_eq!(answer.status.code(), Some(1), "{answer}");
    assert!(answer.stderr_text().contains("newer version"), "{answer}");
    assert_eq!(world.marks("main.json"), marks);
}

#[test]
fn marks_that_the_original_tool_wrote_count() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    let short = &claude.session.id[..8];
    fs::create_dir_all(world.marks_file("")).unwrap();
    let marks = json!({
        "version": "1.0", "branch": "main", "project": "/somewhere",
        "created_at": 1_763_000_000, "updated_at": 1_763_000_000.5,
        "requirements": { "plan": { "scope": "session", "sessions": { short: {
            "satisfied": true, "satisfied_at": 1_763_000_000, "satisfied_by": "cli", "triggered": true } } } },
    });
    fs::write(world.marks_file("main.json"), marks.to_string()).unwrap();
    claude.passes(&claude.edit("a.rs"));
    assert!(is_refused(&world.another(2)));
}

#[test]
fn a_mark_file_that_is_a_link_is_not_followed() {
    let world = World::of_team(PLAN);
    let target = world.sandbox.write_home("theirs.json", "mine");
    fs::create_dir_all(world.marks_file("")).unwrap();
    super::world::link(&target, &world.marks_file("main.json"));
    let claude = world.claude();
    claude.does(&command_in(&claude.refused(&claude.edit("a.rs"))));
    assert_eq!(fs::read_to_string(target).unwrap(), "mine");
    claude.passes(&claude.edit("a.rs"));
}

#[test]
fn a_session_state_that_is_damaged_or_gone_opens_no_gate() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    claude.refused(&claude.edit("a.rs"));
    let file = world.state(&format!("{}-requirements.json", claude.session.id));
    for garbage in ["", "{", "[1]", "{\"version\": 1}"] {
        fs::write(&file, garbage).unwrap();
        assert!(is_refused(&claude), "{garbage}");
    }
    claude.does("req satisfy plan");
    fs::write(&file, "{").unwrap();
    claude.passes(&claude.edit("a.rs"));
}

#[test]
fn marks_that_somebody_holds_locked_are_read_and_a_change_says_why_it_failed() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    claude.does("req satisfy plan");
    let path = world.marks_file("main.json.lock");
    let mut lock = fd_lock::RwLock::new(File::options().read(true).write(true).open(&path).unwrap());
    let held = lock.try_write().unwrap();
    claude.passes(&claude.edit("a.rs"));
    let other = world.another(2);
    let answer = req(&world, &other, &["satisfy", "plan", "--session", "00000002"]).run();
    assert_eq!(answer.status.code(), Some(1), "{answer}");
    assert!(answer.stderr_text().contains("Nothing was changed"), "{answer}");
    drop(held);
    assert!(is_refused(&other));
}

#[test]
fn a_full_disk_opens_no_gate_and_loses_no_mark() {
    let world = World::of_team(PLAN);
    let (claude, other) = (world.claude(), world.another(2));
    claude.does("req satisfy plan");
    let before = fs::read(world.marks_file("main.json")).unwrap();
    let event = other.event_before(&other.edit("a.rs"));
    let outcome = other.hook().files_cannot_grow().stdin(event.to_bytes()).run();
    assert!(denial(crate::driver::documented(&outcome).as_ref()).is_some(), "{outcome}");
    let marked = req(&world, &other, &["satisfy", "plan", "--branch"]).files_cannot_grow().run();
    assert_eq!(marked.status.code(), Some(1), "{marked}");
    assert_eq!(fs::read(world.marks_file("main.json")).unwrap(), before);
    claude.passes(&claude.edit("a.rs"));
}

#[test]
fn without_a_home_and_a_state_folder_the_repositorys_marks_still_count() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    let hook = || claude.hook().unset("HOME").unset("CLAUDE_HOOK_STATE_DIR");
    let ask = || crate::driver::documented(&hook().stdin(claude.event_before(&claude.edit("a.rs")).to_bytes()).run());
    assert!(denial(ask().as_ref()).is_some());
    req(&world, &claude, &["satisfy", "plan"]).unset("HOME").unset("CLAUDE_HOOK_STATE_DIR").run().assert_exit(0);
    assert_eq!(ask(), None);
}

#[test]
fn without_anything_to_remember_in_nothing_is_asked_that_needs_it() {
    let world = World::empty();
    let bare = world.sandbox.root().join("bare");
    fs::create_dir_all(bare.join(".claude")).unwrap();
    fs::write(bare.join(".claude/requirements.yaml"), PLAN).unwrap();
    let claude = world.claude().started_in(&bare);
    let hook = claude.hook().unset("HOME").unset("CLAUDE_HOOK_STATE_DIR");
    let event = claude.event_before(&claude.edit("a.rs"));
    let answer = crate::driver::documented(&hook.stdin(event.to_bytes()).run());
    assert_eq!(denial(answer.as_ref()), None, "{answer:?}");
}

#[test]
fn an_id_or_a_branch_with_strange_characters_stays_in_its_folder() {
    let world = World::of_team(PLAN);
    let long = "x".repeat(200);
    for branch in ["a..b/.c".replace("..", "."), "ümläut/ß".to_owned(), "it's;$(x)".to_owned(), long] {
        if branch.contains("/.") {
            continue;
        }
        world.switch(&branch);
        for id in ["../../escape", "a/b", "with space", "", &"y".repeat(300)] {
            let claude = world.claude();
            let event = claude.event_before(&claude.edit("a.rs")).with("session_id", id);
            let answer = claude.ask(&event);
            assert_eq!(denial(answer.as_ref()).is_some(), !id.is_empty(), "{id:?} on {branch}");
        }
        let claude = world.claude();
        claude.shell("req satisfy plan").assert_exit(0);
        assert!(!is_refused(&claude), "{branch}");
    }
    let stray = [world.sandbox.root().join("escape"), world.sandbox.project().join("escape")];
    assert!(stray.iter().all(|path| !Path::new(path).exists()));
    let strangers: Vec<_> =
        fs::read_dir(world.marks_file("")).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).collect();
    assert!(strangers.is_empty(), "{strangers:?}");
}

#[test]
fn every_recorded_input_is_answered_as_documented() {
    let world = World::of_team(
        "\
requirements:
  plan: {enabled: true, trigger_tools: ['*']}
  green: {enabled: true, type: evidence, enforce: both, command: cargo test, trigger_tools: [Bash]}
  size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 1}}
  guard: {enabled: true, type: guard, guard_type: single_session}
",
    );
    let claude = world.claude();
    let mut refused = 0;
    for (name, payload) in payloads::recordings() {
        let answer = claude.ask(&payload);
        if let Some(reason) = denial(answer.as_ref()) {
            refused += 1;
            assert!(name.starts_with("PreToolUse") && reason.contains("plan"), "{name}: {reason}");
        }
    }
    let calls = payloads::recordings().iter().filter(|(name, _)| name.starts_with("PreToolUse")).count();
    assert_eq!(refused, calls, "every call needs the plan");
}

#[test]
fn responses_of_no_known_shape_do_no_harm() {
    let world = World::of_team(
        "requirements: {green: {enabled: true, type: evidence, command: \"true\"}, plan: {enabled: true, satisfied_by_skill: s}}\n",
    );
    let claude = world.claude();
    for response in [json!(null), json!("text"), json!([]), json!(7), json!({ "stdout": 7 }), json!({ "success": "no" })] {
        for call in [claude.bash("true"), claude.edit("a.rs"), claude.call("Skill", json!({ "skill": ["s"] }))] {
            assert_eq!(claude.after(&call, response.clone()), None, "{response} {call:?}");
        }
    }
    assert_eq!(claude.after(&claude.call("Bash", json!(null)), shell_response("")), None);
}
