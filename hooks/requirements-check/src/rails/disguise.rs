//! Commands that are not what they say: ours, made to believe that the user runs them, or run where nobody sees who does.

use crate::command_line::{Hidden, Line, Simple};

use super::What;
use super::command::{is_own, reads};

/// Variables by which our commands know where they run. `HOME` is one as well, but others have their reasons to set it.
const VARIABLES: [&str; 6] = [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_HOOK_STATE_DIR",
    "CLAUDE_PROJECT_DIR",
];

/// And all that begin with this.
const OWN_PREFIX: &str = "BARBLESS_";

/// Programs that set and unset variables of the shell.
const DECLARERS: [&str; 6] = ["declare", "export", "local", "readonly", "typeset", "unset"];

/// Programs that give others a terminal, or run them later and elsewhere.
const DETACHERS: [&str; 12] = [
    "at",
    "batch",
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

/// What only the user may do, as second or later word of our commands; where the rails are up, to satisfy may be, too.
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

/// A verb stands at most so many words after our command's name: `pace-maker tempo off`.
const WORDS_TO_VERB: usize = 3;

/// What the commands would do in disguise.
pub(super) fn disguise(line: &Line, commands: &[Simple], is_powershell: bool) -> Option<What> {
    let declared = |simple| declared(simple).or_else(|| in_powershell(simple).filter(|_| is_powershell));
    let variable = commands.iter().find_map(declared).or_else(|| around_ours(commands));
    let variable = variable.map(|name| What::Variable(name.to_owned()));
    variable
        .or_else(|| detached(&line.text, commands))
        .or_else(|| prompted(commands))
        .or_else(|| pretended(commands))
}

/// A variable that is changed for the rest of the line.
fn declared(simple: &Simple) -> Option<&str> {
    let declares = DECLARERS.contains(&simple.program());
    let assigned = simple.prefix.iter().filter(|_| simple.words.is_empty());
    let mut words = simple.words.iter().skip(1).filter(|_| declares).chain(assigned);
    words.find_map(|word| variable(word))
}

/// `$env:NAME = ''`, `Remove-Item Env:NAME`; not `$env:NAME` where it is only read.
fn in_powershell(simple: &Simple) -> Option<&'static str> {
    let text = simple.text.to_ascii_uppercase();
    VARIABLES.into_iter().find(|name| {
        text.match_indices(name).any(|(at, _)| {
            let Some(before) = text[..at].strip_suffix("ENV:") else { return false };
            let after = text[at + name.len()..].trim_start_matches('}').trim_start();
            !before.ends_with(['$', '{']) || after.starts_with(['=', '+'])
        })
    })
}

/// The variable that `NAME`, `NAME=value` or the option of `env` changes, if it is one of ours.
fn variable(word: &str) -> Option<&str> {
    let word = word.strip_prefix("--unset=").or_else(|| word.strip_prefix("-u")).unwrap_or(word);
    let name = word.split(['=', '+']).next().unwrap_or_default();
    (VARIABLES.contains(&name) || name.starts_with(OWN_PREFIX)).then_some(name)
}

/// A variable that is changed for one command, in a line that runs ours.
fn around_ours(commands: &[Simple]) -> Option<&str> {
    let name =
        commands.iter().find_map(|simple| simple.prefix.iter().find_map(|word| changed(simple, word)))?;
    commands.iter().any(|simple| is_own(simple.program())).then_some(name)
}

/// The variable that a word before the program changes, if not all of them.
fn changed<'a>(simple: &Simple, word: &'a str) -> Option<&'a str> {
    let runs = |name: &str| simple.prefix.iter().any(|word| word.rsplit('/').next() == Some(name));
    match word {
        "-i" | "-" | "--ignore-environment" if runs("env") => Some("the environment"),
        "-c" if runs("exec") => Some("the environment"),
        _ if word.starts_with("HOME=") => Some("HOME"),
        _ => variable(word),
    }
}

