//! Faults of the configuration files, and switches that silence a registered hook. Doctor asks each hook itself, in this project.

use std::collections::BTreeSet;
use std::path::PathBuf;

use shared::catalog::HookEntry;

use super::finding::Finding;
use super::world::World;
use crate::enabled::{DEFAULTS, Enabled};
use crate::off::Silence;
use crate::say::list;

/// The ends of problems that cost a whole file, a requirement, or the calls it was for.
const COSTS: [&str; 3] = ["the file is skipped", "it is off", "it holds none of its calls"];

/// The findings about the files.
pub(super) struct Configuration {
    pub(super) findings: Vec<Finding>,
    /// The beginning of a sentence about hooks that are off; `None`: everything registered acts.
    pub(super) off: Option<String>,
}

/// Asks every deployed hook whose bytes are ours.
pub(super) fn look(world: &World<'_>) -> Configuration {
    let mut found: Vec<Finding> = off_file(world).into_iter().collect();
    let is_off = !found.is_empty();
    let registered = world.registered();
    let (mut silent, mut resting, mut reported) = (Vec::new(), Vec::new(), BTreeSet::new());
    for hook in &world.catalog.hooks {
        let asked = match world.ask(hook) {
            Ok(Some(asked)) => asked,
            Ok(None) => continue,
            Err(error) => {
                found.push(Finding::broken(format!("{error:#}")));
                continue;
            }
        };
        if !asked.acts && asked.set_by() == DEFAULTS && !world.is_in_settings(&hook.name) {
            resting.push(hook.name.as_str());
            continue;
        }
        let is_registered = registered.contains(&hook);
        if is_registered && !asked.acts {
            silent.push(hook.name.as_str());
        }
        found.extend(standing(world, hook, &asked, is_registered).filter(|_| !is_off));
        if is_registered && asked.acts {
            let parts = asked.parts_off(&hook.name).into_iter();
            found.extend(parts.map(|part| Finding::note(part.what).next(part.ended_by)));
        }
        let problems = asked.problems.into_iter().filter(|problem| reported.insert(problem.clone()));
        found.extend(problems.map(|text| problem(&text)));
    }
    if found.is_empty() {
        let is_all_on = !registered.is_empty() && resting.is_empty();
        let and = if is_all_on { ", and every registered hook is on" } else { "" };
        found.push(Finding::ok(format!("the files of settings can be read{and}")));
    }
    found.extend(at_rest(&resting).filter(|_| !is_off && world.plugin().is_some()));
    Configuration { findings: found, off: off(is_off && !registered.is_empty(), &silent) }
}

/// A plugin brings all hooks, also those that nobody has switched on.
fn at_rest(hooks: &[&str]) -> Option<Finding> {
    let what = format!("the plugin brings {}, too, off until you switch them on", list(hooks));
    (!hooks.is_empty()).then(|| Finding::note(what).next("req enable --hook NAME --global"))
}

fn off(is_all: bool, silent: &[&str]) -> Option<String> {
    let are = if silent.len() == 1 { "is" } else { "are" };
    let some = (!silent.is_empty()).then(|| format!("{} {are} off", list(silent)));
    if is_all { Some("Every hook is off".to_owned()) } else { some }
}

fn standing(world: &World<'_>, hook: &HookEntry, asked: &Enabled, is_registered: bool) -> Option<Finding> {
    let (name, by) = (&hook.name, asked.set_by());
    if is_registered && !asked.acts {
        let what = format!("{name} is registered and switched off by {by}");
        return Some(Finding::warning(what).next(asked.way_on(name, world.user())));
    }
    // Nobody asks for a hook that is on by default.
    let is_wanted = !is_registered && asked.acts && !hook.enabled;
    is_wanted.then(|| {
        let what = format!("{name} is switched on by {by}, but not registered: it never runs");
        Finding::warning(what).next(format!("req hooks enable {name}"))
    })
}

/// A problem as a hook reports it: `FILE:LINE: KEY: WHAT`. It is broken where a gate is lost with it; else the level below
/// counts.
fn problem(text: &str) -> Finding {
    let is_lost = COSTS.iter().any(|end| text.ends_with(end));
    let found = |what: &str| if is_lost { Finding::broken(what) } else { Finding::warning(what) };
    let Some((place, rest)) = text.split_once(": ") else { return found(text) };
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) if line.parse::<usize>().is_ok() => (file, line.parse().ok()),
        _ => (place, None),
    };
    match rest.split_once(": ").filter(|(key, _)| !key.contains(' ')) {
        Some((key, what)) => found(what).at(file, line).key(key),
        None => found(rest).at(file, line),
    }
}

fn off_file(world: &World<'_>) -> Option<Finding> {
    let folders = [&world.folders.state_dir, &world.folders.default_state_dir];
    let silence = Silence::in_force(folders.into_iter().flatten().map(PathBuf::as_path), world.now())?;
    let file = world.user().show(&silence.file);
    Some(Finding::warning(silence.words()).at(&file, None).next("req resume"))
}

#[cfg(test)]
mod tests {
    use super::{at_rest, off, problem};
    use crate::doctor::finding::Finding;

    #[test]
    fn problem_keeps_file_line_and_key_and_is_broken_if_it_costs_a_gate() {
        let file = "~/.claude/requirements.yaml";
        for (text, expected) in [
            (
                "~/.claude/requirements.yaml:4: stop-momentum.max_block: no such key",
                Finding::warning("no such key").at(file, Some(4)).key("stop-momentum.max_block"),
            ),
            (
                "x.yaml: requires: expected a range",
                Finding::warning("expected a range").at("x.yaml", None).key("requires"),
            ),
            ("something else", Finding::warning("something else")),
            (
                "x.yaml:2: not valid YAML; the file is skipped",
                Finding::broken("not valid YAML; the file is skipped").at("x.yaml", Some(2)),
            ),
            (
                "x.yaml:2: requirements.x: a guard needs `guard_type`; it is off",
                Finding::broken("a guard needs `guard_type`; it is off")
                    .at("x.yaml", Some(2))
                    .key("requirements.x"),
            ),
        ] {
            assert_eq!(problem(text), expected);
        }
    }

    #[test]
    fn hooks_of_a_plugin_that_nobody_switched_on_are_one_note() {
        assert_eq!(at_rest(&[]), None);
        let found = at_rest(&["a-gate", "b-watch"]).unwrap();
        assert!(found.what.contains("the plugin brings a-gate and b-watch"), "{found}");
        assert_eq!(found.next.as_deref(), Some("req enable --hook NAME --global"));
    }

    #[test]
    fn summary_names_what_is_off() {
        for (is_all, silent, said) in [
            (false, &[][..], None),
            (false, &["a-gate"], Some("a-gate is off")),
            (false, &["a-gate", "b", "c"], Some("a-gate, b and c are off")),
            (true, &["a-gate"], Some("Every hook is off")),
        ] {
            assert_eq!(off(is_all, silent).as_deref(), said);
        }
    }
}
