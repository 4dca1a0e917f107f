//! Every verdict on every event, against the documented shape of an answer.

use serde_json::Value;

use super::{Answer, to_wire};
use crate::protocol::{Event, Stop, Subagent, ToolCall, ToolFailure, ToolResult};
use crate::verdict::Verdict;

/// The documented shape of a hook's output, event by event.
const DOCUMENTED: &str = include_str!("documented.schema.json");

fn events() -> [Event; 12] {
    [
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

fn verdicts() -> [Verdict; 6] {
    let (reason, rule) = (|| "why \"quoted\"\nand a line".to_owned(), || "enabled".into());
    [
        Verdict::Pass,
        Verdict::Advise { text: reason() },
        Verdict::Deny { reason: reason(), rule: rule() },
        Verdict::Ask { reason: reason(), rule: rule() },
        Verdict::Reply { text: reason() },
        Verdict::Block { reason: reason(), rule: rule() },
    ]
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
fn each_verdict_has_its_words_on_the_events_that_carry_it_and_is_silence_elsewhere() {
    let specific =
        |fields: &str| format!(r#"{{"hookSpecificOutput":{{{fields},"hookEventName":"PreToolUse"}}}}"#);
    let block = r#"{"decision":"block","reason":"no"}"#.to_owned();
    let (no, rule) = (|| "no".to_owned(), || "x".into());
    let (tool, stop, prompt) = ("PreToolUse", "Stop", "UserPromptSubmit");
    let ask = specific(r#""permissionDecision":"ask","permissionDecisionReason":"no""#);
    for (verdict, event, expected, others) in [
        (Verdict::Pass, stop, None, &[][..]),
        (Verdict::Block { reason: no(), rule: rule() }, stop, Some(block.clone()), &["SubagentStop", prompt]),
        (Verdict::Reply { text: no() }, prompt, Some(block), &[]),
        (Verdict::Deny { reason: no(), rule: rule() }, tool, Some(ask.replace("\"ask\"", "\"deny\"")), &[]),
        (Verdict::Ask { reason: no(), rule: rule() }, tool, Some(ask), &[]),
        (
            Verdict::Advise { text: no() },
            tool,
            Some(specific(r#""additionalContext":"no""#)),
            &["SessionStart", prompt, "PostToolUse", "PostToolUseFailure", "SubagentStart"],
        ),
    ] {
        let answer = Answer { verdict, notice: None };
        for other in events() {
            let wire = to_wire(&other, &answer);
            if other.name() == event {
                assert_eq!(wire, expected, "{answer:?}");
            } else {
                assert_eq!(wire.is_some(), others.contains(&other.name()), "{answer:?} on {}", other.name());
            }
        }
    }
}
