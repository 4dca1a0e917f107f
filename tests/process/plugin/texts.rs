//! Skills, commands and agents tell somebody to type something: each such line is typed here, in a project of its own, and is no
//! wrong usage.

use installer::catalog::Catalog;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

fn plugin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("plugin")
}

/// The texts below a folder, with their paths.
fn texts(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let texts = files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let texts = texts.map(|path| (path.clone(), fs::read_to_string(path).unwrap()));
    texts.chain(folders.iter().flat_map(|folder| self::texts(folder))).collect()
}

/// What is set as code: in the line, and on lines of their own.
fn code(text: &str) -> Vec<String> {
    let joined = text.replace("\n\n", "\u{0}").replace('\n', " ").replace('\u{0}', "\n\n");
    let mut found: Vec<String> = Vec::new();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("```"));
    found.extend(lines.map(str::to_owned));
    for paragraph in joined.split("\n\n") {
        found.extend(paragraph.split('`').skip(1).step_by(2).map(|code| words_of(code).join(" ")));
    }
    found
}

fn words_of(code: &str) -> Vec<&str> {
    code.split_whitespace().collect()
}

/// The programs somebody may type, with the binary of each.
fn programs() -> Vec<(String, String)> {
    let hooks = &Catalog::built_in().unwrap().hooks;
    let of_hook = |hook: &installer::catalog::HookEntry| {
        let second = |name: &String| if name == "req" { "req".to_owned() } else { hook.name.clone() };
        hook.commands.iter().map(|name| (name.clone(), second(name))).collect::<Vec<_>>()
    };
    hooks.iter().flat_map(of_hook).collect()
}

/// The words of a line as a shell has them, without those that a usage sets in brackets.
fn shell_words(line: &str) -> Vec<String> {
    let line = line.split(" [").next().unwrap_or_default();
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for char in line.chars() {
        match char {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            char => words.last_mut().unwrap().push(char),
        }
    }
    words
}

/// Every line of a program of ours, with the texts it stands in.
fn lines() -> BTreeSet<(String, String)> {
    let programs = programs();
    let is_ours = |line: &str| programs.iter().any(|(name, _)| line.starts_with(&format!("{name} ")));
    let found = texts(&plugin()).into_iter().flat_map(|(path, text)| {
        let path = path.strip_prefix(plugin()).unwrap().display().to_string();
        code(&text).into_iter().map(move |line| (line, path.clone()))
    });
    found.filter(|(line, _)| is_ours(line) && !line.ends_with("$ARGUMENTS")).collect()
}

#[test]
fn every_line_that_is_to_be_typed_is_one_that_the_program_knows() {
    let sandbox = Sandbox::new();
    sandbox.requirements(Level::Project, "requirements: {commit_plan: {enabled: true}}\n");
    let lines = lines();
    assert!(lines.len() > 20, "{lines:#?}");
    let mut wrong = Vec::new();
    for (line, path) in &lines {
        let words = shell_words(line);
        let programs = programs();
        let (name, binary) = programs.iter().find(|(name, _)| *name == words[0]).unwrap();
        let copy = sandbox.temporary_dir().join(name);
        if !copy.exists() {
            fs::copy(binaries::path(binary), &copy).unwrap();
        }
        let run = Invocation::new(&copy, &sandbox);
        let outcome = match &words[1..] {
            // A verb alone, as a sentence names it, may lack what it needs.
            [verb] if name == "req" && verb != "help" => run.args(["help", verb]),
            words => run.args(words),
        }
        .run();
        // A topic that the manual lacks ends with 1.
        let is_topic = line.starts_with("req docs ") && line != "req docs TOPIC";
        if outcome.status.code() == Some(64) || is_topic && outcome.status.code() != Some(0) {
            wrong.push(format!("{path}: {line}: {}", outcome.stderr_text()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
