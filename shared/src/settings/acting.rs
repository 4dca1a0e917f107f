//! Whether settings start a hook for one call: what the copy of it asks that a plugin starts, to leave the call to the other.
//! What is not certain to be started and heard does not count: to run twice is better than not at all. Pure.

use serde_json::Number;

use super::entries::is_all;
use super::survey::{Entry, survey};
use super::team_line::{team_line, users_mark};

/// A hook that has less time than this may not be heard at all, in seconds.
const TOO_SHORT: f64 = 1.0;

/// One call of a hook.
#[derive(Debug, Clone, Copy)]
pub struct Started<'a> {
    /// The hook.
    pub hook: &'a str,
    /// The event's name on the wire.
    pub event: &'a str,
    /// The tool it is about, where it is about one.
    pub tool: Option<&'a str>,
}

/// The settings files the client adds up, as texts.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    /// The user's own: for everywhere, and for the project.
    pub own: Vec<String>,
    /// The project's, which is the team's.
    pub teams: Vec<String>,
}

/// One of these texts has the client start the hook for this call. `is_installed` says of a path that it is the installed
/// program of this hook, and that it is there.
#[must_use]
pub fn is_started_by_settings(
    texts: &Texts,
    started: &Started<'_>,
    is_installed: &dyn Fn(&str) -> bool,
) -> bool {
    let all = || texts.own.iter().chain(&texts.teams).filter(|text| text.contains(started.hook));
    if all().next().is_none() {
        return false;
    }
    let mark = users_mark(started.hook);
    let steps_back = texts.own.iter().any(|text| text.contains(&mark));
    let line = team_line(started.hook);
    let is_ours = |entry: &Entry| match (&entry.command, &entry.args) {
        (Some(command), Some(args)) => args.is_empty() && is_installed(command),
        // A line that differs may do anything, or nothing.
        (Some(command), None) => *command == line && !steps_back,
        (None, _) => false,
    };
    all().any(|text| starts(text, started, &is_ours))
}

fn starts(text: &str, started: &Started<'_>, is_ours: &dyn Fn(&Entry) -> bool) -> bool {
    let Ok(found) = survey(text) else { return false };
    let is_void = found.faults.iter().any(|fault| fault.event.is_empty() || fault.event == started.event);
    let is_heard = |entry: &&Entry| {
        entry.is_command
            && entry.event == started.event
            && entry.harmful_keys.is_empty()
            && entry.timeout_secs.as_ref().and_then(Number::as_f64).is_none_or(|secs| secs >= TOO_SHORT)
            && matches(entry.matcher.as_deref(), started.tool)
    };
    !is_void && found.entries.iter().filter(is_heard).any(is_ours)
}

/// Names, as our own entries have them. What a regular expression lets through is not judged here.
fn matches(matcher: Option<&str>, tool: Option<&str>) -> bool {
    is_all(matcher)
        || matcher.zip(tool).is_some_and(|(matcher, tool)| matcher.split('|').any(|name| name == tool))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Started, Texts, is_started_by_settings};
    use crate::settings::team_line;

    const INSTALLED: &str = "/home/me/.claude/hooks/a-gate";

    fn entry() -> Value {
        json!({ "type": "command", "command": INSTALLED, "args": [], "timeout": 10 })
    }

    fn text(event: &str, matcher: Option<&str>, entry: &Value) -> String {
        let mut group = json!({ "hooks": [entry] });
        if let Some(matcher) = matcher {
            group["matcher"] = matcher.into();
        }
        json!({ "hooks": { event: [group] } }).to_string()
    }

    #[track_caller]
    fn check(texts: &Texts, event: &str, tool: Option<&str>, expected: bool) {
        let started = Started { hook: "a-gate", event, tool };
        let found = is_started_by_settings(texts, &started, &|path| path == INSTALLED);
        assert_eq!(found, expected, "{event} {tool:?} {texts:#?}");
    }

    fn own(text: String) -> Texts {
        Texts { own: vec![text], teams: Vec::new() }
    }

    fn teams(text: String) -> Texts {
        Texts { own: Vec::new(), teams: vec![text] }
    }

    #[test]
    fn an_entry_counts_for_the_event_and_the_tool_it_is_on() {
        check(&Texts::default(), "Stop", None, false);
        check(&own(String::new()), "Stop", None, false);
        for texts in [own, teams] {
            check(&texts(text("Stop", None, &entry())), "Stop", None, true);
            check(&texts(text("Stop", Some("*"), &entry())), "Stop", None, true);
            check(&texts(text("Stop", None, &entry())), "PreToolUse", Some("Edit"), false);
            for (matcher, expected) in
                [("Edit|Write", true), ("Edit", true), ("Write", false), ("Ed.*", false), (".*", true)]
            {
                let texts = texts(text("PreToolUse", Some(matcher), &entry()));
                check(&texts, "PreToolUse", Some("Edit"), expected);
            }
            check(&texts(text("SessionStart", Some("startup"), &entry())), "SessionStart", None, false);
        }
    }

    #[test]
    fn what_may_not_be_started_or_not_be_heard_does_not_count() {
        for (key, value, expected) in [
            ("async", json!(true), false),
            ("async", json!(false), true),
            ("if", json!("Bash(x)"), false),
            ("once", json!(true), false),
            ("timeout", json!(0.5), false),
            ("timeout", json!(1), true),
            ("type", json!("prompt"), false),
            ("args", json!(["status"]), false),
            ("command", json!("/elsewhere/hooks/a-gate"), false),
            ("command", json!("/home/me/.claude/hooks/a-gate-2"), false),
        ] {
            let mut entry = entry();
            entry[key] = value;
            check(&own(text("Stop", None, &entry)), "Stop", None, expected);
        }
        let mut shell = entry();
        shell.as_object_mut().unwrap().remove("args");
        check(&own(text("Stop", None, &shell)), "Stop", None, false);
    }

    #[test]
    fn a_file_of_which_the_client_reads_nothing_does_not_count() {
        let mut broken: Value = serde_json::from_str(&text("Stop", None, &entry())).unwrap();
        broken["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap().push(json!({ "type": "command" }));
        check(&own(broken.to_string()), "Stop", None, false);
        check(&own(format!("{} }}", text("Stop", None, &entry()))), "Stop", None, false);
    }

    #[test]
    fn a_teams_line_counts_word_for_word_and_only_where_it_does_not_step_back() {
        let line = json!({ "type": "command", "command": team_line("a-gate"), "timeout": 10 });
        let texts = teams(text("Stop", None, &line));
        check(&texts, "Stop", None, true);
        let on_another_event = Texts { own: vec![text("SessionEnd", None, &entry())], ..texts };
        check(&on_another_event, "Stop", None, false);
        for other in [": barbless a-gate; exit 0", ": barbless a-gate"] {
            let line = json!({ "type": "command", "command": other });
            check(&teams(text("Stop", None, &line)), "Stop", None, false);
        }
    }
}
