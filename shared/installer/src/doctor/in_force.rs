//! Whether Claude Code runs any hook: `disableAllHooks`, and an administrator's `allowManagedHooksOnly`. Pure.

use client_settings::Flag;

use super::finding::Finding;
use super::level::{Kind, Level};

/// `levels` begin with the weakest; `registers`: something of ours is registered.
pub(crate) fn findings(levels: &[Level], registers: bool) -> Vec<Finding> {
    let mut found = disabled(levels);
    let only_managed = levels.iter().filter(|level| level.kind == Kind::Managed).filter_map(|level| {
        let flag = level.contents.allows_managed_only.filter(|flag| flag.is_on)?;
        let what = "the administrator of this machine allows no hooks but their own: none of these runs";
        let finding = Finding::broken(what).at(&level.shown, Some(flag.line)).key("allowManagedHooksOnly");
        registers.then(|| finding.next("ask the administrator to register these hooks there"))
    });
    found.extend(only_managed);
    if found.is_empty() {
        found.push(Finding::ok("no settings keep hooks from running"));
    }
    found
}

/// The strongest level that has the key decides.
fn disabled(levels: &[Level]) -> Vec<Finding> {
    let of_level = |level: &'_ Level| Some((level.shown.clone(), level.contents.disables_all_hooks?));
    let mut said = levels.iter().rev().filter_map(of_level);
    let Some((strongest, flag)) = said.next() else { return Vec::new() };
    let place =
        |finding: Finding, file: &str, flag: Flag| finding.at(file, Some(flag.line)).key("disableAllHooks");
    if flag.is_on {
        let finding = Finding::broken("true: Claude Code runs no hook, of ours or anybody's");
        return vec![place(finding, &strongest, flag).next("remove the key, or set it to false")];
    }
    let overruled = said.filter(|(_, flag)| flag.is_on);
    let note = Finding::note(format!("true, but overruled by {strongest}"));
    overruled.map(|(file, flag)| place(note.clone(), &file, flag)).collect()
}

#[cfg(test)]
mod tests {
    use super::findings;
    use crate::doctor::finding::Severity::{self, Broken, Note, Ok};
    use crate::doctor::level::{Kind, Level};

    fn verdict(levels: &[(Kind, &str)], registers: bool) -> Severity {
        let levels: Vec<Level> = levels.iter().map(|(kind, text)| Level::foreign(*kind, "f", text)).collect();
        findings(&levels, registers).iter().map(|finding| finding.severity).max().unwrap()
    }

    #[test]
    fn strongest_level_that_disables_hooks_decides() {
        let (on, off, silent) = (r#"{"disableAllHooks":true}"#, r#"{"disableAllHooks":false}"#, "{}");
        for (user, project, local, managed, expected) in [
            (silent, silent, silent, silent, Ok),
            (on, silent, silent, silent, Broken),
            (silent, on, silent, silent, Broken),
            (on, off, silent, silent, Note),
            (on, off, on, silent, Broken),
            (off, on, off, silent, Note),
            (off, off, off, on, Broken),
            (silent, silent, r#"{"disableAllHooks":"true"}"#, silent, Ok),
            (silent, silent, r#"{"disableAllHooks":false,"disableAllHooks":true}"#, silent, Broken),
        ] {
            let kinds = [Kind::User, Kind::Project, Kind::Local, Kind::Managed];
            let levels: Vec<_> = kinds.into_iter().zip([user, project, local, managed]).collect();
            assert_eq!(verdict(&levels, true), expected, "{user} {project} {local} {managed}");
        }
    }

    #[test]
    fn only_an_administrator_may_allow_managed_hooks_only() {
        let only = r#"{"allowManagedHooksOnly":true}"#;
        assert_eq!(verdict(&[(Kind::Managed, only)], true), Broken);
        assert_eq!(verdict(&[(Kind::Managed, only)], false), Ok);
        assert_eq!(verdict(&[(Kind::User, only)], true), Ok);
    }
}
