//! The commands the manual shows, run page by page, line by line, with the files the page has shown before.
//!
//! A line of a `console` block, or of an indented one, is typed by a person at a terminal; the lines below it are what it
//! prints, in this order, though not all of it. A line of a `sh` block may be Claude's as well: it is run in Claude's shell, and
//! where it is refused there as the user's, it is then typed at a terminal.
//!
//! Each line ends with 0, but for one below which the page shows a refusal; the answer of a `req check` in a `sh` block may be no.
//! Events that have to have happened before a line stand in `SCENES`, lines that are not run in `ELSEWHERE`. Only on Linux: a
//! person's terminal has no Claude above it, which the tests can arrange there.

use super::person::Person;
use super::{Block, Page, pages};
use tests::sandbox::Level;

/// Beginnings of lines that are not run here; of ours the help is asked for.
const ELSEWHERE: [&str; 5] = [
    // It runs this.
    "cargo xtask test",
    // It builds for release: process::plugin packs what is built.
    "cargo xtask package",
    // Claude Code does it: e2e::plugin.
    "claude plugin",
    // It asks on a terminal: process::req::init answers.
    "req init  ",
    "req init\n",
];

/// A page shows this below a line whose answer is no.
const NO: &str = "this call would be denied:";

/// The page, the line, and the events before it that the page takes for granted beside what it has shown.
type Scene = (&'static str, &'static str, fn(&Person));

/// A project with one requirement of each type that the pages speak of.
const TEAM: &str = "\
requirements:
  commit_plan: { enabled: true }
  branch_size: { enabled: true, type: dynamic, calculator: branch_size, thresholds: { warn: 250, block: 400 } }
  protected_branch: { enabled: true, type: guard, guard_type: protected_branch, protected_branches: [main] }
";

const SCENES: [Scene; 8] = [
    ("hooks/credit-pacer/README.md", "req hooks statusline", installed),
    ("hooks/pause-recorder/README.md", "pause-recorder status", Person::a_session_was_recorded),
    ("config/manual/configuration.md", "req config\n", team),
    ("config/manual/doctor.md", "req doctor\n", installed),
    ("config/manual/journal.md", "req why", |person| {
        team(person);
        person.a_session_begins();
        person.edit_is_denied();
    }),
    ("config/manual/satisfactions.md", "req satisfy", |person| {
        team(person);
        person.a_session_begins();
        // Another session has satisfied it, too.
        let id = "0c4e7a11-0000-4000-8000-000000000002";
        let satisfied = person.claude_runs(&format!("CLAUDE_CODE_SESSION_ID={id} req satisfy commit_plan"));
        satisfied.assert_exit(0);
    }),
    ("config/manual/pause.md", "req disable commit_plan", team),
    ("config/manual/start.md", "req why", |person| {
        person.a_session_begins();
        person.edit_is_denied();
    }),
];

fn team(person: &Person) {
    person.sandbox.requirements(Level::Project, TEAM);
}

fn installed(person: &Person) {
    let typed = person.types("req hooks install --all --yes");
    assert_eq!(typed.status, 0, "{}", typed.screen);
}

/// The lines that are typed in a block, each with what it prints: of `console` those behind a `$`, of the others all.
fn typed_lines(block: &Block) -> Vec<(&str, Vec<&str>)> {
    let is_console = match block.language.as_str() {
        "console" => true,
        "sh" => false,
        "indented" if block.is_commands() => false,
        _ => return Vec::new(),
    };
    let mut typed: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in block.text.lines() {
        match (is_console, line.strip_prefix("$ ")) {
            (true, Some(line)) => typed.push((line, Vec::new())),
            (true, None) => typed.last_mut().expect("a `console` begins with `$ `").1.push(line.trim()),
            (false, _) => typed.push((line, Vec::new())),
        }
    }
    typed
}

/// Types a line, at a terminal or first in Claude's shell: where it is refused there, the refusal says what the user types.
#[track_caller]
fn answer(person: &Person, block: &Block, line: &str) -> (i32, String) {
    if block.language == "sh" {
        let outcome = person.claude_runs(line);
        let said = outcome.stdout_text() + &outcome.stderr_text();
        if outcome.status.code() != Some(1) || !said.contains("in a terminal of your own") {
            return (outcome.status.code().unwrap_or(-1), said);
        }
        let verb = line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        assert!(said.contains(&verb), "{}: {line}: the refusal says what to type\n{said}", block.place);
    }
    let typed = person.types(line);
    (typed.status, typed.screen)
}

#[track_caller]
fn follow_line(person: &Person, page: &Page, block: &Block, line: &str, prints: &[&str]) {
    let place = &block.place;
    let starts_with = |start: &str| format!("{line}\n").starts_with(start);
    if ELSEWHERE.iter().any(|start| starts_with(start)) {
        if !line.starts_with("claude ") {
            let line = line.split(" #").next().unwrap();
            let help = person.types(&format!("{line} --help"));
            assert_eq!(help.status, 0, "{place}: {line} --help:\n{}", help.screen);
        }
        return;
    }
    for (_, _, happens) in SCENES.iter().filter(|(path, start, _)| *path == page.path && starts_with(start)) {
        happens(person);
    }
    let (status, said) = answer(person, block, line);
    let may_be_no = block.language == "sh" && line.starts_with("req check ") && said.contains(NO);
    assert!(status == i32::from(prints.contains(&NO)) || may_be_no, "{place}: {line}:\n{said}");
    let mut lines = said.lines();
    for expected in prints {
        let is_said = lines.any(|line| expected.split(" ...").all(|part| line.contains(part.trim())));
        assert!(is_said, "{place}: {line} does not print, or not there: {expected}\n{said}");
    }
}

/// Types what a page shows, in its order; how many lines.
fn follow(page: &Page) -> usize {
    let person = Person::new();
    let mut count = 0;
    for block in page.blocks() {
        if block.language == "yaml" {
            person.writes(&block.text);
        }
        for (line, prints) in typed_lines(&block) {
            follow_line(&person, page, &block, line, &prints);
            count += 1;
        }
    }
    count
}

#[test]
fn each_line_of_the_manual_can_be_typed_and_does_what_the_page_says() {
    let pages = pages();
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let (front, back) = pages.split_at(pages.len() / 2);
        let follow_all = |pages: &[Page]| pages.iter().map(follow).sum::<usize>();
        let halves = [front, back].map(|pages| scope.spawn(move || follow_all(pages)));
        halves.map(|half| half.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).into()
    });
    let count: usize = counts.into_iter().sum();
    assert!(count >= 80, "only {count} lines were found");
}
