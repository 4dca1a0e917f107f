//! Entries for the shell: recognised by the mark their line begins with, whatever follows it.

use super::{installed, owner, register, registered};

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
