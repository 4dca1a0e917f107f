//! A transcript as the events that its session had: what the client told its hooks, as far as it wrote that down.
//!
//! Bounded: one line at a time, and the calls that have not ended. What is torn or unknown is counted and passed over.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, BufRead};

use memchr::memmem;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::Past;
use super::record::{Ended, Part, Record, What};
use crate::catalog::EventEntry;
use crate::host::{MAX_INPUT_BYTES, Timestamp};

/// So the client answers a call that it never asked its hooks about: an unknown tool, wrong arguments, a text to replace that is
/// not there.
const NEVER_ASKED: &str = "<tool_use_error>";

/// So it answers a call that it asked about and did not run.
const NOT_RUN: [&str; 6] = [
    "PreToolUse:",
    "Hook PreToolUse:",
    "Permission to use ",
    "Claude requested permissions",
    "The user doesn't want to ",
    "[Request interrupted",
];

/// So many calls may be open at once; more are never.
const MAX_OPEN: usize = 1024;

/// What a transcript tells of its session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The session.
    pub session: Option<String>,
    /// The first and the last time in it, as RFC 3339.
    pub span: Option<(String, String)>,
    /// Nobody was watching (`claude -p`, an SDK).
    pub is_headless: bool,
    /// Prompts, of whomever.
    pub prompts: u64,
    /// Tool calls of the main conversation.
    pub calls: u64,
    /// Ends of turns.
    pub stops: u64,
    /// Lines of subagents, which are left out.
    pub of_subagents: u64,
    /// Subagents that were started.
    pub subagents: u64,
    /// Lines that cannot be read.
    pub unread: u64,
}

/// How a session began, looked up before its events are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opened {
    /// The session.
    pub session: Option<String>,
    /// Where it began.
    pub cwd: Option<String>,
    /// It is what a subagent of the session wrote.
    pub is_of_subagent: bool,
}

impl Opened {
    /// Looks at the first lines, as far as needed.
    ///
    /// # Errors
    /// If the transcript cannot be read.
    pub fn read(mut transcript: impl BufRead) -> io::Result<Self> {
        let (mut opened, mut line) = (Self::default(), Vec::new());
        while opened.session.is_none() || opened.cwd.is_none() {
            if read_line(&mut transcript, &mut line, MAX_INPUT_BYTES)?.is_none() {
                break;
            }
            let Some(record) = Record::read(&line) else { continue };
            opened.session = opened.session.or(record.session);
            opened.cwd = opened.cwd.or(record.cwd);
            opened.is_of_subagent |= record.what == What::OfSubagent;
        }
        Ok(opened)
    }
}

/// The calls that no hook was asked about, by their ids, as their results tell.
///
/// # Errors
/// If the transcript cannot be read.
pub fn calls_never_asked_about(mut transcript: impl BufRead) -> io::Result<BTreeSet<String>> {
    let (mut found, mut line) = (BTreeSet::new(), Vec::new());
    let finder = memmem::Finder::new(NEVER_ASKED);
    while read_line(&mut transcript, &mut line, MAX_INPUT_BYTES)?.is_some() {
        if finder.find(&line).is_some()
            && let Some(Record { what: What::Results(results), .. }) = Record::read(&line)
        {
            let never =
                results.into_iter().filter(|ended| ended.failed && ended.text.starts_with(NEVER_ASKED));
            found.extend(never.map(|ended| ended.id));
        }
    }
    Ok(found)
}

/// The events of a session, oldest first.
pub struct Session<'a, R> {
    transcript: R,
    line: Vec<u8>,
    offset: u64,
    reader: Reader<'a>,
    is_over: bool,
}

impl<'a, R: BufRead> Session<'a, R> {
    /// Of this transcript, which lies at `path`; those that are `registered`.
    pub fn new(
        transcript: R,
        path: &'a str,
        registered: &'a [EventEntry],
        never_asked: BTreeSet<String>,
    ) -> Self {
        let reader = Reader { path, registered, never_asked, ..Reader::default() };
        Self { transcript, line: Vec::new(), offset: 0, reader, is_over: false }
    }

    /// What has been seen so far.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.reader.summary
    }

    /// The next event; `None` at the end.
    ///
    /// # Errors
    /// If the transcript cannot be read.
    pub fn next_event(&mut self) -> io::Result<Option<Past>> {
        loop {
            if let Some(past) = self.reader.ready.pop_front() {
                return Ok(Some(past));
            }
            if self.is_over {
                return Ok(None);
            }
            if let Some(bytes) = read_line(&mut self.transcript, &mut self.line, MAX_INPUT_BYTES)? {
                let before = self.offset;
                self.offset += bytes;
                self.reader.line(&self.line, before, self.offset);
            } else {
                self.is_over = true;
                self.reader.end(self.offset);
            }
        }
    }
}

