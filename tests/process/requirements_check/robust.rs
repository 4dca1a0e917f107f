//! Many at once, and a disk that plays up: no mark is lost, a gate that can close closes, and one that cannot be opened is
//! not closed.

use super::world::{Claude, World};
#[cfg(unix)]
use crate::driver::restrict;
use crate::driver::{denial, names, notice};
use serde_json::json;
use std::fmt::Write as _;
use std::fs::{self, File};
use tests::binaries;
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

/// A repository's own file must not keep a gate busy until the client goes on without it.
#[test]
fn a_project_with_a_thousand_requirements_is_answered_before_the_client_gives_up() {
    let mut yaml = "requirements:\n".to_owned();
    for number in 0..1500 {
        writeln!(yaml, "  r{number}: {{enabled: true, type: blocking}}").unwrap();
    }
    let world = World::of_team(&yaml);
    assert!(is_refused(&world.claude()));
}

/// The same of a regular expression that takes for ever: what the user has locked is looked at first.
#[test]
fn decides_the_users_locked_guard_on_time_whatever_a_projects_file_contains() {
    let world = World::of_user(
        "locked: [requirements.not_on_main]\nrequirements: {not_on_main: {enabled: true, type: guard, guard_type: protected_branch}}\n",
    );
    let mut yaml = "requirements:\n".to_owned();
    for number in 0..20 {
        let file = "file: {file: big.txt, contains: ['([a-z]{1,50}){1,20}END']}";
        writeln!(
            yaml,
            "  a{number}: {{enabled: true, type: evidence, enforce: both, trigger_tools: [Edit], {file}}}"
        )
        .unwrap();
    }
    world.sandbox.requirements(tests::sandbox::Level::Project, &yaml);
    world.sandbox.write("big.txt", "abcdefghij".repeat(100_000));
    let claude = world.claude();
    let begun = std::time::Instant::now();
    let text = claude.refused(&claude.edit("a.rs"));
    assert!(text.contains("main is a protected branch"), "{text}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn thirty_sessions_that_mark_the_same_at_once_are_all_kept() {
    let world = World::of_team(PLAN);
    let sessions: Vec<Claude<'_>> =
        (1..=COPIES).map(|number| world.another(number.try_into().unwrap())).collect();
    let running: Vec<_> =
        sessions.iter().map(|claude| req(&world, claude, &["satisfy", "plan"]).start()).collect();
    for copy in running {
        copy.wait().assert_exit(0);
    }
    let marks = world.marks("main.json");
    assert_eq!(marks["requirements"]["plan"]["sessions"].as_object().unwrap().len(), COPIES);
    assert!(sessions.iter().all(|claude| !is_refused(claude)));
}

/// Everything is there for a user whom permissions bind, and the state folder is theirs.
#[cfg(unix)]
fn open_to_unprivileged(world: &World) {
    world.open_to_all();
    tests::process::give_to_unprivileged(&world.sandbox.state_dir());
    world.copied_program();
}

/// What the hook answers before an edit, run by that user.
#[cfg(unix)]
#[track_caller]
fn answer_of_unprivileged(world: &World, claude: &Claude<'_>) -> Option<serde_json::Value> {
    let program = world.sandbox.temporary_dir().join("requirements-check");
    let event = claude.event_before(&claude.edit("a.rs"));
    let hook = Invocation::new(program, &world.sandbox).unprivileged();
    crate::driver::documented(&hook.stdin(event.to_bytes()).run())
}

#[test]
#[cfg(unix)]
fn what_cannot_be_marked_is_not_asked_for_and_the_user_is_told() {
    let world = World::of_team(
        "\
requirements:
  plan: {enabled: true}
  guard: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [trunk]}
",
    );
    open_to_unprivileged(&world);
    let (claude, git) = (world.claude(), world.sandbox.project().join(".git"));
    restrict(&git, 0o555);
    let answer = answer_of_unprivileged(&world, &claude);
    assert_eq!(denial(answer.as_ref()), None, "{answer:?}");
    let told = notice(answer.as_ref());
    assert!(told.contains("plan") && told.contains(".git/requirements"), "{told}");
    restrict(&git, 0o755);
    world.sandbox.git(&["branch", "--move", "trunk"]);
    restrict(&git, 0o555);
    let text =
        denial(answer_of_unprivileged(&world, &claude).as_ref()).expect("what needs no mark is refused");
    assert!(text.contains("guard"), "{text}");
    restrict(&git, 0o755);
}

