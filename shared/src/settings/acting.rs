//! Whether settings start a hook for one call: what the copy of it asks that a plugin starts, to leave the call to the other.
//! What is not certain to be started and heard does not count: to run twice is better than not at all. Pure.
//!
//! The files below a project may be a stranger's, who would like both copies to be silent: of them only what can be read
//! in one way counts, and nothing where they hold what is not known to be taken by the client.

use serde_json::Number;

use super::certain::{has_each_key_once, is_taken};
use super::entries::is_all;
use super::survey::{Entry, Survey, survey};
use super::team_line::{team_line, users_mark};

/// A hook that has less time than this may not be heard at all, in seconds.
const TOO_SHORT: f64 = 1.0;

/// The same where a project says it: the least that an installation gives a hook, in seconds.
const TOO_SHORT_OF_PROJECT: f64 = 5.0;

/// More is not certain to be taken for so much: a timer that is too long ends at once. In seconds, a day.
const TOO_LONG: f64 = 86_400.0;

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
    /// The user's own, for everywhere.
    pub user: Option<String>,
    /// The user's own for the project. A project can bring such a file all the same.
    pub local: Option<String>,
    /// The project's, which is the team's.
    pub team: Option<String>,
    /// Local ones of which it is not known whether the client reads them. Nothing in them starts a hook.
    pub beside: Vec<String>,
    /// One of these files is there and could not be read: a shell line may find in it what we do not.
    pub is_unread: bool,
}

/// One of these texts has the client start the hook for this call. `is_installed` says of a path that it is the installed
/// program of this hook.
#[must_use]
pub fn is_started_by_settings(
    texts: &Texts,
    started: &Started<'_>,
    is_installed: &dyn Fn(&str) -> bool,
) -> bool {
    let is_program = |entry: &Entry| {
        let arguments = entry.args.as_ref();
        arguments.is_some_and(Vec::is_empty) && entry.command.as_deref().is_some_and(is_installed)
    };
    let starting = |text: &String, is_ours: &dyn Fn(&Entry) -> bool, shortest: f64| {
        let starts = |entry: &Entry| is_heard(entry, started, shortest) && is_ours(entry);
        certain(text, started).filter(|found| found.entries.iter().any(starts))
    };
    let of_project = |text: &String, is_ours: &dyn Fn(&Entry) -> bool| {
        starting(text, is_ours, TOO_SHORT_OF_PROJECT).is_some_and(|found| is_taken(text, &found))
    };
    texts.user.as_ref().is_some_and(|text| starting(text, &is_program, TOO_SHORT).is_some())
        || texts.local.as_ref().is_some_and(|text| of_project(text, &is_program))
        || texts.team.as_ref().is_some_and(|text| {
            let line = team_line(started.hook);
            // A line that differs may do anything, or nothing.
            let is_line = |entry: &Entry| entry.args.is_none() && entry.command.as_ref() == Some(&line);
            of_project(text, &is_line) && lets_lines_work(texts, started.hook)
        })
}

/// A team's line does what it says: it finds no entry of the user's to step back for, and no file of the project
/// puts another program before those it starts (`PATH`), or other words before its own.
fn lets_lines_work(texts: &Texts, hook: &str) -> bool {
    let mark = users_mark(hook);
    let mut lookups = texts.user.iter().chain(&texts.local).chain(&texts.beside);
    let mut projects = texts.team.iter().chain(&texts.local).chain(&texts.beside);
    !texts.is_unread
        && !lookups.any(|text| text.contains(&mark))
        && projects.all(|text| {
            let is_plain = has_each_key_once(text) && survey(text).is_ok_and(|found| found.env.is_empty());
            text.trim().is_empty() || is_plain
        })
}

/// What the text registers, where the client is certain to read the same.
fn certain(text: &str, started: &Started<'_>) -> Option<Survey> {
    if !text.contains(started.hook) || !has_each_key_once(text) {
        return None;
    }
    let found = survey(text).ok()?;
    let is_void = found.faults.iter().any(|fault| fault.event.is_empty() || fault.event == started.event);
    (!is_void).then_some(found)
}

