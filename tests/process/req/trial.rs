//! `req try`: what a hook would have said in a past session. The hook is the real one beside `req`, and nothing on the disk
//! or of the world may change.

use super::desk::{Desk, json_of, no, yes};
use crate::driver::tree;
use crate::judged::{self, FILE, Judged, KEY, REQUEST};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tests::binaries;
use tests::payloads;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

/// A session that is written line by line, a second apart.
struct Past {
    cwd: PathBuf,
    id: String,
    lines: Vec<Value>,
    turns: usize,
    calls: usize,
}

impl Past {
    fn of(sandbox: &Sandbox, id: &str) -> Self {
        Self { cwd: sandbox.project(), id: id.to_owned(), lines: Vec::new(), turns: 0, calls: 0 }
    }

    fn line(mut self, kind: &str, fields: Value) -> Self {
        let at = self.lines.len();
        let (minutes, secs) = (at / 60, at % 60);
        let mut line = json!({
            "type": kind, "timestamp": format!("2026-11-20T10:{minutes:02}:{secs:02}.000Z"), "sessionId": self.id,
            "cwd": self.cwd, "isSidechain": false, "entrypoint": "cli",
        });
        let Value::Object(fields) = fields else { panic!("an object") };
        line.as_object_mut().unwrap().extend(fields);
        self.lines.push(line);
        self
    }

    fn prompt(mut self, text: &str) -> Self {
        self.turns += 1;
        let prompt = format!("p{}", self.turns);
        self.line(
            "user",
            json!({ "promptId": prompt, "permissionMode": "default", "message": { "content": text } }),
        )
    }

    fn says(self, text: &str) -> Self {
        let message =
            json!({ "id": format!("m{}", self.lines.len()), "content": [{ "type": "text", "text": text }] });
        self.line("assistant", json!({ "message": message }))
    }

    /// A call that went well, and what the tool answered.
    fn call(mut self, tool: &str, input: &Value, answer: &Value) -> Self {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let call = json!({ "type": "tool_use", "id": id, "name": tool, "input": input });
        let message = json!({ "id": format!("m{}", self.lines.len()), "content": [call] });
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": "well" });
        let prompt = format!("p{}", self.turns);
        self.line("assistant", json!({ "message": message })).line(
            "user",
            json!({ "promptId": prompt, "message": { "content": [result] }, "toolUseResult": answer }),
        )
    }

    fn bash(self, line: &str) -> Self {
        self.call(
            "Bash",
            &json!({ "command": line }),
            &json!({ "stdout": "", "stderr": "", "interrupted": false }),
        )
    }

    fn edit(self, file: &str) -> Self {
        let input = json!({ "file_path": self.cwd.join(file), "old_string": "a", "new_string": "b" });
        self.call("Edit", &input, &json!({}))
    }

    /// So full was the context at the last call.
    fn full(mut self, tokens: u64) -> Self {
        let mut replies = self.lines.iter_mut().rev().filter(|line| line["type"] == "assistant");
        let message = &mut replies.next().expect("there is a call")["message"];
        message["model"] = json!("claude-sonnet-4-5");
        message["usage"] = json!({ "input_tokens": tokens });
        self
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| line.to_string() + "\n").collect()
    }

    /// Where the client keeps it.
    fn write(&self, sandbox: &Sandbox) -> PathBuf {
        let folder: String = self
            .cwd
            .display()
            .to_string()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        sandbox.write_home(format!(".claude/projects/{folder}/{}.jsonl", self.id), self.text())
    }
}

const SESSION: &str = "3f1a20c7-0000-4000-8000-000000000001";

/// A session of one turn of work.
fn work(sandbox: &Sandbox) -> Past {
    let past = Past::of(sandbox, SESSION).prompt("Make it so.").says("Now.");
    past.bash("ls").edit("src/a.rs").edit("src/b.rs").says("It is done.")
}

fn tried<'a>(report: &'a Value, key: &str) -> Vec<&'a str> {
    report["said"].as_array().unwrap().iter().map(|said| said[key].as_str().unwrap_or_default()).collect()
}

