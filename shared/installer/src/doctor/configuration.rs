//! What is wrong in the configuration files, and what silences a registered hook: asked of each hook itself, in this
//! project.

use std::collections::BTreeSet;

use shared::catalog::HookEntry;
use shared::state::is_off;

use super::finding::{Finding, Severity};
use super::world::World;
use crate::enabled::Enabled;

/// How a problem ends that costs a whole file: `shared::config` says it so.
const SKIPPED: &str = "the file is skipped";

/// Asks every deployed hook whose bytes are ours.
pub(super) fn look(world: &World<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = off_file(world).into_iter().collect();
    let is_off = !found.is_empty();
    let registered = world.registered();
    let mut told = BTreeSet::new();
    for hook in &world.catalog.hooks {
        let asked = match Enabled::ask(world.nearest(), &hook.name) {
            Ok(Some(asked)) => asked,
            Ok(None) => continue,
            Err(error) => {
                found.push(Finding::broken(format!("{error:#}")));
                continue;
            }
        };
        let is_registered = registered.iter().any(|other| other.name == hook.name);
        found.extend(standing(world, hook, &asked, is_registered).filter(|_| !is_off));
        let problems = asked.problems.into_iter().filter(|problem| told.insert(problem.clone()));
        found.extend(problems.map(|text| problem(&text)));
    }
    if found.is_empty() {
        found.push(Finding::ok("the files of settings can be read, and every registered hook is on"));
    }
    found
}

fn standing(world: &World<'_>, hook: &HookEntry, asked: &Enabled, is_registered: bool) -> Option<Finding> {
    let (name, by) = (&hook.name, &asked.set_by);
    if is_registered && !asked.acts {
        let what = format!("{name} is registered and switched off by {by}");
        return Some(Finding::note(what).next(asked.way_on(name, world.user())));
    }
    // Where the default is on, its owner has not asked for it.
    let is_wanted = !is_registered && asked.acts && !hook.enabled;
    is_wanted.then(|| {
        let what = format!("{name} is switched on by {by}, but not registered: it never runs");
        Finding::warning(what).next(format!("req hooks enable {name}"))
    })
}

/// A problem as a hook tells it: `FILE:LINE: KEY: WHAT`.
fn problem(text: &str) -> Finding {
    // A gate may stand in a file that is skipped as a whole; one wrong key leaves the layer below.
    let severity = if text.ends_with(SKIPPED) { Severity::Broken } else { Severity::Warning };
    let Some((place, rest)) = text.split_once(": ") else { return Finding::new(severity, text) };
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) if line.parse::<usize>().is_ok() => (file, line.parse().ok()),
        _ => (place, None),
    };
    match rest.split_once(": ").filter(|(key, _)| !key.contains(' ')) {
        Some((key, what)) => Finding::new(severity, what).at(file, line).key(key),
        None => Finding::new(severity, rest).at(file, line),
    }
}

fn off_file(world: &World<'_>) -> Option<Finding> {
    let folders = [&world.folders.state_dir, &world.folders.default_state_dir];
    let folder = folders.into_iter().flatten().find(|folder| is_off(folder, world.now()))?;
    let file = world.user().show(&folder.join("OFF"));
    Some(Finding::warning("every hook is off while this file is there").at(&file, None).next("req resume"))
}

#[cfg(test)]
mod tests {
    use shared::config::{Fault, Problem};

    use super::{SKIPPED, problem};
    use crate::doctor::finding::{Finding, Severity};

    #[test]
    fn a_problem_keeps_file_line_and_key() {
        let told = problem(
            "~/.claude/requirements.yaml:4: stop-momentum.max_block: no such key; did you mean max_blocks?",
        );
        let expected = Finding::warning("no such key; did you mean max_blocks?")
            .at("~/.claude/requirements.yaml", Some(4))
            .key("stop-momentum.max_block");
        assert_eq!(told, expected);
        assert_eq!(
            problem("x.yaml: requires: expected a range"),
            Finding::warning("expected a range").at("x.yaml", None).key("requires")
        );
        assert_eq!(problem("something else"), Finding::warning("something else"));
    }

    #[test]
    fn a_file_that_is_skipped_is_broken() {
        let skipped = Problem {
            file: "x.yaml".to_owned(),
            line: Some(2),
            key: String::new(),
            fault: Fault::Unreadable("not valid YAML"),
        };
        assert!(skipped.to_string().ends_with(SKIPPED), "{skipped}");
        let told = problem(&skipped.to_string());
        assert_eq!((told.severity, told.line), (Severity::Broken, Some(2)));
        assert_eq!(told.what, "not valid YAML; the file is skipped");
    }
}
