//! Hooks that are registered more than once: Claude Code adds up all places. Pure.

use super::finding::Finding;
use super::level::Kind;
use crate::say::list;

/// The finding for one hook. `places` are the settings files that register it, `plugin` the file that enables our plugin.
///
/// A project's entry steps back for the user's own, and a plugin's copy for the user's settings.
pub(crate) fn finding(hook: &str, places: &[(Kind, &str)], plugin: Option<&str>) -> Option<Finding> {
    let files = |kinds: &[Kind]| -> Vec<&str> {
        places.iter().filter(|(kind, _)| kinds.contains(kind)).map(|(_, file)| *file).collect()
    };
    let all: Vec<&str> = places.iter().map(|(_, file)| *file).collect();
    if let (Some(plugin), false) = (plugin, all.is_empty()) {
        let both = format!("{hook} is registered in {} and by the plugin that {plugin} enables", list(&all));
        let found = if files(&[Kind::User]).is_empty() {
            Finding::broken(format!("{both}, so it runs twice and counts twice"))
        } else {
            Finding::note(format!("{both}; the plugin's copy steps back, so it runs once"))
        };
        return Some(found.next("keep one: req hooks uninstall, or disable the plugin with /plugin"));
    }
    let own = files(&[Kind::User, Kind::Local]);
    let last = own.last().filter(|_| own.len() > 1)?;
    let what = format!("{hook} is registered in {}; where the two differ it runs twice", list(&own));
    Some(Finding::warning(what).next(format!("one is enough: remove its entries from {last}")))
}

#[cfg(test)]
mod tests {
    use super::finding;
    use crate::doctor::finding::Severity::{self, Broken, Note, Warning};
    use crate::doctor::level::Kind::{self, Local, Project, User};

    #[test]
    fn second_registration_is_judged_by_what_steps_back() {
        let rows: [(&[Kind], bool, Option<Severity>); 9] = [
            (&[User], false, None),
            (&[], true, None),
            (&[User, Project], false, None),
            (&[User, Local], false, Some(Warning)),
            (&[User], true, Some(Note)),
            (&[User, Project], true, Some(Note)),
            (&[Project], true, Some(Broken)),
            (&[Local], true, Some(Broken)),
            (&[User, Local], true, Some(Note)),
        ];
        for (kinds, has_plugin, severity) in rows {
            let places: Vec<_> = kinds.iter().map(|kind| (*kind, "f")).collect();
            let found = finding("a-gate", &places, has_plugin.then_some("p"));
            assert_eq!(found.map(|finding| finding.severity), severity, "{kinds:?} {has_plugin}");
        }
    }
}