/// Reads a line without its end, and of one that is too long the beginning; how many bytes it took. `None` at the end.
pub(super) fn read_line(
    from: &mut impl BufRead,
    line: &mut Vec<u8>,
    longest: usize,
) -> io::Result<Option<u64>> {
    line.clear();
    let mut taken = 0;
    loop {
        let piece = match from.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece?,
        };
        if piece.is_empty() {
            return Ok((taken > 0).then_some(taken as u64));
        }
        let newline = memchr::memchr(b'\n', piece);
        let used = newline.map_or(piece.len(), |at| at + 1);
        let kept = newline.unwrap_or(used).min(longest.saturating_sub(line.len()));
        line.extend_from_slice(&piece[..kept]);
        from.consume(used);
        taken += used;
        if newline.is_some() {
            return Ok(Some(taken as u64));
        }
    }
}

/// What is known between lines.
#[derive(Default)]
struct Reader<'a> {
    path: &'a str,
    registered: &'a [EventEntry],
    never_asked: BTreeSet<String>,
    at: String,
    /// The same.
    now: Option<Timestamp>,
    session: Option<String>,
    cwd: Option<String>,
    prompt_id: Option<String>,
    mode: Option<String>,
    has_begun: bool,
    /// Name and input of the calls that have not ended.
    open: BTreeMap<String, (String, Box<RawValue>)>,
    /// What the model said last, if it called nothing since: the end of a turn, once something else follows.
    last_words: Option<LastWords>,
    /// This turn's stop was held before.
    was_held: bool,
    ready: VecDeque<Past>,
    summary: Summary,
}

struct LastWords {
    message: Option<String>,
    text: String,
    at: String,
    end: u64,
    /// The model says that it is done.
    ends_turn: bool,
}

