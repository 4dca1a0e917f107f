//! Settings through real files: a wrong number leaves its neighbours and the layers below, and texts of the user's own are
//! the user's alone.

use super::{Calls, only_capacity};
use crate::driver::notice;
use std::path::Path;
use tests::sandbox::Level;

/// What the first call tells of a file with this line at line 3 of the project's.
#[track_caller]
fn told_of(line: &str) -> (Calls, String) {
    let calls = Calls::new(&only_capacity(3));
    calls.sandbox.requirements(Level::Project, &format!("rate-awareness:\n  ping_pong: 2\n  {line}\n"));
    let text = notice(calls.call("first").as_ref());
    (calls, text)
}

#[test]
fn a_wrong_number_is_told_with_its_line_and_the_layer_below_holds() {
    let capacity = "expected a number from 1 to 1000000; the level below counts";
    let refill = "expected a number from 0 to 1000000; the level below counts";
    for (key, values, expected) in [
        (
            "capacity",
            &["0.5", "0", "-1", ".nan", ".inf", "1e999", "1000001", "many", "\"5\"", "[5]"][..],
            capacity,
        ),
        ("refill_per_sec", &["-0.1", ".nan", "-.inf", "1e7", "often"], refill),
    ] {
        for value in values {
            let (calls, text) = told_of(&format!("global_default: {{{key}: {value}}}"));
            let problem =
                format!(".claude/requirements.yaml:3: rate-awareness.global_default.{key}: {expected}");
            assert!(text.contains(&problem), "{value}: {text}");
            assert_eq!(calls.silent_calls(), 2, "{key}: {value}: the user's capacity of 3 holds");
        }
    }
    let (calls, text) = told_of("repeat: 1");
    assert!(text.contains("rate-awareness.repeat: expected 0 or a whole number from 2 to 1000"), "{text}");
    assert_eq!(calls.silent_calls(), 2);
}

#[test]
fn a_wrong_entry_of_a_skill_leaves_its_neighbours() {
    let (calls, text) = told_of(
        "per_skill: {a: {capacity: 5, refill_per_sec: -1}, b: {capacity: none}, c: {capactiy: 9}, d: {capacity: 6}, e: }",
    );
    for problem in [
        "per_skill.a.refill_per_sec: expected a number from 0 to 1000000",
        "per_skill.b.capacity: expected a number from 1 to 1000000",
        "per_skill.c.capactiy: no such key; did you mean capacity?",
        "per_skill.e: expected a map of settings",
    ] {
        assert!(text.contains(&format!(":3: rate-awareness.{problem}")), "no `{problem}` in {text}");
    }
    for (skill, capacity) in [("a", 5), ("b", 3), ("c", 3), ("d", 6), ("e", 3)] {
        let session = calls.session.clone().with_id(&format!("session-{skill}"));
        calls.ask(&session.pre_tool_use("Skill", serde_json::json!({ "skill": skill })));
        let call = |number: usize| session.pre_tool_use("Bash", serde_json::json!({ "command": number }));
        let silent = (0..9).take_while(|number| calls.ask(&call(*number)).is_none()).count();
        assert_eq!(silent, capacity, "{skill}");
    }
}

#[test]
fn capacities_and_refills_need_not_be_whole() {
    let calls =
        Calls::new("rate-awareness: {global_default: {capacity: 1.5, refill_per_sec: 0.0001}, repeat: 0}\n");
    assert_eq!(calls.silent_calls(), 1);
    let text = notice(calls.call("x").as_ref());
    assert!(text.contains("allowed are 1.5 at once and less than 0.01 a minute"), "{text}");
    assert!(text.contains("The next token is back in 84 min"), "{text}");
}

#[test]
fn texts_of_the_users_own_stand_in_place_of_the_built_in_ones() {
    let own = "  message_files: {empty: ~/empty.md, repeat: repeat.md}\n";
    let calls = Calls::new(&format!("{}{own}", only_capacity(1)));
    calls.sandbox.write_home("empty.md", "{calls} of {capacity} in {bucket}, {unknown}.\n");
    calls.call("a");
    let text = notice(calls.call("b").as_ref());
    assert!(text.starts_with("2 calls of 1 in `ungated`, {unknown}.\nNothing was held up."), "{text}");
    assert!(!text.contains("message_files"), "the other one was not due: {text}");
}

#[test]
fn a_text_that_cannot_be_read_is_told_when_it_was_due_and_the_built_in_one_stands() {
    let calls = Calls::new(&format!("{}  message_files: {{empty: missing.md}}\n", only_capacity(1)));
    assert_eq!(calls.call("a"), None);
    let text = notice(calls.call("b").as_ref());
    assert!(text.contains("the bucket `ungated` is empty"), "{text}");
    assert!(
        text.contains("message_files.empty: ~/.claude/missing.md cannot be read; the built-in text was used"),
        "{text}"
    );
}

#[test]
fn a_project_cannot_name_texts_and_is_told() {
    for level in [Level::Project, Level::Local] {
        for value in ["{empty: /etc/hostname}", "{repeat: ~/empty.md, ping_pong: x}", "{}"] {
            let calls = Calls::new(&only_capacity(1));
            calls.sandbox.write_home("empty.md", "WORDS");
            calls.sandbox.requirements(level, &format!("rate-awareness:\n  message_files: {value}\n"));
            let text = notice(calls.call("a").as_ref());
            assert!(text.contains(":2: rate-awareness.message_files"), "{level:?} {value}: {text}");
            assert!(text.contains("counts only in your global requirements.yaml"), "{text}");
            assert!(notice(calls.call("b").as_ref()).contains("the bucket `ungated` is empty"));
        }
    }
}

#[test]
fn a_teams_files_are_no_problem() {
    for (name, level) in [("global", Level::User), ("project", Level::Project), ("local", Level::Local)] {
        let calls = Calls::unconfigured();
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("config/samples/team");
        let text = std::fs::read_to_string(samples.join(format!("{name}.yaml"))).unwrap();
        assert!(text.contains("\nrate-awareness:\n"), "{name}");
        calls.sandbox.requirements(level, &text);
        assert_eq!(calls.call("x"), None, "{name}");
    }
}

#[test]
fn the_schema_marks_what_is_the_users_alone_and_bounds_what_is_a_number() {
    let schema = calls_schema();
    assert_eq!(schema["properties"]["message_files"]["x-global-only"], true);
    let limits = &schema["properties"]["global_default"]["properties"];
    assert_eq!(
        (&limits["capacity"]["minimum"], &limits["capacity"]["maximum"]),
        (&1.into(), &1_000_000.into())
    );
    assert_eq!(limits["refill_per_sec"]["minimum"], 0);
}

fn calls_schema() -> serde_json::Value {
    let calls = Calls::unconfigured();
    let schema = calls.hook().args(["schema"]).run();
    schema.assert_exit(0);
    serde_json::from_slice(&schema.stdout).unwrap()
}
