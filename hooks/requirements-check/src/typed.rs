//! `req ...` as a typed prompt. The command line beside this hook answers it, as in a shell: a file for one use says who
//! asks, so that the hook itself carries no command line.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rand::RngExt as _;
use serde::{Deserialize, Serialize};
use shared::child::{self, ChildError, Limits};
use shared::host::Places;
use shared::state::{ensure_private, read_regular, write_private};

use crate::command_line;

/// The verbs of `req`, by what they are for, in the order of its help; a test of its definition compares them.
pub const GROUPS: [(&str, &[&str]); 6] = [
    ("What is required", &["status", "satisfy", "approve", "waive", "clear", "check"]),
    ("What happened", &["why", "log"]),
    ("What is set", &["init", "enable", "disable", "config"]),
    ("What is kept", &["list", "prune", "sessions"]),
    ("The hooks themselves", &["pause", "resume", "hooks", "doctor", "ci"]),
    ("This program", &["docs", "schema", "completions", "man"]),
];

/// The variable that names the file.
const VARIABLE: &str = "BARBLESS_ASKED";
/// Claude Code waits for a prompt's hooks.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read.
const MAX_ANSWER: u64 = 1024 * 1024;
/// Exit status of wrong usage.
const USAGE: i32 = 64;

/// A prompt that is a line of `req`.
pub(crate) struct Line {
    words: Vec<String>,
    /// It is meant as a command whatever is wrong with it: a verb, alone or with an option.
    is_meant: bool,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asking {
    pub session: String,
    /// A person typed the prompt.
    pub is_typed: bool,
    pub project: Option<PathBuf>,
}

/// The line of a prompt that may be a command: one plain command whose program is `req`.
pub(crate) fn line(prompt: &str) -> Option<Line> {
    let line = prompt.trim();
    if line.contains(['\n', '\r']) || line.split_whitespace().next() != Some("req") {
        return None;
    }
    let commands = command_line::parse(line).commands?;
    let [command] = commands.as_slice() else { return None };
    let is_plain = command.prefix.is_empty()
        && command.writes.is_empty()
        && command.reads.is_empty()
        && command.hidden.is_none();
    let words = command.words.get(1..).filter(|_| is_plain)?.to_vec();
    let is_named =
        |word: &String| word == "help" || GROUPS.iter().any(|(_, verbs)| verbs.contains(&word.as_str()));
    let is_verb = words.first().is_some_and(is_named);
    let is_meant = is_verb && (words.len() == 1 || words.iter().any(|word| word.starts_with("--")));
    let may_be = is_verb || words.first().is_none_or(|word| word.starts_with('-'));
    may_be.then_some(Line { words, is_meant })
}

impl Line {
    /// What `req` answers; `None` where the words are no command, and the prompt is for Claude.
    pub(crate) fn answer(self, asking: &Asking, places: &Places, cwd: &Path) -> Option<String> {
        let is_meant = self.is_meant;
        let answered = asking.leave(places).and_then(|file| {
            let answered = self.run(&file, cwd);
            // Help and wrong usage never read it, and whoever finds it could ask as the user.
            let _ = std::fs::remove_file(&file);
            answered
        });
        match answered {
            Ok((Some(USAGE), _)) if !is_meant => None,
            Ok((_, text)) => Some(text.trim_end().to_owned()),
            Err(why) => Some(format!("requirements-check: {why}; in a terminal, req answers all the same")),
        }
    }

