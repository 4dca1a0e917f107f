//! Hooks that are registered more than once: the client adds up all places. Pure.

use super::finding::Finding;
use super::level::Kind;
use crate::say::list;

/// Where one hook is registered.
pub(super) struct Registered<'a> {
    pub(super) hook: &'a str,
    /// Each place once: what kind, and the file.
    pub(super) places: Vec<(Kind, String)>,
    /// A plugin's copy of it leaves each call to the one that these settings start.
    pub(super) steps_back: bool,
}

/// What is said of it. A project's own entry steps back for the user's; identical entries of two settings files run
/// once.
pub(super) fn finding(registered: &Registered<'_>) -> Option<Finding> {
    let Registered { hook, places, steps_back } = registered;
    let files = |wanted: &dyn Fn(Kind) -> bool| -> Vec<&str> {
        places.iter().filter(|(kind, _)| wanted(*kind)).map(|(_, file)| file.as_str()).collect()
    };
    let plugins = files(&|kind| kind == Kind::Plugin);
    let settings = files(&|kind| kind != Kind::Plugin);
    let own = files(&|kind| matches!(kind, Kind::User | Kind::Local));
    if plugins.len() > 1 || (!plugins.is_empty() && !settings.is_empty()) {
        let all: Vec<&str> = settings.iter().chain(&plugins).copied().collect();
        let all = list(&all);
        let found = if *steps_back && plugins.len() == 1 {
            Finding::note(format!("{hook} is registered in {all}; the plugin's steps back, so it runs once"))
        } else {
            Finding::broken(format!("{hook} is registered in {all}, so it runs twice and counts twice"))
        };
        return Some(found.next("keep one: req hooks uninstall, or switch the plugin off with /plugin"));
    }
    let last = own.last().filter(|_| own.len() > 1)?;
    let what = format!("{hook} is registered in {}; where the two differ it runs twice", list(&own));
    Some(Finding::warning(what).next(format!("one is enough: remove its entries from {last}")))
}

#[cfg(test)]
mod tests {
    use super::{Registered, finding};
    use crate::doctor::finding::Severity;
    use crate::doctor::level::Kind;

    #[test]
    fn a_hook_is_to_be_registered_once() {
        for (kinds, severity) in [
            (&[Kind::User][..], None),
            (&[Kind::Plugin], None),
            (&[Kind::User, Kind::Project], None),
            (&[Kind::User, Kind::Local], Some(Severity::Warning)),
            (&[Kind::User, Kind::Plugin], Some(Severity::Broken)),
            (&[Kind::Project, Kind::Plugin], Some(Severity::Broken)),
            (&[Kind::Plugin, Kind::Plugin], Some(Severity::Broken)),
            (&[Kind::User, Kind::Local, Kind::Plugin], Some(Severity::Broken)),
        ] {
            let places = kinds.iter().map(|kind| (*kind, format!("{kind:?}"))).collect();
            let found = finding(&Registered { hook: "a-gate", places, steps_back: false });
            assert_eq!(found.map(|finding| finding.severity), severity, "{kinds:?}");
        }
    }

    #[test]
    fn a_plugins_that_steps_back_is_named_and_no_fault() {
        for (kinds, severity) in [
            (&[Kind::Plugin][..], None),
            (&[Kind::User, Kind::Plugin], Some(Severity::Note)),
            (&[Kind::Project, Kind::Plugin], Some(Severity::Note)),
            (&[Kind::User, Kind::Plugin, Kind::Plugin], Some(Severity::Broken)),
            (&[Kind::Plugin, Kind::Plugin], Some(Severity::Broken)),
        ] {
            let places = kinds.iter().map(|kind| (*kind, format!("{kind:?}"))).collect();
            let found = finding(&Registered { hook: "a-gate", places, steps_back: true });
            assert_eq!(found.map(|finding| finding.severity), severity, "{kinds:?}");
        }
    }
}
