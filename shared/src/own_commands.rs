//! Our own commands: their names, the Bash calls made only of them, and the prompts that are such a command.
//!
//! No hook of ours gates or counts a call of our own commands, or what a gate asks to be typed could not be typed while the gate
//! is closed.
//! The rule is narrow on purpose. The line holds plain words, quoted or not, joined by `&&`, `||`, `;` or line ends. Each command
//! is one of ours by its bare name or by its path in our folders, or a `cd` beside one. Anything that a shell could expand
//! (substitution, redirection, a pipe, an assignment) makes the call an ordinary one. So does an option that names a file to
//! write, because gates and rails guard files.
//!
//! A prompt that Claude has scheduled arrives as if typed, in this session or a later one. Those that read like our commands
//! are therefore known by hash, for the whole machine, in `<state>/scheduled-prompts.json`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::claude_code::SHELL_TOOLS;
use crate::host::{Host, Places};
use crate::operator::Caller;
use crate::protocol::ToolCall;
use crate::state::{MACHINE, Remembered, StateError, Store, digest};

/// The table of hooks, as it is compiled in. The installer reads it itself.
pub const TABLE: &str = include_str!("../../config/hooks.yaml");

/// The names of our commands, straight from the text. Hooks ask before tool calls, where parsing YAML costs too much.
/// The lines `- name: X` and `commands: [X, Y]` are all it knows of the file's form.
pub fn own_commands() -> impl Iterator<Item = &'static str> {
    TABLE.lines().flat_map(|line| {
        let list = line.strip_prefix("  - name: ").or_else(|| {
            line.strip_prefix("    commands: [").and_then(|list| list.trim_end().strip_suffix(']'))
        });
        list.into_iter().flat_map(|list| list.split(',')).map(str::trim)
    })
}

/// The names of the hooks, which are those of their sections, straight from the text as well.
pub fn section_names() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter_map(|line| line.strip_prefix("  - name: ")).map(str::trim)
}

/// Longer lines are not looked at, in bytes.
const MAX_LINE: usize = 4096;

/// The options of our commands that name a file to write.
const FILES_TO_WRITE: &[&str] = &["--html"];

/// The call is a shell's, and runs nothing but our own commands.
pub fn is_own_call(call: &ToolCall, places: &Places) -> bool {
    own_line(call, places).is_some()
}

/// Our own commands of such a call that has come through, each with its bare name first and its arguments without their
/// quotes; `None` for any other call, and for a line with another joint than `&&`, in which a command may not have run.
pub fn own_command_lines(call: &ToolCall, places: &Places) -> Option<Vec<Vec<String>>> {
    own_line(call, places).and_then(|(commands, is_chain)| is_chain.then_some(commands))
}

/// The commands of a line, and whether `&&` alone joins them.
type Line = (Vec<Vec<String>>, bool);

fn own_line(call: &ToolCall, places: &Places) -> Option<Line> {
    #[derive(Deserialize)]
    struct ShellInput {
        command: String,
    }
    if !SHELL_TOOLS.contains(&call.tool_name.as_str()) {
        return None;
    }
    let raw = call.tool_input.as_ref().filter(|raw| raw.get().len() <= MAX_LINE)?;
    let input: ShellInput = serde_json::from_str(raw.get()).ok()?;
    let (commands, is_chain) = commands(&input.command)?;
    // Some of our texts say `cd there && ours`.
    let mut ours: Vec<Vec<String>> = commands.into_iter().filter(|command| command[0] != "cd").collect();
    let folders = places.program_folders();
    for command in &mut ours {
        command[0] = own_name(&command[0], &folders)?;
    }
    (!ours.is_empty()).then_some((ours, is_chain))
}

/// A bare name may be the user's own program; a path must lead to our folders, or any script of that name would pass every gate.
fn own_name(program: &str, folders: &[PathBuf]) -> Option<String> {
    let parent = Path::new(program).parent()?;
    let is_bare = parent.as_os_str().is_empty();
    if !is_bare && !folders.iter().any(|folder| folder == parent) {
        return None;
    }
    let name = if is_bare { program } else { program.get(parent.as_os_str().len() + 1..)? };
    own_commands().any(|own| own == name).then(|| name.to_owned())
}

/// The words of each command; `None` where the line is more than plain words, or writes a file.
fn commands(line: &str) -> Option<Line> {
    let (mut commands, mut is_chain): Line = (vec![Vec::new()], true);
    let mut rest = line.trim_matches([' ', '\t', '\n']);
    while !rest.is_empty() {
        if let Some(joint) = JOINTS.into_iter().find(|joint| rest.starts_with(joint)) {
            is_chain &= joint == "&&";
            commands.push(Vec::new());
            rest = &rest[joint.len()..];
        } else {
            let (word, behind) = word(rest)?;
            let command = commands.last_mut()?;
            let option = word.split_once('=').map_or(word.as_str(), |(option, _)| option);
            if !command.is_empty() && FILES_TO_WRITE.contains(&option) {
                return None;
            }
            command.push(word);
            rest = behind;
        }
        rest = rest.trim_start_matches([' ', '\t']);
    }
    commands.retain(|command| !command.is_empty());
    Some((commands, is_chain))
}

