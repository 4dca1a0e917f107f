//! What silences hooks: Claude Code's own switches, the file `OFF`, and the configuration, of which doctor asks each hook itself.

use std::collections::BTreeSet;

use crate::catalog::HookEntry;
use shared::state::Off;

use super::report::Finding;
use super::world::{Level, World};
use crate::prove::{DEFAULTS, Enabled};

/// The ends of problems that cost a whole file, a requirement, or the calls it was for.
const COSTS: [&str; 3] = ["the file is skipped", "it is off", "it holds none of its calls"];

/// Whether Claude Code runs any hook: `disableAllHooks`, and an administrator's `allowManagedHooksOnly`. `levels` begin with the
/// weakest; `registers`: something of ours is registered.
pub(super) fn in_force(levels: &[Level], registers: bool) -> Vec<Finding> {
    // The strongest level that has the key decides.
    let strongest = levels.iter().rev().find_map(|level| Some((level, level.contents.disables_all_hooks?)));
    let disabled = strongest.filter(|(_, flag)| flag.is_on).map(|(level, flag)| {
        let finding = Finding::broken("true: Claude Code runs no hook, of ours or anybody's");
        let finding = finding.at(&level.shown, Some(flag.line)).key("disableAllHooks");
        finding.next("remove the key, or set it to false")
    });
    let mut found: Vec<Finding> = disabled.into_iter().collect();
    let only_managed = levels.iter().filter(|level| level.place.is_none()).filter_map(|level| {
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

fn off_file(world: &World<'_>) -> Option<Finding> {
    let (file, off) = Off::in_force(&world.folders, world.host.started)?;
    let what = match off {
        Off::ForGood => "every hook is off while this file is there".to_owned(),
        Off::Until(end) => format!("every hook is off until {}", end.local()),
    };
    Some(Finding::warning(what).at(&world.user().show(&file), None).next("req resume"))
}

/// Faults of the configuration files, and registered hooks that are switched off. Doctor asks every installed hook whose bytes are ours.
pub(super) fn configuration(world: &World<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = off_file(world).into_iter().collect();
    let is_off = !found.is_empty();
    let mut reported = BTreeSet::new();
    for hook in &world.catalog.hooks {
        let asked = match world.asked.get(&hook.name) {
            None => continue,
            Some(Ok(asked)) => asked,
            Some(Err(error)) => {
                found.push(Finding::broken(format!("{error:#}")));
                continue;
            }
        };
        // A plugin brings all hooks, also those that nobody has switched on.
        if !asked.acts && asked.set_by() == DEFAULTS && !world.is_in_settings(&hook.name) {
            continue;
        }
        found.extend(standing(world, hook, asked).filter(|_| !is_off));
        let problems = asked.problems.iter().filter(|problem| reported.insert(problem.as_str()));
        found.extend(problems.map(|text| problem(text)));
    }
    if found.is_empty() {
        found.push(Finding::ok("the configuration files can be read"));
    }
    found
}

fn standing(world: &World<'_>, hook: &HookEntry, asked: &Enabled) -> Option<Finding> {
    let (name, by) = (&hook.name, asked.set_by());
    let is_registered = world.registered().contains(&hook);
    if is_registered && !asked.acts {
        let what = format!("{name} is registered and switched off by {by}");
        return Some(Finding::warning(what).next(asked.way_on(name, world.user())));
    }
    // Nobody asks for a hook that is on by default.
    let is_wanted = !is_registered && asked.acts && !hook.enabled;
    is_wanted.then(|| {
        let what = format!("{name} is switched on by {by}, but not registered: it never runs");
        Finding::warning(what).next(world.user().line(format_args!("enable {name}")))
    })
}

/// A problem as a hook reports it, with its place. It is broken where a gate is lost with it; else the level below counts.
fn problem(text: &str) -> Finding {
    let is_lost = COSTS.iter().any(|end| text.ends_with(end));
    if is_lost { Finding::broken(text) } else { Finding::warning(text) }
}

#[cfg(test)]
mod tests {
    use super::{in_force, problem};
    use crate::doctor::Severity::{self, Broken, Ok, Warning};
    use crate::doctor::world::Level;
    use crate::places::Scope::{self, Local, Project, User};

    fn verdict(levels: &[(Option<Scope>, &str)], registers: bool) -> Severity {
        let levels: Vec<Level> = levels.iter().map(|(scope, text)| Level::owned(*scope, text, &[])).collect();
        in_force(&levels, registers).iter().map(|finding| finding.severity).max().unwrap()
    }

    #[test]
    fn strongest_level_that_disables_hooks_decides() {
        let (on, off, silent) = (r#"{"disableAllHooks":true}"#, r#"{"disableAllHooks":false}"#, "{}");
        for (user, project, local, managed, expected) in [
            (silent, silent, silent, silent, Ok),
            (on, silent, silent, silent, Broken),
            (silent, on, silent, silent, Broken),
            (on, off, silent, silent, Ok),
            (on, off, on, silent, Broken),
            (off, on, off, silent, Ok),
            (off, off, off, on, Broken),
            (silent, silent, r#"{"disableAllHooks":"true"}"#, silent, Ok),
            (silent, silent, r#"{"disableAllHooks":false,"disableAllHooks":true}"#, silent, Broken),
        ] {
            let scopes = [Some(User), Some(Project), Some(Local), None];
            let levels: Vec<_> = scopes.into_iter().zip([user, project, local, managed]).collect();
            assert_eq!(verdict(&levels, true), expected, "{user} {project} {local} {managed}");
        }
    }

    #[test]
    fn only_an_administrator_may_allow_managed_hooks_only() {
        let only = r#"{"allowManagedHooksOnly":true}"#;
        assert_eq!(verdict(&[(None, only)], true), Broken);
        assert_eq!(verdict(&[(None, only)], false), Ok);
        assert_eq!(verdict(&[(Some(User), only)], true), Ok);
    }

    #[test]
    fn problem_is_broken_if_it_costs_a_gate() {
        for (text, expected) in [
            ("x.yaml:4: stop-momentum.max_block: no such key", Warning),
            ("x.yaml:2: not valid YAML; the file is skipped", Broken),
            ("x.yaml:2: requirements.x: a guard needs `guard_type`; it is off", Broken),
        ] {
            assert_eq!(problem(text).severity, expected, "{text}");
        }
    }
}
