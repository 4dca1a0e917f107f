//! The commands the manual shows, run page by page, line by line, with the files the page has shown before.
//!
//! A line of a `console` block, or of an indented one, is what a person types at a terminal; what stands below it is what it
//! prints, in this order, though not all of it. A line of a `sh` block may be Claude's as well: it is run in Claude's shell,
//! and where it is the user's alone (`THE_USERS`) it has to be refused there, and is then typed at a terminal.
//!
//! Each line ends with 0, but for one below which the page shows a refusal, and those of `SAYS_NO`. What has to have happened before a line stands in `scenes`. Lines that
//! are not run at all stand in `ELSEWHERE`. All of that is about lines that are there: `no_line_is_left_out_that_is_not_there`.
//! Only on Linux: a person's terminal has no Claude above it, which the tests can arrange there.

use super::person::Person;
use super::scenes::SCENES;
use super::{Block, Page, pages};

/// Lines that are not run here, and why. Of ours the help is asked for.
const ELSEWHERE: [(&str, &str); 5] = [
    ("cargo xtask test", "it is what runs this"),
    ("cargo xtask package", "it builds for release: process::plugin packs what is built"),
    ("claude plugin", "the client does it: e2e::plugin"),
    ("req init  ", "it asks on a terminal: process::req::init answers"),
    ("req init\n", "the same"),
];

/// Lines of `sh` blocks that are the user's alone.
const THE_USERS: [&str; 12] = [
    "req approve ",
    "req clear commit_plan --session ",
    "req config set ",
    "req config unset ",
    "req disable ",
    "req hooks disable ",
    "req hooks enable ",
    "req hooks statusline",
    "req hooks uninstall\n",
    "req pause ",
    "req waive protected_branch ",
    "req waive tests_green ",
];

/// What a page shows below a line whose answer is no.
const NO: &str = "this call would be refused:";

/// Lines whose answer is no, and the page does not show it: the page, the line, and what it says.
const SAYS_NO: [(&str, &str, &str); 3] = [
    ("config/manual/requirements.md", "req check --bash \"cargo publish\"", NO),
    ("config/manual/requirements.md", "req check --tool mcp__postgres__query", NO),
    ("config/manual/start.md", "req check --tool Edit --file src/main.rs", NO),
];

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
        ELSEWHERE.iter().any(|(start, _)| self.starts_with(start))
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

    /// In Claude's shell; where it is the user's, there it is refused, and they type it.
    #[track_caller]
    fn runs(&self, step: &Step) -> Answer {
        let Step { place, line, .. } = step;
        let outcome = self.person.claude_runs(line);
        let said = outcome.stdout_text() + &outcome.stderr_text();
        let is_refused = said.to_lowercase().contains("this is for the user to decide")
            && outcome.status.code() == Some(1);
        let is_users = THE_USERS.iter().any(|start| step.starts_with(start));
        assert_eq!(is_refused, is_users, "{place}: {line}: is it the user's alone?\n{outcome}");
        if is_users {
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
        let no = SAYS_NO.iter().find(|(page, start, _)| page == path && step.starts_with(start));
        let expected = i32::from(no.is_some() || prints.iter().any(|shown| shown == NO));
        assert_eq!(status, expected, "{place}: {line}:\n{said}");
        if let Some((_, _, words)) = no {
            assert!(said.contains(words), "{place}: {line} does not say {words:?}:\n{said}");
        }
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

#[test]
fn no_line_is_left_out_that_is_not_there() {
    let pages = pages();
    let steps: Vec<(&str, Step)> = pages
        .iter()
        .flat_map(|page| page.blocks().into_iter().map(|block| (page.path.as_str(), block)))
        .flat_map(|(page, block)| steps(&block).into_iter().map(move |step| (page, step)))
        .collect();
    for (start, why) in ELSEWHERE {
        assert!(steps.iter().any(|(_, step)| step.starts_with(start)), "{start} ({why})");
    }
    for start in THE_USERS {
        let is_there = |step: &Step| step.hand == Hand::Anybody && step.starts_with(start);
        assert!(steps.iter().any(|(_, step)| is_there(step)), "{start}");
    }
    let listed = SAYS_NO.iter().map(|(page, start, _)| (page, start));
    for (page, start) in listed.chain(SCENES.iter().map(|(page, start, _)| (page, start))) {
        let is_there = steps.iter().any(|(path, step)| path == page && step.starts_with(start));
        assert!(is_there, "{page}: {start}");
    }
}
