//! Exit statuses, help, wrong usage. Never 2: in a hook that means "block".

use super::desk::{Desk, TEAM};

#[test]
fn every_way_to_ask_wrongly_exits_with_64_and_nothing_on_stdout() {
    let desk = Desk::new(TEAM);
    for words in [
        &["satisy", "commit_plan"][..],
        &["approve", "branch_size", "--for", "8d"],
        &["check"],
        &[""],
        &["\u{1b}[31m"],
    ] {
        for command in [desk.script(words), desk.claude(words)] {
            let outcome = command.run();
            outcome.assert_exit(64);
            assert_eq!(outcome.stdout_text(), "", "{words:?}");
            assert!(!outcome.stderr_text().is_empty(), "{words:?}");
        }
    }
    assert!(!desk.sandbox.project().join(".git/requirements").exists(), "and nothing is stored");
}

#[test]
#[cfg(unix)]
fn arguments_that_are_no_text_are_wrong_usage() {
    use std::os::unix::ffi::OsStringExt as _;
    let desk = Desk::new(TEAM);
    let words = [std::ffi::OsString::from_vec(vec![0xff])];
    desk.script(&[]).args(words).run().assert_exit(64);
}

#[test]
fn a_reader_that_is_gone_does_no_harm() {
    let desk = Desk::new(TEAM);
    for words in [&["status"][..], &["--help"], &["list"]] {
        desk.claude(words).stdout_without_reader().run().assert_exit(0);
        desk.claude(words).stdout_closed().run().assert_exit(0);
    }
    desk.claude(&["satisfy", "commit_plan"]).stdout_without_reader().run().assert_exit(0);
    assert_eq!(desk.standing("commit_plan"), "met", "what was asked for is done");
}

#[test]
fn a_question_leaves_the_project_and_the_repository_as_they_were() {
    let desk = Desk::new(TEAM);
    let before = crate::driver::tree(&desk.sandbox.project());
    for words in [
        &["status"][..],
        &["status", "--all", "--json"],
        &["list"],
        &["sessions"],
        &["check", "--tool", "Edit", "--file", "a"],
        &["--help"],
    ] {
        drop(desk.claude(words).run());
    }
    assert_eq!(crate::driver::tree(&desk.sandbox.project()), before);
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_that_could_not_be_written_is_no_success() {
    let desk = Desk::new(TEAM);
    for words in [&["status", "--json"][..], &["completions", "bash"], &["--help"], &["ci", "--json"]] {
        let outcome = desk.script(words).stdout_on_full_disk().run();
        outcome.assert_exit(1);
        assert!(outcome.stderr_text().contains("req: the answer could not be written: "), "{words:?}");
    }
}