#[test]
#[cfg(unix)]
fn a_state_folder_that_is_read_only_neither_opens_a_gate_nor_keeps_it_closed() {
    let world = World::of_team(PLAN);
    open_to_unprivileged(&world);
    let claude = world.claude();
    restrict(&world.sandbox.state_dir(), 0o500);
    restrict(&world.sandbox.project().join(".git"), 0o777);
    assert!(denial(answer_of_unprivileged(&world, &claude).as_ref()).is_some());
    claude.shell("req satisfy plan").assert_exit(0);
    show_marks(&world);
    let answer = answer_of_unprivileged(&world, &claude);
    assert_eq!(denial(answer.as_ref()), None, "{answer:?}");
    restrict(&world.sandbox.state_dir(), 0o700);
}

/// Lets every user read the marks, which nobody but their owner may change.
#[cfg(unix)]
fn show_marks(world: &World) {
    restrict(&world.marks_file(""), 0o755);
    restrict(&world.marks_file("main.json"), 0o644);
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
        assert!(notice(answer.as_ref()).contains(".json.corrupt"), "{garbage}: {answer:?}");
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
    marks["version"] = json!("7");
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
    let ask = || {
        crate::driver::documented(&hook().stdin(claude.event_before(&claude.edit("a.rs")).to_bytes()).run())
    };
    assert!(denial(ask().as_ref()).is_some());
    req(&world, &claude, &["satisfy", "plan"])
        .unset("HOME")
        .unset("CLAUDE_HOOK_STATE_DIR")
        .run()
        .assert_exit(0);
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
    for branch in ["a/b.c", "ümläut/ß", "it's;$(x)", &"x".repeat(200)] {
        world.switch(branch);
        let claude = world.claude();
        let event = claude.event_before(&claude.edit("a.rs"));
        for id in ["../../escape", "a/b", "with space", &"y".repeat(300)] {
            let answer = claude.ask(&event.clone().with("session_id", id));
            assert!(denial(answer.as_ref()).is_some(), "{id:?} on {branch}");
        }
        assert_eq!(claude.ask(&event.with("session_id", "")), None, "nobody can be asked for a mark");
        claude.shell("req satisfy plan").assert_exit(0);
        assert!(!is_refused(&claude), "{branch}");
        let escaped = "../../escape";
        req(&world, &claude, &["satisfy", "plan"])
            .env("CLAUDE_CODE_SESSION_ID", escaped)
            .run()
            .assert_exit(0);
    }
    let everything = crate::driver::tree(&world.sandbox.root());
    let strays: Vec<_> = everything.keys().filter(|path| path.ends_with("escape")).collect();
    assert!(strays.is_empty(), "{strays:?}");
    assert!(names(&world.marks_file("")).iter().all(|name| world.marks_file(name).is_file()));
}

#[test]
fn where_no_mark_can_be_kept_for_another_reason_than_its_mode_the_next_call_passes() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    world.sandbox.write(".git/requirements", "no folder");
    assert!(claude.answer_to("req satisfy plan").contains("Nothing was changed"), "it does not say marked");
    let answer = claude.before(&claude.edit("a.rs"));
    assert_eq!(denial(answer.as_ref()), None);
    assert!(notice(answer.as_ref()).contains("plan cannot be satisfied"), "{answer:?}");
}
