//! The commands the manual shows, run page by page, line by line, with the files the page has shown before.
//!
//! A line of a `console` block, or of an indented one, is typed by a person at a terminal; the lines below it are what it
//! prints, in this order, though not all of it. A line of a `sh` block may be Claude's as well: it is run in Claude's shell, and
//! where it is refused there as the user's, it is then typed at a terminal.
//!
//! Each line ends with 0, but for one below which the page shows a refusal; the answer of a `req check` in a `sh` block may be no.
//! Events that have to have happened before a line stand in `scenes`, lines that are not run in `ELSEWHERE`. Only on Linux: a
//! person's terminal has no Claude above it, which the tests can arrange there.

use super::person::Person;
use super::scenes::SCENES;
use super::{Block, Page, pages};

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
const NO: &str = "this call would be refused:";

/// Who types a line.
#[derive(Clone, Copy, PartialEq)]
enum Hand {
    Person,
    Anybody,
}

/// One line that is typed, and the lines it prints.
struct Step {
    place: String,
    hand: Hand,
    line: String,
    prints: Vec<String>,
}

impl Step {
    /// The line, and its end.
    fn starts_with(&self, start: &str) -> bool {
        format!("{}\n", self.line).starts_with(start)
    }

    fn is_elsewhere(&self) -> bool {
        ELSEWHERE.iter().any(|start| self.starts_with(start))
    }
}

/// The lines that are typed in a block: of `console` those behind a `$`, of the others all.
fn steps(block: &Block) -> Vec<Step> {
    let hand = match block.language.as_str() {
        "console" | "indented" => Hand::Person,
        "sh" => Hand::Anybody,
        _ => return Vec::new(),
    };
    if block.language == "indented" && !block.is_commands() {
        return Vec::new();
    }
    let place = &block.place;
    let step = |line: &str| Step { place: place.clone(), hand, line: line.to_owned(), prints: Vec::new() };
    let mut steps: Vec<Step> = Vec::new();
    for line in block.text.lines() {
        match (block.language.as_str(), line.strip_prefix("$ "), steps.last_mut()) {
            ("console", Some(line), _) => steps.push(step(line)),
            ("console", None, Some(step)) => step.prints.push(line.trim().to_owned()),
            ("console", None, None) => panic!("{place}: a block of `console` begins with `$ `"),
            _ => steps.push(step(line)),
        }
    }
    steps
}

/// What the answer to a line was.
struct Answer {
    status: i32,
    said: String,
}

/// Who follows which page.
struct Reader<'a> {
    person: Person,
    page: &'a Page,
}

impl Reader<'_> {
    fn types(&self, line: &str) -> Answer {
        let typed = self.person.types(line);
        Answer { status: typed.status, said: typed.screen }
    }

    /// In Claude's shell; where the line is refused there, the refusal says what the user types, and they type it.
    #[track_caller]
    fn runs(&self, step: &Step) -> Answer {
        let Step { place, line, .. } = step;
        let outcome = self.person.claude_runs(line);
        let said = outcome.stdout_text() + &outcome.stderr_text();
        if outcome.status.code() == Some(1) && said.contains("this is for the user to decide") {
            let words: Vec<&str> = line.split_whitespace().take(2).collect();
            assert!(
                said.contains(&words.join(" ")),
                "{place}: {line}: the refusal says what to type\n{said}"
            );
            return self.types(line);
        }
        Answer { status: outcome.status.code().unwrap_or(-1), said }
    }

    /// A line of ours that is not run is one that could be: its words are known.
    #[track_caller]
    fn asks_for_help(&self, step: &Step) {
        let line = step.line.split(" #").next().unwrap();
        if !line.starts_with("claude ") {
            let Answer { status, said } = self.types(&format!("{line} --help"));
            assert_eq!(status, 0, "{}: {line} --help:\n{said}", step.place);
        }
    }

    #[track_caller]
    fn does(&self, step: &Step) {
        let Step { place, line, prints, .. } = step;
        let path = &self.page.path;
        for (_, _, happens) in
            SCENES.iter().filter(|(page, start, _)| page == path && step.starts_with(start))
        {
            happens(&self.person);
        }
        let Answer { status, said } = match step.hand {
            Hand::Person => self.types(line),
            Hand::Anybody => self.runs(step),
        };
        let is_no = prints.iter().any(|shown| shown == NO);
        let may_be_no = step.hand == Hand::Anybody && line.starts_with("req check ") && said.contains(NO);
        assert!(status == i32::from(is_no) || may_be_no, "{place}: {line}:\n{said}");
        let mut lines = said.lines();
        for expected in prints {
            let is_said = lines.any(|line| expected.split(" ...").all(|part| line.contains(part.trim())));
            assert!(is_said, "{place}: {line} does not print, or not there: {expected}\n{said}");
        }
    }
}

/// Types what a page shows, in its order.
fn follow(page: &Page) -> usize {
    let reader = Reader { person: Person::new(), page };
    let mut count = 0;
    for block in page.blocks() {
        if block.language == "yaml" {
            reader.person.writes(&block.text);
        }
        for step in steps(&block) {
            if step.is_elsewhere() {
                reader.asks_for_help(&step);
            } else {
                reader.does(&step);
                count += 1;
            }
        }
    }
    count
}

#[test]
fn every_line_the_manual_shows_can_be_typed_and_does_what_is_said() {
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
