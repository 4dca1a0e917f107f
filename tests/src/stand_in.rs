//! A stand-in for the user's `claude`, as a judge asks it with `claude -p`: a shell script that notes how it was called and
//! answers as it was told. It needs nothing of its environment, which a judge keeps small: what it is told and what it notes
//! lies in a folder beside it.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Notes everything before it answers; a note is whole as soon as `stdin` is there.
const SCRIPT: &str = r#"#!/bin/sh
notes="$(dirname "$0")/notes"
number=1
while ! mkdir "$notes/$number" 2> /dev/null; do number=$((number + 1)); done
printf '%s\0' "$@" > "$notes/$number/arguments"
env > "$notes/$number/variables"
pwd > "$notes/$number/folder"
cat > "$notes/$number/heard"
mv "$notes/$number/heard" "$notes/$number/stdin"
answer=$number
while [ ! -e "$notes/../answers/$answer" ]; do answer=$((answer - 1)); done
. "$notes/../answers/$answer"
"#;

/// A stand-in in a sandbox: [`Self::program`] is what `judge.claude_program` is to be.
#[derive(Debug)]
pub struct StandIn {
    folder: PathBuf,
}

#[derive(Debug, Clone)]
#[must_use]
pub struct Answer(String);

impl Answer {
    /// This verdict, at this price in US dollars.
    pub fn verdict(verdict: &Value, usd: f64) -> Self {
        let usage = json!({ "input_tokens": 100, "output_tokens": 10 });
        Self::result(&json!({
            "type": "result", "subtype": "success", "is_error": false, "structured_output": verdict,
            "total_cost_usd": usd, "usage": usage,
        }))
    }

    pub fn status(status: u16) -> Self {
        Self::result(&json!({
            "type": "result", "subtype": "success", "is_error": true, "api_error_status": status,
            "result": "API Error", "total_cost_usd": 0,
        }))
    }

    fn result(result: &Value) -> Self {
        Self::lines(&format!("cat <<'END'\n{result}\nEND"))
    }

    /// Goes on for an hour, and so does what it has started, which holds its stdout.
    pub fn hanging() -> Self {
        Self::lines("sleep 3600 & echo $! > \"$notes/$number/child\"; wait")
    }

    pub fn flooding() -> Self {
        Self::lines("exec yes")
    }

    pub fn lines(lines: &str) -> Self {
        Self(format!("{lines}\n"))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub arguments: Vec<String>,
    /// The names of its variables, in order; those that the shell adds are not among them.
    pub variables: Vec<String>,
    pub folder: PathBuf,
    pub stdin: String,
}

impl StandIn {
    /// One answer per call; the last one repeats.
    #[cfg(unix)]
    pub fn new(sandbox: &Sandbox, answers: &[Answer]) -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        assert!(!answers.is_empty(), "a stand-in needs an answer");
        let folder = sandbox.root().join("stand-in");
        for name in ["notes", "answers"] {
            fs::create_dir_all(folder.join(name)).expect("a folder of the stand-in");
        }
        for (index, answer) in answers.iter().enumerate() {
            fs::write(folder.join("answers").join((index + 1).to_string()), &answer.0).expect("an answer");
        }
        let program = folder.join("claude");
        fs::write(&program, SCRIPT).expect("the script");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("its mode");
        Self { folder }
    }

    pub fn program(&self) -> PathBuf {
        self.folder.join("claude")
    }

    /// Every time it was asked and had heard all, in order.
    pub fn asked(&self) -> Vec<Asked> {
        let note = |number: usize| self.folder.join("notes").join(number.to_string());
        let whole = (1..).map(note).take_while(|note| note.is_dir());
        whole.filter_map(|note| asked(&note)).collect()
    }

    /// The process that [`Answer::hanging`] has started in the last run, once it is known.
    pub fn child(&self) -> Option<i32> {
        let note = self.folder.join("notes").join(self.asked().len().to_string());
        fs::read_to_string(note.join("child")).ok()?.trim().parse().ok()
    }
}

fn asked(note: &Path) -> Option<Asked> {
    let read = |name: &str| fs::read_to_string(note.join(name)).ok();
    let stdin = read("stdin")?;
    let arguments = read("arguments")?.split_terminator('\0').map(str::to_owned).collect();
    let folder = PathBuf::from(read("folder")?.trim_end_matches('\n'));
    Some(Asked { arguments, variables: names(&read("variables")?), folder, stdin })
}

/// A value of several lines would add names; none that a test sets has them.
fn names(variables: &str) -> Vec<String> {
    let of_the_shell = ["PWD", "OLDPWD", "SHLVL", "_"];
    let names = variables.lines().filter_map(|line| Some(line.split_once('=')?.0));
    let mut names: Vec<_> = names.filter(|name| !of_the_shell.contains(name)).map(str::to_owned).collect();
    names.sort();
    names
}
