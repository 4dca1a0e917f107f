//! Calls that would go around the user, while a requirement is locked or the user's alone to satisfy. A call is denied
//! when it edits one of our configuration or state files, when its input names one, or when a shell line that does not
//! plainly read names one of them, a folder that holds them, one of our variables, or one of the user's commands. A guard rail against a well-meaning
//! agent, not a wall against a hostile one.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::hook::Verdict;
use shared::host::Places;
use shared::own_commands::own_commands;

use crate::call::Call;
use crate::command_line::{self, Line, Simple, is_in, is_plain, spelled};
use crate::rule::Rule;
use crate::settings::Settings;
use shared::host::{flat, real};

/// Tools of Claude Code that change no file by themselves: a subagent's calls come here on their own.
const READERS: &str = "Agent AskUserQuestion EnterPlanMode ExitPlanMode Glob Grep LS LSP ListMcpResourcesTool NotebookRead Read \
    ReadMcpResourceTool SendMessage Skill Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch \
    WebFetch WebSearch";

/// The protected files of a `.claude` folder.
const FILES: [&str; 4] =
    ["requirements.yaml", "requirements.local.yaml", "settings.json", "settings.local.json"];

/// What stands in paths to what is protected, in lower case; and in those of our folders alone.
const STEMS: [&str; 4] = [".claude", "hook", "requirements", "settings"];
const FOLDERS: [&str; 4] =
    ["hook-state", ".git/requirements", "$claude_config_dir", "$claude_hook_state_dir"];

/// Variables by which our commands know where they run; and all that begin with `BARBLESS_`.
const VARIABLES: &str = "CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_CONFIG_DIR CLAUDE_HOOK_STATE_DIR \
    CLAUDE_PROJECT_DIR BARBLESS_";

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
    /// Folders of which everything is protected.
    folders: Vec<PathBuf>,
    /// The folder of the user's own configuration.
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
        let changed = if let Some(line) = &call.line {
            self.in_line(line)
        } else if call.is_edit() {
            let mut files = named.into_iter().chain(call.file.as_deref());
            files.find_map(|file| self.protected(&self.cwd.join(file)))
        } else {
            // A tool we do not know may move a whole folder, or run a line.
            self.in_input(&serde_json::from_str(input).unwrap_or_default(), false)
        };
        changed.map(|changed| Verdict::Deny {
            reason: format!(
                "requirements-check: this call would change {changed}. That is for the user to decide while {rule} is in force, \
                 which {why}. Leave it as it is; if it has to be done, {INSTEAD}."
            ),
            rule: Cow::Owned(rule),
        })
    }

    fn resolved(&self) -> &Resolved {
        let both = |path: PathBuf| [flat(&path), real(&path)];
        self.resolved.get_or_init(|| {
            let Places { config_dir, root, state_dir, default_state_dir, .. } = self.places;
            let programs = config_dir.as_ref().map(|dir| dir.join("hooks"));
            let records = self.common_dir.map(|dir| dir.join("requirements"));
            let folders = [state_dir.clone(), default_state_dir.clone(), records, programs];
            let main = self.common_dir.filter(|dir| dir.ends_with(".git")).and_then(Path::parent);
            let projects = [Some(root.as_deref().unwrap_or(self.cwd)), main];
            Resolved {
                folders: folders.into_iter().flatten().flat_map(both).collect(),
                own: config_dir.clone().into_iter().flat_map(both).collect(),
                projects: projects.into_iter().flatten().map(Path::to_path_buf).flat_map(both).collect(),
            }
        })
    }

    /// The path, if it is protected. Most have no telling name, and nothing has to be resolved for them.
    fn protected(&self, path: &Path) -> Option<String> {
        let path = flat(path);
        let inside = self.places.root.as_ref().and_then(|root| path.strip_prefix(root).ok());
        let text = inside.unwrap_or(&path).to_string_lossy().to_ascii_lowercase();
        let is_telling = STEMS.iter().any(|stem| text.contains(stem));
        let is_protected = if is_telling {
            self.is_protected(&path) || self.is_protected(&real(&path))
        } else {
            inside.is_none() && self.is_protected(&path)
        };
        is_protected.then(|| path.display().to_string())
    }

    fn is_protected(&self, path: &Path) -> bool {
        let places = self.resolved();
        let is_one = |path: &Path, names: &[&str]| {
            path.file_name().is_some_and(|own| names.iter().any(|name| own.eq_ignore_ascii_case(name)))
        };
        let is_claude_dir = |folder: &Path| {
            let is_in_project = || places.projects.iter().any(|root| folder.starts_with(root));
            places.own.iter().any(|own| own == folder) || (is_one(folder, &[".claude"]) && is_in_project())
        };
        places.folders.iter().any(|folder| path.starts_with(folder))
            || is_claude_dir(path)
            || (is_one(path, &FILES) && path.parent().is_some_and(is_claude_dir))
    }

    /// A text of an input may be a path, or a line for a shell: one of several lines only where the key says so.
    fn in_input(&self, input: &Value, is_command: bool) -> Option<String> {
        match input {
            Value::String(text) => {
                let named = self.named(text.strip_prefix("file://").unwrap_or(text), Some(self.cwd));
                let is_line = is_command || !text.contains('\n');
                named.or_else(|| is_line.then(|| self.in_line(&command_line::parse(text))).flatten())
            }
            Value::Array(all) => all.iter().find_map(|value| self.in_input(value, is_command)),
            Value::Object(all) => {
                all.iter().find_map(|(key, value)| self.in_input(value, is_command || key == "command"))
            }
            _ => None,
        }
    }

    /// A protected place that the line may change. A line that plainly reads changes the files of its redirections; any other line may
    /// change each place that a word of it names.
    fn in_line(&self, line: &Line) -> Option<String> {
        let commands = line.commands.as_deref().unwrap_or_default();
        let is_known = |command: &Simple| reads(command) && command.writes.iter().all(|file| is_plain(file));
        let is_plain = line.commands.is_some() && commands.iter().all(is_known);
        let in_command = |command: &Simple| {
            let own = if is_plain { Vec::new() } else { command.with_prefix() };
            let (folder, mut words) = (command.folder(self.cwd), command.writes.iter().chain(&own));
            words.find_map(|word| self.in_text(word, folder.as_deref())).or_else(|| handed(command))
        };
        let in_whole = || (!is_plain).then(|| self.in_text(&line.text, Some(self.cwd))).flatten();
        commands.iter().find_map(in_command).or_else(in_whole)
    }

    fn in_text(&self, text: &str, folder: Option<&Path>) -> Option<String> {
        // A name may be broken by quotes, or stand between the quotes, brackets and operators of a script.
        let text = spelled(text);
        let (bare, script) =
            (text.replace(['\'', '"', '\\'], ""), text.replace(['[', ']', '{', '}', '+'], " "));
        let in_bare = parts(&bare).find_map(|part| self.named(part, folder).or_else(|| variable(part)));
        in_bare.or_else(|| parts(&script).find_map(|part| self.named(part, folder)))
    }

    /// The protected place that a word names, seen from `folder`. A pattern may match anything in the folder before it.
    fn named(&self, word: &str, folder: Option<&Path>) -> Option<String> {
        let home = self.places.config_dir.as_deref().and_then(Path::parent);
        let (folder, path) = match word.strip_prefix("~/") {
            Some(rest) => (home, rest.trim_start_matches('/')),
            None => (folder, word),
        };
        let literal = path.split(['$', '`', '*', '?', '[', '{', '~']).next().unwrap_or_default();
        let is_literal = literal.len() == path.len();
        let known = if is_literal { path } else { literal.rsplit_once('/').map_or("", |(before, _)| before) };
        let found =
            folder.filter(|_| !path.is_empty()).and_then(|folder| self.protected(&folder.join(known)));
        let may_be_ours = || (folder.is_none() || !is_literal) && is_telling(path);
        found.or_else(|| may_be_ours().then(|| word.to_owned()))
    }
}

