//! What is wrong in the configuration files, and what silences a registered hook: asked of each hook itself, in this
//! project.

use std::collections::BTreeSet;
use std::path::PathBuf;

use shared::catalog::HookEntry;

use super::finding::{Finding, Severity};
use super::world::World;
use crate::enabled::Enabled;
use crate::off::Silence;
use crate::say::list;

/// How a problem ends that costs a whole file: `shared::config` says it so.
const SKIPPED: &str = "the file is skipped";

/// How a problem ends that costs what somebody wanted to be held: a file, a requirement, the calls it was for. The hooks
/// say it so.
const COSTS: [&str; 3] = [SKIPPED, "it is off", "it holds none of its calls"];

/// As a hook says that nobody has set it.
const DEFAULTS: &str = "the defaults";

/// What the files come to.
pub(super) struct Configuration {
    pub(super) findings: Vec<Finding>,
    /// What holds nothing now because it is switched off, as a sentence begins; `None`: everything registered acts.
    pub(super) off: Option<String>,
}

/// Asks every deployed hook whose bytes are ours.
pub(super) fn look(world: &World<'_>) -> Configuration {
    let mut found: Vec<Finding> = off_file(world).into_iter().collect();
    let is_off = !found.is_empty();
    let (mut silent, mut resting) = (Vec::new(), Vec::new());
    let registered = world.registered();
    let mut told = BTreeSet::new();
    for hook in &world.catalog.hooks {
        let asked = match ask(world, hook) {
            Ok(Some(asked)) => asked,
            Ok(None) => continue,
            Err(error) => {
                found.push(Finding::broken(format!("{error:#}")));
                continue;
            }
        };
        if !asked.acts && asked.set_by == DEFAULTS && world.is_by_plugin_alone(&hook.name) {
            resting.push(hook.name.as_str());
            continue;
        }
        let is_registered = registered.iter().any(|other| other.name == hook.name);
        silent.extend((is_registered && !asked.acts).then_some(hook.name.as_str()));
        found.extend(standing(world, hook, &asked, is_registered).filter(|_| !is_off));
        let parts = asked.parts_off.iter().filter(|_| is_registered && asked.acts);
        found.extend(parts.map(|part| Finding::note(part.what.clone()).next(part.ended_by.clone())));
        let problems = asked.problems.into_iter().filter(|problem| told.insert(problem.clone()));
        found.extend(problems.map(|text| problem(&text)));
    }
    if found.is_empty() {
        let is_all_on = !registered.is_empty() && resting.is_empty();
        let and = if is_all_on { ", and every registered hook is on" } else { "" };
        found.push(Finding::ok(format!("the files of settings can be read{and}")));
    }
    found.extend(at_rest(&resting).filter(|_| !is_off));
    Configuration { findings: found, off: off(is_off && !registered.is_empty(), &silent) }
}

/// What is installed is asked, or else what a plugin starts, if its bytes are known.
fn ask(world: &World<'_>, hook: &HookEntry) -> anyhow::Result<Option<Enabled>> {
    let installed = Enabled::ask(world.nearest(), &hook.name)?;
    let program = world.plugin_program(&hook.name).filter(|_| installed.is_none());
    match program {
        Some(program) => Enabled::ask_program(&program, world.nearest(), &hook.name).map(Some),
        None => Ok(installed),
    }
}

/// A plugin brings all of them; nobody has asked for those that are off unless somebody says so.
fn at_rest(hooks: &[&str]) -> Option<Finding> {
    let what = format!("the plugin brings {}, too, off until you switch them on", list(hooks));
    (!hooks.is_empty()).then(|| Finding::note(what).next("req enable --hook NAME --global"))
}

fn off(is_all: bool, silent: &[&str]) -> Option<String> {
    match silent {
        _ if is_all => Some("Every hook is off".to_owned()),
        [] => None,
        [one] => Some(format!("{one} is off")),
        [first @ .., last] => Some(format!("{} and {last} are off", first.join(", "))),
    }
}

