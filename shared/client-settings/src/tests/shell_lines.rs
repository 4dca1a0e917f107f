//! Entries for the shell: recognised by the mark their line begins with, whatever follows it.

use super::{installed, on, owner, register, registered};
use crate::{Program, Registration, SHELL_MARK};

fn line(event: &str, rest: &str) -> Registration {
    Registration { program: Program::Shell(format!("{SHELL_MARK}{rest}")), ..on(event, None, "", 10) }
}

#[test]
fn they_are_added_without_arguments_found_by_their_mark_and_removed() {
    let before = r#"{"model":"opus"}"#;
    let wanted =
        [line("Stop", "a-gate; exec \"$HOME/.claude/hooks/a-gate\""), line("SessionStart", "notice; true")];
    let after = register(before, &owner(), &wanted).unwrap();
    let entry = r#""Stop":[{"hooks":[{"type":"command","command":": barbless a-gate; exec \"$HOME/.claude/hooks/a-gate\"","timeout":10}]}]"#;
    assert!(after.contains(entry), "{after}");
    let names: Vec<String> = registered(&after).into_iter().filter_map(|entry| entry.name).collect();
    assert_eq!(names, ["a-gate", "notice"]);
    assert_eq!(register(&after, &owner(), &wanted).unwrap(), after, "a second time changes nothing");
    assert_eq!(
        register(&after, &owner(), &wanted[..1]).unwrap(),
        register(before, &owner(), &wanted[..1]).unwrap()
    );
    assert_eq!(register(&after, &owner(), &[]).unwrap(), before);
}

#[test]
fn somebody_elses_line_stays() {
    for foreign in [
        "true; : barbless a-gate; x",
        ": barbless",
        ": barbless-a-gate; x",
        "/home/me/.claude/hooks/a-gate",
        // A shell would run such a name as a part of its line.
        ": barbless x$(touch${IFS}y);",
        ": barbless ;",
        ": barbless newer-gate;",
        ": barbless -x;",
    ] {
        let before = format!(
            r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{foreign}"}}]}}]}}}}"#
        );
        assert_eq!(registered(&before), [], "{foreign}");
        assert_eq!(register(&installed(&before), &owner(), &[]).unwrap(), before);
    }
    let prompt = r#"{"hooks":{"Stop":[{"hooks":[{"type":"prompt","command":": barbless a-gate; x"}]}]}}"#;
    assert_eq!(register(prompt, &owner(), &[]).unwrap(), prompt);
}
