//! Before a call: what is refused and what is not, in how many words, and what is said beside it.

use std::path::Path;

use serde_json::json;
use shared::hook::{Memory, Verdict};
use shared::host::Places;

use crate::change::Change;
use crate::rails::Guarded;
use crate::rule::LOCKED;
use crate::satisfactions::By;
use crate::scene::{ROOT, Scene, call, denied, edit_of, is_silent};
use crate::world::{Freshness, World};

const SEVERAL: &str = "\
plan: {message: Plan first., checklist: [Read the issue., Name the files.]}
adr: {scope: branch, description: Decisions are written down.}
size: {type: dynamic, calculator: branch_size, thresholds: {warn: 250, block: 400}}
not_on_main: {type: guard, guard_type: protected_branch}
tests: {type: evidence, command: cargo test, enforce: both, trigger_tools: [Edit]}
at_the_end: {enforce: stop}
for_commits: {trigger_tools: [{tool: Bash, command_pattern: git commit}]}
";

#[test]
fn everything_a_call_needs_and_is_not_met_is_in_one_refusal() {
    let mut scene = Scene::new(SEVERAL).on("main");
    scene.measures("size", 400);
    let answer = scene.edit("t1");
    let reason = denied(&answer);
    for needed in ["plan", "adr", "size", "not_on_main", "tests"] {
        assert_eq!(reason.matches(&format!("\n- {needed}: ")).count(), 1, "{needed} in {reason}");
    }
    for other in ["at_the_end", "for_commits"] {
        assert!(!reason.contains(other), "{other} in {reason}");
    }
    for said in ["requirements-check: Edit", "on main", "Plan first.", "Read the issue.", "Name the files."] {
        assert!(reason.contains(said), "{said} in {reason}");
    }
    assert_eq!(reason.matches("req satisfy").count(), 1, "one command for all of them: {reason}");
    assert!(reason.contains("run in Bash: req satisfy adr plan"), "{reason}");
    assert!(reason.contains("yaml:"), "the place of each: {reason}");
    let Verdict::Deny { rule, .. } = &answer.verdict else { panic!() };
    assert_eq!(rule, "requirements.not_on_main", "guards come first");
    let also = ["adr", "plan", "size", "tests"].map(|name| format!("requirements.{name}"));
    assert_eq!(answer.audit.also, also);
    assert_eq!(denied(&scene.edit("t2")), reason, "whole however soon the call comes again");
    let mut scene = Scene::new(SEVERAL);
    for name in ["plan", "adr", "tests"] {
        scene.satisfy(name, None, By::User);
    }
    scene.measures("size", 10);
    assert!(denied(&scene.edit("t1")).matches("\n- ").count() == 1, "the files of the tests are not known");
    scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
    assert!(is_silent(&scene.edit("t2")));
}

#[test]
fn a_call_that_needs_nothing_passes_in_silence_and_changes_nothing() {
    let mut scene = Scene::new(SEVERAL).on("main");
    for (tool, input) in [
        ("Read", edit_of("a.rs")),
        ("Bash", json!({ "command": "git status" })),
        ("Bash", json!({ "command": "echo 'git commit'" })),
        ("mcp__x__y", json!({})),
    ] {
        let answer = scene.before("t1", tool, &input);
        assert!(is_silent(&answer) && answer.memory == Memory::Keep && answer.effects.is_empty(), "{tool}");
    }
    let answer = scene.bash("t2", "git commit -m x");
    assert!(denied(&answer).contains("\n- for_commits: "));
}

#[test]
fn asks_for_no_satisfaction_that_cannot_be_kept_and_tells_the_user_once() {
    let evidence = "tests: {type: evidence, command: x, trigger_tools: [Edit]}\n";
    let guard = "not_on_main: {type: guard, guard_type: protected_branch}\n";
    let all = format!("plan: {{}}\n{evidence}{guard}");
    for (can_satisfy, can_prove, state_is_usable, asked) in [
        (false, false, true, "not_on_main"),
        (true, false, true, "not_on_main plan"),
        (true, true, false, "not_on_main plan"),
        (true, true, true, "not_on_main plan tests"),
    ] {
        let mut scene = Scene::new(&all).on("main");
        (scene.world.can_satisfy, scene.world.can_prove) = (can_satisfy, can_prove);
        scene.state_is_usable = state_is_usable;
        let answer = scene.before_with("t1", "Edit", &edit_of("src/a.rs"), |facts| facts.registers = true);
        assert_eq!(
            answer.effects.is_empty(),
            !state_is_usable,
            "an answer with effects is dropped without state"
        );
        let reason = denied(&answer).to_owned();
        let names = ["not_on_main", "plan", "tests"]
            .into_iter()
            .filter(|name| reason.contains(&format!("- {name}: ")));
        assert_eq!(names.collect::<Vec<_>>().join(" "), asked, "{reason}");
    }
    let mut scene = Scene::new(&format!("plan: {{}}\n{evidence}"));
    (scene.world.can_satisfy, scene.world.can_prove) = (false, false);
    let notice = scene.edit("t1").notice.unwrap();
    assert!(notice.contains("plan") && notice.contains("tests") && notice.contains("writ"), "{notice}");
    assert!(is_silent(&scene.edit("t2")));
}

