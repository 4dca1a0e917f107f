//! Calls that would go around the user, while a requirement is locked or the user's alone to satisfy. A call is denied
//! when it edits one of our configuration or state files, when its input names one, or when a shell line that does not
//! plainly read names one of them, a folder that holds them, or one of our variables. A guard rail against a well-meaning
//! agent, not a wall against a hostile one: a script, a name put together of parts, a link that a shell line names, and git
//! commands that name no file (`git stash -a`) are not seen.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::catalog::own_commands;

use crate::call::Call;
use crate::command_line::{self, Hidden, Line, Simple, base_name, is_in, spelled};
use crate::paths::{flat, real};
use crate::settings::Settings;

/// Tools that name a file and only read it.
const READERS: &str = "Read Glob Grep LS LSP NotebookRead";

/// A longer text is no path, in bytes.
const MAX_PATH: usize = 4096;

/// The protected files of a `.claude` folder, and what is in them.
const FILES: [(&str, &str); 4] = [
    ("requirements.yaml", "what is required is set there"),
    ("requirements.local.yaml", "what is required is set there"),
    ("settings.json", "the hooks are registered there"),
    ("settings.local.json", "the hooks are registered there"),
];

/// What is in git's folder of ours.
const RECORDS: &str = "what is satisfied is kept there";

/// Variables by which our commands know where they run; and all that begin with `BARBLESS_`.
const VARIABLES: &str = "CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_CONFIG_DIR CLAUDE_HOOK_STATE_DIR \
    CLAUDE_PROJECT_DIR BARBLESS_";

/// Programs that set and unset variables of the shell.
const DECLARERS: &str = "declare export local readonly typeset unset";

/// Programs that run others elsewhere or later, or hand a prompt to another session.
const DETACHERS: &str =
    "at batch claude claude-code crontab expect nohup screen script setsid ssh systemd-run tmux unbuffer";

/// What only the user may do, as a word after the name of one of our commands.
const VERBS: &str = "approve clear disable discard off pause remove satisfy set uninstall undo waive";

/// A call that would go around the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Breach {
    /// The key path of the requirement that is locked or the user's alone.
    pub(crate) rule: String,
    why: Why,
    /// What the call would do.
    what: String,
}

/// Why a requirement is the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// The global file locks it.
    Locked,
    /// Only the user may satisfy it.
    UsersAlone,
}

/// Where what the rails protect lies, as absolute paths.
#[derive(Debug, Clone)]
pub(crate) struct Guarded<'a> {
    /// The user's configuration folder, usually `~/.claude`.
    pub(crate) config_dir: Option<&'a Path>,
    /// The project's top folder.
    pub(crate) root: Option<&'a Path>,
    /// Folders of state.
    pub(crate) state_dirs: Vec<&'a Path>,
    /// The git folder that all work trees share; satisfactions lie in `requirements` there.
    pub(crate) common_dir: Option<&'a Path>,
    /// Where the call is made.
    pub(crate) cwd: &'a Path,
}

/// The first requirement, by name, for whose sake the rails are up: locked by the global file, or the user's alone to
/// satisfy. `locked` are key paths as [`shared::config::Section`] has them.
pub(crate) fn in_force(settings: &Settings, locked: &[String]) -> Option<(String, Why)> {
    settings.requirements.iter().filter(|(_, set)| set.is_on()).find_map(|(name, set)| {
        let rule = format!("requirements.{name}");
        if locked.iter().any(|path| locks(path, &rule)) {
            return Some((rule, Why::Locked));
        }
        set.is_the_users().then_some((rule, Why::UsersAlone))
    })
}