/// A word names something protected, though its folder is not known or the shell puts something in.
fn is_telling(word: &str) -> bool {
    let word = word.trim_end_matches('/').to_ascii_lowercase().replace(['{', '}'], "");
    let is_ours = match word.rsplit_once(".claude/") {
        Some((_, name)) if name.contains('/') => false,
        Some((_, name)) => {
            name == "hooks" || FILES.contains(&name) || name.contains(['*', '?', '[', '$', ','])
        }
        None => word.ends_with(".claude") || FILES.contains(&word.as_str()),
    };
    is_ours || FOLDERS.iter().any(|part| word.contains(part))
}

/// It changes no file but those its redirections name, and none of our variables; or it is one of our own commands.
fn reads(command: &Simple) -> bool {
    let may_set = is_in("export unset", command.program()) || command.runs_another();
    let set = command.prefix.iter().chain(command.words.iter().filter(|_| may_set));
    (command.keeps_files() || is_own(command.program()))
        && !set.into_iter().any(|word| variable(word).is_some())
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

/// A word names a variable of ours; `$NAME` is its value.
fn variable(word: &str) -> Option<String> {
    let is_named = |name: &&str| word.match_indices(name).any(|(at, _)| !word[..at].ends_with(['$', '{']));
    VARIABLES.split_ascii_whitespace().find(is_named).map(ToOwned::to_owned)
}

/// One of the user's commands is handed to another program, which may run it out of sight, or as a prompt in a terminal of its own.
fn handed(command: &Simple) -> Option<String> {
    let is_between = |c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_';
    let words: Vec<&str> = command.text.split(is_between).filter(|word| !word.is_empty()).collect();
    let is_one = |words: &[&str]| is_own(words[0]) && words[1..].iter().any(|word| is_in(VERBS, word));
    let is_handed = !reads(command) && (words.windows(3).any(is_one) || words.windows(2).any(is_one));
    let what = "what the user alone may (one of the user's commands runs through";
    is_handed.then(|| format!("{what} {})", command.program()))
}

fn is_own(program: &str) -> bool {
    matches!(program, "req" | "pace-maker") || own_commands().any(|own| own == program)
}

#[cfg(test)]
mod tests;
