//! What counts as evidence: which commands, which files, and why a run does not count. Pure.

use std::path::{Path, PathBuf};

use globset::{GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::call::Call;
use crate::command_line::{self, Directory, Hidden, Line, Simple};
use crate::facts::After;
use crate::paths::flat;
use crate::rule::Rule;
use crate::satisfactions::Satisfaction;
use crate::settings::{CommandPattern, Glob, Pattern};
use crate::view::quoted;
use crate::words::cut;

pub(crate) mod order;

/// Arguments with which a test command tests nothing.
const NOT_ARGS: &str = "--no-run --list --help --version --dry-run --collect-only --listTests -h -V";

/// The same of single runners.
const LIST_ONLY: [(&str, &str); 15] = [
    ("pytest", "--co --setup-plan --setup-only --fixtures --fixtures-per-test --markers --cache-show"),
    ("jest", "--showConfig --clearCache --findRelatedTests="),
    ("playwright", "--list --ui"),
    ("go", "-list -c -n"),
    ("ctest", "-N --show-only"),
    ("dotnet", "--list-tests -t"),
    ("gradle", "-m --tasks"),
    ("gradlew", "-m --tasks"),
    ("mvn", "-DskipTests -Dmaven.test.skip"),
    ("make", "-n -q -t --just-print --recon --question --touch"),
    ("gmake", "-n -q -t --just-print --recon --question --touch"),
    ("tox", "-l -a --listenvs --notest --showconfig"),
    ("phpunit", "--list-tests --list-groups --list-suites --list-tests-xml"),
    ("swift", "list -l --list-tests --show-bin-path"),
    ("zig", "-l --list-steps"),
];

/// Options that say where something runs.
const LEADING: [&str; 9] = [
    "--manifest-path",
    "--prefix",
    "-C",
    "--directory",
    "--rootdir",
    "--project",
    "--root",
    "--cwd",
    "--file",
];

/// A command that may be evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The command as written, secrets masked.
    pub(crate) shown: String,
    /// The line with which it counts.
    pub(crate) line: String,
    /// The same without its folder.
    alone: String,
    /// Why its exit status is not the line's.
    pub(crate) hidden: Option<String>,
    /// The one of the requirement's commands that it is, as it is set.
    pub(crate) pattern: String,
    /// The same, where it is words that can be typed.
    words: Option<String>,
    /// An argument with which it proves nothing.
    pub(crate) proves_nothing: bool,
    /// Arguments that may lead to files elsewhere.
    leads: Vec<String>,
    /// Where it runs, as seen from the session's directory.
    directory: Directory,
    /// The how manieth of the line's commands it is.
    index: usize,
}

impl Found {
    fn folder(&self, cwd: &Path) -> Option<PathBuf> {
        match &self.directory {
            Directory::Start => Some(cwd.to_path_buf()),
            Directory::Changed(folder) => Some(flat(&cwd.join(folder))),
            Directory::Unknown => None,
        }
    }

    /// It runs in the work tree whose files it is evidence for.
    pub(crate) fn is_inside(&self, root: Option<&Path>, cwd: &Path) -> bool {
        let Some(folder) = self.folder(cwd) else { return false };
        root.is_none_or(|root| folder.starts_with(root))
    }

    /// The argument by which it runs on files outside of the work tree.
    fn leads_out(&self, root: Option<&Path>, cwd: &Path) -> Option<&str> {
        let (root, folder) = (root?, self.folder(cwd)?);
        let is_outside = |path: &&String| !flat(&folder.join(path.as_str())).starts_with(root);
        self.leads.iter().find(is_outside).map(String::as_str)
    }

    /// The line with which the run would count, in the folder where it would.
    pub(crate) fn line_in(&self, root: Option<&Path>, cwd: &Path) -> String {
        let leads_out = self.leads_out(root, cwd).is_some();
        let alone = self.words.as_ref().filter(|_| leads_out).unwrap_or(&self.alone);
        match root.filter(|root| leads_out || !self.is_inside(Some(root), cwd)) {
            Some(root) => format!("cd {} && {alone}", quoted(&root.display().to_string())),
            None => self.line.clone(),
        }
    }
}

/// The arguments of a command that may be paths to what it runs on: the values of options that lead, and words that are no
/// option's value.
fn leads(simple: &Simple) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = "";
    for word in simple.words.iter().skip(1).map(String::as_str) {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let path = match value {
            Some(value) if LEADING.contains(&name) => value,
            _ if LEADING.contains(&before) => word,
            _ if before.starts_with("--") || matches!(before, "-o" | "-c" | "-p") => "",
            _ => word,
        };
        let is_path =
            (path.starts_with('/') || path.starts_with("..")) && !path.contains(['$', '`', '*', '?']);
        found.extend(is_path.then(|| path.split("::").next().unwrap_or(path).to_owned()));
        before = word;
    }
    found
}