#[test]
fn note_of_an_observation_comes_once_with_or_without_a_denial() {
    for requirement in ["plan: {}\n", "other: {trigger_tools: [Write]}\n"] {
        let mut scene = Scene::new(requirement);
        scene.world.notes = vec!["damaged".to_owned()];
        assert_eq!(scene.edit("t1").notice.as_deref(), Some("damaged"), "{requirement}");
        assert_eq!(scene.edit("t2").notice, None, "{requirement}");
        scene.world.notes = vec!["out of reach".to_owned()];
        assert_eq!(scene.edited("t2").notice.as_deref(), Some("out of reach"), "after a call");
    }
}

#[test]
fn size_past_its_warning_notifies_once_per_crossing() {
    let mut scene =
        Scene::new("size: {type: dynamic, calculator: branch_size, thresholds: {warn: 250, block: 400}}\n");
    let mut said = |lines: u64| {
        scene.measures("size", lines);
        match scene.edit("t").verdict {
            Verdict::Pass => "",
            Verdict::Advise { text } if text.contains(&lines.to_string()) && text.contains("400") => "warned",
            Verdict::Deny { .. } => "denied",
            other => panic!("{other:?}"),
        }
    };
    let said = [249, 250, 251, 399, 249, 250, 10, 400].map(&mut said);
    assert_eq!(said, ["", "warned", "", "", "", "warned", "", "denied"]);
}

#[test]
fn each_work_tree_is_judged_by_itself() {
    let guard = "own: {type: guard, guard_type: protected_branch, trigger_tools: [{tool: Bash, command_pattern: git commit}]}\n";
    let on = |branch: &str| std::mem::take(&mut Scene::new(guard).on(branch).world);
    let decide = |here: &str, there: &str, judged_here: &[&str]| {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let place = World { judged: names(&["own"]), ..on(there) };
        let line = json!({ "command": "git commit -m x" });
        Scene::new(guard).on(here).before_with("t1", "Bash", &line, |facts| {
            facts.worlds[0].judged = names(judged_here);
            facts.worlds.push(place);
        })
    };
    assert!(denied(&decide("feature", "main", &[])).contains("on main"), "the other one is protected");
    assert!(is_silent(&decide("main", "feature", &[])), "nothing acts on the protected one");
    assert!(denied(&decide("main", "feature", &["own"])).contains("on main"));
}

#[test]
fn a_file_outside_of_any_work_tree_is_on_no_branch() {
    let mut scene = Scene::new("own: {type: guard, guard_type: protected_branch}\n").on("main");
    assert!(is_silent(&scene.before("t1", "Write", &json!({ "file_path": "/tmp/notes.md" }))));
    denied(&scene.edit("t2"));
}

#[test]
fn denies_a_call_that_goes_around_the_user_and_names_whose_it_is() {
    let (input, root) = (edit_of(".claude/requirements.yaml"), Path::new(ROOT));
    let places = Places { root: Some(root.to_owned()), ..Places::default() };
    let in_force = ("requirements.plan".to_owned(), LOCKED);
    let breach = Guarded::new(&places, None, root).breach(&call("Edit", &input), None, "{}", in_force);
    let answer = Scene::new("plan: {}\n").before_with("t1", "Edit", &input, |facts| {
        (facts.breach, facts.registers) = (breach, true);
    });
    assert!(denied(&answer).contains("requirements.yaml"), "{answer:?}");
    assert!(matches!(&answer.verdict, Verdict::Deny { rule, .. } if rule == "requirements.plan"));
    assert!(matches!(answer.effects.as_slice(), [Change::Alive(_)]) && !answer.audit.next.is_empty());
}
