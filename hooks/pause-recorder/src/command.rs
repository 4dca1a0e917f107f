//! The command line, in a shell and as a typed prompt: the answer to each verb, from the records and snapshots of the project and
//! the registry. Answers carry effects; nothing is done here.

use serde_json::{Map, Value, json};
use shared::cli::{self, Asker, Commands, Line, Verb};
use shared::config::Section;
use shared::hook::Context;
use shared::host::DAY;
use shared::operator::Caller;
use shared::protocol::{Call, Event, Request};
use transcript::transcript_of_session;

use crate::PauseRecorder;
use crate::actions::started;
use crate::observe::brief_of;
use crate::occupancy::{Level, Reading, reading};
use crate::record::{
    ACTIVE_PREFIX, ARCHIVE, ENDS, JSON, Record, Recorded, Sessions, id_at, is_record_id, read,
};
use crate::registry::{self, Kept, Registry};
use crate::settings::Settings;
use crate::snapshot::{IncrementalPause, markdown};
use crate::step::{End, Ending, Step};
use crate::text::counted;

type Reply = cli::Reply<Step>;

type Answer = Result<Reply, String>;

const fn verb(usage: &'static str, about: &'static str) -> Verb {
    Verb { usage, about }
}

/// The verbs beside those every hook has.
pub(crate) const VERBS: &[Verb] = &[
    verb("list", "the snapshots of this project, newest first, and records that are not finalized"),
    verb("show [ID]", "a snapshot, the latest without ID"),
    verb("start", "records this session from now on"),
    verb("finalize [--minimal] [ID]", "ends the record and writes its snapshot, with --minimal without one"),
    verb("discard [ID]", "removes the record, and leaves nothing of it"),
    verb("resume [ID]", "prints the brief of a snapshot; typed as a prompt, Claude gets it"),
    verb("prune [--older-than DAYS] [--dry-run]", "removes snapshots of this project that are older"),
];

/// The days that `prune` keeps by default.
const DAYS: u32 = 90;

const LIST: &str = "`pause-recorder list` shows all";

/// Precedes the brief where the user has asked for it.
const ASKED: &str = "The user has typed `pause-recorder resume`: they ask you to go on from the snapshot below. Read its file, say in a line where it stands, and go on with what is open.";

/// A verb with its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    verb: &'static str,
    id: Option<String>,
    /// `--json`, `--minimal` or `--dry-run`.
    flag: bool,
    days: u32,
}

impl Commands for PauseRecorder {
    type Asked = Asked;

    fn asked(line: &Line<'_>) -> Option<Asked> {
        let (verb, words) = line.words.split_first()?;
        let mut verbs = VERBS.iter().filter_map(|known| known.usage.split(' ').next()).chain(["status"]);
        let verb = verbs.find(|known| known == verb)?;
        let mut asked = Asked { verb, id: None, flag: false, days: DAYS };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match (verb, *word) {
                ("status", "--json") | ("finalize", "--minimal") | ("prune", "--dry-run") => {
                    asked.flag = true;
                }
                ("prune", "--older-than") => asked.days = words.next()?.parse().ok()?,
                // In a prompt another word makes the line prose.
                ("show" | "finalize" | "discard" | "resume", id)
                    if asked.id.is_none() && !id.starts_with('-') && (!line.is_prompt || is_id(id)) =>
                {
                    asked.id = Some(id.to_owned());
                }
                _ => return None,
            }
        }
        Some(asked)
    }

    fn answer(wanted: &Asked, asker: &Asker<'_>, context: Option<&Context<'_, Settings>>) -> Reply {
        let Section { settings, locked, enabled, .. } = match asker.section_in_force::<Self>() {
            Ok(section) => section,
            Err(why) => return Reply::no(why),
        };
        let Some(sessions) = Sessions::of(asker.places) else {
            return Reply::no("pause-recorder: there is no project here, and no folder to keep records in");
        };
        // In a shell it is answered as for a prompt of the asking session.
        let by_session = || transcript_of_session(asker.places.config_dir.as_deref()?, asker.session?);
        let transcript_path = context.map_or_else(by_session, |it| it.request.call.transcript_path.clone());
        let session_id = asker.session.map(ToOwned::to_owned);
        let call = Call { session_id, transcript_path, ..Call::default() };
        let event = Event::UserPromptSubmit { prompt: String::new(), source: None };
        let (request, Asker { host, places, store, .. }) = (&Request { call, event }, *asker);
        let (locked, set_in_project) = (&locked, false);
        let context = &Context { request, settings: &settings, places, host, locked, set_in_project, store };
        let registry = registry::read(store);
        let project = Project { asker: *asker, is_on: enabled, context, sessions, registry };
        let (id, flag) = (wanted.id.as_deref(), wanted.flag);
        let done = match wanted.verb {
            "list" => Ok(project.list()),
            "show" => project.show(id),
            "start" => project.start(),
            "finalize" => project.finalize(id, flag),
            "discard" => project.discard(id),
            "resume" => project.resume(id),
            "prune" => project.prune(wanted.days, flag),
            _ => Ok(project.status(flag)),
        };
        done.unwrap_or_else(|why| Reply::no(format!("pause-recorder: {why}")))
    }
}