/// What keeps the command's run from being known; `None` if nothing does.
fn hidden(simple: &Simple, shown: &Simple) -> Option<String> {
    let by_arguments = || {
        let word = simple.unknown_options.first()?;
        let word = if shown.unknown_options.contains(word) { cut(word, 80) } else { "$...".to_owned() };
        Some(format!("its arguments depend on what the shell puts in for `{word}`"))
    };
    simple.hidden.map(|hidden| hidden.to_string()).or_else(by_arguments)
}

/// The command is one of those the requirement asks for.
fn is_asked(rule: &Rule<'_>, simple: &Simple) -> bool {
    commands(rule).any(|set| set.over_commands().begins(simple))
}

/// Its commands, as they are set.
fn commands<'a>(rule: &Rule<'a>) -> impl Iterator<Item = &'a CommandPattern> {
    rule.set.evidence().into_iter().flat_map(|evidence| &evidence.commands)
}

/// The call's command that the requirement asks for: one that decides the line, if there is one.
pub(crate) fn command_of(rule: &Rule<'_>, call: &Call) -> Option<Found> {
    let line = call.line.as_ref()?;
    let found = |(index, simple): (usize, &Simple)| {
        let set = commands(rule).find(|set| set.over_commands().begins(simple))?;
        let not_args = not_args(rule, simple);
        let shown = line.shown(index);
        let is_behind = simple.hidden == Some(Hidden::Wrapper) || shown.is_masked();
        let alone = if is_behind && set.is_words() {
            shown.replaced_by(set.as_str())
        } else {
            shown.plain().without_arguments(&not_args)
        };
        Some(Found {
            line: Line::line_to_type(&alone),
            alone: alone.text,
            hidden: hidden(simple, &shown),
            shown: shown.text,
            pattern: set.as_str().to_owned(),
            words: set.is_words().then(|| set.as_str().to_owned()),
            proves_nothing: simple.has_any_argument(&not_args),
            leads: leads(simple),
            directory: simple.directory.clone(),
            index,
        })
    };
    let all: Vec<Found> = call.commands().iter().enumerate().filter_map(found).collect();
    let best = all.iter().position(|found| found.hidden.is_none() && !found.proves_nothing);
    all.into_iter().nth(best.unwrap_or(0))
}

/// A command that is not asked for, and resembles one that is: as it is written, and what is asked for.
pub(crate) fn near_miss(rule: &Rule<'_>, call: &Call) -> Option<(String, String)> {
    let line = call.line.as_ref()?;
    let near = |(index, simple): (usize, &Simple)| {
        let is_near = |set: &&CommandPattern| !simple.reads() && set.over_commands().resembles(simple);
        let set = commands(rule).find(is_near)?;
        Some((line.shown(index).text, set.as_str().to_owned()))
    };
    call.commands().iter().enumerate().find_map(near)
}

/// Of a run that was noted: it resembles what is asked for.
pub(crate) fn resembles(rule: &Rule<'_>, shown: &str) -> bool {
    ran(shown).iter().any(|simple| commands(rule).any(|set| set.over_commands().resembles(simple)))
}

/// The arguments with which the command proves nothing: those that are set, else those that are known of its runner.
fn not_args(rule: &Rule<'_>, simple: &Simple) -> Vec<String> {
    if let Some(set) = rule.set.evidence().and_then(|evidence| evidence.not_args.as_ref()) {
        return set.clone();
    }
    let is_named = |runner: &&str| {
        simple.words.iter().any(|word| word.rsplit('/').next().is_some_and(|name| name == *runner))
    };
    let own = LIST_ONLY.iter().filter(|(runner, _)| is_named(runner)).map(|(_, options)| *options);
    own.chain([NOT_ARGS]).flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// What a run was asked for when it passed: kept with its satisfaction, because the file may ask for something else by tomorrow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Asked {
    /// Which of the commands it was, as it was set.
    command: String,
    /// What its output had to match, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    min_output: Option<String>,
}

/// The key of a satisfaction's metadata under which this stands.
const ASKED: &str = "asked";

/// What the run was asked for, to be kept with its satisfaction.
pub(crate) fn asked(rule: &Rule<'_>, found: &Found) -> Map<String, Value> {
    let min_output = min_output(rule).map(|pattern| pattern.as_str().to_owned());
    let asked = Asked { command: found.pattern.clone(), min_output };
    serde_json::to_value(asked).map(|asked| (ASKED.to_owned(), asked)).into_iter().collect()
}