fn is_heard(entry: &Entry, started: &Started<'_>, shortest: f64) -> bool {
    let is_enough = |secs: f64| (shortest..=TOO_LONG).contains(&secs);
    entry.is_command
        && entry.event == started.event
        && entry.harmful_keys.is_empty()
        && entry.timeout_secs.as_ref().is_none_or(|secs| Number::as_f64(secs).is_some_and(is_enough))
        && matches(entry.matcher.as_deref(), started.tool)
}

/// Names, as our own entries have them. What a regular expression lets through is not judged here, and which other signs a
/// name may have differs between versions of the client.
fn matches(matcher: Option<&str>, tool: Option<&str>) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'|';
    let is_named = |matcher: &str, tool: &str| {
        matcher.bytes().all(is_sign) && matcher.split('|').any(|name| name == tool)
    };
    is_all(matcher) || matcher.zip(tool).is_some_and(|(matcher, tool)| is_named(matcher, tool))
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

    fn user(text: String) -> Texts {
        Texts { user: Some(text), ..Texts::default() }
    }

    fn local(text: String) -> Texts {
        Texts { local: Some(text), ..Texts::default() }
    }

    fn team(text: String) -> Texts {
        Texts { team: Some(text), ..Texts::default() }
    }

    /// The same entries, and these words of the file as a project might rather have them.
    fn rewritten(event: &str, from: &str, to: &str) -> String {
        let plain = text(event, Some("Edit"), &entry());
        assert!(plain.contains(from), "{plain}");
        plain.replacen(from, to, 1)
    }

    #[test]
    fn an_entry_counts_for_the_event_and_the_tool_it_is_on() {
        check(&Texts::default(), "Stop", None, false);
        check(&user(String::new()), "Stop", None, false);
        for texts in [user, local] {
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
            ("timeout", json!(86_400), true),
            ("timeout", json!(86_401), false),
            ("timeout", json!(1e300), false),
            ("type", json!("prompt"), false),
            ("args", json!(["status"]), false),
            ("command", json!("/elsewhere/hooks/a-gate"), false),
            ("command", json!("/home/me/.claude/hooks/a-gate-2"), false),
        ] {
            let mut entry = entry();
            entry[key] = value;
            check(&user(text("Stop", None, &entry)), "Stop", None, expected);
        }
        let mut shell = entry();
        shell.as_object_mut().unwrap().remove("args");
        check(&user(text("Stop", None, &shell)), "Stop", None, false);
    }

    #[test]
    fn a_file_of_which_the_client_reads_nothing_does_not_count() {
        let mut broken: Value = serde_json::from_str(&text("Stop", None, &entry())).unwrap();
        broken["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap().push(json!({ "type": "command" }));
        check(&user(broken.to_string()), "Stop", None, false);
        check(&user(format!("{} }}", text("Stop", None, &entry()))), "Stop", None, false);
    }

    #[test]
    fn what_can_be_read_in_two_ways_does_not_count() {
        let ours = entry().to_string();
        for (from, to) in [
            (r#""Edit""#, r#""Edit","matcher":"Edit""#),
            (r#""matcher":"Edit""#, r#""matcher":"*","matcher":"Nope""#),
            (r#""matcher":"Edit""#, r#""matcher":"(?=Z)(X|Edit|Y)""#),
            (r#""matcher":"Edit""#, r#""matcher":"(X|Edit|""#),
            (r#""matcher":"Edit""#, r#""matcher":"X,Edit""#),
            (r#""matcher":"Edit""#, r#""matcher":"X| Edit""#),
            (&format!("[{ours}]"), &format!("[{ours}],\"hooks\":[]")),
            (r#""type":"command""#, r#""type":"command","type":"prompt""#),
            (r#""timeout":10"#, r#""timeout":1e400"#),
            (r#""timeout":10"#, r#""timeout":10,"timeout":1e-9"#),
            (r#"{"hooks":"#, r#"{"x":{"y":[{"z":1,"\u007a":2}]},"hooks":"#),
        ] {
            for texts in [user, local] {
                let whole = texts(text("PreToolUse", Some("Edit"), &entry()));
                check(&whole, "PreToolUse", Some("Edit"), true);
                check(&texts(rewritten("PreToolUse", from, to)), "PreToolUse", Some("Edit"), false);
            }
        }
        let groups = format!(r#"[{{"hooks":[{ours}]}}]"#);
        for twice in [
            format!(r#"{{"hooks":{{"Stop":{groups},"Stop":[]}}}}"#),
            format!(r#"{{"hooks":{{"Stop":{groups}}},"hooks":{{}}}}"#),
        ] {
            check(&user(twice), "Stop", None, false);
        }
    }

    #[test]
    fn of_a_file_below_a_project_nothing_counts_that_the_client_may_not_take() {
        let with = |more: &str| rewritten("Stop", r#"{"hooks":"#, &format!("{{{more},\"hooks\":"));
        for (more, expected) in [
            (r#""model":"opus""#, true),
            (r#""permissions":{"allow":["Bash(ls:*)"]}"#, true),
            (r#""env":{"A":"b"}"#, true),
            (r#""enabledPlugins":{"a@b":true}"#, true),
            (r#""enabledPlugins":{"a@b":1}"#, false),
            (r#""permissions":{"defaultMode":"no-such-mode"}"#, false),
            (r#""permissions":{"allow":[1]}"#, false),
            (r#""attribution":1"#, false),
            (r#""model":1"#, false),
            (r#""language":null"#, false),
            (r#""$schema":"x""#, true),
            (r#""$schema":1"#, false),
            (r#""spinnerTipsEnabled":false"#, true),
            (r#""spinnerTipsEnabled":"no""#, false),
            (r#""enabledMcpjsonServers":["a"]"#, true),
            (r#""enabledMcpjsonServers":[1]"#, false),
            (r#""verbose":true"#, false),
            (r#""agent":"x""#, false),
            (r#""ofALaterClient":{}"#, false),
        ] {
            let file = with(more).replace(r#""matcher":"Edit""#, r#""matcher":"*""#);
            check(&local(file), "Stop", None, expected);
        }
        let beside = json!({ "type": "http", "url": "http:x", "headers": { "a": 1 } });
        let groups = json!([{ "hooks": [entry(), beside] }]);
        check(&local(json!({ "hooks": { "Stop": groups } }).to_string()), "Stop", None, false);
        let mut short = entry();
        short["timeout"] = json!(2);
        check(&local(text("Stop", None, &short)), "Stop", None, false);
        check(&user(text("Stop", None, &short)), "Stop", None, true);
        check(&team(text("Stop", None, &entry())), "Stop", None, false);
        let beside = Texts { beside: vec![text("Stop", None, &entry())], ..Texts::default() };
        check(&beside, "Stop", None, false);
    }

    #[test]
    fn a_teams_line_counts_word_for_word_and_only_where_it_does_not_step_back() {
        let line = json!({ "type": "command", "command": team_line("a-gate"), "timeout": 10 });
        let texts = team(text("Stop", None, &line));
        check(&texts, "Stop", None, true);
        let marked = text("SessionEnd", None, &entry());
        let on_another_event = [
            Texts { user: Some(marked.clone()), ..texts.clone() },
            Texts { local: Some(marked.clone()), ..texts.clone() },
            Texts { beside: vec![marked], ..texts.clone() },
        ];
        for texts in on_another_event {
            check(&texts, "Stop", None, false);
        }
        check(&Texts { is_unread: true, ..texts }, "Stop", None, false);
        for other in [": barbless a-gate; exit 0", ": barbless a-gate"] {
            let line = json!({ "type": "command", "command": other });
            check(&team(text("Stop", None, &line)), "Stop", None, false);
        }
        check(&local(text("Stop", None, &line)), "Stop", None, false);
    }

    #[test]
    fn a_teams_line_does_not_count_where_the_project_chooses_what_it_starts() {
        let line = json!({ "type": "command", "command": team_line("a-gate"), "timeout": 10 });
        let texts = team(text("Stop", None, &line));
        let path = r#"{"env":{"PATH":"/evil"}}"#.to_owned();
        let with_env = texts.team.as_ref().unwrap().replacen('{', r#"{"env":{"PATH":"/evil"},"#, 1);
        check(&team(with_env), "Stop", None, false);
        check(&Texts { local: Some(path.clone()), ..texts.clone() }, "Stop", None, false);
        check(&Texts { beside: vec![path.clone()], ..texts.clone() }, "Stop", None, false);
        check(&Texts { local: Some("{ torn".to_owned()), ..texts.clone() }, "Stop", None, false);
        check(&Texts { local: Some("{}".to_owned()), ..texts.clone() }, "Stop", None, true);
        check(&Texts { user: Some(path), ..texts }, "Stop", None, true);
    }
}
