//! Calls that would go around the user, while a requirement is locked or the user's alone to satisfy. A call is denied
//! when it edits one of our configuration or state files, when its input names one, or when a shell line that does not
//! plainly read names one of them, a folder that holds them, one of our variables, or one of the user's commands. A guard
//! rail against a well-meaning agent, not a wall against a hostile one.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::hook::Verdict;
use shared::host::{Places, flat, real};
use shared::own_commands::own_commands;

use crate::call::Call;
use command_line::{self, CONSTRUCT, Line, PIPE, SUBSTITUTION, Simple, base_name, is_in, is_plain, spelled};

/// Tools of Claude Code that change no file by themselves: a subagent's calls come here on their own.
const READERS: &str = "Agent AskUserQuestion EnterPlanMode ExitPlanMode Glob Grep LS LSP ListMcpResourcesTool NotebookRead Read \
    ReadMcpResourceTool SendMessage Skill Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch \
    WebFetch WebSearch";

/// The protected files of a `.claude` folder.
const FILES: [&str; 4] =
    ["requirements.yaml", "requirements.local.yaml", "settings.json", "settings.local.json"];

/// Variables by which our commands know where they run, all that begin with `BARBLESS_`, and the values that are our folders.
const VARIABLES: &str = "CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_CONFIG_DIR CLAUDE_HOOK_STATE_DIR \
    CLAUDE_PROJECT_DIR BARBLESS_ $CLAUDE_CONFIG_DIR $CLAUDE_HOOK_STATE_DIR";

/// Verbs of the user alone, as a word after the name of one of our commands.
const VERBS: &str = "approve clear disable discard off pause remove satisfy set uninstall undo waive";

pub(crate) const INSTEAD: &str = "ask the user to do it in a terminal of their own, outside Claude Code";

/// The protected places, seen from a call: each as it is written and with its links resolved.
pub(crate) struct Guarded<'a> {
    cwd: &'a Path,
    home: Option<&'a Path>,
    /// The folder of the user's configuration.
    config: Vec<PathBuf>,
    /// Files, and folders that are protected whole, beside the files of every `.claude` folder.
    protected: Vec<PathBuf>,
}

/// There is something in the call to look at: its tool is not one that reads, by its name or the first word of it.
pub(crate) fn may_breach(call: &Call) -> bool {
    let name = call.tool.rsplit("__").next().unwrap_or_default();
    let first = name.split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or_default();
    !is_in(READERS, &call.tool) && !is_in("get list read", first)
}

impl<'a> Guarded<'a> {
    /// `common_dir` is the git folder that all work trees share; satisfactions lie in `requirements` there.
    pub(crate) fn new(places: &'a Places, common_dir: Option<&Path>, cwd: &'a Path) -> Self {
        let Places { config_dir, state_dir, default_state_dir, .. } = places;
        let both = |path: &PathBuf| [flat(path), real(path)];
        let states: BTreeSet<&PathBuf> = [state_dir, default_state_dir].into_iter().flatten().collect();
        let config: Vec<PathBuf> = config_dir.iter().flat_map(both).collect();
        let own = config.iter().flat_map(|dir| FILES.iter().chain(&["hooks"]).map(|name| dir.join(name)));
        // A file may be a link to one among the user's dotfiles.
        let folders = config.iter().chain(&places.project_claude_dir);
        let linked = folders.flat_map(|dir| FILES.map(|name| real(&dir.join(name))));
        let records = common_dir.map(|dir| dir.join("requirements"));
        Self {
            cwd,
            home: config_dir.as_deref().and_then(Path::parent),
            protected: states.into_iter().flat_map(both).chain(own).chain(linked).chain(records).collect(),
            config,
        }
    }

