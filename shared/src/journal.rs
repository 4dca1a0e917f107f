//! The journal: actions of each hook with their reasons, JSON lines in `<state>/journal.jsonl`. `req log` and `req why` read it.
//!
//! Our own words only: never a tool's input or output, a setting's value, or anything from the environment. What was said
//! may quote a project's own words, or the name of a tool or skill; so it is masked (see [`secrets`]) before it is
//! cut. Ids are the client's: they are kept, up to a length.
//! One write of a whole line to an appending file; 8 MiB, then the old one is kept once as `journal.1.jsonl`.
//!
//! Here it is written; [`Journal::read`] reads it.

mod reading;

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use crate::host::Timestamp;
use crate::state::{Store, private_file, with_lock};
use secrets::masked;

pub use reading::{ID_SHOWN, Journal, Record};

/// The journal is rotated at this size, in bytes.
pub const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// A longer text is cut, in bytes.
const MAX_TEXT_BYTES: usize = 1000;

/// A longer text of a refusal is cut, in bytes: `req why` repeats it, and it may list what several rules want.
const MAX_REFUSAL_BYTES: usize = 4000;

/// So many bytes of them are the text's end, where the next step stands and the place of the rule.
const REFUSAL_END_BYTES: usize = 1200;

/// Stands for what is left out of a refusal.
const LEFT_OUT: &str = " [...] ";

/// A longer id is cut, in bytes. The client's have 36 at most; whoever writes a longer one does not fill our disk.
const MAX_ID_BYTES: usize = 200;

#[derive(Debug, Clone, Default, Serialize)]
pub struct Entry<'a> {
    pub hook: &'a str,
    pub event: &'a str,
    /// In which project, as [`project_name`] has it; none: it is about all of them, or about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<&'a str>,
    /// In which turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<&'a str>,
    /// In which subagent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<&'a str>,
    /// On which tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<&'a str>,
    /// Name of the tool; nothing of its input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'a str>,
    /// `block`, `deny`, `ask`, `advise`, `reply`, `sleep`, `judge`; `tell`: what holds, at a session's start, where nothing is
    /// asked for yet; `let-go`: a gate allowed it for the reason in `text`;
    /// `followed`, `overridden`: the reaction to an earlier block or advice of `rule`. `approve`, `waive`, `pause`,
    /// `resume`, `config`: an action of the user. `problem`, `error`.
    pub what: &'a str,
    /// The setting behind it: its key as it stands in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'a str>,
    /// The settings behind it beside that, a key to a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also: Option<&'a str>,
    /// The layer that set it, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<&'a str>,
    /// File and line where it was set.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub place: Option<&'a str>,
    /// Why, or what was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    /// Next steps in the text, one to a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'a str>,
    /// Model of a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<&'a str>,
    /// Time and cost.
    #[serde(flatten)]
    pub spent: Spent,
}

/// Time and cost of a line in whole units, left out if unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// A call was held up for so many milliseconds, on purpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slept_ms: Option<u64>,
    /// A model took so many milliseconds to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// Tokens it read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens it wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Cost in millionths of a US dollar; 0 with a subscription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
}

#[derive(Serialize)]
struct Dated<'a> {
    at: String,
    #[serde(flatten)]
    entry: &'a Entry<'a>,
}

/// Appends `entry`. A journal that cannot be written is no reason for anything.
pub fn write(store: &Store, now: Timestamp, entry: &Entry<'_>) {
    let file = store.dir().join("journal.jsonl");
    rotate(&file);
    let [text, rule, also, place, next, tool, model] =
        [entry.text, entry.rule, entry.also, entry.place, entry.next, entry.tool, entry.model]
            .map(|text| text.map(masked));
    let text = text.as_deref().map(|text| match entry.what {
        "deny" | "ask" | "block" => both_ends(text),
        // A text may be a project's own and long. The journal keeps its beginning.
        _ => Cow::Borrowed(start(text, MAX_TEXT_BYTES)),
    });
    let entry = &Entry {
        event: id(entry.event),
        project: entry.project.map(|project| start(project, MAX_TEXT_BYTES)),
        session: entry.session.map(id),
        prompt: entry.prompt.map(id),
        agent: entry.agent.map(id),
        call: entry.call.map(id),
        tool: tool.as_deref().map(id),
        rule: rule.as_deref().map(id),
        also: also.as_deref().map(|also| whole_lines(also, MAX_TEXT_BYTES)),
        place: place.as_deref().map(|place| start(place, MAX_TEXT_BYTES)),
        text: text.as_deref(),
        next: next.as_deref().map(|next| start(next, MAX_TEXT_BYTES)),
        model: model.as_deref().map(id),
        ..*entry
    };
    let Ok(mut line) = serde_json::to_vec(&Dated { at: now.rfc3339(), entry }) else { return };
    line.push(b'\n');
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    private_file(&mut options);
    if let Ok(mut file) = options.open(&file) {
        let _ = file.write_all(&line);
    }
}