fn standing(world: &World<'_>, hook: &HookEntry, asked: &Enabled, is_registered: bool) -> Option<Finding> {
    let (name, by) = (&hook.name, &asked.set_by);
    if is_registered && !asked.acts {
        let what = format!("{name} is registered and switched off by {by}");
        return Some(Finding::warning(what).next(asked.way_on(name, world.user())));
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
    let Some((place, rest)) = text.split_once(": ") else { return Finding::new(severity("", text), text) };
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) if line.parse::<usize>().is_ok() => (file, line.parse().ok()),
        _ => (place, None),
    };
    match rest.split_once(": ").filter(|(key, _)| !key.contains(' ')) {
        Some((key, what)) => Finding::new(severity(key, what), what).at(file, line).key(key),
        None => Finding::new(severity("", rest), rest).at(file, line),
    }
}

/// Where a gate may be lost with it, a promise is broken; another wrong key leaves the level below.
fn severity(key: &str, what: &str) -> Severity {
    let is_section = !key.is_empty() && !key.contains('.');
    let is_slip = what.contains("did you mean ");
    let is_unread = what.starts_with("expected ");
    let is_enabled = key.rsplit('.').next() == Some("enabled");
    let loses = COSTS.iter().any(|end| what.ends_with(end))
        || what.contains("cannot be read together")
        || what.ends_with("did you mean enabled?")
        || what.starts_with("expected a map")
        || is_unread && is_enabled
        || is_section && is_slip;
    if loses { Severity::Broken } else { Severity::Warning }
}

fn off_file(world: &World<'_>) -> Option<Finding> {
    let folders = [&world.folders.state_dir, &world.folders.default_state_dir];
    let silence = Silence::in_force(folders.into_iter().flatten().map(PathBuf::as_path), world.now())?;
    let file = world.user().show(&silence.file);
    Some(Finding::warning(silence.words()).at(&file, None).next("req resume"))
}

#[cfg(test)]
mod tests {
    use shared::config::{Fault, LayerKind, Problem};

    use super::{SKIPPED, at_rest, off, problem, severity};
    use crate::doctor::finding::{Finding, Severity};

    #[test]
    fn what_a_plugin_brings_and_nobody_has_switched_on_is_named_once() {
        assert_eq!(at_rest(&[]), None);
        let found = at_rest(&["a-gate", "a-watch"]).unwrap();
        assert_eq!(found.severity, Severity::Note);
        assert_eq!(found.what, "the plugin brings a-gate and a-watch, too, off until you switch them on");
    }

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
            level: LayerKind::Project,
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
    #[test]
    fn a_problem_that_costs_a_gate_is_broken_and_another_wrong_key_a_warning() {
        let wrong = "one of its keys is wrong, and without it this would be another requirement; it is off";
        for (key, what, expected) in [
            ("requirements.x", wrong, Severity::Broken),
            ("requirements.x", "a guard needs `guard_type: protected_branch`; it is off", Severity::Broken),
            ("requirements.x", "expected a map of settings; the level below counts", Severity::Broken),
            ("requirements.x.enabled", "expected true or false; the level below counts", Severity::Broken),
            ("requirements.x.enabeld", "no such key; did you mean enabled?", Severity::Broken),
            (
                "requirements.x.trigger_tools",
                "no tool is called that; did you mean Edit? As it stands, it holds none of its calls",
                Severity::Broken,
            ),
            ("requirments", "no such key; did you mean requirements?", Severity::Broken),
            ("requirements", "expected a map of settings; the level below counts", Severity::Broken),
            ("requirements", "its entries cannot be read together; the level below counts", Severity::Broken),
            ("another-tool", "no such key", Severity::Warning),
            ("a-gate.max_block", "no such key; did you mean max_blocks?", Severity::Warning),
            ("a-gate.max_blocks", "expected a whole number; the level below counts", Severity::Warning),
            ("requirements.x.message", "expected text; the level below counts", Severity::Warning),
        ] {
            assert_eq!(severity(key, what), expected, "{key}: {what}");
        }
    }

    #[test]
    fn what_is_off_is_named() {
        for (is_all, silent, told) in [
            (false, &[][..], None),
            (false, &["a-gate"], Some("a-gate is off")),
            (false, &["a-gate", "b", "c"], Some("a-gate, b and c are off")),
            (true, &["a-gate"], Some("Every hook is off")),
        ] {
            assert_eq!(off(is_all, silent).as_deref(), told);
        }
    }
}
