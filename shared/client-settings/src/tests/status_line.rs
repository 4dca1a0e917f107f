//! The status line: there is one place for it, which may be somebody's already.

use super::{FOLDER, arrange, owner};
use crate::{Owner, Refused, Wanted, read, status_line_command};

fn ours() -> String {
    format!("{FOLDER}/b-watch statusline")
}

/// The text with our status line, or without.
fn with(text: &str, before: Option<&str>, wanted: bool) -> Result<String, Refused> {
    let status_line = wanted.then(ours);
    let owner = Owner { status_line_before: before.map(str::to_owned), ..owner() };
    let wanted = Wanted { status_line, ..Wanted::default() };
    arrange(Some(text), &owner, &wanted, &[]).map(Option::unwrap_or_default)
}

#[test]
fn what_was_changed_beside_the_command_since_then_stays() {
    let raw = r#"{"type": "command", "command": "mine", "padding": 1}"#;
    let before = format!(r#"{{"statusLine": {raw}}}"#);
    let after = with(&before, None, true).unwrap();
    assert_eq!(with(&after, Some(raw), false).unwrap(), before);
    let padded = after.replace("\"padding\": 1", "\"padding\": 0");
    assert_eq!(with(&padded, Some(raw), false).unwrap(), before.replace("\"padding\": 1", "\"padding\": 0"));
    let emptied = format!(r#"{{"statusLine": {{"command": "{}"}}}}"#, ours());
    assert_eq!(with(&emptied, Some(raw), false).unwrap(), r#"{"statusLine": {"command": "mine"}}"#);
}

#[test]
fn of_ours_only_the_command_is_put_right() {
    for stale in
        ["/old/place/.claude/hooks/b-watch statusline --x", "\\\"/a b/.claude/hooks/b-watch\\\" statusline"]
    {
        let text = |command: &str| {
            format!(r#"{{"statusLine": {{"padding": 0, "command": "{command}", "type": "command"}}}}"#)
        };
        let there = read(&text(stale), &owner()).unwrap().status_line.unwrap();
        assert!(there.is_ours);
        assert_eq!(with(&text(stale), None, true).unwrap(), text(&ours()));
        assert_eq!(with(&text(stale), None, false).unwrap(), "{}");
    }
}

#[cfg(unix)]
#[test]
fn a_shell_starts_the_program_whatever_its_path_holds() {
    for home in ["plain", "two words", "o'brien", "$HOME", "`id`", "a\"b", "back\\slash", "*", "é;x&y", "''"]
    {
        let folder = format!("/Users/{home}/.claude/hooks");
        let line = status_line_command(&format!("{folder}/b-watch"), "statusline");
        let printed = std::process::Command::new("sh").args(["-c", &format!("printf '%s|' {line}")]).output();
        let printed = String::from_utf8(printed.unwrap().stdout).unwrap();
        assert_eq!(printed, format!("{folder}/b-watch|statusline|"), "{line}");
        assert!(is_recognized(&line, &folder), "{line}");
    }
}

#[cfg(unix)]
fn is_recognized(line: &str, folder: &str) -> bool {
    let owner = Owner { folders: vec![folder.into()], ..owner() };
    let text = serde_json::json!({ "statusLine": { "type": "command", "command": line } }).to_string();
    read(&text, &owner).unwrap().status_line.unwrap().is_ours
}
