//! What `req try` prints: the session, a line for each time the hook would have spoken, how often that was, and what a replay cannot
//! know.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use shared::hook::Hook;
use shared::host::{Timestamp, display_path};
use shared::replay::{Said, Set};

use super::{Heard, Stage};
use crate::RequirementsCheck;
use crate::words::{age, cut};

/// So much of a text is shown, in characters.
const MAX_FIRST_LINE: usize = 160;

/// So much of what a call was about.
const MAX_ABOUT: usize = 48;

/// What `req try --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::req) struct TrialReport {
    /// The form of this object: 1.
    version: u32,
    /// The hook.
    hook: String,
    /// The session.
    session: String,
    /// Its transcript.
    transcript: String,
    /// The project whose files are in force; null: only your own are.
    project: Option<String>,
    /// The first time in the transcript, as RFC 3339; null where it has none.
    from: Option<String>,
    /// The last one.
    to: Option<String>,
    /// How the hook is set now.
    settings: Set,
    /// What there was in the session.
    had: Had,
    /// What the hook would have said, oldest first.
    said: Vec<Said>,
    /// So many more times it would have said something.
    left_out: u64,
    /// How often it would have said what: by the words of `said.what`.
    times: BTreeMap<String, u64>,
    /// How often which setting was behind it, by its key.
    rules: BTreeMap<String, u64>,
    /// How long it would have waited in all, in milliseconds.
    waited_ms: u64,
    /// How often it would have asked a model, which a replay does not.
    questions: u64,
    /// What this replay does not know or show, in words.
    limits: Vec<String>,
}

/// What there was in a session.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::req) struct Had {
    /// Prompts.
    prompts: u64,
    /// Tool calls of the main conversation.
    calls: u64,
    /// Ends of turns.
    stops: u64,
    /// Events that the hook is registered for, and was given.
    events: u64,
    /// Lines that could not be read.
    unread: u64,
}

impl TrialReport {
    pub(super) fn of(stage: &Stage<'_>, heard: Heard, home: Option<&Path>) -> Self {
        let limits = limits(stage, &heard);
        let Heard { set, said, left_out, times, rules, waited_ms, counts, summary } = heard;
        let (from, to) = summary.span.unzip();
        Self {
            version: 1,
            hook: stage.hook.name.clone(),
            session: summary.session.unwrap_or_default(),
            transcript: display_path(&stage.transcript, home),
            project: stage.project.as_deref().map(|project| display_path(project, home)),
            from,
            to,
            settings: set,
            had: Had {
                prompts: summary.prompts,
                calls: summary.calls,
                stops: summary.stops,
                events: counts.events,
                unread: summary.unread + counts.unread,
            },
            times,
            rules,
            waited_ms,
            said,
            left_out,
            questions: counts.questions,
            limits,
        }
    }

    /// For people; with `all` each text as a whole.
    pub(super) fn told(&self, all: bool) -> String {
        let lines = self.head().into_iter().chain([String::new()]);
        let said = self.said.iter().map(|said| self.line(said, all));
        let more = (self.left_out > 0).then(|| format!("and {} more", self.left_out));
        let gap = (!self.said.is_empty()).then(String::new);
        let end = [self.total()].into_iter().chain(self.by_rule()).chain([String::new()]);
        let limits = self.limits.iter().map(|limit| format!("- {limit}"));
        lines.chain(said).chain(more).chain(gap).chain(end).chain(limits).collect::<Vec<_>>().join("\n")
    }

    fn head(&self) -> Vec<String> {
        let Had { prompts, calls, stops, events, .. } = self.had;
        let session = cut(&self.session, 8).trim_end_matches('…').to_owned();
        let when = self.from.as_deref().zip(self.to.as_deref());
        let when = when.map_or_else(String::new, |(from, to)| format!(", {}", span(from, to)));
        let mut lines = vec![
            format!("{} in session {session}{when}", self.hook),
            format!(
                "{}, {}, {}; {} for this hook",
                counted(prompts, "prompt"),
                counted(calls, "tool call"),
                if stops == 1 { "1 end of a turn".to_owned() } else { format!("{stops} ends of turns") },
                counted(events, "event"),
            ),
            format!("Transcript: {}", self.transcript),
            format!("Settings: {}", self.settings_in_words()),
        ];
        lines.extend(self.settings.problems.iter().map(|problem| format!("Wrong: {problem}")));
        lines
    }

    fn settings_in_words(&self) -> String {
        let whose = self.project.as_ref().map_or_else(
            || "your own file, as it is now".to_owned(),
            |project| format!("as they are now in {project}"),
        );
        let by = self.settings.set_by.as_deref().unwrap_or("the defaults");
        if self.settings.enabled {
            format!("{whose}; on by {by}")
        } else {
            format!("{whose}; off by {by}, replayed as if it were on")
        }
    }

