//! Every verdict on every event, against the documented shape of an answer.

use serde_json::Value;

use super::{Answer, to_wire};
use crate::protocol::{Event, Stop, Subagent, ToolCall, ToolFailure, ToolResult};
use crate::verdict::Verdict;

/// The documented shape of a hook's output, event by event.
const DOCUMENTED: &str = include_str!("documented.schema.json");

fn events() -> Vec<Event> {
    vec![
        Event::SessionStart { source: "startup".into(), model: None },
        Event::SessionEnd { reason: "other".into() },
        Event::UserPromptSubmit { prompt: "p".into(), source: None },
        Event::PreToolUse(ToolCall::default()),
        Event::PostToolUse(ToolResult::default()),
        Event::PostToolUseFailure(ToolFailure::default()),
        Event::Stop(Stop::default()),
        Event::StopFailure { error: "rate_limit".into() },
        Event::SubagentStart(Subagent::default()),
        Event::SubagentStop(Subagent::default()),
        Event::PreCompact { trigger: "auto".into() },
        Event::Other("MessageDisplay".into()),
    ]
}

fn verdicts() -> Vec<Verdict> {
    let reason = || "why \"quoted\"\nand a line".to_owned();
    vec![
        Verdict::Pass,
        Verdict::Advise { text: reason() },
        Verdict::Deny { reason: reason(), rule: "enabled".into() },
        Verdict::Ask { reason: reason(), rule: "enabled".into() },
        Verdict::Reply { text: reason() },
        Verdict::Block { reason: reason(), rule: "enabled".into() },
    ]
}

#[track_caller]
fn check(event: &Event, verdict: Verdict, expected: Option<&str>) {
    assert_eq!(to_wire(event, &Answer { verdict, notice: None }).as_deref(), expected);
}

#[test]
fn every_answer_has_the_documented_shape() {
    let schema: Value = serde_json::from_str(DOCUMENTED).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut spoken = 0;
    for event in events() {
        for verdict in verdicts() {
            for notice in [None, Some("to the user".to_owned())] {
                let answer = Answer { verdict: verdict.clone(), notice };
                let Some(wire) = to_wire(&event, &answer) else { continue };
                let wire: Value = serde_json::from_str(&wire).unwrap();
                spoken += 1;
                if let Some(name) = wire.pointer("/hookSpecificOutput/hookEventName") {
                    assert_eq!(name, event.name());
                }
                let errors: Vec<_> = validator.iter_errors(&wire).map(|error| error.to_string()).collect();
                assert!(errors.is_empty(), "{} {verdict:?}: {errors:?}", event.name());
            }
        }
    }
    assert!(spoken > events().len(), "{spoken}");
}

#[test]
fn each_verdict_has_its_words() {
    let (reason, rule) = (|| "no".to_owned(), || "enabled".into());
    let stop = Event::Stop(Stop::default());
    let block = Verdict::Block { reason: reason(), rule: rule() };
    check(&stop, block, Some(r#"{"decision":"block","reason":"no"}"#));
    let call = Event::PreToolUse(ToolCall::default());
    for (verdict, fields) in [
        (
            Verdict::Deny { reason: reason(), rule: rule() },
            r#""permissionDecision":"deny","permissionDecisionReason":"no""#,
        ),
        (
            Verdict::Ask { reason: reason(), rule: rule() },
            r#""permissionDecision":"ask","permissionDecisionReason":"no""#,
        ),
        (Verdict::Advise { text: reason() }, r#""additionalContext":"no""#),
    ] {
        let expected = format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{fields}}}}}"#);
        check(&call, verdict, Some(&expected));
    }
}

#[test]
fn a_verdict_an_event_cannot_carry_is_silence() {
    for event in events() {
        let pre = matches!(event, Event::PreToolUse(_));
        let deny = Answer { verdict: Verdict::Deny { reason: "no".into(), rule: "x".into() }, notice: None };
        assert_eq!(to_wire(&event, &deny).is_some(), pre, "{}", event.name());
    }
    check(
        &Event::Stop(Stop::default()),
        Verdict::Advise { text: "context makes the model go on".into() },
        None,
    );
    check(
        &Event::SessionEnd { reason: "other".into() },
        Verdict::Block { reason: "no".into(), rule: "x".into() },
        None,
    );
}
