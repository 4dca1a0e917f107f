//! Before a call: each type of requirement denies it, and what the text says to do lets it through. Which files are exempt, what
//! can be typed, how the end of a turn is blocked, and calls that run at once.

use super::world::{World, command_in, link, prompt_in, shell_response};
use crate::driver::block_reason;
use serde_json::json;
use std::fs;
use tests::payloads::Payload;
use tests::sandbox::Level;

const TEAM: &str = "\
requirements:
  commit_plan:
    enabled: true
    message: Write down what you are going to do.
    checklist: [the steps are named, the risks are named]
  adr_reviewed:
    enabled: true
    scope: branch
    description: The decision records were read.
  branch_size:
    enabled: true
    type: dynamic
    calculator: branch_size
    thresholds: {block: 10}
  protected:
    enabled: true
    type: guard
    guard_type: protected_branch
  elsewhere:
    enabled: true
    trigger_tools: [WebFetch]
";

const PLAN: &str = "requirements: {plan: {enabled: true}}\n";

#[test]
fn denies_a_call_once_for_all_it_needs_until_that_is_done() {
    let world = World::of_team(TEAM);
    world.sandbox.write("big.txt", "line\n".repeat(11));
    let claude = world.claude();
    let text = claude.refused(&claude.edit("a.rs"));
    for (name, line) in [("commit_plan", 2), ("adr_reviewed", 6), ("branch_size", 10), ("protected", 15)] {
        let about = text.lines().find(|line| line.starts_with(&format!("- {name}:")));
        let about = about.unwrap_or_else(|| panic!("{name} is missing: {text}"));
        assert!(about.contains(&format!(".claude/requirements.yaml:{line}]")), "{about}");
    }
    assert!(!text.contains("elsewhere"), "{text}");
    for words in ["the steps are named", "11 changed lines", "main is a protected branch"] {
        assert!(text.contains(words), "{words} is missing: {text}");
    }
    fs::remove_file(world.sandbox.project().join("big.txt")).unwrap();
    let switch = text.lines().find(|line| line.contains("git switch")).expect("how to leave the branch");
    claude.does(&command_in(switch));
    claude.does(&command_in(&text.replace(switch, "")));
    claude.edits("a.rs", "fn a() {}\n");
    let status = claude.starts("startup").expect("a status");
    assert!(status.contains("- commit_plan (satisfied, before edits)"), "{status}");
}

#[test]
fn only_the_user_satisfies_what_is_the_users() {
    let world = World::of_team("requirements: {plan: {enabled: true, satisfied_by: user}}\n");
    let claude = world.claude();
    let text = claude.refused(&claude.edit("a.rs"));
    for line in ["req satisfy plan", "env -u CLAUDECODE req satisfy plan", "CLAUDECODE= req satisfy plan"] {
        let answer = claude.shell(line);
        assert_eq!(answer.status.code(), Some(1), "{line}: {answer}");
        assert!(claude.after(&claude.bash(line), shell_response("")).is_none());
    }
    assert!(claude.headless().answer_to("req satisfy plan").contains("req: denied"));
    let claude = world.claude();
    claude.refused(&claude.edit("a.rs"));
    for sentence in ["req please help", "req status of this branch is unclear"] {
        assert_eq!(claude.types(sentence), None, "that is for Claude");
    }
    assert!(claude.answer_to("req pause 10").contains("10"), "a mistyped line never passes for a pause");
    claude.answer_to(&prompt_in(&text));
    claude.edits("a.rs", "");
}

#[test]
fn a_single_session_is_alone_until_another_lives_here() {
    let world =
        World::of_team("requirements: {alone: {enabled: true, type: guard, guard_type: single_session}}\n");
    let (one, other) = (world.claude(), world.another(2));
    one.starts("startup");
    other.clone().headless().starts("startup");
    one.passes(&one.edit("a.rs"));
    other.starts("startup");
    assert!(one.refused(&one.edit("a.rs")).contains("00000002"));
    other.ask(&other.session.session_end("other"));
    one.passes(&one.edit("a.rs"));
}

#[test]
fn plans_are_exempt_and_links_in_and_to_their_folders_are_not() {
    let world = World::of_team(PLAN);
    let (claude, project) = (world.claude(), world.sandbox.project());
    world.sandbox.write("a.rs", "");
    world.sandbox.write("docs/plans/old.md", "");
    link(&project, &project.join("docs/plans/out"));
    link(&project.join("a.rs"), &project.join("docs/plans/linked.md"));
    link(&project.join("docs"), &project.join(".claude/plans"));
    let home = world.sandbox.home().join(".claude/plans");
    let plans = ["docs/plans/new.md", "docs/plans/deep/new.md", "src/../docs/plans/x.md"];
    for plan in plans.map(|plan| project.join(plan)).iter().chain([&home.join("brisk-fox.md")]) {
        claude.passes(&claude.edit(plan));
    }
    for file in [
        "docs/plans/../../a.rs",
        "docs/plans/out/a.rs",
        "docs/plans/linked.md",
        ".claude/plans/x.md",
        "docs/plans.md",
        "docs/plans-b/x.md",
        "other/docs/plans/x.md",
    ] {
        claude.refused(&claude.edit(file));
    }
}

