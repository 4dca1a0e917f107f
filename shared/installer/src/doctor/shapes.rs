//! What Claude Code cannot read in a settings file. Pure.

use client_settings::Fault;

use super::finding::{Finding, Severity};
use super::level::Level;

/// The form of an event.
const SHAPE: &str = r#"the form is: "EVENT": [ { "matcher": "TOOL", "hooks": [ { "type": "command", "command": "PROGRAM", "args": [] } ] } ]"#;

/// Everything of one level.
pub(crate) fn findings(level: &Level) -> Vec<Finding> {
    let faults = level.survey.faults.iter().map(|fault| misshapen(level, fault));
    level.unreadable.clone().into_iter().chain(faults).collect()
}

/// A misshapen entry takes the others of its event with it: ours, or somebody else's.
fn misshapen(level: &Level, fault: &Fault) -> Finding {
    let takes_ours = level.is_refused
        || level.ours.iter().any(|entry| fault.event.is_empty() || entry.event == fault.event);
    let severity = if takes_ours { Severity::Broken } else { Severity::Warning };
    let found = |effect: &str, next: &str| {
        let what = format!("{}; {effect} until it is corrected", fault.what);
        Finding::new(severity, what).at(&level.shown, Some(fault.line)).next(next)
    };
    if fault.event.is_empty() {
        return found(
            "Claude Code takes no hook of this file",
            "give it the kind of value it needs, or remove it",
        );
    }
    found(&format!("no {} hook of this file runs", fault.event), SHAPE).key(format!("hooks.{}", fault.event))
}

#[cfg(test)]
mod tests {
    use client_settings::{Program, Registered};

    use super::findings;
    use crate::doctor::finding::Severity::{Broken, Warning};
    use crate::doctor::level::{Kind, Level};

    fn ours(event: &str) -> Registered {
        Registered {
            name: "a-gate".to_owned(),
            event: event.to_owned(),
            matcher: None,
            program: Program::Path("/h/a-gate".to_owned()),
            args: Vec::new(),
            timeout_secs: None,
            status_message: None,
            harmful_keys: Vec::new(),
        }
    }

    #[test]
    fn unreadable_part_is_reported_with_its_line_and_judged_by_what_it_takes_along() {
        let nesting = "{\"hooks\":{\n\"Stop\":[\n{\"type\":\"command\",\"command\":\"x\"}]}}";
        for (text, event, severity, line, said) in [
            (nesting, "Stop", Broken, 3, "needs a list `hooks`"),
            (nesting, "PreToolUse", Warning, 3, "the form is"),
            ("{\n\"model\": 1}", "Stop", Broken, 2, "takes no hook of this file"),
            ("{\n  \"hooks\": {,}\n}", "Stop", Broken, 2, "reads nothing of it"),
        ] {
            let level = Level { ours: vec![ours(event)], ..Level::of_text(Kind::User, "f", text) };
            let found = findings(&level);
            let [only] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!((only.severity, only.line), (severity, Some(line)), "{only}");
            assert!(only.to_string().contains(said), "{only}");
        }
    }
}