    /// Denies what the call would do around the user, if it would: `call` with its links resolved, `named` the file as the call
    /// names it. `rule` and `why`: the requirement that is the user's, see [`crate::rule::Rule::reserved`].
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
            self.in_input(&serde_json::from_str(input).unwrap_or_default())
        };
        changed.map(|changed| Verdict::Deny {
            reason: format!(
                "requirements-check: this call would change {changed}. That is for the user to decide while {rule} is in force, \
                 which {why}. Leave it as it is; if it has to be done, {INSTEAD}."
            ),
            rule: Cow::Owned(rule),
        })
    }

    /// The path, if it is protected.
    fn protected(&self, path: &Path) -> Option<String> {
        let path = flat(path);
        let mut names = path.iter().rev().map(|name| name.to_string_lossy().to_ascii_lowercase());
        let (name, folder) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        let is_protected = name == ".claude"
            || self.config.contains(&path)
            || (folder == ".claude" && FILES.contains(&name.as_str()))
            || self.protected.iter().any(|place| path.starts_with(place));
        is_protected.then(|| path.display().to_string())
    }

    /// A text of one line may be a path, or a line for a shell: a tool we do not know may move a whole folder. Several lines
    /// are prose.
    fn in_input(&self, input: &Value) -> Option<String> {
        match input {
            Value::String(text) if !text.contains('\n') => {
                let named = self.protected(&self.cwd.join(text));
                named.or_else(|| self.in_line(&command_line::parse(text)))
            }
            Value::Array(all) => all.iter().find_map(|value| self.in_input(value)),
            Value::Object(all) => all.values().find_map(|value| self.in_input(value)),
            _ => None,
        }
    }

    /// A protected place that the line may change. A line that plainly reads changes the files of its redirections. In any other line
    /// each place counts that it names, but for commands that plainly read and hand nothing on to another.
    fn in_line(&self, line: &Line) -> Option<String> {
        let commands = line.commands.as_deref().unwrap_or_default();
        let is_known = |command: &Simple| {
            let is_file = |file: &String| is_plain(file) && command.directory.is_some();
            reads(command) && command.writes.iter().all(is_file)
        };
        let is_plain = line.commands.is_some() && commands.iter().all(is_known);
        let is_aside = |command: &Simple| {
            let hands_on = matches!(command.hidden, Some(CONSTRUCT | PIPE | SUBSTITUTION))
                || is_in("cd export pushd set", command.program());
            is_known(command) && !hands_on && command.words.len() > 1
        };
        let in_command = |command: &Simple| {
            let folder = command.folder(self.cwd).unwrap_or_else(|| self.cwd.to_owned());
            let words = command.prefix.iter().chain(&command.words);
            let words = (!is_plain && !is_aside(command)).then_some(words).into_iter().flatten();
            let named = command.writes.iter().chain(words).find_map(|text| self.in_text(text, &folder));
            named.or_else(|| handed(command))
        };
        let in_whole = || {
            let aside = commands.iter().filter(|one| is_aside(one)).map(|one| one.text.as_str());
            let aside: BTreeSet<&str> = aside.collect();
            let text = aside.into_iter().fold(line.text.clone(), |text, one| text.replace(one, ""));
            self.in_text(&text, self.cwd)
        };
        commands.iter().find_map(in_command).or_else(|| if is_plain { None } else { in_whole() })
    }

    /// A protected place or a variable that a part of the text names, seen from `folder`. A pattern may match anything in the folder
    /// before it.
    fn in_text(&self, text: &str, folder: &Path) -> Option<String> {
        let text = spelled(text).replace("${", "$").replace('}', "");
        let is_between = |c: char| c.is_whitespace() || "'\"\\`()[]{;,|<>&=:+".contains(c);
        // The value of an option may stand right behind its letter.
        let parts = text.split(is_between).flat_map(|part| {
            let value = part.strip_prefix('-').and_then(|option| option.get(1..));
            [Some(part), value].into_iter().flatten()
        });
        parts.filter(|part| !part.is_empty()).find_map(|part| {
            let names = part.split('/').take_while(|name| !name.contains(['*', '?']));
            let known = names.collect::<Vec<_>>().join("/");
            let at_home = known.strip_prefix("~/").zip(self.home).map(|(rest, home)| home.join(rest));
            self.protected(&at_home.unwrap_or_else(|| folder.join(known))).or_else(|| variable(part))
        })
    }
}

/// It changes no file but those its redirections name, and none of our variables; or it is one of our own commands, which know
/// themselves what the user alone may do.
fn reads(command: &Simple) -> bool {
    let may_set = is_in("export unset", command.program()) || command.runs_another();
    let mut set = command.prefix.iter().chain(command.words.iter().filter(|_| may_set));
    (command.keeps_files() || is_own(command.program())) && !set.any(|word| variable(word).is_some())
}

/// One of the user's commands is handed to another program, which may run it out of sight, or as a prompt in a terminal of its own.
fn handed(command: &Simple) -> Option<String> {
    let is_between = |c: char| c.is_whitespace() || "'\"`\\;&|()[]{}<>,$".contains(c);
    let words = command.text.split(is_between).filter(|word| !word.is_empty()).map(base_name);
    let words: Vec<&str> = words.collect();
    let is_one = |words: &[&str]| is_own(words[0]) && words[1..].iter().any(|word| is_in(VERBS, word));
    let is_handed = !reads(command) && (words.windows(3).any(is_one) || words.windows(2).any(is_one));
    let what = "what the user alone may (one of the user's commands runs through";
    is_handed.then(|| format!("{what} {})", command.program()))
}

fn is_own(program: &str) -> bool {
    matches!(program, "req" | "pace-maker") || own_commands().any(|own| own == program)
}

/// A word names a variable of ours; `$NAME` is its value.
fn variable(word: &str) -> Option<String> {
    let is_named = |name: &&str| word.match_indices(name).any(|(at, _)| !word[..at].ends_with(['$', '{']));
    VARIABLES.split_ascii_whitespace().find(is_named).map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests;
