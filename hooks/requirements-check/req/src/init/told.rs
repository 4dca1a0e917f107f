//! What the new file means, read out of its text, and what is told when it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use shared::config::{LayerKind, read_text, read_typed};
use shared::hook::Hook;

use super::site::Site;
use crate::machine::config::ignore::{KEPT, LOCAL, is_ignored};
use requirements_check::RequirementsCheck;
use requirements_check::rule::Rule;
use requirements_check::settings::{Requirement, Scope};
use requirements_check::view::quoted;

/// A larger settings file of the client is not looked through, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// A file of ours, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Sketch {
    pub(super) requirements: BTreeMap<String, Requirement>,
    inherit: bool,
    hooks: Hooks,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Hooks {
    stop: Option<Stop>,
}

#[derive(Debug, Deserialize)]
struct Stop {
    verify_requirements: bool,
    verify_scopes: BTreeSet<Scope>,
}

impl Sketch {
    /// Reads a text that we have made.
    pub(super) fn read(text: &str) -> Self {
        read_typed(text).unwrap_or_default()
    }

    fn required(&self) -> impl Iterator<Item = Rule<'_>> {
        let rules = self.requirements.iter().map(|(name, set)| Rule { name, set });
        rules.filter(|rule| rule.set.enabled && rule.lacks().is_none())
    }

    /// What the file would change of what is in force, in words; `None` if it only adds to it.
    pub(super) fn changes(&self, text: &str, level: LayerKind, site: &Site<'_>) -> Option<String> {
        let in_force = &site.desk.section.settings;
        let then = site.settings_with(text, level);
        let stays = |rule: &Rule<'_>| {
            then.as_ref()
                .and_then(|then| then.requirements.get(rule.name))
                .is_some_and(|then| asks_no_less(rule.set, then))
        };
        let is_changed = |rule: &Rule<'_>| self.requirements.contains_key(rule.name) && !stays(rule);
        let names = Rule::all(in_force).filter(is_changed).map(|rule| rule.name);
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            return Some(format!("it would change what is required already: {}", names.join(", ")));
        }
        let stop = self.hooks.stop.as_ref()?;
        let now = &in_force.hooks.stop;
        let is_less = now.verify_requirements && !stop.verify_requirements
            || now.verify_scopes.iter().any(|scope| !stop.verify_scopes.contains(scope));
        is_less.then(|| "it would look at less when a turn ends than is looked at now".to_owned())
    }
}

/// The same in other words, or for more branches.
fn asks_no_less(now: &Requirement, then: &Requirement) -> bool {
    let covers = match (&now.protected_branches, &then.protected_branches) {
        (Some(now), Some(then)) => now.iter().all(|branch| then.contains(branch)),
        (now, then) => now == then,
    };
    let same = Requirement {
        description: now.description.clone(),
        protected_branches: now.protected_branches.clone(),
        ..then.clone()
    };
    covers && same == *now
}

/// What was done beside writing the file.
pub(super) struct Done<'a> {
    pub(super) level: LayerKind,
    pub(super) file: &'a Path,
    pub(super) kept: Option<&'a Path>,
    pub(super) schema: Result<Option<&'a Path>, String>,
    pub(super) ignored: Result<bool, String>,
    pub(super) kept_ignored: Result<bool, String>,
}

/// The whole report.
pub(super) fn report(done: &Done<'_>, text: &str, site: &Site<'_>) -> String {
    let mut lines = vec![format!("written: {}", site.shown(done.file))];
    lines.extend(done.kept.map(|kept| format!("the old file is now {}", site.shown(kept))));
    lines.extend(match &done.schema {
        Ok(None) => None,
        Ok(Some(schema)) => {
            Some(format!("written: {} (lets editors check the file as you type)", site.shown(schema)))
        }
        Err(why) => Some(format!("the schema for editors was not written: {why}")),
    });
    lines.extend([(&done.ignored, LOCAL), (&done.kept_ignored, KEPT)].into_iter().filter_map(
        |(added, line)| match added {
            Ok(false) => None,
            Ok(true) => Some(format!("added to .gitignore: {line}")),
            Err(why) => Some(format!("not added to .gitignore: {why}")),
        },
    ));
    lines.push(String::new());
    lines.extend(required(&Sketch::read(text), site));
    lines.push(String::new());
    lines.extend(next(done, site));
    lines.join("\n")
}

fn required(sketch: &Sketch, site: &Site<'_>) -> Vec<String> {
    if sketch.inherit {
        let what = match site.required_globally.as_slice() {
            [] => "nothing yet".to_owned(),
            names => names.join(", "),
        };
        return vec![format!("It requires what your own global file does: {what}.")];
    }
    let line = |rule: Rule<'_>| {
        let what = rule.set.description.as_deref().unwrap_or_default();
        format!("  {}: {what}", rule.name)
    };
    let lines: Vec<String> = sketch.required().map(line).collect();
    if lines.is_empty() {
        return vec!["It requires nothing yet; examples stand in it as comments.".to_owned()];
    }
    std::iter::once("It requires:".to_owned()).chain(lines).collect()
}

fn next(done: &Done<'_>, site: &Site<'_>) -> Vec<String> {
    let mut lines =
        vec!["Next:".to_owned(), "  req status    what is required here, satisfied or not".to_owned()];
    let root = site
        .desk
        .places
        .root
        .as_deref()
        .filter(|_| done.level == LayerKind::Project && site.found.git.is_some());
    if let Some(root) = root {
        let is_hidden = is_ignored(root, ".claude/requirements.yaml") == Some(true);
        lines.push(if is_hidden {
            "  git ignores .claude/requirements.yaml: take it out of .gitignore, or your team does not get it"
                .to_owned()
        } else {
            format!("  {}    so that your team has it", git_add(done, site))
        });
    }
    if !site.desk.section.enabled {
        lines.push(format!(
            "  {} on    it is switched off now, so nothing is asked for",
            RequirementsCheck::NAME
        ));
    } else if !is_registered(site) {
        let name = RequirementsCheck::NAME;
        lines.push(format!("  req hooks enable {name}    Claude Code does not run it yet"));
    }
    lines
}

fn git_add(done: &Done<'_>, site: &Site<'_>) -> String {
    let schema = done.schema.as_ref().ok().copied().flatten();
    let ignored =
        (done.ignored == Ok(true) || done.kept_ignored == Ok(true)).then(|| ".gitignore".to_owned());
    let files = [Some(done.file), schema].into_iter().flatten().map(|file| quoted(&site.shown(file)));
    let files: Vec<String> = files.chain(ignored).collect();
    // From a folder below the top, the paths are not what they are called here.
    let root = site.desk.places.root.as_deref().filter(|root| site.desk.host.cwd().as_deref() != Some(root));
    let at = root.map(|root| format!(" -C {}", quoted(&root.display().to_string()))).unwrap_or_default();
    format!("git{at} add {}", files.join(" "))
}

/// A settings file of the client names the hook, or the plugin it comes with.
fn is_registered(site: &Site<'_>) -> bool {
    let places = &site.desk.places;
    let own = places.config_dir.iter().map(|dir| dir.join("settings.json"));
    let project = places.project_claude_dir.iter();
    let project = project.flat_map(|dir| [dir.join("settings.json"), dir.join("settings.local.json")]);
    own.chain(project).any(|file| {
        let text = read_text(&file, None, MAX_BYTES).unwrap_or_default();
        text.contains(RequirementsCheck::NAME) || text.contains("\"barbless")
    })
}