/// `path` is the rule, all rules, everything, or a key of the rule.
pub(crate) fn locks(path: &str, rule: &str) -> bool {
    path.is_empty()
        || path == "requirements"
        || path.strip_prefix(rule).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// There is something in the call to look at: its tool is not one that reads, by its name or the first word of it.
pub(crate) fn may_breach(call: &Call) -> bool {
    let name = call.tool.rsplit("__").next().unwrap_or_default();
    let first = name.split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or_default();
    !is_in(READERS, &call.tool) && !matches!(first, "read" | "list")
}

/// What the call would do around the user, if it would: `call` with its links resolved, `named` the file as the call names it.
/// `rule` and `why` are what [`in_force`] found.
pub(crate) fn breach(
    call: &Call,
    named: Option<&Path>,
    input: &str,
    guarded: &Guarded<'_>,
    (rule, why): (String, Why),
) -> Option<Breach> {
    let places = Protected { guarded, places: OnceCell::new() };
    let what = if let Some(line) = &call.line {
        places.in_line(line, call.tool == "PowerShell")
    } else if call.is_edit() {
        let mut files = named.into_iter().chain(call.file.as_deref());
        files.find_map(|file| places.change(&guarded.cwd.join(file), false))
    } else {
        // A tool we do not know may move a whole folder, or run a line.
        places.in_input(&serde_json::from_str(input).unwrap_or_default(), false)
    };
    what.map(|what| Breach { rule, why, what })
}

impl Breach {
    /// What is to be done instead.
    pub(crate) const INSTEAD: &'static str =
        "ask the user to do it in a terminal of their own, outside Claude Code";

    /// The denial, for Claude.
    pub(crate) fn words(&self) -> String {
        let (rule, what) = (&self.rule, &self.what);
        let why = match self.why {
            Why::Locked => "is locked by the user's global requirements.yaml",
            Why::UsersAlone => "is for the user alone to satisfy",
        };
        format!(
            "requirements-check: this call would {what}. That is for the user to decide while {rule} is in force, which {why}. \
             Leave it as it is; if it has to be done, {}.",
            Self::INSTEAD
        )
    }
}

/// Where protected things lie, each place as it is written and with its links resolved.
struct Places {
    /// Folders of which everything is protected, and what is in them.
    folders: Vec<(PathBuf, &'static str)>,
    /// The user's configuration folder.
    own: Vec<PathBuf>,
    /// Folders below which every `.claude` folder holds protected files.
    projects: Vec<PathBuf>,
}

impl Places {
    fn of(guarded: &Guarded<'_>) -> Self {
        let both = |path: &Path| [flat(path), real(path)];
        let common = guarded.common_dir;
        let main = common.filter(|dir| dir.ends_with(".git")).and_then(Path::parent);
        let state = guarded.state_dirs.iter().map(|dir| (dir.to_path_buf(), "the hooks' state is there"));
        let records = common.map(|dir| (dir.join("requirements"), RECORDS));
        let programs = guarded.config_dir.map(|dir| (dir.join("hooks"), "the hooks' programs are there"));
        let folders = state.chain(records).chain(programs);
        let projects = [Some(guarded.root.unwrap_or(guarded.cwd)), main];
        Self {
            folders: folders.flat_map(|(dir, what)| both(&dir).map(|dir| (dir, what))).collect(),
            own: guarded.config_dir.into_iter().flat_map(both).collect(),
            projects: projects.into_iter().flatten().flat_map(both).collect(),
        }
    }

    fn is_claude_dir(&self, folder: &Path) -> bool {
        let is_named = folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".claude"));
        self.own.iter().any(|own| own == folder)
            || (is_named && self.projects.iter().any(|root| folder.starts_with(root)))
    }
}

struct Protected<'a> {
    guarded: &'a Guarded<'a>,
    /// Resolving links is dear, and most calls need none of it.
    places: OnceCell<Places>,
}

