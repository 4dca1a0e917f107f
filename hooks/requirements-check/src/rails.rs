//! Calls that would go around the user, while a requirement is locked or the user's alone to satisfy. A call is denied
//! when it edits one of our configuration or state files, when its input names one, or when a shell line that does not
//! plainly read names one of them, a folder that holds them, or one of our variables. A guard rail against a well-meaning
//! agent, not a wall against a hostile one.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::hook::Verdict;
use shared::hook_names::own_commands;
use shared::host::Places;

use crate::call::Call;
use crate::command_line::{self, Line, Simple, is_in, spelled};
use crate::rule::Rule;
use crate::settings::Settings;
use shared::host::{flat, real};

/// Tools that name a file and only read it.
const READERS: &str = "Read Glob Grep LS LSP NotebookRead";

const MAX_PATH: usize = 4096;

/// The protected files of a `.claude` folder, and what is in them.
const FILES: [(&str, &str); 4] = [
    ("requirements.yaml", "what is required is set there"),
    ("requirements.local.yaml", "what is required is set there"),
    ("settings.json", "the hooks are registered there"),
    ("settings.local.json", "the hooks are registered there"),
];

/// Names of folders that are protected or hold what is.
const FOLDERS: [&str; 4] = [".claude", "hooks", "hook-state", "requirements"];

/// Variables by which our commands know where they run; and all that begin with `BARBLESS_`.
const VARIABLES: &str = "CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_CONFIG_DIR CLAUDE_HOOK_STATE_DIR \
    CLAUDE_PROJECT_DIR BARBLESS_";

/// Programs that set and unset variables of the shell.
const DECLARERS: &str = "declare export local readonly typeset unset";

/// What only the user may do, as a word after the name of one of our commands.
const VERBS: &str = "approve clear disable discard off pause remove satisfy set uninstall undo waive";

/// Why a requirement raises the rails.
pub(crate) const LOCKED: &str = "is locked by the user's global requirements.yaml";
pub(crate) const USERS_ALONE: &str = "is for the user alone to satisfy";

pub(crate) const INSTEAD: &str = "ask the user to do it in a terminal of their own, outside Claude Code";

/// The protected places, seen from a call.
pub(crate) struct Guarded<'a> {
    places: &'a Places,
    /// The git folder that all work trees share; satisfactions lie in `requirements` there.
    common_dir: Option<&'a Path>,
    cwd: &'a Path,
    /// Resolving links is dear, and most calls need none of it.
    resolved: OnceCell<Resolved>,
}

/// The first requirement, by name, for whose sake the rails are up, and why: locked by the global file, or the user's alone to
/// satisfy. `locked` are key paths as [`shared::config::Section`] has them.
pub(crate) fn in_force(settings: &Settings, locked: &[String]) -> Option<(String, &'static str)> {
    settings.requirements.iter().filter(|(_, set)| set.is_on()).find_map(|(name, set)| {
        let rule = Rule { name, set };
        let users = set.is_the_users().then_some(USERS_ALONE);
        Some((rule.key(), if rule.is_locked(locked) { LOCKED } else { users? }))
    })
}

/// There is something in the call to look at: its tool is not one that reads, by its name or the first word of it.
pub(crate) fn may_breach(call: &Call) -> bool {
    let name = call.tool.rsplit("__").next().unwrap_or_default();
    let first = name.split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or_default();
    !is_in(READERS, &call.tool) && !matches!(first, "read" | "list")
}

/// The places, each as it is written and with its links resolved.
struct Resolved {
    /// Folders of which everything is protected, and what is in them.
    folders: Vec<(PathBuf, &'static str)>,
    own: Vec<PathBuf>,
    /// Folders below which every `.claude` folder holds protected files.
    projects: Vec<PathBuf>,
}

impl<'a> Guarded<'a> {
    pub(crate) fn new(places: &'a Places, common_dir: Option<&'a Path>, cwd: &'a Path) -> Self {
        Self { places, common_dir, cwd, resolved: OnceCell::new() }
    }

    /// Denies what the call would do around the user, if it would: `call` with its links resolved, `named` the file as the call
    /// names it. `rule` and `why` are what [`in_force`] found.
    pub(crate) fn breach(
        &self,
        call: &Call,
        named: Option<&Path>,
        input: &str,
        (rule, why): (String, &str),
    ) -> Option<Verdict> {
        let what = if let Some(line) = &call.line {
            self.in_line(line)
        } else if call.is_edit() {
            let mut files = named.into_iter().chain(call.file.as_deref());
            files.find_map(|file| self.change(&self.cwd.join(file)))
        } else {
            // A tool we do not know may move a whole folder, or run a line.
            self.in_input(&serde_json::from_str(input).unwrap_or_default(), false)
        };
        what.map(|what| Verdict::Deny {
            reason: format!(
                "requirements-check: this call would {what}. That is for the user to decide while {rule} is in force, which {why}. \
                 Leave it as it is; if it has to be done, {INSTEAD}."
            ),
            rule: Cow::Owned(rule),
        })
    }