    /// Runs it; its exit status and what it says.
    fn run(self, file: &Path, cwd: &Path) -> Result<(Option<i32>, String), String> {
        let program = program().ok_or("the command req is not beside this hook; install it again")?;
        let mut command = Command::new(&program);
        command.args(self.words).env(VARIABLE, file).current_dir(cwd).stderr(Stdio::piped());
        let deadline = Instant::now() + PATIENCE;
        let limits = Limits { deadline, grace: Duration::ZERO, max_bytes: MAX_ANSWER };
        let output = child::run(&mut command, &[], limits).map_err(|error| match error {
            ChildError::Late => format!("req did not answer within {} s", PATIENCE.as_secs()),
            ChildError::NotStarted(why) => format!("{}: {why}", program.display()),
        })?;
        let text = [output.stdout, output.stderr].concat();
        Ok((output.status.code(), String::from_utf8_lossy(&text).into_owned()))
    }
}

/// `req` beside this program.
fn program() -> Option<PathBuf> {
    let file = std::env::current_exe().ok()?.with_file_name(format!("req{}", std::env::consts::EXE_SUFFIX));
    file.is_file().then_some(file)
}

impl Asking {
    /// Leaves word of it in a file of a name that nobody guesses.
    fn leave(&self, places: &Places) -> Result<PathBuf, String> {
        let dir = folder(places).ok_or("there is no state folder; set HOME")?;
        let file = dir.join(format!("{:032x}.json", rand::rng().random::<u128>()));
        let text = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        let left = ensure_private(&dir).and_then(|()| write_private(&file, &text));
        left.map(|()| file.clone()).map_err(|error| format!("{}: {error}", file.display()))
    }

    /// What the hook that started this process left; it is there once.
    pub fn take(places: &Places) -> Option<Self> {
        let file = PathBuf::from(std::env::var_os(VARIABLE)?);
        if file.parent() != folder(places).as_deref() {
            return None;
        }
        let text = read_regular(&file, 64 * 1024).ok()?;
        std::fs::remove_file(&file).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

fn folder(places: &Places) -> Option<PathBuf> {
    places.state_dir.as_ref().map(|dir| dir.join("asked"))
}

/// The names that a `req satisfy` among a line's words satisfies for the session and branch at hand.
pub(crate) fn satisfied(words: &[String]) -> Vec<String> {
    let Some(("satisfy", rest)) = words.split_first().map(|(verb, rest)| (verb.as_str(), rest)) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    let mut rest = rest.iter().map(String::as_str).peekable();
    while let Some(word) = rest.next() {
        match word {
            "--note" => drop(rest.next()),
            "--branch" if rest.peek().is_none_or(|next| next.starts_with("--")) => {}
            "--branch" => return Vec::new(),
            _ if word.starts_with("--note=") => {}
            // Another session or branch is for the command itself to carry out.
            _ if word.starts_with('-') => return Vec::new(),
            name => names.push(name.to_owned()),
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use shared::host::Places;

    use super::{Asking, folder, line, satisfied};

    #[test]
    fn no_file_that_says_who_asks_outlives_its_answer() {
        let scratch = tempfile::tempdir().unwrap();
        let places = Places { state_dir: Some(scratch.path().join("state")), ..Places::default() };
        let asking = Asking { session: "s".to_owned(), is_typed: true, project: None };
        let asked = line("req status").unwrap();
        assert!(asked.answer(&asking, &places, scratch.path()).is_some());
        let left = std::fs::read_dir(folder(&places).unwrap()).unwrap();
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn a_prompt_is_a_command_or_for_claude() {
        // None: the prompt is for Claude. True: a mistake in it is answered with the usage.
        for (prompt, is_meant) in [
            ("req", Some(false)),
            (" req status --summary ", Some(true)),
            ("req --help", Some(false)),
            ("req status", Some(true)),
            ("req status of the branch is unclear to me", Some(false)),
            ("fix the bug", None),
            ("req please help me", None),
            ("req satisfy plan\nand go on", None),
            ("", None),
            ("request: req status", None),
            ("req satisfy plan; rm -rf x", None),
            ("req satisfy plan > out", None),
            ("X=1 req satisfy plan", None),
            ("req satisfy --note \"open", None),
        ] {
            assert_eq!(line(prompt).map(|line| line.is_meant), is_meant, "{prompt}");
        }
    }

    #[test]
    fn the_names_of_a_satisfaction_are_those_of_this_session_and_branch() {
        let of = |line: &str| satisfied(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for (line, names) in [
            ("satisfy plan adr", &["plan", "adr"][..]),
            ("satisfy plan --note why", &["plan"]),
            ("satisfy plan --note=why --branch", &["plan"]),
            ("satisfy plan --branch other", &[]),
            ("satisfy --branch --note x plan", &["plan"]),
            ("satisfy plan --session 0c4e7a11", &[]),
            ("satisfy", &[]),
            ("clear plan", &[]),
        ] {
            assert_eq!(of(line), names, "{line}");
        }
    }
}