impl Reader<'_> {
    /// A line that lies between these places of the file.
    fn line(&mut self, line: &[u8], begin: u64, end: u64) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let Some(record) = Record::read(line) else {
            self.summary.unread += 1;
            return;
        };
        if record.what == What::OfSubagent {
            self.summary.of_subagents += 1;
            return;
        }
        if self.is_after_the_turn(&record.what) {
            self.stop();
        }
        self.learn(&record);
        self.begin();
        match record.what {
            What::Prompt { text, source, in_turn } => {
                self.was_held &= in_turn;
                self.summary.prompts += 1;
                let source = source.map(|source| ("source", Value::from(source)));
                self.tell(
                    "UserPromptSubmit",
                    None,
                    begin,
                    [("prompt", text.into())].into_iter().chain(source),
                );
            }
            What::HeldStop => self.was_held = true,
            What::Interrupted | What::Failed => self.last_words = None,
            What::Model { message, parts, ends_turn } => {
                for part in parts {
                    self.part(message.as_deref(), part, end);
                }
                if let Some(last) = &mut self.last_words {
                    last.ends_turn = ends_turn;
                }
            }
            What::Results(results) => {
                for ended in results {
                    self.ended(ended, end);
                }
            }
            What::Compacted { trigger } => {
                self.tell("PreCompact", None, begin, [("trigger", trigger.into())]);
                self.tell("SessionStart", None, end, [("source", "compact".into())]);
            }
            What::OfSubagent | What::Other => {}
        }
    }

    /// What the model said last was the end of the turn, as this shows. Whoever types `/compact` sits at the end of one; by
    /// itself the client compacts in the middle of it too.
    fn is_after_the_turn(&self, what: &What) -> bool {
        match what {
            What::Prompt { in_turn, .. } => !in_turn,
            What::HeldStop => true,
            What::Compacted { trigger } => {
                trigger == "manual" || self.last_words.as_ref().is_some_and(|last| last.ends_turn)
            }
            _ => false,
        }
    }

    fn end(&mut self, end: u64) {
        self.stop();
        if self.has_begun {
            self.tell("SessionEnd", None, end, [("reason", "other".into())]);
        }
    }

    fn learn(&mut self, record: &Record) {
        let Record { at, session, cwd, prompt_id, mode, entrypoint, .. } = record;
        if let Some(at) = at {
            self.pass(at);
        }
        for (known, told) in [
            (&mut self.session, session),
            (&mut self.cwd, cwd),
            (&mut self.prompt_id, prompt_id),
            (&mut self.mode, mode),
        ] {
            if told.is_some() {
                known.clone_from(told);
            }
        }
        self.summary.session.clone_from(&self.session);
        self.summary.is_headless |=
            entrypoint.as_ref().is_some_and(|entrypoint| entrypoint.starts_with("sdk"));
    }

    /// What was typed in a turn, or read in it, is written later than it was: the time goes on all the same.
    fn pass(&mut self, at: &str) {
        let Some(now) = Timestamp::from_rfc3339(at) else { return };
        if self.now.is_none_or(|before| now >= before) {
            self.now = Some(now);
            at.clone_into(&mut self.at);
            let first = self.summary.span.take().map_or_else(|| at.to_owned(), |(first, _)| first);
            self.summary.span = Some((first, at.to_owned()));
        }
    }

    /// A session has begun when its folder and the time are known.
    fn begin(&mut self) {
        if !self.has_begun && self.session.is_some() && self.cwd.is_some() && !self.at.is_empty() {
            self.has_begun = true;
            self.tell("SessionStart", None, 0, [("source", "startup".into())]);
        }
    }

    fn part(&mut self, message: Option<&str>, part: Part, end: u64) {
        match part {
            Part::Text(text) => {
                let earlier = self.last_words.take().filter(|last| last.message.as_deref() == message);
                let text = earlier.map_or_else(|| text.clone(), |last| format!("{}\n{text}", last.text));
                let (message, at) = (message.map(ToOwned::to_owned), self.at.clone());
                self.last_words = Some(LastWords { message, text, at, end, ends_turn: false });
            }
            Part::Call { id, name, input } => {
                self.last_words = None;
                let Ok(input) = RawValue::from_string(input) else { return };
                if self.never_asked.contains(&id) {
                    return;
                }
                self.summary.calls += 1;
                self.summary.subagents += u64::from(matches!(name.as_str(), "Agent" | "Task"));
                self.call("PreToolUse", &id, &name, &input, end, None);
                if self.open.len() >= MAX_OPEN {
                    self.open.clear();
                }
                self.open.insert(id, (name, input));
            }
        }
    }

    fn ended(&mut self, ended: Ended, end: u64) {
        self.last_words = None;
        let Some((name, input)) = self.open.remove(&ended.id) else { return };
        if ended.failed && NOT_RUN.iter().any(|start| ended.text.starts_with(start)) {
            return;
        }
        let (event, field) =
            if ended.failed { ("PostToolUseFailure", "error") } else { ("PostToolUse", "tool_response") };
        let answer = ended.answer.filter(|_| !ended.failed);
        let answer = answer.and_then(|answer| RawValue::from_string(answer).ok());
        let answer = answer.or_else(|| to_raw_value(&ended.text).ok());
        self.call(event, &ended.id, &name, &input, end, answer.as_deref().map(|answer| (field, answer)));
    }

    /// The turn is over with what the model said last.
    fn stop(&mut self) {
        let Some(LastWords { text, at, end, .. }) = self.last_words.take() else { return };
        self.summary.stops += 1;
        let now = std::mem::replace(&mut self.at, at);
        let fields = [("stop_hook_active", self.was_held.into()), ("last_assistant_message", text.into())];
        self.tell("Stop", None, end, fields);
        self.at = now;
    }

    /// An event about a call. What the call holds is handed on as it is, unparsed.
    fn call(
        &mut self,
        event: &str,
        id: &str,
        name: &str,
        input: &RawValue,
        end: u64,
        outcome: Option<(&str, &RawValue)>,
    ) {
        if !self.is_registered(event, Some(name)) {
            return;
        }
        let common = [("tool_name", name.into()), ("tool_use_id", id.into())];
        self.push(event, end, common, [("tool_input", input)].into_iter().chain(outcome));
    }

    fn tell(
        &mut self,
        event: &str,
        tool: Option<&str>,
        end: u64,
        fields: impl IntoIterator<Item = (&'static str, Value)>,
    ) {
        if self.is_registered(event, tool) {
            self.push(event, end, fields, []);
        }
    }

    fn push<'r>(
        &mut self,
        event: &str,
        end: u64,
        fields: impl IntoIterator<Item = (&'static str, Value)>,
        raw: impl IntoIterator<Item = (&'r str, &'r RawValue)>,
    ) {
        let common = [
            ("hook_event_name", Some(event)),
            ("session_id", self.session.as_deref()),
            ("transcript_path", Some(self.path)),
            ("cwd", self.cwd.as_deref()),
            ("prompt_id", self.prompt_id.as_deref()),
            ("permission_mode", self.mode.as_deref()),
        ];
        let common = common.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
        let object = Value::Object(common.chain(fields).collect::<Map<_, _>>()).to_string();
        let mut text = object.strip_suffix('}').unwrap_or_default().to_owned();
        for (name, value) in raw {
            // A line of JSON has no line ends but those between its values.
            text.extend([",\"", name, "\":", &value.get().replace(['\n', '\r'], " ")]);
        }
        text.push('}');
        if let Ok(input) = RawValue::from_string(text) {
            self.ready.push_back(Past { at: self.at.clone(), transcript_bytes: Some(end), input });
        }
    }

    fn is_registered(&self, event: &str, tool: Option<&str>) -> bool {
        self.registered.iter().any(|entry| entry.event == event && entry.is_for(tool))
    }
}

#[cfg(test)]
mod tests;