#[test]
fn what_a_hook_that_is_off_would_have_said_is_told_with_what_is_not_known() {
    let desk = Desk::empty();
    work(&desk.sandbox).write(&desk.sandbox);
    let told = yes(desk.script(&["try", "delegation-guard"]));
    for part in [
        "delegation-guard in session 3f1a20c7, 2026-11-20 ",
        "1 prompt, 3 tool calls, 1 end of a turn; 7 events for this hook",
        "off by the defaults, replayed as if it were on",
        "  refused   Bash ls: delegation-guard refused this call once",
        "  advised   Edit src/b.rs: delegation-guard (advice at streak 2)",
        "delegation-guard would have refused 1 call and told Claude something once.",
        "- After a refusal Claude would have gone on differently",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let whole = yes(desk.script(&["try", "delegation-guard", "--all"]));
    assert!(
        whole.len() > told.len() && whole.contains("\n    delegation-guard refused this call once"),
        "{whole}"
    );
    let report = json_of(desk.script(&["try", "delegation-guard", "--json"]));
    assert_eq!(tried(&report, "what"), ["deny", "advise"]);
    assert_eq!(report["times"], json!({ "deny": 1, "advise": 1 }));
    assert_eq!((&report["settings"]["enabled"], &report["session"]), (&json!(false), &json!(SESSION)));
}

#[test]
fn settings_are_those_of_the_sessions_project_wherever_it_is_asked_from() {
    let desk = Desk::empty();
    let past = work(&desk.sandbox).write(&desk.sandbox);
    desk.sandbox.requirements(
        Level::Project,
        "rate-awareness: {mode: deny, global_default: {capacity: 1, refill_per_sec: 0}}\n",
    );
    let elsewhere = desk.sandbox.temporary_dir();
    let ask = desk.script(&["try", "rate-awareness", "--json", "--session"]).args([past.as_os_str()]);
    let report = json_of(ask.cwd(elsewhere));
    assert_eq!(report["project"], desk.sandbox.project().display().to_string());
    assert_eq!(report["settings"]["problems"], json!([]));
    assert_eq!((tried(&report, "what"), tried(&report, "tool")), (vec!["deny"; 2], vec!["Edit"; 2]));
    assert_eq!(report["rules"], json!({ "rate-awareness.global_default": 2 }));
}

#[test]
fn each_hook_says_what_it_can_know_of_a_past_session() {
    let bucket = "rate-awareness: {mode: deny, global_default: {capacity: 2, refill_per_sec: 0}}\n";
    for (hook, settings, parts) in [
        (
            "rate-awareness",
            bucket,
            &[
                "  refused   Edit src/b.rs: rate-awareness.global_default: the bucket `ungated` is empty: 3 calls",
                "rate-awareness would have refused 1 call.",
            ][..],
        ),
        (
            "credit-pacer",
            "",
            &[
                "  told you  SessionStart: credit-pacer: no readings of the credits used, so nothing is paced",
                "- Readings of your credits are not looked at, and without any nothing is paced: what it would have held up \
                 cannot be known, and that none are there is so in this replay alone.",
            ],
        ),
        (
            "pause-recorder",
            "",
            &[
                "  told you  Edit src/a.rs: pause-recorder: the context is 75 % full (150,000 of 200,000 tokens)",
                "  told you  Edit src/b.rs: pause-recorder: the context is 92 % full",
                "pause-recorder would have told you something twice.",
            ],
        ),
        (
            "intent-validator",
            "",
            &[
                "  told      SessionStart: intent-validator: Before you write or edit source code, declare the change",
                "  refused   Edit src/a.rs: intent-validator: nothing was seen to be declared about this change of src/a.rs.",
                "intent-validator would have refused 2 calls and told Claude something once.",
                "- No model was asked, and none would have been.",
            ],
        ),
    ] {
        let desk = Desk::new(settings);
        let past = Past::of(&desk.sandbox, SESSION).prompt("Make it so.").bash("ls").full(100_000);
        past.edit("src/a.rs").full(150_000).edit("src/b.rs").full(185_000).says("Done.").write(&desk.sandbox);
        let told = yes(desk.script(&["try", hook]));
        for part in parts {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
}

#[test]
fn marks_begin_empty_and_those_that_the_session_set_count() {
    let desk = Desk::new("requirements: {commit_plan: {enabled: true}}\n");
    desk.starts(&desk.session);
    yes(desk.claude(&["satisfy", "commit_plan", "--branch"]));
    let marks = fs::read_to_string(desk.marks_file("main.json")).unwrap();
    let past = Past::of(&desk.sandbox, SESSION).prompt("Make it so.").edit("src/a.rs");
    past.bash("req satisfy commit_plan").edit("src/a.rs").says("Done.").write(&desk.sandbox);
    let report = json_of(desk.script(&["try", "requirements-check", "--json"]));
    let refused: Vec<&Value> =
        report["said"].as_array().unwrap().iter().filter(|said| said["what"] == "deny").collect();
    assert_eq!(refused.len(), 1, "{report:#}");
    assert_eq!(
        (&refused[0]["at"], &refused[0]["about"]),
        (&json!("2026-11-20T10:00:01.000Z"), &json!("src/a.rs"))
    );
    assert_eq!(fs::read_to_string(desk.marks_file("main.json")).unwrap(), marks);
}

#[test]
fn nothing_on_the_disk_changes_whatever_hook_is_tried() {
    let desk = Desk::new("requirements: {commit_plan: {enabled: true}, x: {typ: blocking}}\n");
    desk.starts(&desk.session);
    fs::create_dir_all(desk.sandbox.project().join(".git/requirements")).unwrap();
    fs::write(desk.marks_file("main.json"), "{ damaged").unwrap();
    let past = work(&desk.sandbox)
        .prompt("req satisfy commit_plan")
        .prompt("req pause")
        .prompt("req disable commit_plan");
    past.prompt("stop-momentum on")
        .bash("req satisfy commit_plan")
        .edit("src/a.rs")
        .says("Done.")
        .write(&desk.sandbox);
    let before = tree(&desk.sandbox.root());
    for hook in shared::catalog::section_names().filter(|name| binaries::path(name).is_file()) {
        for json in [&[][..], &["--json"]] {
            yes(desk.claude(&[&["try", hook], json].concat()));
        }
    }
    assert_eq!(tree(&desk.sandbox.root()), before);
}

#[test]
fn a_model_is_never_asked_and_it_is_told_how_often_one_would_have_been() {
    for name in judged::HOOKS {
        let judged = Judged::new(name, "", "backend: messages_api", [judged::approves()]);
        let declared = format!("{}\n{}", "I say what I do.", judged::DECLARATION);
        let past = Past::of(&judged.sandbox, SESSION).prompt(REQUEST).says(&declared);
        let write = json!({ "file_path": judged.sandbox.project().join(FILE), "content": "def greet():\n    return 1\n" });
        past.call("Write", &write, &json!({})).says("It is done, as far as I see.").write(&judged.sandbox);
        let req = Invocation::new(binaries::path("req"), &judged.sandbox).args(["try", name, "--json"]);
        let report = json_of(req.envs(judged.variables.clone()));
        assert_eq!(judged.api.requests().len(), 0);
        assert_eq!(report["settings"]["enabled"], true, "{report:#}");
        if name == "tempo-stop" {
            assert_eq!(report["questions"], 1, "{report:#}");
        }
        assert!(!report.to_string().contains(KEY));
    }
}

#[test]
fn a_session_is_named_by_its_beginning_or_by_its_file_and_else_it_is_the_newest_here() {
    let desk = Desk::empty();
    let older =
        Past::of(&desk.sandbox, "aaaaaaaa-0000-4000-8000-000000000001").prompt("x").bash("ls").says("y");
    let file = older.write(&desk.sandbox);
    let past = std::time::SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().write(true).open(&file).unwrap().set_modified(past).unwrap();
    work(&desk.sandbox).write(&desk.sandbox);
    let path = file.display().to_string();
    for (words, session) in [
        (&[][..], SESSION),
        (&["--session", "aaaaaaaa"], older.id.as_str()),
        (&["--session", &older.id], older.id.as_str()),
        (&["--session", &path], older.id.as_str()),
    ] {
        let report = json_of(desk.script(&[&["try", "stop-momentum", "--json"], words].concat()));
        assert_eq!(report["session"], session, "{words:?}");
    }
}

#[test]
fn what_cannot_be_tried_is_told() {
    let desk = Desk::empty();
    let nothing = desk.sandbox.write("nothing.jsonl", "no line of a session\n").display().to_string();
    let folder = desk.sandbox.project().display().to_string();
    let line = json!({ "type": "user", "sessionId": SESSION, "cwd": folder, "isSidechain": true, "message": { "content": "x" } });
    let agent = desk.sandbox.write("agent-1.jsonl", format!("{line}\n")).display().to_string();
    for (words, why) in [
        (&["stop-momentum"][..], "this project has no transcript in ~/.claude/projects"),
        (&["stop-momentun"], "there is no hook stop-momentun; did you mean stop-momentum?"),
        (&["stop-momentum", "--session", "ffffffff"], "no transcript below ~/.claude/projects has that name"),
        (
            &["stop-momentum", "--session", &agent],
            "is a subagent's; its session's can be replayed: --session",
        ),
        (&["stop-momentum", "--session", "./gone.jsonl"], "there is no file ./gone.jsonl"),
        (&["stop-momentum", "--session", &nothing], "is no transcript of a session"),
        (&["stop-momentum", "--session", &folder], "there is no file"),
    ] {
        let told = no(desk.script(&[&["try"], words].concat()));
        assert!(told.starts_with("req: ") && told.contains(why), "{told}");
    }
    for words in [&["try"][..], &["try", "stop-momentum", "--sesion", "x"], &["try", "a", "b"]] {
        desk.script(words).run().assert_exit(64);
    }
}

#[test]
fn a_session_from_another_machine_is_tried_with_the_settings_at_hand() {
    let desk = Desk::new("stop-momentum: {enabled: true}\n");
    let recorded = payloads::transcript("main").display().to_string();
    let told = yes(desk.script(&["try", "stop-momentum", "--session", &recorded]));
    assert!(told.contains("The session's folder /home/user/project is not on this machine"), "{told}");
    assert!(told.contains("Nobody was watching this session"), "{told}");
    assert!(told.contains("stop-momentum would have held 1 stop."), "{told}");
}

#[test]
fn fifty_megabytes_take_seconds_and_leave_nothing_behind() {
    let desk = Desk::empty();
    let answer = json!({ "stdout": "x".repeat(250_000), "stderr": "", "interrupted": false });
    let past = (0..200).fold(Past::of(&desk.sandbox, SESSION).prompt("Make it so."), |past, number| {
        past.call("Bash", &json!({ "command": format!("ls {number}") }), &answer)
    });
    let file = past.says("It is done.").write(&desk.sandbox);
    assert!(fs::metadata(file).unwrap().len() > 50_000_000);
    for hook in ["delegation-guard", "stop-momentum"] {
        yes(desk.script(&["try", hook]).deadline(Duration::from_secs(20)));
    }
    assert!(tree(&desk.sandbox.temporary_dir()).is_empty());
}

#[test]
fn a_reader_that_has_seen_enough_leaves_nothing_behind() {
    let desk = Desk::empty();
    let past = work(&desk.sandbox).write(&desk.sandbox);
    let input = json!({ "hook_event_name": "Stop", "session_id": "s", "transcript_path": past });
    let event = json!({ "at": "2026-11-20T10:00:00.000Z", "transcript_bytes": 9, "input": input });
    let hook = Invocation::new(binaries::path("stop-momentum"), &desk.sandbox).args(["replay"]);
    hook.stdin(format!("{event}\n").repeat(3)).stdout_without_reader().run().assert_exit(0);
    assert!(tree(&desk.sandbox.temporary_dir()).is_empty());
}
