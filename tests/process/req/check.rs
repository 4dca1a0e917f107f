//! `req check`: what the hook would do, with the answer in the exit status.

use super::desk::{Desk, yes};

const COMMITS: &str = "\
requirements:
  commit_plan: {enabled: true, message: Plan first.}
  pr_review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: git push}, mcp__*]}
";

/// The exit status and what is printed; nothing goes to stderr.
#[track_caller]
fn check(desk: &Desk, words: &[&str]) -> (i32, String) {
    let outcome = desk.claude(&[&["check"], words].concat()).run();
    assert_eq!(outcome.stderr_text(), "", "{outcome}");
    (outcome.status.code().unwrap(), outcome.stdout_text().trim_end().to_owned())
}

#[test]
fn the_exit_status_is_the_answer() {
    let desk = Desk::new(COMMITS);
    for (words, status, expected) in [
        (&["--tool", "Edit", "--file", "src/a.rs"][..], 1, "Plan first."),
        (&["--tool", "Read", "--file", "src/a.rs"], 0, "this call would be allowed"),
        (&["--bash", "cd sub && git push"], 1, "pr_review"),
        (&["--bash", "req satisfy commit_plan"], 0, "never denied"),
        (&["--tool", "Edt"], 0, "\nClaude Code has no tool `Edt`; did you mean Edit?"),
    ] {
        let (found, said) = check(&desk, words);
        assert_eq!(found, status, "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    yes(desk.claude(&["satisfy", "commit_plan", "pr_review"]));
    for words in [&["--tool", "Edit"][..], &["--bash", "git push"]] {
        assert_eq!(check(&desk, words).0, 0, "{words:?}");
    }
}