impl Protected<'_> {
    /// What a change of this path would change, or of the folder it lies in where that counts, too. Links are resolved for paths with a telling name only: most have none.
    fn change(&self, path: &Path, or_its_folder: bool) -> Option<String> {
        let path = flat(path);
        let is_telling = path.iter().any(|name| is_own_name(&name.to_string_lossy()));
        let is_in_project = self.guarded.root.is_some_and(|root| path.starts_with(root));
        let is_dear = [self.guarded.config_dir, self.guarded.common_dir].contains(&Some(&path));
        if is_in_project && !is_telling && !is_dear {
            return None;
        }
        let resolved = || is_telling.then(|| self.at(&real(&path), or_its_folder)).flatten();
        let what = self.at(&path, or_its_folder).or_else(resolved)?;
        Some(format!("change {} ({what})", path.display()))
    }

    fn at(&self, path: &Path, or_its_folder: bool) -> Option<&'static str> {
        let places = self.places.get_or_init(|| Places::of(self.guarded));
        if let Some((_, what)) = places.folders.iter().find(|(folder, _)| path.starts_with(folder)) {
            return Some(what);
        }
        if or_its_folder && self.guarded.common_dir == Some(path) {
            return Some(RECORDS);
        }
        if or_its_folder && places.is_claude_dir(path) {
            return Some(FILES[0].1);
        }
        let name = path.file_name()?;
        let (_, what) = FILES.iter().find(|(file, _)| name.eq_ignore_ascii_case(file))?;
        path.parent().is_some_and(|folder| places.is_claude_dir(folder)).then_some(*what)
    }

    /// A text of an input may be a path, or a line for a shell: one of several lines only where the key says so.
    fn in_input(&self, input: &Value, is_command: bool) -> Option<String> {
        match input {
            Value::String(text) => {
                let path =
                    Some(text.strip_prefix("file://").unwrap_or(text)).filter(|text| text.len() <= MAX_PATH);
                let named = path.and_then(|path| self.named_path(path, Some(self.guarded.cwd), true));
                let may_be_line = text.contains(' ') && (is_command || !text.contains('\n'));
                named.or_else(|| {
                    may_be_line.then(|| self.in_line(&command_line::parse(text), false)).flatten()
                })
            }
            Value::Array(all) => all.iter().find_map(|value| self.in_input(value, is_command)),
            Value::Object(all) => {
                all.iter().find_map(|(key, value)| self.in_input(value, is_command || key == "command"))
            }
            _ => None,
        }
    }

    /// The protected place that a word of a line names: all of it, or what stands behind `-o`.
    fn named(&self, word: &str, folder: Option<&Path>) -> Option<String> {
        let attached =
            word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
        let mut parts = [Some(word), attached].into_iter().flatten().filter(|part| !part.is_empty());
        parts.find_map(|part| self.named_path(part, folder, true))
    }

    fn named_path(&self, word: &str, folder: Option<&Path>, or_its_folder: bool) -> Option<String> {
        let word = word.trim_end_matches('/');
        let home = self.guarded.config_dir.filter(|dir| dir.ends_with(".claude")).and_then(Path::parent);
        let in_home = word.strip_prefix("~/").zip(home);
        let (base, rest) = in_home.map_or((folder, word), |(rest, home)| (Some(home), rest));
        let expands = rest.starts_with('~') || rest.contains(['$', '`', '*', '?', '[', '{']);
        if let Some(base) = base.filter(|_| !expands) {
            return self.change(&base.join(rest), or_its_folder);
        }
        let is_bare = folder.is_none() && FILES.iter().any(|(file, _)| *file == word);
        (is_bare || is_telling(word)).then(|| format!("run code that names {word} and may change it"))
    }

    fn in_line(&self, line: &Line, is_powershell: bool) -> Option<String> {
        let text = spelled(&if is_powershell { line.text.replace('\\', "/") } else { line.text.clone() });
        // A name may be broken by quotes.
        let unquoted = text.replace(['\'', '"', '\\'], "");
        let in_text =
            || parts(&text).chain(parts(&unquoted)).find_map(|word| self.named(word, Some(self.guarded.cwd)));
        let Some(commands) = &line.commands else {
            let unreadable =
                "run a line that cannot be read and names files of requirements, settings or state";
            return in_text().map(|_| unreadable.to_owned());
        };
        let runs_ours = commands.iter().any(|command| is_own(command.program()));
        commands.iter().enumerate().find_map(|(index, command)| {
            let folder = command.folder(self.guarded.cwd);
            let writes = || command.writes.iter().map(|file| spelled(file));
            let writes_somewhere = writes().any(|file| file.contains(['$', '`']));
            let looks =
                !is_harmless(command) || writes_somewhere || (is_powershell && !command.writes.is_empty());
            // What its words stand for, and what is fed to it, stands elsewhere in the line.
            let looks_whole = looks
                && (command.text.contains(['$', '`', '{'])
                    || writes_somewhere
                    || command.text.contains("xargs")
                    || text.contains("<<")
                    || is_powershell);
            let before = index.checked_sub(1).map(|before| &commands[before]);
            writes()
                .find_map(|file| self.named_path(&file, folder.as_deref(), false))
                .or_else(|| variable(command, runs_ours))
                .or_else(|| detached(command, &text, commands))
                .or_else(|| pretended(command, before, &text))
                .or_else(|| looks.then(|| self.in_command(command, folder.as_deref())).flatten())
                .or_else(|| looks_whole.then(in_text).flatten())
        })
    }

    /// What is protected and named by a command's words. A search of folders names what it looks for by its name alone.
    fn in_command(&self, command: &Simple, folder: Option<&Path>) -> Option<String> {
        let searches = matches!(command.program(), "find" | "fd");
        let looks_for = |word: &str| {
            let name = word.trim_end_matches('*');
            let is_cut = name.len() < word.len() && name.len() > 3;
            let is_name = FILES.iter().any(|(file, _)| *file == name || (is_cut && file.starts_with(name)));
            (searches && is_name).then(|| format!("run code that names {word} and may change it"))
        };
        command.with_prefix().iter().map(|word| spelled(word)).find_map(|word| {
            parts(&word).find_map(|part| self.named(part, folder).or_else(|| looks_for(part)))
        })
    }
}

