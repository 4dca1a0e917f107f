//! Lines of the journal about what the user did that loosens: `req log` shows them beside what the hooks did.

use requirements_check::RequirementsCheck;
use requirements_check::change::Change;
use requirements_check::satisfactions::By;
use shared::hook::Hook as _;
use shared::host::{Places, Timestamp};
use shared::journal::{self, Record};

pub(crate) fn audit(places: &Places, now: Timestamp, is_here: bool, record: Record) {
    let Some(store) = places.open_store() else { return };
    let project = places.root.as_deref().filter(|_| is_here).map(journal::project_name);
    journal::write(&store, now, Record { hook: RequirementsCheck::NAME.to_owned(), project, ..record });
}

/// An approval or a waiver; any other change tightens.
pub(crate) fn exception(change: &Change) -> Option<Record> {
    let Change::Set(target, satisfaction) = change else { return None };
    let what = match satisfaction.satisfied_by {
        By::Approval => "approve",
        By::Waiver => "waive",
        _ => return None,
    };
    let rule = target.name.as_ref().map(|name| format!("requirements.{name}"));
    let (session, text) = (target.session.clone(), satisfaction.metadata.note.clone());
    Some(Record { what: what.to_owned(), rule, session, text, ..Record::default() })
}
