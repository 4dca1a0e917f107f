//! Commands that are not what they say: ours, made to believe that the user runs them, or run where nobody sees who does.

use crate::command_line::Simple;

use super::What;
use super::command::is_own;

/// Variables by which our commands know where they run. `HOME` is one as well, but others have their reasons to set it.
const VARIABLES: [&str; 4] =
    ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CONFIG_DIR", "CLAUDE_HOOK_STATE_DIR"];

/// And all that begin with this.
const OWN_PREFIX: &str = "BARBLESS_";

/// Programs that set and unset variables of the shell.
const DECLARERS: [&str; 6] = ["declare", "export", "local", "readonly", "typeset", "unset"];

/// Programs that give others a terminal, or run them later and elsewhere.
const DETACHERS: [&str; 13] = [
    "at",
    "batch",
    "crontab",
    "expect",
    "nohup",
    "pwsh",
    "screen",
    "script",
    "setsid",
    "systemd-run",
    "tmux",
    "unbuffer",
    "unshare",
];

/// What only the user may do, as second or later word of our commands.
const VERBS: [&str; 11] =
    ["approve", "clear", "disable", "discard", "off", "pause", "remove", "set", "uninstall", "undo", "waive"];

/// A verb stands at most so many words after our command's name: `pace-maker tempo off`.
const WORDS_TO_VERB: usize = 3;

/// What the commands would do in disguise.
pub(super) fn disguise(commands: &[Simple]) -> Option<What> {
    commands
        .iter()
        .find_map(declared)
        .or_else(|| around_ours(commands))
        .or_else(|| detached(commands))
        .or_else(|| prompted(commands))
}

/// A variable that is changed for the rest of the line.
fn declared(simple: &Simple) -> Option<What> {
    let declares = DECLARERS.contains(&simple.program());
    let assigned = simple.prefix.iter().filter(|_| simple.words.is_empty());
    let words = simple.words.iter().skip(1).filter(|_| declares).chain(assigned);
    let in_powershell = simple.words.iter().find_map(|word| {
        let word = word.to_ascii_lowercase();
        VARIABLES.into_iter().find(|name| word.contains(&format!("env:{}", name.to_ascii_lowercase())))
    });
    words
        .filter_map(|word| variable(word))
        .chain(in_powershell)
        .next()
        .map(|name| What::Variable(name.to_owned()))
}

/// The variable that `NAME`, `NAME=value` or the option of `env` changes, if it is one of ours.
fn variable(word: &str) -> Option<&str> {
    let word = word.strip_prefix("--unset=").or_else(|| word.strip_prefix("-u")).unwrap_or(word);
    let name = word.split(['=', '+']).next().unwrap_or_default();
    (VARIABLES.contains(&name) || name.starts_with(OWN_PREFIX)).then_some(name)
}

/// A variable that is changed for one command, in a line that runs ours.
fn around_ours(commands: &[Simple]) -> Option<What> {
    let name = commands.iter().flat_map(|simple| &simple.prefix).find_map(|word| {
        let clears =
            matches!(word.as_str(), "-i" | "-" | "--ignore-environment").then_some("the environment");
        let home = word.split('=').next().filter(|name| *name == "HOME" && word.contains('='));
        variable(word).or(clears).or(home)
    })?;
    commands.iter().any(|simple| is_own(simple.program())).then(|| What::Variable(name.to_owned()))
}

/// One of the user's commands, out of sight.
fn detached(commands: &[Simple]) -> Option<What> {
    let program = commands.iter().find_map(|simple| {
        let before = simple.prefix.iter().map(|word| word.rsplit('/').next().unwrap_or(word));
        before.chain([simple.program()]).find(|program| DETACHERS.contains(program))
    })?;
    commands.iter().any(runs_a_verb_of_ours).then(|| What::Detach(program.to_owned()))
}

fn runs_a_verb_of_ours(simple: &Simple) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let words: Vec<&str> = simple.words.iter().flat_map(|word| word.split(|c| !is_part(c))).collect();
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
