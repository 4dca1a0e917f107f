//! `req init`: what is written where, what it requires from then on, and who may write it.

use super::desk::{Desk, json_of, no, yes};
use crate::driver::notice;
use crate::typed::PATIENCE;
use std::fs;
use tests::binaries;
use tests::sandbox::Level;
use tests::terminal::{Key, Terminal};

/// The text of a level's file.
#[track_caller]
fn text(desk: &Desk, level: Level) -> String {
    let file = desk.sandbox.requirements_path(level);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[track_caller]
fn nothing_was_written(desk: &Desk) {
    assert!(!desk.sandbox.requirements_path(Level::User).exists());
    assert!(!desk.sandbox.project().join(".claude").exists());
    assert!(!desk.sandbox.project().join(".gitignore").exists());
}

#[test]
fn a_project_gets_a_plan_and_is_told_what_to_do_next() {
    let desk = Desk::empty();
    let preview = desk.script(&["init", "--dry-run"]).run();
    preview.assert_exit(0);
    nothing_was_written(&desk);
    let said = yes(desk.script(&["init", "--yes"]));
    assert_eq!(text(&desk, Level::Project), preview.stdout_text());
    for line in [
        "written: .claude/requirements.yaml",
        "added to .gitignore: .claude/requirements.local.yaml",
        "  Claude Code does not run requirements-check yet; to register it, type: req hooks enable requirements-check",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}\n---\n{said}");
    }
    let status = json_of(desk.claude(&["status", "--json"]));
    assert_eq!(status["requirements"][0]["name"], "commit_plan");
}

#[test]
fn each_level_has_its_own_file_and_preset() {
    for (flag, level, has) in [
        ("--project", Level::Project, "\n  commit_plan:\n"),
        ("--local", Level::Local, "\n# requirements:\n"),
        ("--global", Level::User, "\n  pre_commit_review:\n"),
    ] {
        let desk = Desk::empty();
        yes(desk.script(&["init", flag, "--yes"]));
        assert!(text(&desk, level).contains(has), "{flag}");
    }
    let desk = Desk::empty();
    yes(desk.script(&["init", "--preset", "inherit"]));
    assert!(text(&desk, Level::Project).contains("\ninherit: true\n"));
    let status = yes(desk.script(&["status"]));
    assert!(status.contains("to begin: write requirements into .claude/requirements.yaml"), "{status}");
    yes(desk.script(&["init", "--yes"]).cwd(desk.sandbox.home()));
    assert!(text(&desk, Level::User).contains("pre_commit_review"), "in the home directory");
    assert!(no(desk.script(&["init", "--global", "--preset", "inherit"])).contains("use --project"));
    let strict = yes(desk.script(&["init", "--local", "--preset", "strict", "--force", "--dry-run"]));
    assert!(
        strict.contains("# Left out: tests_green, because no command that runs the tests was found"),
        "{strict}"
    );
    let desk = Desk::empty();
    for command in [desk.script(&["init"]), desk.claude(&["init"])] {
        assert!(no(command).contains("What fits here: req init --project --preset relaxed"));
    }
    nothing_was_written(&desk);
}

#[test]
fn on_a_terminal_the_file_is_shown_and_one_answer_decides() {
    for (answer, is_written) in [("n", false), ("", true)] {
        let desk = Desk::empty();
        let mut terminal = Terminal::start(
            &binaries::path("req"),
            &["init".to_owned()],
            &desk.sandbox.env(),
            &desk.sandbox.project(),
        );
        terminal.wait_for("Write this to .claude/requirements.yaml? [Y/n]");
        terminal.type_text(answer);
        terminal.press(Key::Enter);
        terminal.wait_for_exit(PATIENCE);
        assert_eq!(desk.sandbox.requirements_path(Level::Project).exists(), is_written, "{answer}");
    }
}

#[test]
fn a_file_that_is_there_is_replaced_by_the_user_alone_and_kept() {
    let desk = Desk::new("version: \"1.0\" # first\n");
    let said = no(desk.script(&["init"]));
    assert!(
        said.contains("is there already") && said.contains("req init --project --preset relaxed --force"),
        "{said}"
    );
    // Claude writes a first file, but none that could loosen what is required.
    assert!(no(Desk::empty().claude(&["init", "--global", "--yes"])).contains("every project"));
    yes(desk.claude(&["init", "--local", "--preset", "strict"]));
    let said = no(desk.claude(&["init", "--global", "--preset", "relaxed"]));
    assert!(said.contains("req: denied"), "{said}");
    let replace = ["init", "--force", "--preset", "minimal"];
    for said in [no(desk.claude(&replace)), no(desk.script(&replace))] {
        assert!(
            said.contains("req: denied") && said.ends_with("req init --project --preset minimal --force"),
            "{said}"
        );
    }
    let typed = desk.user("init --preset minimal --force --yes");
    assert_eq!(typed.status, 0, "{}", typed.screen);
    let before = desk.sandbox.project().join(".claude/requirements.yaml.before");
    assert_eq!(fs::read_to_string(before).unwrap(), "version: \"1.0\" # first\n");
    let left = desk.sandbox.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(!left.contains("before"), "nobody commits it: {left}");
}

#[test]
fn no_link_leads_out_of_the_project() {
    let desk = Desk::empty();
    let elsewhere = desk.sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, desk.sandbox.project().join(".claude")).unwrap();
    assert!(no(desk.script(&["init", "--yes"])).contains("leads out of the project"));
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

/// What the user is told when a session begins.
fn told(desk: &Desk, source: &str) -> String {
    notice(desk.ask(&desk.session.session_start(source)).as_ref())
}

fn cloned() -> Desk {
    let desk = Desk::empty();
    desk.sandbox.git(&["remote", "add", "origin", "git@github.com:owner/name.git"]);
    desk
}

#[test]
fn hint_is_given_once_to_the_user_alone() {
    let desk = cloned();
    let answer = desk.ask(&desk.session.session_start("startup"));
    assert!(
        answer.as_ref().unwrap().get("hookSpecificOutput").is_none(),
        "Claude reads nothing of it: {answer:?}"
    );
    let said = notice(answer.as_ref());
    assert!(said.contains("nothing is required") && said.contains("req init"), "{said}");
    assert_eq!(told(&desk, "startup"), "");
}

#[test]
fn hint_is_left_out_where_nobody_reads_it_or_something_is_set_up_or_there_is_no_remote() {
    let desk = cloned();
    assert_eq!(told(&desk, "resume"), "");
    let headless = desk.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    let outcome = headless.stdin(desk.session.session_start("startup").to_bytes()).run();
    assert_eq!(outcome.stdout_text(), "");
    assert_eq!(told(&Desk::empty(), "startup"), "", "no remote");
    desk.sandbox.requirements(Level::User, "requirements: {a: {enabled: false}}\n");
    assert_eq!(told(&desk, "startup"), "", "something is set up");
}
