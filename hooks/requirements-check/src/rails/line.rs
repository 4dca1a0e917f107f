//! Lines of a shell. What plainly reads passes; any other command must not name what is protected.

use std::path::PathBuf;

use shared::catalog::own_commands;

use super::kept::{held, kept};
use super::{Guarded, What};
use crate::command_line::{Hidden, Line, Simple};

/// What stands for a protected file or folder where only a text is seen.
const NAMES: [&str; 6] = [
    ".claude/requirements.yaml",
    ".claude/requirements.local.yaml",
    ".claude/settings.json",
    ".claude/settings.local.json",
    "hook-state",
    ".git/requirements",
];

/// Variables by which our commands know where they run; and all that begin with `BARBLESS_`.
const VARIABLES: [&str; 7] = [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_HOOK_STATE_DIR",
    "CLAUDE_PROJECT_DIR",
    "BARBLESS_",
];

/// Programs that set and unset variables of the shell.
const DECLARERS: [&str; 6] = ["declare", "export", "local", "readonly", "typeset", "unset"];

/// Programs that give others a terminal, run them elsewhere or later, or hand a prompt to another session.
const DETACHERS: [&str; 14] = [
    "at",
    "batch",
    "claude",
    "claude-code",
    "crontab",
    "expect",
    "nohup",
    "screen",
    "script",
    "setsid",
    "ssh",
    "systemd-run",
    "tmux",
    "unbuffer",
];

/// What only the user may do, as a word after the name of one of our commands.
const VERBS: [&str; 12] = [
    "approve",
    "clear",
    "disable",
    "discard",
    "off",
    "pause",
    "remove",
    "satisfy",
    "set",
    "uninstall",
    "undo",
    "waive",
];

/// Options whose value is a text for people.
const MESSAGES: [&str; 6] = ["-m", "--message", "--body", "--title", "--description", "--note"];

/// What the line would do around the user.
pub(super) fn breach(line: &Line, is_powershell: bool, guarded: &Guarded<'_>) -> Option<What> {
    let text = if is_powershell { line.text.replace('\\', "/") } else { line.text.clone() };
    let Some(commands) = &line.commands else {
        return named_in(&text, guarded).map(|_| What::Unreadable);
    };
    let runs_ours = commands.iter().any(|command| is_own(command.program()));
    commands.iter().enumerate().find_map(|(at, command)| {
        let before = at.checked_sub(1).and_then(|at| commands.get(at));
        written(command, &text, guarded, is_powershell)
            .or_else(|| variable(command, runs_ours).map(What::Variable))
            .or_else(|| detached(command, &text, commands))
            .or_else(|| pretended(command, before, &text))
            .or_else(|| changed(command, &text, guarded, is_powershell))
    })
}

/// The files that the redirections of a command write to.
fn written(command: &Simple, text: &str, guarded: &Guarded<'_>, is_powershell: bool) -> Option<What> {
    // To us, its separators are escapes.
    if is_powershell && !command.writes.is_empty() {
        return named_in(&text.replace('\\', "/"), guarded).map(What::Name);
    }
    command.writes.iter().find_map(|file| in_word(file, command, guarded))
}

/// What a command that does not plainly read names.
fn changed(command: &Simple, text: &str, guarded: &Guarded<'_>, is_powershell: bool) -> Option<What> {
    let is_harmless =
        command.reads() || command.keeps_files() || is_own(command.program()) || command.program() == "eval";
    if is_harmless {
        return None;
    }
    let own_text = command.text.replace('\\', "/");
    let words: Vec<&str> = if is_powershell {
        own_text.split_whitespace().collect()
    } else {
        command.words.iter().map(String::as_str).collect()
    };
    let mut before = "";
    let named = words.iter().skip(1).find_map(|word| {
        let is_message = MESSAGES.contains(&std::mem::replace(&mut before, word));
        parts(word).filter(|_| !is_message).find_map(|part| in_word(part, command, guarded))
    });
    // What its words stand for, and what is fed to it, stands elsewhere in the line.
    let is_fed =
        command.text.contains(['$', '`', '{']) || command.text.contains("xargs") || text.contains("<<");
    named.or_else(|| is_fed.then(|| named_in(text, guarded)).flatten().map(What::Name))
}

/// What may be a path in a word: all of it, the value of an option, and the parts of a text.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let attached =
        word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
    let pieces = word.split(|c: char| c.is_whitespace() || "'\"();,|<>&=:`".contains(c));
    [Some(word), attached].into_iter().flatten().chain(pieces).filter(|part| !part.is_empty())
}

/// The protected place that a word names: as a path where it is plain which one, else by how it is written.
fn in_word(word: &str, command: &Simple, guarded: &Guarded<'_>) -> Option<What> {
    let is_plain = !word.starts_with('~') && !word.contains(['$', '`', '*', '?', '[', '{']);
    if let Some(folder) = command.folder(guarded.cwd).filter(|_| is_plain) {
        let path = folder.join(word.trim_end_matches('/'));
        let is_written = command.writes.iter().any(|file| file == word);
        let found = if is_written { kept(&path, guarded) } else { held(&path, guarded) };
        return found.map(|kept| What::Change(kept, crate::place::flat(&path)));
    }
    let in_claude_dir = command.text.contains(".claude") || command.folder(guarded.cwd).is_none();
    let is_bare = in_claude_dir && NAMES.iter().any(|name| name.strip_prefix(".claude/") == Some(word));
    let holds = [".claude", ".claude/"].iter().any(|end| word.ends_with(end));
    named_in(word, guarded).or_else(|| (is_bare || holds).then(|| word.to_owned())).map(What::Name)
}