/// A project as lines name it: the real path of its root. That names a place on this machine, where the journal stays, and
/// nothing that was put into a tool.
pub fn project_name(root: &Path) -> String {
    let real = root.canonicalize();
    let path = real.as_deref().unwrap_or(root).to_string_lossy();
    start(&masked(&path), MAX_TEXT_BYTES).to_owned()
}

fn id(id: &str) -> &str {
    start(id, MAX_ID_BYTES)
}

/// The first so many bytes, whole characters only.
fn start(text: &str, max_bytes: usize) -> &str {
    let end = (0..=max_bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// As many of its lines as fit into so many bytes.
fn whole_lines(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let fits = start(text, max_bytes);
    fits.rsplit_once('\n').map_or(fits, |(lines, _)| lines)
}

/// How a long refusal begins, and how it ends.
fn both_ends(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_REFUSAL_BYTES {
        return Cow::Borrowed(text);
    }
    let from = text.len() - REFUSAL_END_BYTES;
    let from = (from..=text.len()).find(|from| text.is_char_boundary(*from)).unwrap_or(text.len());
    let begin = start(text, MAX_REFUSAL_BYTES - REFUSAL_END_BYTES - LEFT_OUT.len());
    Cow::Owned([begin, LEFT_OUT, &text[from..]].concat())
}

fn rotate(file: &PathBuf) {
    let is_full = || fs::metadata(file).is_ok_and(|metadata| metadata.len() >= MAX_BYTES);
    if is_full() {
        let _ = with_lock(file, Duration::ZERO, || {
            if is_full() {
                let _ = fs::rename(file, file.with_file_name("journal.1.jsonl"));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::{
        Entry, LEFT_OUT, MAX_BYTES, MAX_REFUSAL_BYTES, REFUSAL_END_BYTES, Spent, project_name, write,
    };
    use crate::host::Timestamp;
    use crate::state::Store;

    fn entry() -> Entry<'static> {
        let text = Some("line\nbreak");
        Entry { hook: "a-hook", event: "Stop", session: Some("s"), what: "block", text, ..Entry::default() }
    }

    #[test]
    fn an_entry_is_one_line_with_a_date() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        write(&store, Timestamp::from_micros(1_795_300_000_123_456), &entry());
        assert_eq!(
            fs::read_to_string(scratch.path().join("journal.jsonl")).unwrap(),
            "{\"at\":\"2026-11-21T22:26:40.123Z\",\"hook\":\"a-hook\",\"event\":\"Stop\",\"session\":\"s\",\
             \"what\":\"block\",\"text\":\"line\\nbreak\"}\n"
        );
    }

    fn written(entry: &Entry<'_>) -> Value {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        write(&store, Timestamp::from_secs(1), entry);
        serde_json::from_slice(&fs::read(scratch.path().join("journal.jsonl")).unwrap()).unwrap()
    }

    #[test]
    fn a_secret_is_masked_in_text_and_rule_also_where_the_text_is_cut() {
        let secret = "a1B2".repeat(6);
        let said = |before: usize| format!("{} password={secret} {}", "x".repeat(before), "y".repeat(2000));
        for before in [0, 970, 980, 990, 1000] {
            let text = written(&Entry { what: "advise", text: Some(&said(before)), ..entry() })["text"]
                .as_str()
                .unwrap()
                .to_owned();
            assert!(!text.contains("a1B2") && text.len() == 1000, "{text}");
            assert!(before > 970 || text.contains(" password=[masked] y"), "{text}");
        }
        let rule = format!("per_skill.token={secret}");
        assert_eq!(written(&Entry { rule: Some(&rule), ..entry() })["rule"], "per_skill.token=[masked]");
    }

    #[test]
    fn of_a_long_refusal_beginning_and_end_are_kept_and_masked() {
        let secret = "a1B2".repeat(6);
        let step = "run in Bash: req satisfy plan";
        for filler in [0, 1, MAX_REFUSAL_BYTES - step.len(), MAX_REFUSAL_BYTES, 20_000] {
            for around in ["x", "é"] {
                let said = format!("head {} password={secret} {step}", around.repeat(filler));
                let text =
                    written(&Entry { text: Some(&said), ..entry() })["text"].as_str().unwrap().to_owned();
                assert!(text.starts_with("head ") && text.ends_with(step), "{text}");
                assert!(text.len() <= MAX_REFUSAL_BYTES && !text.contains("a1B2"), "{} {text}", text.len());
                assert_eq!(text.contains(LEFT_OUT), said.len() > MAX_REFUSAL_BYTES + 30, "{filler}");
            }
        }
        let (fits, too_long) = ("x".repeat(MAX_REFUSAL_BYTES), "x".repeat(MAX_REFUSAL_BYTES + 1));
        let kept =
            |text: &str| written(&Entry { text: Some(text), ..entry() })["text"].as_str().unwrap().to_owned();
        assert_eq!(kept(&fits), fits);
        assert_eq!(kept(&too_long).rsplit(LEFT_OUT).next().unwrap().len(), REFUSAL_END_BYTES);
    }

    #[test]
    fn whatever_else_may_hold_a_secret_is_masked_too() {
        let secret = format!("password={}", "a1B2".repeat(6));
        let some = Some(secret.as_str());
        let line =
            written(&Entry { tool: some, also: some, place: some, next: some, model: some, ..entry() });
        for field in ["tool", "also", "where", "next", "model"] {
            assert_eq!(line[field], "password=[masked]", "{field}");
        }
    }

    #[test]
    fn a_project_has_one_name_whichever_way_it_is_reached() {
        let scratch = tempfile::tempdir().unwrap();
        let real = scratch.path().canonicalize().unwrap().join("project");
        fs::create_dir(&real).unwrap();
        let around = scratch.path().join("project/../project");
        assert_eq!(project_name(&around), real.display().to_string());
        let gone = Path::new("/no/such/password=a1B2a1B2a1B2a1B2a1B2a1B2");
        assert_eq!(project_name(gone), "/no/such/password=[masked]");
    }

    #[test]
    fn of_many_rules_whole_keys_are_kept() {
        let keys: Vec<String> = (0..100).map(|number| format!("requirements.rule_{number:03}")).collect();
        let kept = written(&Entry { also: Some(&keys.join("\n")), ..entry() });
        let kept: Vec<&str> = kept["also"].as_str().unwrap().lines().collect();
        assert_eq!(kept, keys[..kept.len()]);
        assert!((40..60).contains(&kept.len()), "{}", kept.len());
    }

    #[test]
    fn what_a_line_took_stands_in_whole_units_beside_the_rest() {
        let spent = Spent { slept_ms: Some(1500), cost_micro_usd: Some(0), ..Spent::default() };
        let line = written(&Entry { what: "sleep", text: None, spent, ..entry() });
        assert_eq!((&line["slept_ms"], &line["cost_micro_usd"]), (&1500.into(), &0.into()));
        assert!(line.get("took_ms").is_none() && line.get("spent").is_none(), "{line}");
    }

    #[test]
    fn an_id_is_kept_as_it_is_up_to_a_length() {
        let uuid = "bf41c52e-72c4-4f61-aed6-2ac9c7e341c4";
        let (fits, too_long) = ("é".repeat(100), "é".repeat(200));
        for (id, kept) in [(uuid, uuid), (&fits, &fits), (&too_long, &fits)] {
            let some = Some(id);
            let entry = Entry {
                event: id,
                session: some,
                prompt: some,
                agent: some,
                call: some,
                rule: some,
                ..entry()
            };
            let line = written(&entry);
            for field in ["event", "session", "prompt", "agent", "call", "rule"] {
                assert_eq!(line[field], kept, "{field}");
            }
        }
    }

    #[test]
    fn a_full_journal_is_kept_once() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        let file = scratch.path().join("journal.jsonl");
        fs::write(&file, vec![b'\n'; usize::try_from(MAX_BYTES).unwrap()]).unwrap();
        write(&store, Timestamp::from_secs(1), &entry());
        write(&store, Timestamp::from_secs(2), &entry());
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
        assert_eq!(fs::metadata(scratch.path().join("journal.1.jsonl")).unwrap().len(), MAX_BYTES);
    }

    #[test]
    fn parallel_writers_leave_whole_lines() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for number in 0..50 {
                        write(&store, Timestamp::from_secs(number), &entry());
                    }
                });
            }
        });
        let text = fs::read_to_string(scratch.path().join("journal.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 400);
        assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    }
}
