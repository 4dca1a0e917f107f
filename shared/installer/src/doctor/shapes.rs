//! Values in a settings file that make Claude Code ignore hooks.

use client_settings::Fault;

use super::finding::{Finding, Severity};
use super::level::Level;

/// The form of an event.
const SHAPE: &str = r#"the form is: "EVENT": [ { "matcher": "TOOL", "hooks": [ { "type": "command", "command": "PROGRAM", "args": [] } ] } ]"#;

/// Everything of one level.
pub(crate) fn findings(level: &Level) -> Vec<Finding> {
    let faults = level.contents.faults.iter().map(|fault| misshapen(level, fault));
    level.unreadable.clone().into_iter().chain(faults).collect()
}

/// A fault is broken where it takes an entry of ours along.
fn misshapen(level: &Level, fault: &Fault) -> Finding {
    let is_whole_file = fault.event.is_empty();
    let takes_ours = level.contents.refused.is_some()
        || level.ours().any(|entry| is_whole_file || entry.event == fault.event);
    let severity = if takes_ours { Severity::Broken } else { Severity::Warning };
    let found = |effect: &str, next: &str| {
        let what = format!("{}; {effect} until it is corrected", fault.what);
        Finding::new(severity, what).at(&level.shown, Some(fault.line)).next(next)
    };
    if is_whole_file {
        let next = "give it the kind of value it needs, or remove it";
        return found("Claude Code takes no hook of this file", next);
    }
    found(&format!("no {} hook of this file runs", fault.event), SHAPE).key(format!("hooks.{}", fault.event))
}

#[cfg(test)]
mod tests {
    use super::findings;
    use crate::doctor::finding::Severity::{Broken, Warning};
    use crate::doctor::level::{Kind, Level};

    #[test]
    fn unreadable_part_is_reported_with_its_line_and_judged_by_what_it_takes_along() {
        let ours = r#"{"hooks":[{"type":"command","command":"/h/a-gate","args":[]}]}"#;
        let nesting = |event: &str| {
            let wrong = r#"{"type":"command","command":"x"}"#;
            format!("{{\"hooks\":{{\n\"Stop\":[\n{wrong}],\"X\":[],\"{event}\":[{ours}]}}}}")
        };
        let twice = format!("{{\"hooks\":{{\n\"Stop\":[{ours},\n{{\"type\":1}}]}}}}");
        for (text, severity, line, said) in [
            (twice, Broken, 3, "needs a list `hooks`"),
            (nesting("PreToolUse"), Warning, 3, "the form is"),
            (
                format!("{{\"hooks\":{{\"Stop\":[{ours}]}},\n\"model\": 1}}"),
                Broken,
                2,
                "takes no hook of this file",
            ),
            ("{\n  \"hooks\": {,}\n}".to_owned(), Broken, 2, "reads nothing of it"),
            ("{\"hooks\": {},\n  \"hooks\": {}}".to_owned(), Broken, 2, "a second time"),
        ] {
            let level = Level::owned(Kind::User, "f", &text, &["a-gate".to_owned()]);
            let found = findings(&level);
            let [only] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!((only.severity, only.line), (severity, Some(line)), "{only}");
            assert!(only.to_string().contains(said), "{only}");
        }
    }
}