/// One of the user's commands, out of sight: behind such a program, or in a text that may be handed to it.
fn detached(text: &str, commands: &[Simple]) -> Option<What> {
    let program = commands.iter().find_map(detacher)?;
    let runs_ours = commands.iter().any(|simple| {
        (!is_own(simple.program()) || detacher(simple).is_some()) && runs_a_verb_of_ours(simple)
    });
    // What is handed over as a here-document or a here-string is in no command.
    let is_handed_over = || text.contains("<<") && has_a_verb_of_ours([text]);
    (runs_ours || is_handed_over()).then(|| What::Detach(program.to_owned()))
}

fn detacher(simple: &Simple) -> Option<&str> {
    let before = simple.prefix.iter().map(|word| word.rsplit('/').next().unwrap_or(word));
    before.chain([simple.program()]).find(|program| DETACHERS.contains(program))
}

fn runs_a_verb_of_ours(simple: &Simple) -> bool {
    has_a_verb_of_ours(simple.words.iter().map(String::as_str))
}

fn has_a_verb_of_ours<'a>(words: impl IntoIterator<Item = &'a str>) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let words: Vec<&str> = words.into_iter().flat_map(|word| word.split(|c| !is_part(c))).collect();
    let words: Vec<&str> =
        words.into_iter().filter(|word| !word.is_empty() && !word.starts_with('-')).collect();
    (0..words.len()).any(|at| {
        let after = words.iter().skip(at + 1).take(WORDS_TO_VERB);
        after.clone().any(|word| VERBS.contains(word)) && is_own(words[at])
    })
}

/// A prompt for another session that is one of our commands.
fn prompted(commands: &[Simple]) -> Option<What> {
    let is_client = |simple: &Simple| {
        let program = simple.program();
        program == "claude" || simple.words.iter().any(|word| word.contains("@anthropic-ai/claude-code"))
    };
    let client = commands.iter().find(|simple| is_client(simple))?;
    let begins_with_ours = |word: &String| {
        let (first, rest) = word.trim().split_once(' ').unwrap_or((word.trim(), ""));
        !rest.is_empty() && is_own(first)
    };
    let fed = || commands.iter().any(|simple| !is_own(simple.program()) && runs_a_verb_of_ours(simple));
    (client.words.iter().any(begins_with_ours) || fed()).then_some(What::Prompt)
}

/// A hook of ours without a command of its own: it takes what it reads for an event of the client's, and the user's words
/// may stand in one.
fn pretended(commands: &[Simple]) -> Option<What> {
    let before = [None].into_iter().chain(commands.iter().map(Some));
    let hook = before.zip(commands).find_map(|(before, simple)| {
        // With `pipefail` a pipe cannot be told from here; a hook without a command is refused all the same.
        let is_piped = before.is_some_and(|before| before.decides == Err(Hidden::Pipe));
        hook_run(simple, is_piped || !simple.reads.is_empty())
    });
    hook.map(|hook| What::Pretend(hook.to_owned()))
}

/// The hook that the command runs, itself or through a program that we do not know, and gives something to read.
fn hook_run(simple: &Simple, is_fed: bool) -> Option<&str> {
    let arguments = || simple.words.iter().skip(1);
    // What the shell fills in may come to nothing.
    let has_command = || arguments().any(|word| !word.contains(['$', '`', '*', '?', '[', '{']));
    let itself = Some(simple.program()).filter(|program| is_hook(program) && (is_fed || !has_command()));
    let handed_on = || arguments().find_map(|word| installed_hook(word));
    itself.or_else(|| handed_on().filter(|_| is_fed && !reads(&simple.words)))
}

/// The name of one of our hooks' binaries.
fn is_hook(program: &str) -> bool {
    is_own(program) && !matches!(program, "req" | "pace-maker")
}

/// The hook that a word names by where hooks lie.
fn installed_hook(word: &str) -> Option<&str> {
    let (_, name) = word.split_once(".claude/hooks/")?;
    is_hook(name).then_some(name)
}