    fn line(&self, said: &Said, all: bool) -> String {
        let at = self.time(&said.at);
        let to = said.tool.as_deref().unwrap_or(&said.event);
        let about =
            said.about.as_deref().map(|about| format!(" {}", cut(about, MAX_ABOUT))).unwrap_or_default();
        let did = did(said);
        let texts = [said.text.as_deref(), said.notice.as_deref()].into_iter().flatten();
        let head = format!("{at}  {did:8}  {to}{about}");
        if all {
            let indented = texts.flat_map(str::lines).map(|line| format!("    {line}"));
            return [head].into_iter().chain(indented).chain([String::new()]).collect::<Vec<_>>().join("\n");
        }
        let mut lines = texts.flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty());
        let Some(first) = lines.next() else { return head };
        // What only announces something is nothing without it.
        let next = lines.next().filter(|_| first.ends_with(':'));
        let words = next.map_or_else(|| first.to_owned(), |next| format!("{first} {next}"));
        let behind = said.rule.as_deref().filter(|rule| !rule.ends_with(".enabled"));
        let behind = behind.map(|rule| format!(" ({rule})")).unwrap_or_default();
        format!("{head}: {}{behind}", cut(&words, MAX_FIRST_LINE))
    }

    /// The day only where there is more than one.
    fn time(&self, at: &str) -> String {
        let local = Timestamp::from_rfc3339(at).map(Timestamp::local).unwrap_or_default();
        let day = |at: &Option<String>| Some(local_day(at.as_deref()?));
        match local.split_once(' ') {
            Some((_, time)) if day(&self.from) == day(&self.to) => time.to_owned(),
            _ => local,
        }
    }

    fn total(&self) -> String {
        let of = |what: &str| self.times.get(what).copied().unwrap_or(0);
        let parts: Vec<String> = [
            (of("deny"), "refused", "call"),
            (of("block"), "held", "stop"),
            (of("ask"), "asked you about", "call"),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, did, what)| format!("{did} {}", counted(count, what)))
        .chain((of("advise") > 0).then(|| format!("told Claude something {}", times(of("advise")))))
        .chain((of("notice") > 0).then(|| format!("told you something {}", times(of("notice")))))
        .chain((of("reply") > 0).then(|| format!("answered {}", counted(of("reply"), "prompt"))))
        .chain((of("sleep") > 0).then(|| self.waited(of("sleep"))))
        .collect();
        match parts.split_last() {
            None => format!("{} would have said nothing.", self.hook),
            Some((only, [])) => format!("{} would have {only}.", self.hook),
            Some((last, first)) => format!("{} would have {} and {last}.", self.hook, first.join(", ")),
        }
    }

    fn waited(&self, count: u64) -> String {
        let secs = i64::try_from(self.waited_ms / 1000).unwrap_or(i64::MAX);
        format!("waited {}, {} in all", times(count), age(secs))
    }

    /// What was behind it, where that is more than one thing.
    fn by_rule(&self) -> Option<String> {
        let told = self.rules.iter().map(|(rule, count)| format!("{rule} {}", times(*count)));
        (self.rules.len() > 1).then(|| format!("By rule: {}", told.collect::<Vec<_>>().join(", ")))
    }
}

/// In one word, as `req log` says it.
fn did(said: &Said) -> String {
    match said.what.as_str() {
        "deny" => "refused".to_owned(),
        "block" => "held".to_owned(),
        "ask" => "asked".to_owned(),
        // At a start it says what holds: nothing can be followed yet.
        "advise" if said.event == "SessionStart" => "told".to_owned(),
        "advise" => "advised".to_owned(),
        "reply" => "answered".to_owned(),
        "notice" => "told you".to_owned(),
        "sleep" => {
            let secs = said.wait_ms.unwrap_or(0).div_ceil(1000);
            format!("waited {}", age(i64::try_from(secs).unwrap_or(i64::MAX)))
        }
        other => other.to_owned(),
    }
}

