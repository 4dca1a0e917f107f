//! A project's file that takes all the time, and a disk that plays up: a gate that can close closes, and one that cannot be
//! opened is not closed.

use super::world::{Claude, World};
use crate::driver::restrict;
use crate::driver::{denial, documented, notice};
use serde_json::Value;
use std::fs;
use tests::process::Invocation;
use tests::sandbox::Level;

const PLAN: &str = "requirements: {plan: {enabled: true}}\n";

/// What the hook answers before an edit, started so.
#[track_caller]
fn answer(claude: &Claude<'_>, hook: Invocation) -> Option<Value> {
    documented(&hook.stdin(claude.event_before(&claude.edit("a.rs")).to_bytes()).run())
}

#[track_caller]
fn is_denied(claude: &Claude<'_>, hook: Invocation) -> bool {
    denial(answer(claude, hook).as_ref()).is_some()
}

/// A project's file must not keep a gate busy until Claude Code goes on without it: what the user has locked is looked at first.
#[test]
fn decides_the_users_locked_guard_on_time_whatever_a_projects_file_contains() {
    let world = World::of_user(
        "locked: [requirements.not_on_main]\nrequirements: {not_on_main: {enabled: true, type: guard, guard_type: protected_branch}}\n",
    );
    let file = "file: {file: big.txt, contains: ['([a-z]{1,50}){1,20}END']}";
    let slow = format!("{{enabled: true, type: evidence, enforce: both, trigger_tools: [Edit], {file}}}");
    let slow = (0..20).fold(String::new(), |text, number| text + &format!("  a{number}: {slow}\n"));
    world.sandbox.requirements(Level::Project, &format!("requirements:\n{slow}"));
    world.sandbox.write("big.txt", "abcdefghij".repeat(100_000));
    let claude = world.claude();
    let begun = std::time::Instant::now();
    let text = claude.refused(&claude.edit("a.rs"));
    assert!(text.contains("main is a protected branch"), "{text}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// The hook for a user whom permissions bind. Everything is open to them, and the state folder is theirs.
fn unprivileged(world: &World) -> impl Fn() -> Invocation {
    world.open_to_all();
    tests::process::give_to_unprivileged(&world.sandbox.state_dir());
    world.copied_program();
    let program = world.sandbox.temporary_dir().join("requirements-check");
    move || Invocation::new(program.clone(), &world.sandbox).unprivileged()
}

#[test]
fn asks_for_no_satisfaction_that_cannot_be_kept_and_tells_the_user() {
    let guard =
        "guard: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [trunk]}";
    let world = World::of_team(&format!("requirements: {{plan: {{enabled: true}}, {guard}}}\n"));
    let hook = unprivileged(&world);
    let (claude, git) = (world.claude(), world.sandbox.project().join(".git"));
    restrict(&git, 0o555);
    let told = answer(&claude, hook());
    assert_eq!(denial(told.as_ref()), None, "{told:?}");
    let told = notice(told.as_ref());
    assert!(told.contains("plan") && told.contains(".git/requirements"), "{told}");
    restrict(&git, 0o755);
    world.sandbox.git(&["branch", "--move", "trunk"]);
    restrict(&git, 0o555);
    assert!(is_denied(&claude, hook()), "the guard needs no satisfaction");
    restrict(&git, 0o755);
}

#[test]
fn a_state_folder_that_is_read_only_neither_opens_a_gate_nor_keeps_it_closed() {
    let world = World::of_team(PLAN);
    let (claude, hook) = (world.claude(), unprivileged(&world));
    restrict(&world.sandbox.state_dir(), 0o500);
    restrict(&world.sandbox.project().join(".git"), 0o777);
    assert!(is_denied(&claude, hook()));
    claude.shell("req satisfy plan").assert_exit(0);
    restrict(&world.marks_file(""), 0o755);
    restrict(&world.marks_file("main.json"), 0o644);
    assert!(!is_denied(&claude, hook()));
    restrict(&world.sandbox.state_dir(), 0o700);
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
    let state = world.state(&format!("{}-requirements.json", claude.session.id));
    fs::write(&state, "{").unwrap();
    assert!(is_denied(&claude, claude.hook()));
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
    assert!(is_denied(&other, other.hook().files_cannot_grow()));
    let satisfied =
        world.req_of(&other.session.id, &["satisfy", "plan", "--branch"]).files_cannot_grow().run();
    assert_eq!(satisfied.status.code(), Some(1), "{satisfied}");
    assert_eq!(fs::read(world.marks_file("main.json")).unwrap(), before);
    claude.passes(&claude.edit("a.rs"));
}

#[test]
fn satisfactions_of_the_repository_count_without_a_state_folder() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    let homeless = |process: Invocation| process.unset("HOME").unset("CLAUDE_HOOK_STATE_DIR");
    assert!(is_denied(&claude, homeless(claude.hook())));
    homeless(world.req(&["satisfy", "plan"])).run().assert_exit(0);
    assert_eq!(answer(&claude, homeless(claude.hook())), None);
    let bare = world.sandbox.root().join("bare");
    fs::create_dir_all(bare.join(".claude")).unwrap();
    fs::write(bare.join(".claude/requirements.yaml"), PLAN).unwrap();
    let claude = claude.started_in(&bare);
    assert!(!is_denied(&claude, homeless(claude.hook())));
}

#[test]
fn a_folder_that_took_no_satisfaction_is_not_asked_for_one() {
    let world = World::of_team(PLAN);
    let claude = world.claude();
    world.sandbox.write(".git/requirements", "no folder");
    assert!(claude.answer_to("req satisfy plan").contains("Nothing was changed"));
    let answer = claude.before(&claude.edit("a.rs"));
    assert_eq!(denial(answer.as_ref()), None);
    assert!(notice(answer.as_ref()).contains("plan cannot be satisfied"), "{answer:?}");
}

/// libgit2 waits for a pipe, so nothing that measures comes to an end. A count that the deadline ends is a lower bound.
#[test]
fn a_typed_pause_measures_nothing_and_an_edit_waits_no_longer_than_its_deadline() {
    let size = "{enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 5}}";
    let world = World::of_team(&format!("requirements: {{size: {size}}}\n"));
    let index = world.sandbox.project().join(".git/index");
    fs::remove_file(&index).unwrap();
    crate::driver::make_pipe(&index);
    let claude = world.claude();
    claude.passes(&claude.edit("a.rs"));
    assert!(claude.answer_to("req pause 5m").contains("every hook is off until"));
}