const JOINTS: [&str; 4] = ["&&", "||", ";", "\n"];

/// The first word without its quotes, and what follows it.
fn word(line: &str) -> Option<(String, &str)> {
    let (mut word, mut rest) = (String::new(), line);
    while let Some(letter) = rest.chars().next() {
        let behind = &rest[letter.len_utf8()..];
        match letter {
            '\'' | '"' => {
                let (inside, behind) = behind.split_once(letter)?;
                if letter == '"' && inside.contains(['$', '`', '\\', '!']) {
                    return None;
                }
                word.push_str(inside);
                rest = behind;
            }
            letter if is_plain(letter) => {
                word.push(letter);
                rest = behind;
            }
            ' ' | '\t' => break,
            // A lone `&` or `|` joins nothing of ours.
            _ if JOINTS.iter().any(|joint| rest.starts_with(joint)) => break,
            _ => return None,
        }
    }
    Some((word, rest))
}

/// Means itself in every shell, wherever it stands in a word. `=` is left to arguments: `X=1 req` is refused as a program.
fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || "_-./:,@%+=".contains(letter)
}

/// So many are remembered. Once there are as many, no prompt counts as typed any more: a forgotten one could come.
const MAX_SCHEDULED: usize = 1000;

/// The words of a line that is a command of ours, at most.
const MAX_COMMAND_WORDS: usize = 8;

/// The prompts, by hash.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Scheduled(BTreeSet<u64>);

impl Remembered for Scheduled {
    const FILE: &'static str = "scheduled-prompts.json";
}

/// Caller of a prompt that is one of our commands. `source` is Claude Code's word for its origin; older versions have none.
pub fn caller(host: &Host, store: Option<&Store>, prompt: &str, source: Option<&str>) -> Caller {
    let is_scheduled = || store.is_some_and(|store| is_scheduled(store, prompt));
    if comes_from_a_person(host, source) && !is_scheduled() { Caller::Typed } else { Caller::Untyped }
}

/// The prompt comes from where a person sits: no script (`claude -p`, an SDK), and nothing the client sent by itself.
pub fn comes_from_a_person(host: &Host, source: Option<&str>) -> bool {
    !host.environment.is_headless() && source.is_none_or(|source| source == "user")
}

/// The hash of a scheduled prompt, or of what a slash command schedules, if it begins like a command of ours.
pub fn ours(prompt: &str) -> Option<u64> {
    let prompt = within_slash_command(prompt.trim());
    let first = prompt.split_whitespace().next()?;
    own_commands().any(|own| own.eq_ignore_ascii_case(first)).then(|| hash(prompt))
}

/// A prompt for a hook, not the model: `tempo-stop off`. A longer line that begins like a command is a sentence.
pub fn is_command_line(prompt: &str) -> bool {
    let line = prompt.trim();
    !line.contains(['\n', '\r'])
        && line.split_whitespace().nth(MAX_COMMAND_WORDS).is_none()
        && ours(line).is_some()
}

/// The prompt in a slash command, without the interval: `5m` before it or `every 5m` after it.
fn within_slash_command(prompt: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_interval = |word: &str| word.strip_suffix(['s', 'm', 'h', 'd']).is_some_and(is_number);
    let Some((_, words)) = prompt.split_once(char::is_whitespace).filter(|_| prompt.starts_with('/')) else {
        return prompt;
    };
    let words = words.trim();
    match (words.split_once(char::is_whitespace), words.rsplit_once(" every ")) {
        (Some((first, rest)), _) if is_interval(first) => rest.trim(),
        (_, Some((words, often))) if often.starts_with(|sign: char| sign.is_ascii_digit()) => words.trim(),
        _ => words,
    }
}

pub fn is_scheduled(store: &Store, prompt: &str) -> bool {
    let Some(file) = store.session_file::<Scheduled>(MACHINE) else { return false };
    match store.peek::<Scheduled>(&file) {
        Some(known) => known.0.len() >= MAX_SCHEDULED || known.0.contains(&hash(prompt)),
        // A file that cannot be read may name it.
        None => file.exists(),
    }
}

/// Remembers a scheduled prompt by its hash, if it begins like a command of ours.
pub fn remember_scheduled(store: &Store, prompt: &str) -> Result<(), StateError> {
    let Some(prompt) = ours(prompt) else { return Ok(()) };
    store.change::<Scheduled>(MACHINE, |known| known.0.len() < MAX_SCHEDULED && known.0.insert(prompt))
}

/// The beginning of a hash of the prompt's words: prompts that differ in blanks or case are the same command.
fn hash(prompt: &str) -> u64 {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    digest::number(words.join(" ").to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