    fn resolved(&self) -> &Resolved {
        let both = |path: &Path| [flat(path), real(path)];
        self.resolved.get_or_init(|| {
            let Places { config_dir, root, state_dir, default_state_dir, .. } = self.places;
            let state = [state_dir, default_state_dir].into_iter().flatten();
            let state = state.map(|dir| (dir.clone(), "the hooks' state is there"));
            let records = self.common_dir.map(|dir| dir.join("requirements"));
            let records = records.map(|dir| (dir, "what is satisfied is kept there"));
            let programs =
                config_dir.as_ref().map(|dir| (dir.join("hooks"), "the hooks' programs are there"));
            let folders = state.chain(records).chain(programs);
            let main = self.common_dir.filter(|dir| dir.ends_with(".git")).and_then(Path::parent);
            let projects = [Some(root.as_deref().unwrap_or(self.cwd)), main];
            Resolved {
                folders: folders.flat_map(|(dir, what)| both(&dir).map(|dir| (dir, what))).collect(),
                own: config_dir.iter().flat_map(|dir| both(dir)).collect(),
                projects: projects.into_iter().flatten().flat_map(both).collect(),
            }
        })
    }

    /// What a change of this path would change. Links are resolved for paths with a telling name only: most have none.
    fn change(&self, path: &Path) -> Option<String> {
        let path = flat(path);
        let is_telling = path.iter().any(|name| is_own_name(&name.to_string_lossy()));
        if !is_telling && self.places.root.as_ref().is_some_and(|root| path.starts_with(root)) {
            return None;
        }
        let resolved = || is_telling.then(|| self.at(&real(&path))).flatten();
        let what = self.at(&path).or_else(resolved)?;
        Some(format!("change {} ({what})", path.display()))
    }

    fn at(&self, path: &Path) -> Option<&'static str> {
        let places = self.resolved();
        let is_claude_dir = |folder: &Path| {
            let is_named = folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".claude"));
            places.own.iter().any(|own| own == folder)
                || (is_named && places.projects.iter().any(|root| folder.starts_with(root)))
        };
        if let Some((_, what)) = places.folders.iter().find(|(folder, _)| path.starts_with(folder)) {
            return Some(what);
        }
        if is_claude_dir(path) {
            return Some(FILES[0].1);
        }
        let name = path.file_name()?;
        let (_, what) = FILES.iter().find(|(file, _)| name.eq_ignore_ascii_case(file))?;
        path.parent().is_some_and(is_claude_dir).then_some(*what)
    }

    /// A text of an input may be a path, or a line for a shell: one of several lines only where the key says so.
    fn in_input(&self, input: &Value, is_command: bool) -> Option<String> {
        match input {
            Value::String(text) => {
                let path = text.strip_prefix("file://").unwrap_or(text);
                let named = (path.len() <= MAX_PATH).then(|| self.named(path, Some(self.cwd))).flatten();
                let is_line = text.contains(' ') && (is_command || !text.contains('\n'));
                named.or_else(|| is_line.then(|| self.in_line(&command_line::parse(text))).flatten())
            }
            Value::Array(all) => all.iter().find_map(|value| self.in_input(value, is_command)),
            Value::Object(all) => {
                all.iter().find_map(|(key, value)| self.in_input(value, is_command || key == "command"))
            }
            _ => None,
        }
    }

    /// The protected place that a word of a line names, as it is seen from `folder`.
    fn named(&self, word: &str, folder: Option<&Path>) -> Option<String> {
        let word = word.trim_end_matches('/');
        let home = self
            .places
            .config_dir
            .as_ref()
            .filter(|dir| dir.ends_with(".claude"))
            .and_then(|dir| dir.parent());
        let in_home = word.strip_prefix("~/").zip(home);
        let (base, rest) =
            in_home.map_or((folder, word), |(rest, home)| (Some(home), rest.trim_start_matches('/')));
        let plain = rest.split(['$', '`', '*', '?', '[', '{']).next().unwrap_or_default();
        let expands = rest.starts_with('~') || plain.len() < rest.len();
        match base {
            Some(base) if !rest.is_empty() && !expands => self.change(&base.join(rest)),
            // Whatever a pattern matches in a folder of ours.
            Some(base) if self.is_in_ours(&base.join(plain)) => self.change(&base.join(plain)),
            _ => {
                let from_here = folder.map(|folder| folder.join(word).to_string_lossy().into_owned());
                let is_telling = is_telling(word) || from_here.is_some_and(|word| is_telling(&word));
                is_telling.then(|| format!("run code that names {word} and may change it"))
            }
        }
    }

    fn is_in_ours(&self, path: &Path) -> bool {
        self.resolved().folders.iter().any(|(folder, _)| path.starts_with(folder))
    }

    fn in_line(&self, line: &Line) -> Option<String> {
        // A name may be broken by quotes.
        let text = spelled(&line.text).replace(['\'', '"', '\\'], "");
        let in_text = || parts(&text).find_map(|word| self.named(word, Some(self.cwd)));
        let Some(commands) = &line.commands else { return in_text() };
        let runs_ours = commands.iter().any(|command| is_own(command.program()));
        let is_fed = text.contains("<<") || text.contains("xargs");
        commands.iter().find_map(|command| {
            let (folder, looks) = (command.folder(self.cwd), !is_harmless(command));
            let own = if looks { command.with_prefix() } else { Vec::new() };
            let mut words = command.writes.iter().chain(&own);
            // What its words stand for, and what is fed to it, stands elsewhere in the line.
            let is_open = (looks && is_fed) || words.clone().any(|word| word.contains(['$', '`', '{']));
            let named = |word: &String| {
                let word = spelled(word);
                parts(&word).find_map(|part| self.named(part, folder.as_deref()))
            };
            words
                .find_map(named)
                .or_else(|| variable(command, runs_ours))
                .or_else(|| looks.then(|| handed(command)).flatten())
                .or_else(|| is_open.then(in_text).flatten())
        })
    }
}

