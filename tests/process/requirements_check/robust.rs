//! A project's file that takes all the time, and a disk that plays up: a gate that can close closes, and one that cannot be
//! opened is not closed.

use super::world::{Claude, World};
#[cfg(unix)]
use crate::driver::restrict;
use crate::driver::{denial, notice};
use std::fmt::Write as _;
use std::fs;
use tests::binaries;
use tests::process::Invocation;

const PLAN: &str = "requirements: {plan: {enabled: true}}\n";

#[track_caller]
fn is_denied(claude: &Claude<'_>) -> bool {
    denial(claude.before(&claude.edit("a.rs")).as_ref()).is_some()
}

/// `req` as a session's shell runs it, without the shell.
fn req(world: &World, claude: &Claude<'_>, args: &[&str]) -> Invocation {
    Invocation::new(binaries::path("req"), &world.sandbox)
        .args(args.iter().map(std::ffi::OsString::from))
        .env("CLAUDECODE", "1")
        .env("CLAUDE_CODE_SESSION_ID", claude.session.id.as_str())
}

/// A project's file must not keep a gate busy until Claude Code goes on without it: what the user has locked is looked at first.
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
fn asks_for_no_satisfaction_that_cannot_be_kept_and_tells_the_user() {
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
    let text = denial(answer_of_unprivileged(&world, &claude).as_ref())
        .expect("what needs no satisfaction is denied");
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
    show_satisfactions(&world);
    let answer = answer_of_unprivileged(&world, &claude);
    assert_eq!(denial(answer.as_ref()), None, "{answer:?}");
    restrict(&world.sandbox.state_dir(), 0o700);
}

/// Lets every user read the satisfactions, which nobody but their owner may change.
#[cfg(unix)]
fn show_satisfactions(world: &World) {
    restrict(&world.marks_file(""), 0o755);
    restrict(&world.marks_file("main.json"), 0o644);
}

#[test]
fn a_damaged_file_of_satisfactions_or_of_state_closes_the_gate() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    claude.does("req satisfy plan");
    fs::write(world.marks_file("main.json"), "{").unwrap();
    let answer = claude.before(&claude.edit("a.rs"));
    assert!(denial(answer.as_ref()).is_some());
    assert!(notice(answer.as_ref()).contains(".json.corrupt"), "{answer:?}");
    assert_eq!(fs::read_to_string(world.marks_file("main.json.corrupt")).unwrap(), "{");
    let state = world.state(&format!("{}-requirements.json", claude.session.id));
    fs::write(&state, "{").unwrap();
    assert!(is_denied(&claude));
    claude.does("req satisfy plan");
    fs::write(&state, "{").unwrap();
    claude.passes(&claude.edit("a.rs"));
}

#[test]
fn a_full_disk_opens_no_gate_and_loses_no_satisfaction() {
    let world = World::of_team(PLAN);
    let (claude, other) = (world.claude(), world.another(2));
    claude.does("req satisfy plan");
    let before = fs::read(world.marks_file("main.json")).unwrap();
    let event = other.event_before(&other.edit("a.rs"));
    let outcome = other.hook().files_cannot_grow().stdin(event.to_bytes()).run();
    assert!(denial(crate::driver::documented(&outcome).as_ref()).is_some(), "{outcome}");
    let satisfied = req(&world, &other, &["satisfy", "plan", "--branch"]).files_cannot_grow().run();
    assert_eq!(satisfied.status.code(), Some(1), "{satisfied}");
    assert_eq!(fs::read(world.marks_file("main.json")).unwrap(), before);
    claude.passes(&claude.edit("a.rs"));
}

#[test]
fn without_a_home_and_a_state_folder_the_repositorys_satisfactions_still_count() {
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
fn a_folder_that_took_no_satisfaction_is_not_asked_for_one() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    world.sandbox.write(".git/requirements", "no folder");
    assert!(
        claude.answer_to("req satisfy plan").contains("Nothing was changed"),
        "it does not say satisfied"
    );
    let answer = claude.before(&claude.edit("a.rs"));
    assert_eq!(denial(answer.as_ref()), None);
    assert!(notice(answer.as_ref()).contains("plan cannot be satisfied"), "{answer:?}");
}