/// `session-20260106-120000`, or the end of an active record's name.
fn is_id(word: &str) -> bool {
    is_record_id(word) || (word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

struct Project<'a> {
    asker: Asker<'a>,
    is_on: bool,
    context: &'a Context<'a, Settings>,
    sessions: Sessions,
    registry: Registry,
}

struct Active {
    record: Record,
    recorded: Recorded,
    /// The id, or the end of the file's name if no line is readable.
    name: String,
    /// It belongs to the asking session.
    is_own: bool,
    /// This machine has begun it.
    is_known: bool,
}

impl Project<'_> {
    /// The active records, the asking session's first.
    fn actives(&self) -> Vec<Active> {
        let own = self.asker.session.map(|session| self.sessions.active_path(session));
        let active = |record: Record| {
            let recorded = read(&record.path).unwrap_or_default();
            let entry = self.registry.of(&self.sessions.root, &recorded.id);
            let key = record.path.file_stem().unwrap_or_default().to_string_lossy();
            let key = key.trim_start_matches(ACTIVE_PREFIX).to_owned();
            Active {
                is_own: own.as_ref() == Some(&record.path),
                is_known: entry.is_some_and(|entry| entry.finalized_at.is_none()),
                name: if recorded.id.is_empty() { key } else { recorded.id.clone() },
                recorded,
                record,
            }
        };
        let mut actives: Vec<Active> = self.sessions.actives().into_iter().map(active).collect();
        actives.sort_by_key(|active| (!active.is_own, active.name.clone()));
        actives
    }

    /// The record with this id. Without an id: the asking session's, or outside of sessions the only one, because another session
    /// may still be at work.
    fn the_active(&self, id: Option<&str>, verb: &str) -> Result<Active, String> {
        let is_outside = self.asker.session.is_none();
        let is_meant = |active: &Active| id.map_or(active.is_own || is_outside, |id| active.name == id);
        let mut meant = self.actives().into_iter().filter(is_meant);
        let active = meant.next().ok_or_else(|| match id {
            Some(id) => format!("no record has the id {id}; {LIST}"),
            None => format!("nothing is being recorded here; {LIST}"),
        })?;
        if id.is_none() && meant.next().is_some() {
            return Err(format!("there are several records; {LIST}"));
        }
        if !active.is_own {
            self.for_the_user(&format!("{verb} {}", active.name))?;
        }
        Ok(active)
    }

    /// Only the user may lose what was recorded, or touch the record of another session.
    fn for_the_user(&self, line: &str) -> Result<(), String> {
        let caller = self.asker.caller;
        let refusal = || caller.refusal(&format!("pause-recorder {line}"), true);
        if caller.is_operator() { Ok(()) } else { Err(refusal()) }
    }

    /// The snapshots, newest first.
    fn all_kept(&self) -> impl Iterator<Item = Kept> {
        self.sessions.ids(&[JSON]).into_iter().map(|id| self.registry.kept(&self.sessions, &id))
    }

    /// The snapshot with this id. Without an id: the newest of those that are wanted.
    fn the_kept(&self, id: Option<&str>, is_wanted: fn(&Kept) -> bool) -> Result<Kept, String> {
        let is_meant = |kept: &Kept| id.map_or_else(|| is_wanted(kept), |id| kept.id == id);
        let none = || match id {
            Some(id) => format!("no snapshot has the id {id}; {LIST}"),
            None => "this project has no snapshot yet".to_owned(),
        };
        self.all_kept().find(is_meant).ok_or_else(none)
    }

    fn status(&self, json: bool) -> Reply {
        let common: Reply = cli::status::<PauseRecorder, _>(&self.asker, json);
        let session = self.asker.session;
        if common.is_no || (session.is_none() && !json) {
            return common;
        }
        let active = session.and_then(|session| self.sessions.active(session));
        let recorded = active.and_then(|active| read(&active.path).ok()).unwrap_or_default();
        let pause = IncrementalPause::of(&recorded, self.asker.host.now());
        if json {
            let mut all: Map<String, Value> = serde_json::from_str(&common.text).unwrap_or_default();
            let record = recorded.actions.last().map(|last| {
                json!({
                    "session_id": recorded.id,
                    "action_count": pause.action_count,
                    "duration_seconds": pause.duration_seconds,
                    "context_range": pause.context_range,
                    "pause_started_at": pause.began.rfc3339(),
                    "last_action_type": last.kind,
                    "last_updated": last.at.rfc3339(),
                })
            });
            all.insert("record".to_owned(), record.into());
            return Reply::yes(Value::Object(all).to_string());
        }
        let reading = reading(self.context, &self.context.peek(), true);
        let context = match &reading {
            Some(reading) => reading.words(),
            None => "not known yet; the status line and the transcript tell it".to_owned(),
        };
        let record = if !recorded.actions.is_empty() {
            let (folder, minutes) = (self.folder(), pause.duration_seconds / 60);
            format!("{} in {folder}, {} in {minutes} min", recorded.id, counted(pause.action_count))
        } else if self.is_on {
            let compacted_at = reading.as_ref().and_then(Reading::compaction_percent);
            let at = Level::AutoPause.percent(self.context.settings, compacted_at);
            format!("none; it begins at {at:.0} %, or with pause-recorder start")
        } else {
            "none; the hook is off".to_owned()
        };
        Reply::yes(format!("{}\ncontext: {context}\nrecord: {record}", common.text))
    }

    fn folder(&self) -> String {
        self.sessions.named(&self.sessions.dir)
    }

    fn list(&self) -> Reply {
        let active = |Active { record, recorded, name, is_own, is_known }: Active| {
            let whose = match (is_own, is_known) {
                (true, _) => "of this session",
                (false, true) => "of another session",
                (false, false) => "not begun on this machine",
            };
            let (actions, at) = (counted(recorded.actions.len() as u64), record.modified.local());
            format!("{name}  being recorded, {actions}, {whose}, last written {at}")
        };
        let kept = |Kept { id, provenance, snapshot }: Kept| match snapshot {
            None => format!("{id}  cannot be read, {provenance}"),
            Some(snapshot) => {
                let actions = counted(snapshot.incremental_pause.action_count);
                format!("{id}  {}  {actions}, {provenance}", snapshot.paused_at.local())
            }
        };
        let lines = self.actives().into_iter().map(active).chain(self.all_kept().map(kept));
        let lines: Vec<String> = lines.collect();
        Reply::yes(if lines.is_empty() { format!("nothing in {}", self.folder()) } else { lines.join("\n") })
    }

    /// Renders the JSON anew, because anybody may have written the Markdown beside it.
    fn show(&self, id: Option<&str>) -> Answer {
        let kept = self.the_kept(id, |_| true)?;
        let snapshot = kept.snapshot.as_ref().ok_or_else(|| format!("{}.json is no snapshot", kept.id))?;
        let warning = if kept.is_ours() { String::new() } else { format!("({})\n\n", kept.provenance) };
        Ok(Reply::yes(format!("{warning}{}", markdown(snapshot).trim_end())))
    }

    fn start(&self) -> Answer {
        let session =
            self.asker.session.ok_or("there is no session here; type it as a prompt of the session")?;
        if !self.is_on {
            return Err("it is off, so nothing would be recorded; pause-recorder status says why".to_owned());
        }
        if self.sessions.active(session).is_some() {
            return Ok(Reply::yes("this session is being recorded already; pause-recorder status says more"));
        }
        let reading = reading(self.context, &self.context.peek(), true);
        let step = Step::Append {
            session: session.to_owned(),
            transcript: self.context.request.call.transcript_path.clone(),
            actions: vec![started(session, reading.as_ref(), "command", self.asker.host.now())],
        };
        let folder = self.folder();
        let text =
            format!("from here on this session is recorded in {folder}; pause-recorder discard drops it");
        Ok(done(text, step))
    }

    /// The asking session ends its record now. Another session's record ended with its last line.
    fn finalize(&self, id: Option<&str>, minimal: bool) -> Answer {
        let Active { record, recorded, name, is_own, .. } = self.the_active(id, "finalize")?;
        if minimal {
            self.for_the_user(&format!("finalize --minimal {name}"))?;
        }
        if recorded.id.is_empty() {
            return Err(format!(
                "no line of the record can be read; pause-recorder discard {name} removes it"
            ));
        }
        let (ending, end) = if minimal { (Ending::Minimal, ARCHIVE) } else { (Ending::Full, JSON) };
        let step = Step::Finish(End {
            path: record.path,
            ending,
            at: if is_own { self.asker.host.now() } else { record.modified },
            commit: self.context.settings.git_commit,
        });
        let (actions, path) = (counted(recorded.actions.len() as u64), self.sessions.file(&name, end));
        Ok(done(format!("{name} is finalized, {actions}:\n{}", path.display()), step))
    }

    /// Removes a record, whatever its file holds.
    fn discard(&self, id: Option<&str>) -> Answer {
        let Active { record, name, is_known, recorded, .. } = self.the_active(id, "discard")?;
        self.for_the_user(&format!("discard {name}"))?;
        let actions = counted(recorded.actions.len() as u64);
        let text = format!("{name} is discarded, {actions}; nothing of it is left");
        // A stranger's file must not remove our snapshot of the same id.
        let ids = is_known.then_some(name).into_iter().collect();
        Ok(done(text, Step::Remove { record: Some(record.path), ids }))
    }

    /// Hands over a snapshot as a new session receives it, if this machine wrote it and nobody changed it.
    fn resume(&self, id: Option<&str>) -> Answer {
        let kept = self.the_kept(id, Kept::is_ours)?;
        let (is_ours, Kept { id, provenance, snapshot }) = (kept.is_ours(), kept);
        let Some(snapshot) = snapshot.filter(|_| is_ours) else {
            return Err(format!(
                "{id} is {provenance}, so Claude does not get it; pause-recorder show {id} shows it to you"
            ));
        };
        let text = brief_of(self.context, &self.sessions, &id, &snapshot);
        if matches!(self.asker.caller, Caller::Shell(_)) {
            return Ok(Reply::yes(text));
        }
        let notice = format!("pause-recorder: Claude gets {id}, to go on from it");
        Ok(Reply { for_model: Some(format!("{ASKED}\n{text}")), ..done(notice, Step::MarkRead { id }) })
    }

    fn prune(&self, days: u32, dry_run: bool) -> Answer {
        if !dry_run {
            self.for_the_user(&format!("prune --older-than {days}"))?;
        }
        let before = id_at(self.asker.host.now().minus(DAY * days));
        let active: Vec<String> = self.actives().into_iter().map(|active| active.name).collect();
        let mut ids = self.sessions.ids(&ENDS);
        ids.retain(|id| *id < before && !active.contains(id));
        if ids.is_empty() {
            return Ok(Reply::yes(format!("no snapshot of this project is older than {days} days")));
        }
        let head = if dry_run { "would be removed:" } else { "removed:" };
        let text = ids.iter().fold(head.to_owned(), |text, id| format!("{text}\n  {id}"));
        Ok(if dry_run { Reply::yes(text) } else { done(text, Step::Remove { record: None, ids }) })
    }
}

fn done(text: String, step: Step) -> Reply {
    Reply { effects: vec![step], ..Reply::yes(text) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