#[test]
fn a_prompt_that_nobody_typed_makes_no_exception() {
    let world =
        World::of_team("requirements: {guard: {enabled: true, type: guard, guard_type: protected_branch}}\n");
    let claude = world.claude();
    let schedule =
        claude.call("CronCreate", json!({ "prompt": "req waive guard --note x", "cron": "* * * * *" }));
    claude.passes(&schedule);
    assert!(claude.answer_to("req waive guard --note x").contains("req: denied"));
    assert!(
        world.another(2).answer_to("req waive guard --note x").contains("req: denied"),
        "a later session"
    );
    assert!(world.another(2).headless().answer_to("req waive guard --note y").contains("req: denied"));
    // One that was scheduled before anybody looked shows at the end of a turn.
    let waiting = json!([{ "id": "c", "schedule": "* * * * *", "prompt": "req waive guard --note z" }]);
    claude.ask(&claude.session.stop("done").with("session_crons", waiting));
    assert!(claude.answer_to("req waive guard --note z").contains("req: denied"));
    claude.refused(&claude.edit("a.rs"));
    let answer = claude.answer_to("req waive guard --note y");
    assert!(answer.contains("waived for"), "{answer}");
    claude.passes(&claude.edit("a.rs"));
}

#[test]
fn switched_off_the_hook_denies_nothing_and_its_commands_still_answer() {
    let world = World::of_team(PLAN);
    world.sandbox.requirements(Level::Local, "requirements-check: {enabled: false}\n");
    let claude = world.claude();
    claude.passes(&claude.edit("a.rs"));
    assert_eq!(claude.starts("startup"), None);
    claude.stops();
    assert!(claude.answer_to("req status").contains("plan"));
}

#[test]
fn projects_file_does_not_loosen_a_locked_requirement_at_a_stop() {
    let world = World::of_team("hooks: {stop: {verify_requirements: false, verify_scopes: []}}\n");
    world.sandbox.requirements(Level::User, &format!("locked: [requirements.green]\n{GREEN}"));
    let claude = world.claude();
    claude.edits("a.rs", "");
    assert!(claude.held().contains("- green: "));
}

const GREEN: &str = "requirements: {green: {enabled: true, type: evidence, command: \"true\"}}\n";

#[test]
fn evidence_that_an_edit_made_due_blocks_the_stop_once_per_prompt() {
    let world = World::of_team(GREEN);
    let claude = world.claude();
    claude.edits("a.rs", "");
    let task = json!([{ "id": "b1", "type": "shell", "status": "running", "description": "sleep" }]);
    assert_eq!(claude.ask(&claude.session.stop("All done.").with("background_tasks", task)), None);
    let text = claude.held();
    assert!(text.contains("- green: ") && text.contains(".claude/requirements.yaml:1"), "{text}");
    claude.stops();
    assert_eq!(claude.ask(&claude.session.stop_again("Still done.")), None);
    let claude = claude.at_prompt(2);
    claude.held();
    let claude = claude.at_prompt(3);
    claude.does(&command_in(&text));
    claude.stops();
    claude.edits("a.rs", "more");
    claude.held();
}

#[test]
fn copies_of_one_stop_block_it_once() {
    let world = World::of_team(GREEN);
    let claude = world.claude();
    claude.edits("a.rs", "");
    let answers = world.ask_at_once(&vec![claude.session.stop("Done."); 8]);
    let blocked = answers.iter().filter(|answer| block_reason(answer.as_ref()).is_some()).count();
    assert_eq!(blocked, 1, "{answers:?}");
}

#[test]
fn one_of_two_parallel_calls_gets_the_satisfaction() {
    let world = World::of_team(
        "requirements: {review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: git push}]}}\n",
    );
    let claude = world.claude();
    for _ in 0..5 {
        claude.does("req satisfy review");
        let calls: Vec<_> = (0..6).map(|_| claude.bash("git push")).collect();
        let events: Vec<Payload> = calls.iter().map(|call| claude.event_before(call)).collect();
        let answers = world.ask_at_once(&events);
        let passed: Vec<_> = answers.iter().zip(&calls).filter(|(answer, _)| answer.is_none()).collect();
        assert_eq!(passed.len(), 1, "{answers:?}");
        claude.succeeded(passed[0].1);
    }
}
