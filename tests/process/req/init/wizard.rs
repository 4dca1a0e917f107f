//! The questions, in a terminal, as a person meets them.

use super::super::desk::Desk;
use super::{nothing_was_written, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tests::binaries;
use tests::sandbox::Level;
use tests::terminal::{Key, Terminal};

const END: Duration = Duration::from_secs(20);
const FILE: &str = "Which file shall be written?";
const PRESET: &str = "What shall be required to begin with?";
const COMMAND: &str = "Which command runs the tests?";
const BRANCHES: &str = "On which branches shall nothing be edited?";
const SIZE: &str = "How large may a branch become?";
const WRITE: &str = "Write this to ";

/// The wizard in a terminal of its own: the shell in the middle ends at once, so that no Claude is above it.
struct Wizard {
    terminal: Terminal,
    said: PathBuf,
    done: PathBuf,
}

/// How it ended.
struct Ended {
    status: String,
    /// What is read on stdout.
    said: String,
    /// What was on the screen at last, stderr among it.
    screen: String,
    /// The modes of the terminal.
    modes: String,
}

impl Wizard {
    fn start(desk: &Desk, words: &str) -> Self {
        Self::start_in(desk, words, &desk.sandbox.project())
    }

    fn start_in(desk: &Desk, words: &str, folder: &Path) -> Self {
        let scratch = desk.sandbox.temporary_dir();
        let [said, modes, done] = ["said", "modes", "done"].map(|name| scratch.join(name));
        for file in [&said, &modes, &done] {
            let _ = fs::remove_file(file);
        }
        let req = binaries::path("req");
        let script = format!(
            "'{}' init {words} >'{}'; echo $? >'{done}.half'; stty -a >'{}'; mv '{done}.half' '{done}'",
            req.display(),
            said.display(),
            modes.display(),
            done = done.display(),
        );
        // Nobody else may read the keyboard meanwhile, so the outer shell looks for the end in the file.
        let outer = format!(
            "( /bin/sh -c \"$0\" </dev/tty & ); until [ -e '{}' ]; do sleep 0.05; done",
            done.display()
        );
        let mut env = desk.sandbox.env();
        env.insert("TERM".to_owned(), "xterm-256color".to_owned());
        env.insert("NO_COLOR".to_owned(), "1".to_owned());
        let args = ["-c".to_owned(), outer, script];
        let terminal = Terminal::start(Path::new("/bin/sh"), &args, &env, folder);
        Self { terminal, said, done }
    }

    #[track_caller]
    fn enter_at(&mut self, question: &str) {
        self.terminal.wait_for(question);
        self.terminal.press(Key::Enter);
    }

    /// The screen with a whole list on it: its last line says how to move.
    #[track_caller]
    fn list(&self, question: &str) -> String {
        self.terminal.wait_until(question, END, |screen| {
            screen.split_once(question).is_some_and(|(_, list)| list.contains("to move"))
        });
        self.terminal.screen()
    }

    /// Goes to the line of a list that begins so, and takes it.
    #[track_caller]
    fn take(&mut self, question: &str, line: &str) {
        let screen = self.list(question);
        let place = |begin: &str| {
            let found = screen.lines().position(|shown| shown.starts_with(begin));
            found.unwrap_or_else(|| panic!("{begin}: {screen}"))
        };
        let now = place("> ");
        let wanted =
            screen.lines().position(|shown| shown.get(2..).is_some_and(|shown| shown.starts_with(line)));
        let wanted = wanted.unwrap_or_else(|| panic!("{line}: {screen}"));
        for _ in 0..now.abs_diff(wanted) {
            self.terminal.press(if now < wanted { Key::Down } else { Key::Up });
        }
        self.terminal.wait_for(&format!("> {line}"));
        self.terminal.press(Key::Enter);
    }

    /// Replaces what stands in the field.
    #[track_caller]
    fn type_over(&mut self, question: &str, old: &str, new: &str) {
        self.terminal.wait_for(&format!("{question} {old}"));
        for _ in old.chars() {
            self.terminal.press(Key::Backspace);
        }
        self.terminal.wait_until_gone(&format!("{question} {old}"), END);
        self.terminal.type_text(new);
        self.terminal.wait_for(&format!("{question} {new}"));
        self.terminal.press(Key::Enter);
    }

    #[track_caller]
    fn end(mut self) -> Ended {
        let until = Instant::now() + END;
        while !self.done.exists() {
            assert!(Instant::now() < until, "it has not ended: {}", self.terminal.screen());
            std::thread::yield_now();
        }
        self.terminal.wait_for_exit(END);
        let read = |file: &Path| fs::read_to_string(file).unwrap().trim().to_owned();
        let modes = read(&self.done.with_file_name("modes"));
        Ended { status: read(&self.done), said: read(&self.said), screen: self.terminal.screen(), modes }
    }

    /// It was left: nothing is written, that is said, and the terminal is as before.
    #[track_caller]
    fn assert_left(self, desk: &Desk) {
        let ended = self.end();
        assert_eq!((ended.status.as_str(), ended.said.as_str()), ("1", ""), "{}", ended.screen);
        assert!(ended.screen.contains("req: nothing was written"), "{}", ended.screen);
        let is_on = |mode: &str| ended.modes.split([' ', ';', '\n']).any(|shown| shown == mode);
        assert!(is_on("icanon") && is_on("echo") && is_on("isig"), "{}", ended.modes);
        nothing_was_written(desk);
    }
}

/// A project in Rust.
fn project() -> Desk {
    let desk = Desk::empty();
    desk.sandbox.write("Cargo.toml", "");
    desk
}

#[test]
fn enter_all_the_way_gives_the_project_a_plan() {
    let desk = project();
    let mut wizard = Wizard::start(&desk, "");
    let screen = wizard.list(FILE);
    assert!(screen.contains("Found here: Rust; a git repository without a remote."), "{screen}");
    for line in [
        "> .claude/requirements.yaml  the team's: in git, for everybody who works here",
        "  .claude/requirements.local.yaml  yours, for this project only; not in git",
        "  ~/.claude/requirements.yaml  yours, for every project",
    ] {
        assert!(screen.lines().any(|shown| shown == line), "{line}\n{screen}");
    }
    wizard.enter_at(FILE);
    let screen = wizard.list(PRESET);
    assert!(screen.contains("> relaxed     a plan before the first edit, nothing else"), "{screen}");
    wizard.enter_at(PRESET);
    wizard.terminal.wait_for("(Y/n)");
    let screen = wizard.terminal.screen();
    assert!(screen.contains("    description: the change is cut into commits"), "the whole file: {screen}");
    assert!(screen.contains("Write this to .claude/requirements.yaml? (Y/n)"), "{screen}");
    wizard.enter_at(WRITE);
    let ended = wizard.end();
    assert_eq!(ended.status, "0", "{}", ended.screen);
    assert!(ended.said.starts_with("written: .claude/requirements.yaml\n"), "{}", ended.said);
    assert!(text(&desk, Level::Project).contains("  commit_plan:\n"));
}

#[test]
fn strict_shows_what_was_found_for_correction() {
    let desk = project();
    let mut wizard = Wizard::start(&desk, "");
    wizard.enter_at(FILE);
    wizard.take(PRESET, "strict");
    wizard.type_over(COMMAND, "cargo test", "cargo test --workspace");
    wizard.type_over(BRANCHES, "main", "main, stable");
    wizard.enter_at(WRITE);
    assert_eq!(wizard.end().status, "0");
    let text = text(&desk, Level::Project);
    for said in ["    command: cargo test --workspace   #", "    protected_branches: [main, stable]\n"] {
        assert!(text.contains(said), "{said}\n{text}");
    }
}

#[test]
fn advanced_asks_for_the_limits_too_and_takes_no_nonsense() {
    let desk = project();
    let mut wizard = Wizard::start(&desk, "--project --preset advanced");
    wizard.enter_at(COMMAND);
    wizard.enter_at(BRANCHES);
    wizard.terminal.wait_for(&format!("{SIZE} 250, 400"));
    wizard.terminal.type_text("x");
    wizard.terminal.press(Key::Enter);
    wizard.terminal.wait_for("two numbers, the smaller one first: 250, 400");
    wizard.type_over(SIZE, "250, 400x", "100, 150");
    wizard.enter_at(WRITE);
    assert_eq!(wizard.end().status, "0");
    assert!(text(&desk, Level::Project).contains("thresholds: { warn: 100, block: 150 }"));
}

#[test]
fn minimal_and_inherit_ask_for_nothing_more() {
    for (preset, has) in [("minimal", "\n# requirements:\n"), ("inherit", "\ninherit: true\n")] {
        let desk = project();
        let mut wizard = Wizard::start(&desk, "");
        wizard.enter_at(FILE);
        wizard.take(PRESET, preset);
        wizard.enter_at(WRITE);
        assert_eq!(wizard.end().status, "0", "{preset}");
        assert!(text(&desk, Level::Project).contains(has), "{preset}");
    }
}

#[test]
fn requirements_can_be_ticked_one_by_one_and_none_is_minimal() {
    const TICK: &str = "What shall be required? (space ticks, Enter goes on)";
    let desk = project();
    let mut wizard = Wizard::start(&desk, "--project");
    wizard.take(PRESET, "one by one");
    let screen = wizard.list(TICK);
    let ticked = |name: &str| screen.lines().any(|line| line.contains("[x]") && line.contains(name));
    assert!(["commit_plan", "protected_branch", "tests_green"].into_iter().all(ticked), "{screen}");
    assert_eq!(screen.matches("[x]").count(), 3, "{screen}");
    // The first of the list is taken away again.
    wizard.terminal.type_text(" ");
    wizard.terminal.wait_until("two ticks", END, |screen| screen.matches("[x]").count() == 2);
    wizard.enter_at(TICK);
    wizard.enter_at(COMMAND);
    wizard.enter_at(BRANCHES);
    wizard.enter_at(WRITE);
    assert_eq!(wizard.end().status, "0");
    let written = text(&desk, Level::Project);
    assert!(written.contains("  protected_branch:\n") && !written.contains("  commit_plan:\n"), "{written}");

    let desk = project();
    let mut wizard = Wizard::start(&desk, "--project");
    wizard.take(PRESET, "one by one");
    wizard.terminal.wait_for(TICK);
    wizard.terminal.press(Key::Left);
    wizard.terminal.wait_until("no tick", END, |screen| !screen.contains("[x]"));
    wizard.enter_at(TICK);
    wizard.enter_at(WRITE);
    assert_eq!(wizard.end().status, "0");
    assert!(text(&desk, Level::Project).contains("\n# requirements:\n"));
}

#[test]
fn of_several_test_commands_the_first_is_ticked() {
    const TICK: &str = "Which commands run the tests?";
    let desk = project();
    desk.sandbox.write("package.json", r#"{"scripts": {"test": "jest"}}"#);
    let mut wizard = Wizard::start(&desk, "--project --preset strict");
    let screen = wizard.list(TICK);
    assert!(
        screen.contains("[x] cargo test (Cargo.toml)") && screen.contains("[ ] npm test (package.json)"),
        "{screen}"
    );
    wizard.terminal.press(Key::Down);
    wizard.terminal.type_text(" ");
    wizard.terminal.wait_for("[x] npm test");
    wizard.enter_at(TICK);
    wizard.enter_at(BRANCHES);
    wizard.enter_at(WRITE);
    assert_eq!(wizard.end().status, "0");
    assert!(
        text(&desk, Level::Project)
            .contains("command: [cargo test, npm test, npm run test, cargo nextest run]")
    );
}

#[test]
fn leaving_any_question_writes_nothing() {
    let questions = [FILE, PRESET, COMMAND, BRANCHES, SIZE, WRITE];
    for (last, key) in questions.into_iter().zip([
        Key::Ctrl('c'),
        Key::Escape,
        Key::Ctrl('d'),
        Key::Ctrl('c'),
        Key::Escape,
        Key::Ctrl('c'),
    ]) {
        let desk = project();
        let mut wizard = Wizard::start(&desk, "");
        for question in questions.into_iter().take_while(|question| *question != last) {
            if question == PRESET { wizard.take(PRESET, "advanced") } else { wizard.enter_at(question) }
        }
        wizard.terminal.wait_for(last);
        wizard.terminal.press(key);
        wizard.assert_left(&desk);
    }
}

#[test]
fn a_no_at_the_end_writes_nothing() {
    let desk = project();
    let mut wizard = Wizard::start(&desk, "--project --preset relaxed");
    wizard.terminal.wait_for(WRITE);
    wizard.terminal.type_text("n");
    wizard.terminal.press(Key::Enter);
    wizard.assert_left(&desk);
}

#[test]
fn a_file_that_is_there_is_told_before_it_is_chosen_and_replaced_only_by_force_and_a_yes() {
    let desk = Desk::new("version: \"1.0\"\n");
    let mut wizard = Wizard::start(&desk, "");
    let screen = wizard.list(FILE);
    assert!(screen.contains("everybody who works here (there is one already)"), "{screen}");
    assert!(screen.contains("> .claude/requirements.local.yaml"), "the next one is at hand: {screen}");
    wizard.terminal.press(Key::Up);
    wizard.terminal.wait_for("> .claude/requirements.yaml");
    wizard.terminal.press(Key::Enter);
    let ended = wizard.end();
    assert_eq!(ended.status, "1");
    assert!(ended.screen.contains("is there already; nothing was written"), "{}", ended.screen);

    let mut wizard = Wizard::start(&desk, "--project --preset relaxed --force");
    wizard.terminal.wait_for("in place of what is there? The old file is kept beside it (y/N)");
    wizard.terminal.press(Key::Enter);
    assert_eq!(wizard.end().status, "1");
    assert_eq!(text(&desk, Level::Project), "version: \"1.0\"\n", "no is what Enter says");

    let mut wizard = Wizard::start(&desk, "--project --preset relaxed --force");
    wizard.terminal.wait_for("(y/N)");
    wizard.terminal.type_text("y");
    wizard.terminal.press(Key::Enter);
    assert_eq!(wizard.end().status, "0");
    assert!(text(&desk, Level::Project).contains("commit_plan"));
    let before = desk.sandbox.project().join(".claude/requirements.yaml.before");
    assert_eq!(fs::read_to_string(before).unwrap(), "version: \"1.0\"\n");
}

#[test]
fn without_git_nothing_is_asked_of_branches() {
    let desk = Desk::empty();
    let plain = desk.sandbox.root().join("plain");
    fs::create_dir_all(&plain).unwrap();
    let mut wizard = Wizard::start_in(&desk, "--preset advanced", &plain);
    let screen = wizard.list(FILE);
    assert!(screen.contains("no git repository"), "{screen}");
    wizard.enter_at(FILE);
    wizard.enter_at(COMMAND);
    wizard.terminal.wait_for(WRITE);
    let screen = wizard.terminal.screen();
    assert!(!screen.contains(BRANCHES) && !screen.contains(SIZE), "{screen}");
    wizard.enter_at(WRITE);
    assert_eq!(wizard.end().status, "0");
    let text = fs::read_to_string(plain.join(".claude/requirements.yaml")).unwrap();
    assert!(text.contains("# tests_green is left out"), "an empty answer requires no tests: {text}");
}

#[test]
fn in_the_home_the_global_file_comes_first_with_everything_to_choose_from() {
    let desk = Desk::empty();
    let mut wizard = Wizard::start_in(&desk, "", &desk.sandbox.home());
    assert!(wizard.list(FILE).contains("> ~/.claude/requirements.yaml"));
    wizard.enter_at(FILE);
    assert!(wizard.list(PRESET).contains("> advanced"));
    wizard.take(PRESET, "minimal");
    wizard.enter_at(WRITE);
    assert_eq!(wizard.end().status, "0");
    assert!(text(&desk, Level::User).contains("in every project of yours"));
}

#[test]
fn with_a_yes_on_the_command_line_nothing_is_asked() {
    let desk = project();
    let ended = Wizard::start(&desk, "--yes").end();
    assert_eq!((ended.status.as_str(), ended.screen.as_str()), ("0", ""));
    assert!(text(&desk, Level::Project).contains("commit_plan"));
}