fn limits(stage: &Stage<'_>, heard: &Heard) -> Vec<String> {
    let Heard { summary, counts, .. } = heard;
    let one = |is_so: bool, limit: &str| is_so.then(|| limit.to_owned());
    let gone = stage.gone.as_ref().map(|gone| {
        format!("The session's folder {} is not on this machine: nothing of it is looked at.", gone.display())
    });
    let asked = stage.hook.costs_money.then(|| match counts.questions {
        0 => "No model was asked, and none would have been.".to_owned(),
        asked => format!(
            "No model was asked. It would have been {} at most; what it says then is not known.",
            times(asked)
        ),
    });
    let agents = summary.subagents.max(u64::from(summary.of_subagents > 0));
    let agents = (agents > 0).then(|| "What subagents did is left out.".to_owned());
    let unread = summary.unread + counts.unread;
    let unread = (unread > 0).then(|| format!("{} could not be read.", counted(unread, "line")));
    [
        gone,
        Some(
            "Nothing was changed, waited for or sent; files, branches and settings are those of now."
                .to_owned(),
        ),
        Some(
            "After a refusal Claude would have gone on differently; here the past goes on as it was."
                .to_owned(),
        ),
        one(
            stage.hook.name == RequirementsCheck::NAME,
            "Marks begin empty; those that the session itself set in Claude's shell or by a prompt count.",
        ),
        one(
            stage.hook.needs_usage,
            "Readings of your credits are not looked at, and without any nothing is paced: what it would have held up cannot be known, \
             and that none are there is so in this replay alone.",
        ),
        asked,
        one(
            summary.is_headless,
            "Nobody was watching this session (claude -p); it is replayed as if somebody had.",
        ),
        agents,
        unread,
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

fn span(from: &str, to: &str) -> String {
    let [from, to] =
        [from, to].map(|at| Timestamp::from_rfc3339(at).map(Timestamp::local).unwrap_or_default());
    match (from.split_once(' '), to.split_once(' ')) {
        (Some((day, began)), Some((same, ended))) if day == same => format!("{day} {began} to {ended}"),
        _ => format!("{from} to {to}"),
    }
}

fn local_day(at: &str) -> String {
    let local = Timestamp::from_rfc3339(at).map(Timestamp::local).unwrap_or_default();
    local.split(' ').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use shared::replay::{Said, Set};

    use super::{Had, TrialReport, did, span};

    fn report(times: &[(&str, u64)], waited_ms: u64) -> TrialReport {
        TrialReport {
            version: 1,
            hook: "a-hook".to_owned(),
            session: "3f1a20c7-0000".to_owned(),
            transcript: "~/t.jsonl".to_owned(),
            project: None,
            from: None,
            to: None,
            settings: Set::default(),
            had: Had { prompts: 1, calls: 2, stops: 0, events: 3, unread: 0 },
            said: Vec::new(),
            left_out: 0,
            times: times.iter().map(|(what, count)| ((*what).to_owned(), *count)).collect(),
            rules: [("one".to_owned(), 2), ("two".to_owned(), 3)].into(),
            waited_ms,
            questions: 0,
            limits: vec!["Nothing is known.".to_owned()],
        }
    }

    #[test]
    fn what_it_would_have_done_is_one_sentence() {
        for (times, expected) in [
            (&[][..], "a-hook would have said nothing."),
            (&[("deny", 1)], "a-hook would have refused 1 call."),
            (&[("block", 2), ("deny", 3)], "a-hook would have refused 3 calls and held 2 stops."),
            (
                &[("advise", 4), ("notice", 1), ("sleep", 2), ("reply", 1), ("ask", 1)],
                "a-hook would have asked you about 1 call, told Claude something 4 times, told you something once, answered 1 \
                 prompt and waited twice, 3 min in all.",
            ),
        ] {
            assert_eq!(report(times, 180_000).total(), expected);
        }
    }

    #[test]
    fn the_answer_begins_with_the_session_and_ends_with_what_is_not_known() {
        let told = report(&[("deny", 5)], 0).told(false);
        let expected = "a-hook in session 3f1a20c7\n1 prompt, 2 tool calls, 0 ends of turns; 3 events for this hook\n\
                        Transcript: ~/t.jsonl\n\
                        Settings: your own file, as it is now; off by the defaults, replayed as if it were on\n\n\
                        a-hook would have refused 5 calls.\nBy rule: one twice, two 3 times\n\n- Nothing is known.";
        assert_eq!(told, expected);
    }

    #[test]
    fn a_wait_says_for_how_long_and_what_is_said_at_a_start_is_told() {
        let said = |what: &str, event: &str| Said {
            what: what.to_owned(),
            event: event.to_owned(),
            wait_ms: Some(90_500),
            ..Said::default()
        };
        for (said, expected) in [
            (said("sleep", "PostToolUse"), "waited 91 s"),
            (said("advise", "SessionStart"), "told"),
            (said("advise", "PreToolUse"), "advised"),
        ] {
            assert_eq!(did(&said), expected);
        }
    }

    #[test]
    fn a_day_is_said_once() {
        let one = span("2026-11-20T12:00:00Z", "2026-11-20T12:00:01Z");
        assert_eq!(one.matches("2026-11-20").count(), 1, "{one}");
        let two = span("2026-11-20T12:00:00Z", "2026-11-22T12:00:00Z");
        assert!(two.contains("2026-11-20 ") && two.contains(" to 2026-11-22 "), "{two}");
    }
}
