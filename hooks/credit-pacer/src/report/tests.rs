//! What can be asked for, and where the page is written.

use std::fs;

use serde_json::json;
use serde_json::value::to_raw_value;
use shared::host::Places;
use shared::own_calls::is_own_call;
use shared::protocol::ToolCall;

use super::{MARK, parse, write};
use crate::command::VERBS;

#[test]
fn reads_a_file_and_perhaps_days() {
    for (words, expected) in [
        (&["--html", "a.html"][..], Some(("a.html", None))),
        (&["--days", "3", "--html", "a.html"], Some(("a.html", Some(3)))),
        (&["--html", "a.html", "--days", "3"], Some(("a.html", Some(3)))),
        (&[], None),
        (&["--html"], None),
        (&["--html", ""], None),
        (&["--html", "a", "--days", "many"], None),
        (&["a.html"], None),
    ] {
        assert_eq!(parse(words).ok(), expected, "{words:?}");
    }
}

#[test]
fn writes_a_page_where_nothing_is_lost_and_nothing_is_switched_off() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    for path in ["work/.claude/worktrees", "work/.git/hooks", "work/sub.html", "state"] {
        fs::create_dir_all(at(path)).unwrap();
    }
    let places = Places { state_dir: Some(at("state")), ..Places::default() };
    fs::write(at("work/ours.html"), format!("{MARK}old")).unwrap();
    fs::write(at("work/other.html"), "<!DOCTYPE html>\n<p>mine</p>").unwrap();
    let page = format!("{MARK}new");
    for (path, is_written) in [
        ("work/new.html", true),
        ("work/ours.html", true),
        ("work/other.html", false),
        ("work/sub.html", false),
        ("work/no-page", false),
        ("work/.claude/a.html", false),
        ("work/.claude/worktrees/a.html", false),
        ("work/.git/hooks/a.html", false),
        ("state/a.html", false),
        ("missing/a.html", false),
    ] {
        let written = write(&at(path), &page, &places);
        assert_eq!(written.is_ok(), is_written, "{path}: {written:?}");
        if is_written {
            assert_eq!(fs::read_to_string(at(path)).unwrap(), page, "{path}");
        }
    }
    let names =
        fs::read_dir(at("work")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name.contains(".tmp")));
}

#[test]
#[cfg(unix)]
fn follows_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let (mine, link) = (folder.path().join("mine"), folder.path().join("link.html"));
    fs::write(&mine, MARK).unwrap();
    std::os::unix::fs::symlink(&mine, &link).unwrap();
    assert!(write(&link, "new", &Places::default()).is_err());
    assert_eq!(fs::read_to_string(&mine).unwrap(), MARK);
}

/// Gates and rails look at calls that write a file.
#[test]
fn is_a_call_like_any_other_where_it_writes_a_file() {
    let is_own = |usage: &str| {
        let command = format!("credit-pacer {}", usage.replace(['[', ']', '|'], " "));
        let input = to_raw_value(&json!({ "command": command })).unwrap();
        let call = ToolCall { tool_name: "Bash".to_owned(), tool_input: Some(input), ..ToolCall::default() };
        is_own_call(&call, &Places::default())
    };
    for verb in VERBS {
        assert_eq!(is_own(verb.usage), !verb.usage.contains("FILE"), "{}", verb.usage);
    }
}
