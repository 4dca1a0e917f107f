//! What the client cannot read in a settings file, or reads otherwise than it looks: wrong nesting, unknown events,
//! matchers. Pure.

use client_settings::Fault as Misshapen;
use shared::config::nearest;

use super::events;
use super::finding::{Finding, Severity};
use super::level::Level;
use super::matchers::{Fault, fault};

/// How the client wants an event.
const SHAPE: &str = r#"the form is: "EVENT": [ { "matcher": "TOOL", "hooks": [ { "type": "command", "command": "PROGRAM", "args": [] } ] } ]"#;

/// Everything of one level.
pub(super) fn findings(level: &Level) -> Vec<Finding> {
    let faults = level.survey.faults.iter().map(|fault| misshapen(level, fault));
    let events = level.survey.events.iter().filter_map(|event| unknown(level, &event.name, event.line));
    let groups = &level.survey.groups;
    let matchers = groups.iter().filter_map(|group| {
        let found = fault(&group.event, group.matcher.as_deref()?)?;
        Some(mismatched(level, group, &found))
    });
    level.unreadable.clone().into_iter().chain(faults).chain(events).chain(matchers).collect()
}

/// A misshapen entry takes the others of its event with it: ours, or somebody else's.
fn misshapen(level: &Level, fault: &Misshapen) -> Finding {
    let takes_ours = level.is_refused
        || level.ours.iter().any(|entry| fault.event.is_empty() || entry.event == fault.event);
    let severity = if takes_ours { Severity::Broken } else { Severity::Warning };
    let found = |effect: &str, next: &str| {
        let what = format!("{}; {effect} until it is mended", fault.what);
        Finding::new(severity, what).at(&level.shown, Some(fault.line)).next(next)
    };
    if fault.event.is_empty() {
        return found(
            "the client takes no hook of this file",
            "give it the kind of value it needs, or remove it",
        );
    }
    found(&format!("no {} hook of this file runs", fault.event), SHAPE).key(format!("hooks.{}", fault.event))
}

fn unknown(level: &Level, event: &str, line: usize) -> Option<Finding> {
    let names = events::names();
    if names.contains(&event) {
        return None;
    }
    let near = nearest(event, &names)
        .or_else(|| names.iter().copied().find(|name| name.eq_ignore_ascii_case(event)).map(str::to_owned));
    let hint = match near {
        Some(near) => format!("did you mean {near}?"),
        None => "the events are named in the client's documentation of hooks".to_owned(),
    };
    let has_ours = level.ours.iter().any(|entry| entry.event == event);
    let severity = if has_ours { Severity::Broken } else { Severity::Warning };
    let found = Finding::new(severity, "no event of this name is known: what stands here never runs");
    Some(found.at(&level.shown, Some(line)).key(format!("hooks.{}", event.escape_debug())).next(hint))
}

fn mismatched(level: &Level, group: &client_settings::Group, fault: &Fault) -> Finding {
    let matcher = group.matcher.as_deref().unwrap_or_default();
    let is_ours = level.ours.iter().any(|entry| entry.event == group.event && entry.matcher == group.matcher);
    let found = match fault {
        Fault::Never(why) if is_ours => Finding::broken(format!("can never match: {why}")),
        Fault::Never(why) => Finding::warning(format!("can never match: {why}")),
        Fault::Doubtful(why) => Finding::warning(why.clone()),
        Fault::Ignored => Finding::note("has no effect: this event runs its hooks whatever the matcher"),
    };
    let key = format!("hooks.{}, matcher `{}`", group.event, matcher.escape_debug());
    found.at(&level.shown, Some(group.line)).key(key)
}

#[cfg(test)]
mod tests {
    use client_settings::{Program, Registered};

    use super::findings;
    use crate::doctor::finding::Severity;
    use crate::doctor::level::{Kind, Level};

    fn ours(event: &str, matcher: Option<&str>) -> Registered {
        Registered {
            name: "a-gate".to_owned(),
            event: event.to_owned(),
            matcher: matcher.map(str::to_owned),
            program: Program::Path("/h/a-gate".to_owned()),
            args: Vec::new(),
            timeout_secs: None,
            status_message: None,
            harmful_keys: Vec::new(),
        }
    }

