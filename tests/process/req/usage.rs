//! Exit statuses, wrong usage, and the harm that a command must not do. Never 2: in a hook that means "block".

use super::desk::{Desk, TEAM};

#[test]
fn wrong_usage_exits_with_64_and_nothing_on_stdout() {
    let desk = Desk::new(TEAM);
    for words in [&["satisy", "commit_plan"][..], &["check"], &["docs", "one", "two"], &[""], &["\u{1b}[31m"]]
    {
        let outcome = desk.claude(words).run();
        outcome.assert_exit(64);
        assert_eq!(outcome.stdout_text(), "", "{words:?}");
        let said = outcome.stderr_text();
        assert!(!said.is_empty() && !said.contains('\u{1b}'), "{words:?}: {said:?}");
    }
    assert!(!desk.sandbox.project().join(".git/requirements").exists(), "and nothing is stored");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        let words = [std::ffi::OsString::from_vec(vec![0xff])];
        desk.script(&[]).args(words).run().assert_exit(64);
    }
}

#[test]
fn reader_that_is_gone_does_no_harm() {
    let desk = Desk::new(TEAM);
    for words in [&["status"][..], &["--help"]] {
        desk.claude(words).stdout_without_reader().run().assert_exit(0);
        desk.claude(words).stdout_closed().run().assert_exit(0);
    }
    desk.claude(&["satisfy", "commit_plan"]).stdout_without_reader().run().assert_exit(0);
    assert_eq!(desk.standing("commit_plan"), "met", "the order is carried out");
}

#[test]
fn question_leaves_the_project_and_the_repository_as_they_were() {
    let desk = Desk::new(TEAM);
    let before = crate::driver::tree(&desk.sandbox.project());
    for words in
        [&["status", "--all"][..], &["list"], &["sessions"], &["check", "--tool", "Edit"], &["docs", "x"]]
    {
        drop(desk.claude(words).run());
    }
    assert_eq!(crate::driver::tree(&desk.sandbox.project()), before);
}

#[test]
#[cfg(target_os = "linux")]
fn answer_that_could_not_be_written_is_no_success() {
    let desk = Desk::new(TEAM);
    for words in [&["status", "--json"][..], &["completions", "bash"], &["--help"]] {
        let outcome = desk.script(words).stdout_on_full_disk().run();
        outcome.assert_exit(1);
        assert!(outcome.stderr_text().contains("req: the answer could not be written: "), "{words:?}");
    }
}