/// The protected name that stands in a text, upper and lower case alike.
fn named_in(text: &str, guarded: &Guarded<'_>) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let home = guarded.config_dir.map(|dir| dir.join("hooks")).into_iter();
    let places =
        home.chain(guarded.state_dirs.iter().map(PathBuf::from)).map(|dir| dir.display().to_string());
    let names = NAMES.iter().map(|name| (*name).to_owned());
    let hooks = ["~/.claude/hooks/", "$home/.claude/hooks/"].map(str::to_owned);
    let variables =
        ["claude_config_dir/settings.json", "claude_config_dir/requirements.yaml", "$claude_hook_state_dir"];
    let variables = variables.map(str::to_owned);
    let bare = lower.replace(['{', '}'], "");
    let found = names.chain(places).chain(hooks).chain(variables).find(|name| {
        let name = name.to_ascii_lowercase();
        bare.match_indices(&name).any(|(at, _)| {
            let after = if name.ends_with('/') { "" } else { &bare[at + name.len()..] };
            is_whole(&bare[..at], after)
        })
    });
    found.or_else(|| {
        let wild = |(at, _): (usize, &str)| has_pattern(&lower[at + ".claude/".len()..]);
        lower.match_indices(".claude/").any(wild).then(|| ".claude".to_owned())
    })
}

/// The last name of a path below `.claude` is a pattern.
fn has_pattern(rest: &str) -> bool {
    let name = rest.split(|c: char| c.is_whitespace() || "'\";|&<>)".contains(c)).next().unwrap_or_default();
    !name.contains('/') && name.contains(['*', '?', '[', '{', '$'])
}

/// The name is not the end or the beginning of a longer one.
fn is_whole(before: &str, after: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_longer = after.strip_prefix('.').unwrap_or(after).starts_with(is_part);
    !before.ends_with(is_part) && !is_longer
}

/// The variable that a command changes for the rest of the line, or for one of our commands.
fn variable(command: &Simple, runs_ours: bool) -> Option<String> {
    let declares = DECLARERS.contains(&command.program()) || command.words.is_empty();
    let prefix = command.prefix.iter().filter(|_| declares || runs_ours);
    let words = command.words.iter().skip(1).filter(|_| declares);
    let own = prefix.chain(words).find_map(|word| own_variable(word, runs_ours));
    own.or_else(|| in_code(command))
}

/// The variable of ours in `NAME`, `NAME=value` or an option of `env`.
fn own_variable(word: &str, runs_ours: bool) -> Option<String> {
    let word = word.strip_prefix("--unset=").or_else(|| word.strip_prefix("-u")).unwrap_or(word);
    let name = word.split(['=', '+']).next().unwrap_or_default();
    let is_own = VARIABLES.iter().any(|own| name == *own || (own.ends_with('_') && name.starts_with(own)));
    let hides_all = runs_ours && matches!(word, "-i" | "-" | "--ignore-environment");
    let is_home = runs_ours && word.starts_with("HOME=");
    (is_own || is_home).then(|| name.to_owned()).or_else(|| hides_all.then(|| "the environment".to_owned()))
}

/// A variable of ours in the words of a command that does not plainly read; `$NAME` alone is its value.
fn in_code(command: &Simple) -> Option<String> {
    let text = command.words.join(" ");
    let is_read = |at: usize| text[..at].ends_with(['$', '{']);
    let found = VARIABLES.iter().find(|name| text.match_indices(*name).any(|(at, _)| !is_read(at)))?;
    let is_harmless =
        command.reads() || command.keeps_files() || is_own(command.program()) || command.program() == "env";
    (!is_harmless).then(|| (*found).to_owned())
}

/// One of the user's commands handed to a program that runs it out of sight, or to another session.
fn detached(command: &Simple, text: &str, commands: &[Simple]) -> Option<What> {
    let before = command.prefix.iter().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = before.chain([command.program()]).find(|program| DETACHERS.contains(program))?;
    let is_fed = text.contains("<<") || commands.iter().any(|other| other.decides == Err(Hidden::Pipe));
    let handed = has_a_verb_of_ours(&command.text) || (is_fed && has_a_verb_of_ours(text));
    handed.then(|| What::Detach(program.to_owned()))
}

fn has_a_verb_of_ours(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let words: Vec<&str> =
        text.split(|c| !is_part(c)).filter(|word| !word.is_empty() && !word.starts_with('-')).collect();
    words.windows(2).any(|pair| is_own(pair[0]) && VERBS.contains(&pair[1]))
        || words.windows(3).any(|three| is_own(three[0]) && VERBS.contains(&three[2]))
}

/// A hook of ours with something to read, or without a command of its own: it takes what it reads for an event of Claude
/// Code's, and the user's words may stand in one.
fn pretended(command: &Simple, before: Option<&Simple>, text: &str) -> Option<What> {
    let program = command.program();
    let is_hook = is_own(program) && !matches!(program, "req" | "pace-maker");
    let has_command = command.words.iter().skip(1).any(|word| !word.contains(['$', '`', '*', '?', '[', '{']));
    let is_piped = before.is_some_and(|before| before.decides == Err(Hidden::Pipe));
    let is_fed = is_piped || !command.reads.is_empty() || text.contains("<<");
    (is_hook && (is_fed || !has_command)).then(|| What::Pretend(program.to_owned()))
}

/// One of our own commands, by its name.
fn is_own(program: &str) -> bool {
    matches!(program, "req" | "pace-maker") || own_commands().any(|own| own == program)
}
