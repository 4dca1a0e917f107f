//! The commands the manual shows. A `console` block is what a person types at a terminal, line by line, in the order of the
//! page, with the files the page has shown before; what stands below a line is what it prints, in this order, though not all
//! of it. A line of a `sh` block may be Claude's as well: it is run in Claude's shell, where nothing that loosens is done.

use std::fs;
use std::path::PathBuf;

use shared::catalog::Catalog;
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Sandbox, toolchain_env};

use super::files::level;
use super::{Page, pages};
use crate::driver::Driver;
use crate::typed::{Typed, shell, typed};

/// Lines that are not run here, and why.
const ELSEWHERE: [(&str, &str); 4] = [
    ("cargo xtask test", "it is what runs this"),
    ("cargo xtask package", "it builds for release: process::plugin packs what is built"),
    ("claude plugin", "the client does it: e2e::plugin"),
    ("req init", "it asks on a terminal: process::req::init answers"),
];

/// Lines that may say no where nothing has happened yet, and why.
const NO: [(&str, &str); 5] = [
    ("req why", "nothing was refused yet"),
    ("req check", "the call would be refused"),
    ("req doctor", "nothing, or not all, is installed"),
    ("req ci", "nobody is on a branch"),
    ("pause-recorder show", "there is no snapshot yet"),
];

/// One line that is typed, and the lines it prints.
struct Step {
    place: String,
    line: String,
    prints: Vec<String>,
}

fn steps(place: &str, block: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(line), _) => {
                steps.push(Step { place: place.to_owned(), line: line.to_owned(), prints: Vec::new() });
            }
            (None, Some(step)) => step.prints.push(line.trim().to_owned()),
            (None, None) => panic!("{place}: a block of `console` begins with `$ `"),
        }
    }
    steps
}

/// A person with all commands in their PATH, in a project.
struct Person {
    sandbox: Sandbox,
    commands: PathBuf,
}

impl Person {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let commands = sandbox.temporary_dir().join("commands");
        fs::create_dir_all(&commands).unwrap();
        let person = Self { sandbox, commands };
        for hook in Catalog::built_in().unwrap().hooks {
            for command in &hook.commands {
                let own = binaries::folder().join(command);
                let program = if own.is_file() { own } else { binaries::path(&hook.name) };
                person.link(command, &program.display().to_string());
            }
        }
        person.install_cargo();
        person
    }

    #[cfg(unix)]
    fn link(&self, command: &str, program: &str) {
        std::os::unix::fs::symlink(program, self.commands.join(command)).unwrap();
    }

    #[cfg(not(unix))]
    fn link(&self, command: &str, program: &str) {
        fs::copy(program, self.commands.join(command)).unwrap();
    }

    /// `cargo xtask`, with the programs that are built already; what it would ask is answered with yes.
    fn install_cargo(&self) {
        let (xtask, built) = (binaries::xtask(), binaries::folder());
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = xtask ] || exec '{}' \"$@\"\nshift\n\
             case \"$1\" in install|enable|sync) set -- \"$@\" --prebuilt '{}';; esac\n\
             case \"$1\" in install|disable|undo|uninstall) set -- \"$@\" --yes;; esac\nexec '{}' \"$@\"\n",
            env!("CARGO"),
            built.display(),
            xtask.display()
        );
        let file = self.commands.join("cargo");
        fs::write(&file, script).unwrap();
        #[cfg(unix)]
        crate::driver::restrict(&file, 0o755);
    }

    /// Types one line at a terminal.
    fn types(&self, line: &str) -> Typed {
        let script = self.sandbox.temporary_dir().join("line.sh");
        let path = format!("'{}':\"$PATH\"", self.commands.display());
        let text = format!(
            "unset CLAUDE_HOOK_STATE_DIR\nexport PATH={path}\nexport CARGO='{}'\n{line}\n",
            env!("CARGO")
        );
        fs::write(&script, text).unwrap();
        let target = self.sandbox.temporary_dir().join("target").display().to_string();
        let toolchain = toolchain_env();
        let mut variables: Vec<(&str, &str)> =
            toolchain.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        variables.push(("CARGO_TARGET_DIR", &target));
        typed(&shell(), &self.sandbox, &shell(), &script.display().to_string(), &variables)
    }

    #[track_caller]
    fn does(&self, step: &Step) {
        let Step { place, line, prints } = step;
        let typed = self.types(line);
        let may_say_no = !prints.is_empty() || NO.iter().any(|(start, _)| line.starts_with(start));
        let is_right = typed.status == 0 || typed.status == 1 && may_say_no;
        assert!(is_right, "{place}: {line} ends with {}:\n{}", typed.status, typed.screen);
        let mut said = typed.screen.lines();
        for expected in prints {
            let is_said = said.any(|line| expected.split(" ...").all(|part| line.contains(part.trim())));
            assert!(is_said, "{place}: {line} does not print, or not there: {expected}\n{}", typed.screen);
        }
    }
}

/// Types what a page shows, in its order.
fn follow(page: &Page) -> usize {
    let person = Person::new();
    let mut count = 0;
    for block in page.blocks() {
        if block.language == "yaml" {
            person.sandbox.requirements(level(&block.text), &block.text);
        }
        if block.language != "console" {
            continue;
        }
        for step in steps(&block.place, &block.text) {
            if !ELSEWHERE.iter().any(|(start, _)| step.line.starts_with(start)) {
                person.does(&step);
                count += 1;
            }
        }
    }
    count
}

#[test]
#[cfg(target_os = "linux")]
fn every_line_a_person_is_shown_can_be_typed_and_prints_what_is_shown() {
    let count: usize = pages().iter().map(follow).sum();
    assert!(count >= 40, "only {count} lines were found");
}

#[test]
fn no_line_is_left_out_that_is_not_there() {
    let lines: Vec<String> = pages()
        .iter()
        .flat_map(Page::blocks)
        .filter(|block| block.language == "console")
        .flat_map(|block| steps(&block.place, &block.text))
        .map(|step| step.line)
        .collect();
    for (start, why) in ELSEWHERE.into_iter().chain(NO) {
        assert!(lines.iter().any(|line| line.starts_with(start)), "{start} ({why})");
    }
}

#[test]
fn every_line_that_may_be_claudes_can_be_typed_in_its_shell() {
    let driver = Driver::unconfigured("requirements-check");
    let mut count = 0;
    for block in pages().iter().flat_map(Page::blocks).filter(|block| block.language == "sh") {
        for line in block.text.lines() {
            assert!(line.starts_with("req "), "{}: {line}", block.place);
            let script = format!("{}/{line}", binaries::folder().display());
            let outcome = Invocation::new("/bin/sh", &driver.sandbox)
                .args(["-c", &script])
                .env("CLAUDECODE", "1")
                .env("CLAUDE_CODE_SESSION_ID", &*driver.session.id)
                .run();
            let said = outcome.stderr_text();
            assert!(matches!(outcome.status.code(), Some(0 | 1)), "{}: {line}: {outcome}", block.place);
            assert!(!said.contains("Usage:"), "{}: {line}: {said}", block.place);
            count += 1;
        }
    }
    assert!(count >= 30, "only {count} lines were found");
}
