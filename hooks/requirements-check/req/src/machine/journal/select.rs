//! Which lines of the journal are meant.

use std::collections::BTreeSet;
use std::path::Path;

use shared::cli::Asker;
use shared::host::Timestamp;
use shared::journal::{Line, Reading, Record, project_name, read};

use requirements_check::satisfactions::resolve_session;

/// What is wanted.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    /// Of this project. What names none is about all of them, or of a version that did not say: it belongs to each.
    pub(super) project: Option<String>,
    /// Of this hook.
    pub(super) hook: Option<String>,
    /// Of this session.
    pub(super) session: Option<String>,
    /// Not older.
    pub(super) since: Option<Timestamp>,
    /// Only what was refused or held.
    pub(super) refusals_only: bool,
}

impl Wanted {
    fn is(&self, record: &Record) -> bool {
        self.hook.as_ref().is_none_or(|hook| *hook == record.hook)
            && self.session.as_ref().is_none_or(|session| Some(session) == record.session.as_ref())
            && self.since.is_none_or(|since| record.at >= since)
            && (!self.refusals_only || is_refusal(record))
    }

    fn is_of_project(&self, record: &Record) -> bool {
        let (wanted, named) = (self.project.as_ref(), record.project.as_ref());
        wanted.is_none_or(|wanted| named.is_none_or(|named| named == wanted))
    }
}

/// The lines that are wanted, the newest last; what is no line at all is counted meanwhile.
#[derive(Debug)]
pub(super) struct Selection {
    reading: Reading,
    wanted: Wanted,
    /// Lines so far that could not be read.
    pub(super) damaged: u64,
    /// Lines so far that are wanted but for their project.
    pub(super) elsewhere: u64,
}

impl Selection {
    pub(super) fn of(dir: &Path, wanted: Wanted) -> Self {
        Self { reading: read(dir), wanted, damaged: 0, elsewhere: 0 }
    }

    /// The project it is limited to.
    pub(super) fn project(&self) -> Option<String> {
        self.wanted.project.clone()
    }
}

impl Iterator for Selection {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            match self.reading.next()? {
                Line::Record(record) if !self.wanted.is(&record) => {}
                Line::Record(record) if self.wanted.is_of_project(&record) => return Some(*record),
                Line::Record(_) => self.elsewhere += 1,
                Line::Damaged => self.damaged += 1,
            }
        }
    }
}

/// A call, a stop or a prompt did not go on.
pub(super) fn is_refusal(record: &Record) -> bool {
    matches!(record.what.as_str(), "deny" | "ask" | "block")
}

/// The folder the journal is in.
pub(super) fn folder<'a>(asker: &Asker<'a>) -> Result<&'a Path, String> {
    let store = asker.store.ok_or("req: there is no state folder, so nothing is recorded; set HOME")?;
    Ok(store.dir())
}

/// The project at hand, as lines name it.
pub(super) fn project(asker: &Asker<'_>) -> Option<String> {
    asker.places.root.as_deref().map(project_name)
}

/// The session that is meant by an id or the beginning of one.
pub(super) fn session(named: &str, dir: &Path, asker: &Asker<'_>) -> Result<String, String> {
    let recorded = Selection::of(dir, Wanted::default()).filter_map(|record| record.entry.session);
    let known: BTreeSet<String> = recorded.chain(asker.session.map(ToOwned::to_owned)).collect();
    resolve_session(named, known.iter().map(String::as_str)).map_err(|error| format!("req: {error}"))
}