/// A name that stands in the paths of what is protected.
fn is_own_name(name: &str) -> bool {
    FILES.iter().map(|(file, _)| *file).chain(FOLDERS).any(|own| name.eq_ignore_ascii_case(own))
}

/// A word names something protected, though its folder is not known or the shell puts something in.
fn is_telling(word: &str) -> bool {
    let word = word.to_ascii_lowercase().replace(['{', '}'], "");
    let (folder, name) = word.rsplit_once('/').unwrap_or(("", &word));
    let is_file = FILES.iter().any(|(file, _)| *file == name);
    let may_be_ours = is_file || name == "hooks" || name.contains(['*', '?', '[', '$', ',']);
    let is_ours = |part: &str| word.contains(part);
    name == ".claude"
        || (folder.ends_with(".claude") && may_be_ours)
        || (is_file && (folder.is_empty() || folder.ends_with("$claude_config_dir")))
        || ["hook-state", ".git/requirements", "$claude_hook_state_dir"].into_iter().any(is_ours)
}

/// It reads, or keeps the files, or is one of our own. A folder named OFF switches the hooks off like a file.
fn is_harmless(command: &Simple) -> bool {
    let keeps_ours = command.reads() || command.keeps_files() || is_own(command.program());
    (keeps_ours && command.program() != "mkdir") || command.program() == "eval"
}

/// What may be a path in a text: its words, their parts, and the value behind the letter of an option.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || "'\"();,|<>&=:`".contains(c);
    let words = text.split(is_between).flat_map(|word| {
        let value = word.strip_prefix('-').and_then(|option| option.get(1..));
        [Some(word), value].into_iter().flatten()
    });
    words.filter(|word| !word.is_empty())
}

/// The variable of ours that a command changes, for itself or for the rest of the line; `$NAME` alone is its value.
fn variable(command: &Simple, runs_ours: bool) -> Option<String> {
    let declares = is_in(DECLARERS, command.program()) || command.words.is_empty();
    let is_changed =
        |word: &String, name: &str| word.match_indices(name).any(|(at, _)| !word[..at].ends_with(['$', '{']));
    let set = command.prefix.iter().filter(|_| declares || runs_ours);
    let mut changed = set.chain(command.words.iter().filter(|_| declares || !is_harmless(command)));
    let name = changed.find_map(|word| VARIABLES.split(' ').find(|name| is_changed(word, name)))?;
    Some(format!("change {name}, by which Barbless's commands know where they run"))
}

/// One of the user's commands handed to another program, which may run it out of sight or as a prompt.
fn handed(command: &Simple) -> Option<String> {
    let is_between = |c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_';
    let words: Vec<&str> = command.text.split(is_between).filter(|word| !word.is_empty()).collect();
    let is_one = |words: &[&str]| is_own(words[0]) && words[1..].iter().any(|word| is_in(VERBS, word));
    let is_handed = words.windows(3).any(is_one) || words.windows(2).any(is_one);
    is_handed.then(|| format!("run one of the user's own commands through {}", command.program()))
}

fn is_own(program: &str) -> bool {
    matches!(program, "req" | "pace-maker") || own_commands().any(|own| own == program)
}

#[cfg(test)]
mod tests;
