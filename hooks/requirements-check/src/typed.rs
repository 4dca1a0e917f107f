//! `req ...` as a typed prompt. The command line beside this hook answers it, as in a shell: a nonce proves that the hook
//! asks, so that the hook itself carries no command line.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use shared::child::{self, Limits, Output};
use shared::host::{Places, Timestamp};

/// The variable with the nonce and the caller.
const VARIABLE: &str = "BARBLESS_ASKED";
const PURPOSE: &str = "asked";
/// Claude Code waits for a prompt's hooks.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of an answer that are read.
const MAX_ANSWER: u64 = 1024 * 1024;
/// Exit status of wrong usage.
const USAGE: i32 = 64;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asking {
    pub session: String,
    /// A person typed the prompt.
    pub is_typed: bool,
    pub project: Option<PathBuf>,
}

/// The words behind `req` of a prompt that is one plain command.
pub(crate) fn words(prompt: &str) -> Option<Vec<String>> {
    let line = prompt.trim();
    if line.contains(['\n', '\r']) || line.split_whitespace().next() != Some("req") {
        return None;
    }
    let commands = command_line::parse(line).commands?;
    let [command] = commands.as_slice() else { return None };
    let is_plain = command.writes.is_empty() && command.reads.is_empty() && command.hidden.is_none();
    command.words.get(1..).filter(|_| is_plain).map(<[String]>::to_vec)
}

/// The answer of `req`. A sentence that begins with `req` is no command of it, so that prompt is for Claude.
pub(crate) fn answer(words: &[String], asking: &Asking, places: &Places, cwd: &Path) -> Option<String> {
    // A mistyped line has few words, and options.
    let is_sentence = |stderr: &[u8]| {
        let is_no_verb = String::from_utf8_lossy(stderr).contains("unrecognized subcommand");
        words.len() > if is_no_verb { 1 } else { 3 } && !words.iter().any(|word| word.starts_with('-'))
    };
    match run(words, asking, places, cwd) {
        Ok(output) if output.status.code() == Some(USAGE) && is_sentence(&output.stderr) => None,
        Ok(Output { stdout, stderr, .. }) => {
            Some(String::from_utf8_lossy(&[stdout, stderr].concat()).trim_end().to_owned())
        }
        Err(why) => Some(format!("requirements-check: {why}; type it in a terminal")),
    }
}

/// Runs the `req` beside this program.
fn run(words: &[String], asking: &Asking, places: &Places, cwd: &Path) -> Result<Output, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = own.with_file_name(format!("req{}", std::env::consts::EXE_SUFFIX));
    let store = places.open_store().ok_or("there is no state folder; set HOME")?;
    // The file of the nonce is gone with the answer, so nobody can ask as the user afterwards.
    let nonce = store.nonce(PURPOSE).map_err(|error| format!("{}: {error}", store.dir().display()))?;
    let asked = serde_json::to_string(&(nonce.text(), asking)).map_err(|error| error.to_string())?;
    let mut command = Command::new(&program);
    command.args(words).env(VARIABLE, asked).current_dir(cwd).stderr(Stdio::piped());
    let limits = Limits { deadline: Instant::now() + PATIENCE, grace: Duration::ZERO, max_bytes: MAX_ANSWER };
    let output = child::run(&mut command, &[], limits);
    output.map_err(|error| format!("{}: {error} (if it is missing, install it again)", program.display()))
}

impl Asking {
    /// The caller of this process, if the hook started it: its nonce proves that.
    pub fn of_hook(places: &Places, now: Timestamp) -> Option<Self> {
        let asked = std::env::var(VARIABLE).ok()?;
        let (nonce, asking): (String, Self) = serde_json::from_str(&asked).ok()?;
        let is_for_this = nonce.starts_with(PURPOSE) && places.open_store()?.take_nonce(&nonce, now);
        is_for_this.then_some(asking)
    }
}

/// The names that a `req satisfy` among a line's words satisfies for the session and branch at hand.
pub(crate) fn satisfied(words: &[String]) -> Vec<String> {
    let (mut words, mut names) = (words.iter().map(String::as_str).peekable(), Vec::new());
    if words.next() != Some("satisfy") {
        return names;
    }
    while let Some(word) = words.next() {
        match word {
            "--note" => drop(words.next()),
            "--branch" if words.peek().is_none_or(|next| next.starts_with("--")) => {}
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

    use super::{Asking, answer, satisfied, words};

    #[test]
    fn no_nonce_outlives_its_answer() {
        let scratch = tempfile::tempdir().unwrap();
        let state = Some(scratch.path().join("state"));
        let places = Places { state_dir: state.clone(), default_state_dir: state, ..Places::default() };
        let asking = Asking { session: "s".to_owned(), is_typed: true, project: None };
        let asked = words("req status").unwrap();
        assert!(answer(&asked, &asking, &places, scratch.path()).is_some());
        let left = std::fs::read_dir(scratch.path().join("state/nonce")).unwrap();
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn a_prompt_is_a_plain_line_of_req_or_for_claude() {
        for (prompt, expected) in [
            ("req", Some("")),
            (" req status --summary ", Some("status --summary")),
            ("req satisfy plan --note 'it is done'", Some("satisfy plan --note it is done")),
            ("req status of the branch is unclear to me", Some("status of the branch is unclear to me")),
            ("fix the bug", None),
            ("req satisfy plan\nand go on", None),
            ("", None),
            ("request: req status", None),
            ("req satisfy plan; rm -rf x", None),
            ("req satisfy plan > out", None),
            ("X=1 req satisfy plan", None),
            ("req satisfy --note \"open", None),
        ] {
            assert_eq!(words(prompt).map(|words| words.join(" ")).as_deref(), expected, "{prompt}");
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
