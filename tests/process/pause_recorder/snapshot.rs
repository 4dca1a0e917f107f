//! The snapshot: its content, the one at a compaction, and the brief that the next session gets.

use serde_json::json;

use super::{Recorder, lines};

/// A session that has edited two files, of which one is committed, and that has a prompt without an answer.
fn worked() -> (Recorder, String) {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    recorder.recorded(session);
    for name in ["src/parser.rs", "src/printer.rs"] {
        let path = recorder.sandbox.write(name, "fn main() {}").display().to_string();
        let input = json!({ "file_path": path, "content": "fn main() {}" });
        recorder.ask(&session.post_tool_use("Write", input, json!({ "type": "create", "filePath": path })));
    }
    recorder.sandbox.git(&["add", "src/parser.rs"]);
    recorder.sandbox.git(&["commit", "--quiet", "--message", "add the parser"]);
    recorder.ask(&session.stop("The parser is written: `parse()`, *fast* & <small>."));
    recorder.climb(session, 186_000);
    recorder.ask(&session.user_prompt_submit("and now the printer"));
    recorder.ask(&session.session_end("other"));
    let id = recorder.latest();
    (recorder, id)
}

#[test]
fn it_says_what_was_done_and_what_is_open() {
    let (recorder, id) = worked();
    let snapshot = recorder.snapshot(&id);
    assert_eq!(snapshot["session_id"], id);
    let usage = json!({ "tokens_used": 186_000, "tokens_total": 200_000, "percentage": 93.0 });
    assert_eq!(snapshot["context_usage"], usage);
    let pause = &snapshot["incremental_pause"];
    assert_eq!((&pause["action_count"], &pause["context_range"]), (&json!(9), &json!([0.9, 0.93])));
    assert_eq!(snapshot["files_touched"], json!(["src/parser.rs", "src/printer.rs"]));
    let git = &snapshot["git"];
    let status = json!({ "clean": false, "modified_files": [], "untracked_files": ["src/printer.rs"] });
    assert_eq!((&git["branch"], &git["status"]), (&json!("main"), &status));
    let sha = git["recent_commits"][0]["sha"].as_str().unwrap();
    let done = snapshot["accomplishments"].as_array().unwrap();
    assert_eq!(done.first(), Some(&json!(format!("commit {sha}: add the parser"))));
    let words = "last words of a turn: The parser is written: `parse()`, *fast* & <small>.";
    assert_eq!(done.last(), Some(&json!(words)));
    assert_eq!(
        snapshot["next_steps"],
        json!([
            "asked last, without an answer: and now the printer",
            "uncommitted changes: 1 file",
            "asked: go on"
        ])
    );
}

#[test]
fn a_compaction_leaves_one_and_the_record_goes_on() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    let record = recorder.recorded(session);
    recorder.ask(&session.pre_compact("manual"));
    let id = recorder.latest();
    let first = recorder.snapshot(&id);
    assert_eq!(first["incremental_pause"]["action_count"], 4, "{first:#}");
    assert!(record.is_file() && !recorder.file(&id, "-incremental.jsonl").exists());
    recorder.ask(&session.session_start("compact"));
    recorder.climb(session, 30_000);
    recorder.ask(&session.session_end("other"));
    assert_eq!(recorder.latest(), id, "the same, with what came after");
    let last = recorder.snapshot(&id);
    assert_eq!(last["incremental_pause"]["action_count"], 7, "{last:#}");
    assert_eq!(last["context_usage"]["percentage"], 15.0);
    assert_eq!(lines(&recorder.file(&id, "-incremental.jsonl")).len(), 8);
}

#[test]
fn the_next_session_is_told_once() {
    let recorder = Recorder::new("");
    let id = recorder.paused(&recorder.session);
    let brief = recorder.starts("bbbbbbbb-1");
    for part in [
        "an earlier session of this project ended ",
        "context 90 % full",
        "Branch: main, nothing uncommitted",
        "- last words of a turn: The parser is written, the printer is not.",
        "Open:\n- asked last, answered: go on\nDone:\n",
        &format!("\nSnapshot: .claude/sessions/{id}.json (each recorded action: "),
    ] {
        assert!(brief.contains(part), "{part}: {brief}");
    }
    assert!(recorder.run(&["list"]).stdout_text().contains(", read"));
    assert_eq!(recorder.starts("bbbbbbbb-2"), "");
}
