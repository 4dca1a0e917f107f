//! What is said of a change: what is in force now and where, and what decides otherwise if it is not what was asked for.

use serde_json::Value;
use shared::catalog;
use shared::config::{Entry, LayerKind, dotted, schema_at, spelled};
use shared::host::Places;

use super::ignore::{LOCAL, is_to_be_ignored};
use super::key::{flag, is_global_only};
use super::outlook::Outlook;
use super::plan::{Planned, is_overruled};
use super::schema_file::SchemaFile;
use requirements_check::view::quoted;

/// A change that can be made.
pub(super) struct Done<'a> {
    pub(super) planned: &'a Planned,
    pub(super) level: LayerKind,
    /// The file, as a person reads it.
    pub(super) file: &'a str,
    /// There was no such file.
    pub(super) is_new: bool,
    /// The file said something else before.
    pub(super) is_changed: bool,
    pub(super) beside: Beside,
}

/// What else is written with a new file.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// The local file is to be ignored by git.
    ignored: bool,
    /// The schema that editors check the file against lies in the project.
    schema: Option<String>,
}

impl Beside {
    /// What will be, as far as it can be foreseen.
    pub(super) fn of(level: LayerKind, places: &Places) -> Self {
        let Some(root) = places.root.as_deref().filter(|_| level != LayerKind::Global) else {
            return Self::default();
        };
        let schema = SchemaFile::of(level, places).filter(|schema| schema.is_due() == Ok(true));
        let inside =
            schema.and_then(|schema| Some(schema.path.strip_prefix(root).ok()?.display().to_string()));
        Self { ignored: level == LayerKind::Local && is_to_be_ignored(root, LOCAL), schema: inside }
    }

    fn told(&self) -> impl Iterator<Item = String> {
        let schema = self.schema.as_ref();
        let schema = schema.map(|file| format!("written: {file} (lets editors check the file as you type)"));
        let ignored = self.ignored.then(|| format!("added to .gitignore: {LOCAL}"));
        schema.into_iter().chain(ignored)
    }
}

/// What is said of it; `after` is what is in force then.
pub(super) fn told(done: &Done<'_>, before: &Outlook, after: &Outlook) -> String {
    let path = &done.planned.path;
    let mut lines = Vec::new();
    if !done.is_changed {
        lines.push(format!("{} says so already; nothing was changed", done.file));
    } else if done.is_new {
        lines.push(format!("{} is new", done.file));
    }
    lines.extend(done.beside.told());
    let otherwise = otherwise(done, after);
    if let (Some(_), Some(value)) = (&otherwise, &done.planned.value) {
        lines.push(format!("{} has it now: {}: {}", done.file, dotted(path), spelled(value)));
    }
    let (why, way_out) = otherwise.unzip();
    lines.extend(why);
    let in_force =
        |entry: &Entry| format!("{}: {}  ({})", dotted(&entry.path), spelled(&entry.value), entry.origin);
    lines.extend(after.below(path).map(in_force));
    if after.below(path).next().is_none() {
        lines.push(format!("{} is not set any more", dotted(path)));
    }
    lines.extend(way_out.flatten());
    lines.extend(off(done, before, after));
    if let Some(value) = done.planned.value.as_ref().filter(|_| done.is_changed) {
        lines.extend(meaning(path, value));
    }
    let overruled =
        after.new_problems(before).into_iter().filter(|problem| is_overruled(problem, done.level));
    lines.extend(overruled.map(ToString::to_string));
    lines.join("\n")
}

/// What each key means that was set and that counts in the user's own file only: what it gives away is theirs to know.
fn meaning(path: &[String], value: &Value) -> Vec<String> {
    if let Some(map) = value.as_object().filter(|map| !map.is_empty()) {
        let below = |(key, value)| meaning(&[path, std::slice::from_ref(key)].concat(), value);
        return map.iter().flat_map(below).collect();
    }
    let description = schema_at(path).ok().and_then(|schema| schema.get("description")?.as_str());
    let said = description.filter(|_| is_global_only(path));
    said.map(|said| format!("{}: {said}", dotted(path))).into_iter().collect()
}

/// Why what was asked for is not what is in force, if it is not, and the line that lets it be.
fn otherwise(done: &Done<'_>, after: &Outlook) -> Option<(String, Option<String>)> {
    let decides = |entry: &&Entry| {
        done.planned
            .says(entry)
            .is_some_and(|value| entry.origin.layer != done.level || *value != entry.value)
    };
    let entry = after.below(&done.planned.path).find(decides)?;
    Some(match entry.origin.layer {
        LayerKind::Switch => {
            let hook = entry.path.first().map_or("", String::as_str);
            (
                "but its switch counts, whatever the files say:".to_owned(),
                Some(format!("to let the files decide: {hook} auto")),
            )
        }
        _ if is_of_a_hook(&entry.path) && after.is(&["enabled"], false) => {
            ("but every hook is switched off by `enabled: false` at the top of a file:".to_owned(), None)
        }
        layer if layer > done.level => {
            let out = format!(
                "to take it out there: req config unset {}{}",
                quoted(&dotted(&entry.path)),
                flag(layer)
            );
            (format!("but what the {} file says counts:", layer.word()), Some(out))
        }
        _ => (
            "but this project starts from the defaults (inherit: false), so here it counts for nothing:"
                .to_owned(),
            None,
        ),
    })
}

/// `HOOK.enabled`, which the key above all sections can overrule.
fn is_of_a_hook(path: &[String]) -> bool {
    matches!(path, [section, key] if section != "requirements" && key == "enabled")
}

/// What was set belongs to a requirement or a hook that is off, so that it counts for nothing yet.
fn off(done: &Done<'_>, before: &Outlook, after: &Outlook) -> Option<String> {
    done.planned.value.as_ref()?;
    let (owner, rest) = done.planned.path.split_first()?;
    let enabled = match rest.first() {
        Some(name) if owner == "requirements" => vec![owner.clone(), name.clone(), "enabled".to_owned()],
        _ if catalog::section_names().any(|hook| hook == owner) => vec![owner.clone(), "enabled".to_owned()],
        _ => return None,
    };
    let standing = after.at(&enabled);
    let is_on = standing.is_some_and(|entry| entry.value == true);
    let says_so = standing.is_some_and(|entry| done.planned.says(entry).is_some());
    if is_on || says_so || after.is(&["enabled"], false) {
        return None;
    }
    let place = standing.map(|entry| format!(" ({})", entry.origin)).unwrap_or_default();
    let name = &enabled[enabled.len() - 2];
    let is_described = |outlook: &Outlook, key: &[String]| outlook.below(key).next().is_some();
    let kind = [&enabled[..enabled.len() - 1], &["type".to_owned()]].concat();
    Some(if owner != "requirements" {
        format!(
            "{name} is switched off{place}, so this counts for nothing yet; to switch it on: req enable --hook {name}"
        )
    } else if is_described(before, &enabled[..2]) || is_described(after, &kind) {
        let name = quoted(name);
        format!(
            "{name} is switched off{place}, so this counts for nothing yet; to switch it on: req enable {name}"
        )
    } else {
        format!(
            "no file describes a requirement {name}, so this counts for nothing yet; one of each type, to copy from: \
             req init --preset advanced --dry-run"
        )
    })
}