/// A name that stands in the paths of what is protected.
fn is_own_name(name: &str) -> bool {
    let folders = [".claude", "hooks", "hook-state", "requirements"];
    FILES.iter().map(|(file, _)| *file).chain(folders).any(|own| name.eq_ignore_ascii_case(own))
}

/// A word names something protected, though its folder is not known or the shell puts something in.
fn is_telling(word: &str) -> bool {
    let word = word.to_ascii_lowercase().replace(['{', '}'], "");
    let (folder, name) = word.rsplit_once('/').unwrap_or(("", &word));
    let is_file = FILES.iter().any(|(file, _)| *file == name);
    let may_be_ours = is_file || name == "hooks" || name.contains(['*', '?', '[', '$', ',']);
    name == ".claude"
        || (folder.ends_with(".claude") && may_be_ours)
        || (folder.ends_with("$claude_config_dir") && is_file)
        || ["hook-state", ".git/requirements", "$claude_hook_state_dir"]
            .iter()
            .any(|ours| word.contains(ours))
}

/// It reads, or keeps the files, or is one of our own.
fn is_harmless(command: &Simple) -> bool {
    // A folder named OFF switches the hooks off like a file.
    let keeps_ours = command.reads() || command.keeps_files() || is_own(command.program());
    (keeps_ours && command.program() != "mkdir") || command.program() == "eval"
}

/// What may be a path in a text: its words, and their parts.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || "'\"();,|<>&=:`".contains(c);
    text.split(is_between).filter(|word| !word.is_empty())
}

/// The variable of ours that a command changes, for itself or for the rest of the line; `$NAME` alone is its value.
fn variable(command: &Simple, runs_ours: bool) -> Option<String> {
    let declares = is_in(DECLARERS, command.program()) || command.words.is_empty();
    let is_changed =
        |word: &String, name: &str| word.match_indices(name).any(|(at, _)| !word[..at].ends_with(['$', '{']));
    let hides = |word: &str| matches!(word, "-i" | "-" | "--ignore-environment") || word.starts_with("HOME=");
    let set = command.prefix.iter().filter(|_| declares || runs_ours);
    let mut changed = set.chain(command.words.iter().filter(|_| declares || !is_harmless(command)));
    let named = changed.find_map(|word| VARIABLES.split(' ').find(|name| is_changed(word, name)));
    let is_hidden = runs_ours && command.prefix.iter().any(|word| hides(word));
    let name = named.or(is_hidden.then_some("the environment"))?;
    Some(format!("change {name}, by which Barbless's commands know where they run"))
}

/// One of the user's commands handed to a program that runs it out of sight, or to another session.
fn detached(command: &Simple, text: &str, commands: &[Simple]) -> Option<String> {
    let before = command.prefix.iter().map(|word| base_name(word));
    let program = before.chain([command.program()]).find(|program| is_in(DETACHERS, program))?;
    let is_fed = text.contains("<<") || commands.iter().any(|other| other.hidden == Some(Hidden::Pipe));
    let handed = has_a_verb_of_ours(&command.text) || (is_fed && has_a_verb_of_ours(text));
    handed.then(|| format!("run one of the user's own commands through {program}"))
}

fn has_a_verb_of_ours(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let words: Vec<&str> =
        text.split(|c| !is_part(c)).filter(|word| !word.is_empty() && !word.starts_with('-')).collect();
    let behind = |at: usize| words.iter().skip(at + 1).take(2).any(|word| is_in(VERBS, word));
    words.iter().enumerate().any(|(at, word)| is_own(word) && behind(at))
}

/// A hook of ours with something to read, or without a command of its own: it takes what it reads for an event of Claude
/// Code's, and the user's words may stand in one.
fn pretended(command: &Simple, before: Option<&Simple>, text: &str) -> Option<String> {
    let program = command.program();
    let is_hook = is_own(program) && !matches!(program, "req" | "pace-maker");
    let has_command = command.words.iter().skip(1).any(|word| !word.contains(['$', '`', '*', '?', '[', '{']));
    let is_piped = before.is_some_and(|before| before.hidden == Some(Hidden::Pipe));
    let is_fed = is_piped || !command.reads.is_empty() || text.contains("<<");
    (is_hook && (is_fed || !has_command))
        .then(|| format!("run the hook {program} as Claude Code does, without a command for it to carry out"))
}

/// One of our own commands, by its name.
fn is_own(program: &str) -> bool {
    matches!(program, "req" | "pace-maker") || own_commands().any(|own| own == program)
}

#[cfg(test)]
mod tests;