/// Why a run that counted when it passed is not what is asked for now; `None` if it is, and for a satisfaction that does not say.
pub(crate) fn outdated(rule: &Rule<'_>, mark: &Satisfaction) -> Option<String> {
    let asked = Asked::deserialize(mark.metadata.other.get(ASKED)?).unwrap_or_default();
    let shown = mark.metadata.command.as_deref().unwrap_or_default();
    let is_listed = commands(rule).any(|set| set.as_str() == asked.command);
    if !is_listed && !is_asked_for(rule, shown) {
        let now: Vec<&str> = commands(rule).map(CommandPattern::as_str).collect();
        return Some(format!("`{}` is asked for now", now.join("` or `")));
    }
    if rule.set.evidence().is_some_and(|evidence| evidence.not_args.is_some())
        && ran(shown).iter().any(|simple| simple.has_any_argument(&not_args(rule, simple)))
    {
        return Some("with these arguments it proves nothing any more".to_owned());
    }
    let wanted = min_output(rule)?.as_str();
    (asked.min_output.as_deref() != Some(wanted))
        .then(|| format!("its output was not searched then for what is asked for now: {wanted}"))
}

/// A command that ran, as it was noted, is one of those the requirement asks for.
pub(crate) fn is_asked_for(rule: &Rule<'_>, shown: &str) -> bool {
    ran(shown).iter().any(|simple| is_asked(rule, simple))
}

/// What was noted may be masked or cut, and then it may not be readable.
fn ran(shown: &str) -> Vec<Simple> {
    command_line::parse(shown).commands.unwrap_or_default()
}

/// Why a run that ended without an error does not count; `None` if it does.
pub(crate) fn not_counted(rule: &Rule<'_>, found: &Found, facts: &After, was_noted: bool) -> Option<String> {
    let world = &facts.world;
    let root = world.here.root().or(world.root.as_deref());
    if !found.is_inside(root, &world.cwd) {
        return Some("it did not run in this work tree".to_owned());
    }
    if let Some(path) = found.leads_out(root, &world.cwd) {
        // The path may be part of a secret.
        let path = if found.shown.contains(path) { cut(path, 80) } else { "an argument".to_owned() };
        return Some(format!("`{path}` leads out of this work tree"));
    }
    if found.proves_nothing {
        return Some("with these arguments it proves nothing".to_owned());
    }
    if facts.is_unfinished {
        return Some("it went on in the background, or was interrupted".to_owned());
    }
    if let Some(hidden) = &found.hidden {
        return Some(hidden.clone());
    }
    if is_spoiled(found, facts) {
        return Some("other commands of the line may change the files; run it by itself".to_owned());
    }
    if facts.without_output.iter().any(|name| name == rule.name) {
        let pattern = min_output(rule).map_or("", |pattern| pattern.as_str());
        return Some(format!("its output has nothing that matches {pattern}"));
    }
    (!was_noted).then(|| "what the files were when it began is not known".to_owned())
}

/// Git puts other files into the work tree, and may put them back: what was tested may not be what is there. Every other
/// change shows in the files.
fn is_spoiled(found: &Found, facts: &After) -> bool {
    let commands = facts.call.commands().iter().enumerate();
    commands.filter(|(index, _)| *index != found.index).any(|(_, command)| command.turns_work_tree())
}

/// The file is one of those the evidence is about.
pub(crate) fn is_about(rule: &Rule<'_>, root: &Path, file: &Path) -> bool {
    let file = flat(file);
    let Ok(inside) = file.strip_prefix(root) else { return false };
    paths_of(rule).is_empty() || paths(rule).is_some_and(|globs| globs.is_match(inside))
}

/// The files its command is about; all of the work tree where there are none.
pub(crate) fn paths_of<'a>(rule: &Rule<'a>) -> &'a [Glob] {
    rule.set.evidence().map_or(&[], |evidence| &evidence.paths)
}

fn min_output<'a>(rule: &Rule<'a>) -> Option<&'a Pattern> {
    rule.set.evidence()?.min_output.as_ref()
}

/// The globs of `paths`; none where everything counts.
pub(crate) fn paths(rule: &Rule<'_>) -> Option<GlobSet> {
    glob_set(paths_of(rule))
}

/// Globs over paths as one; none where there are none.
pub(crate) fn glob_set(globs: &[Glob]) -> Option<GlobSet> {
    if globs.is_empty() {
        return None;
    }
    let mut set = GlobSetBuilder::new();
    for glob in globs.iter().filter_map(Glob::over_paths) {
        set.add(glob);
    }
    set.build().ok()
}

impl Simple {
    /// The folder it runs in, as far as the line says.
    pub(crate) fn folder(&self, cwd: &Path) -> Option<PathBuf> {
        match &self.directory {
            Directory::Start => Some(cwd.to_path_buf()),
            Directory::Changed(folder) => Some(cwd.join(folder)),
            Directory::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests;