    /// Severity, line and words of the only finding.
    fn only(text: &str, ours: Vec<Registered>) -> (Severity, Option<usize>, String) {
        let level = Level { ours, ..Level::of_text(Kind::User, "f", text) };
        let found = findings(&level);
        let [only] = found.as_slice() else { panic!("{found:?}") };
        (only.severity, only.line, only.to_string())
    }

    #[test]
    fn wrong_nesting_is_told_with_its_line_and_the_right_form() {
        for (text, line, said) in [
            (
                "{\"hooks\":{\n\"Stop\":[\n{\"type\":\"command\",\"command\":\"x\"}]}}",
                3,
                "needs a list `hooks`",
            ),
            ("{\"hooks\":{\"Stop\":\n{\"hooks\":[]}}}", 2, "needs a list of groups"),
            ("{\"hooks\":{\"Stop\":[\n\"x\"]}}", 2, "a group must be an object"),
            ("{\"hooks\":{\"Stop\":[{\"hooks\":[\n\"x\"]}]}}", 2, "an entry must be an object"),
            ("{\"hooks\":{\"Stop\":[{\"hooks\":\n{\"type\":\"command\"}}]}}", 1, "needs a list `hooks`"),
            ("{\"hooks\":{\"Stop\":[{\"hooks\":[\n{\"command\":\"x\"}]}]}}", 2, "needs a `type`"),
            (
                "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\",\n\"timeout\":\"5\"}]}]}}",
                2,
                "number of seconds",
            ),
            ("{\"hooks\":\n[]}", 2, "must be an object"),
            ("{\n\"model\": 1}", 2, "`model` must be text"),
        ] {
            let (severity, at, told) = only(text, vec![ours("Stop", None)]);
            assert_eq!((severity, at), (Severity::Broken, Some(line)), "{told}");
            let is_whole = told.contains("takes no hook of this file");
            assert!(told.contains(said) && (is_whole || told.contains("the form is")), "{told}");
        }
    }

    #[test]
    fn what_takes_nothing_of_ours_with_it_is_a_warning() {
        let text = r#"{"hooks":{"Stop":[{"type":"command","command":"x"}]}}"#;
        assert_eq!(only(text, vec![ours("PreToolUse", None)]).0, Severity::Warning);
        assert_eq!(only(text, vec![ours("Stop", None)]).0, Severity::Broken);
    }

    #[test]
    fn an_unknown_event_is_told_with_the_nearest() {
        let (severity, line, told) = only("{\"hooks\":{\n\"PreTooluse\":[]}}", Vec::new());
        assert_eq!((severity, line), (Severity::Warning, Some(2)));
        assert!(told.contains("did you mean PreToolUse?"), "{told}");
        assert_eq!(only(r#"{"hooks":{"OnStop":[]}}"#, vec![ours("OnStop", None)]).0, Severity::Broken);
    }

    #[test]
    fn a_matcher_is_judged_by_whose_entry_it_silences() {
        let text = "{\"hooks\":{\"PreToolUse\":[{\n\"matcher\":\"bash\",\"hooks\":[]}]}}";
        assert_eq!(only(text, Vec::new()).0, Severity::Warning);
        let (severity, line, told) = only(text, vec![ours("PreToolUse", Some("bash"))]);
        assert_eq!((severity, line), (Severity::Broken, Some(2)));
        assert!(told.contains("matcher `bash`") && told.contains("it is Bash"), "{told}");
        let ignored = r#"{"hooks":{"Stop":[{"matcher":"Bash","hooks":[]}]}}"#;
        assert_eq!(only(ignored, Vec::new()).0, Severity::Note);
    }

    #[test]
    fn a_text_that_cannot_be_read_is_told_with_its_place() {
        let (severity, line, told) = only("{\n  \"hooks\": {,}\n}", Vec::new());
        assert_eq!((severity, line), (Severity::Broken, Some(2)));
        assert!(told.contains("reads nothing of it"), "{told}");
    }
}
