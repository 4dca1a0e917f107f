//! What the user changed that loosens, in the journal: `req log` shows it beside what the hooks did.

use shared::hook::Hook;
use shared::host::{Places, Timestamp};
use shared::journal::{self, Entry};

use super::Target;
use crate::RequirementsCheck;
use crate::satisfactions::{By, Satisfaction};

/// A line of the journal about something the user did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    what: &'static str,
    /// It is about every project.
    is_of_all: bool,
    rule: Option<String>,
    session: Option<String>,
    text: Option<String>,
}

impl Audit {
    /// Writes the line.
    pub fn write(&self, places: &Places, now: Timestamp) {
        let Some(store) = places.open_store() else { return };
        let root = places.root.as_deref().filter(|_| !self.is_of_all);
        let project = root.map(journal::project_name);
        let entry = Entry {
            hook: RequirementsCheck::NAME,
            what: self.what,
            project: project.as_deref(),
            rule: self.rule.as_deref(),
            session: self.session.as_deref(),
            text: self.text.as_deref(),
            ..Entry::default()
        };
        journal::write(&store, now, &entry);
    }
}

/// About every hook, in this project.
pub fn here(what: &'static str, text: String) -> Audit {
    Audit { what, text: (!text.is_empty()).then_some(text), ..Audit::default() }
}

/// About every hook, in every project.
pub fn everywhere(what: &'static str, text: String) -> Audit {
    Audit { is_of_all: true, ..here(what, text) }
}

/// About an approval or a waiver; any other satisfaction tightens.
pub(super) fn exception(target: &Target, mark: &Satisfaction) -> Option<Audit> {
    let what = match mark.satisfied_by {
        By::Approval => "approve",
        By::Waiver => "waive",
        _ => return None,
    };
    let rule = target.name.as_ref().map(|name| format!("requirements.{name}"));
    let (session, text) = (target.session.clone(), mark.metadata.note.clone());
    Some(Audit { what, is_of_all: false, rule, session, text })
}
