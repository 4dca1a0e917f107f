//! Observation from the input JSON on, with real files and without a model.

use serde_json::{Value, json};
use shared::host::{Clock, Environment, Host, Timestamp};

use crate::IntentValidator;

/// A project in a home of its own, in which the hook is on.
struct Project {
    scratch: tempfile::TempDir,
    host: Host,
}

impl Project {
    fn new(section: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let host = Host {
            started: Timestamp::from_secs(1_000_000),
            clock: Clock::System,
            environment: Environment {
                home: Some(scratch.path().join("home")),
                project_dir: Some(scratch.path().join("project")),
                ..Environment::default()
            },
        };
        let project = Self { scratch, host };
        project.write(
            "home/.claude/requirements.yaml",
            &format!("intent-validator: {{ enabled: true, {section} }}\n"),
        );
        project.write("project/.git/HEAD", "ref: refs/heads/main\n");
        project
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.scratch.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A transcript in which the model says this in the message that makes the call.
    fn say(&self, user: &str, prose: &str) {
        let lines = [
            json!({ "type": "user", "uuid": "u", "promptId": "p", "message": { "role": "user", "content": user } }),
            json!({ "type": "assistant", "uuid": "a1", "message": { "id": "m", "role": "assistant",
                "content": [{ "type": "text", "text": prose }] } }),
            json!({ "type": "assistant", "uuid": "a2", "message": { "id": "m", "role": "assistant",
                "content": [{ "type": "tool_use", "id": "t", "name": "Write", "input": {} }] } }),
        ];
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        self.write("transcript.jsonl", &format!("{}\n", lines.join("\n")));
    }

    fn tell(&self, event: &str, fields: &Value) -> Value {
        let mut input = json!({
            "session_id": "s", "prompt_id": "p", "hook_event_name": event,
            "cwd": self.path("project"), "transcript_path": self.path("transcript.jsonl"),
        });
        input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let answer = shared::run::respond::<IntentValidator>(&self.host, Ok(input.to_string().into_bytes()));
        answer.map_or(Value::Null, |answer| serde_json::from_str(&answer).unwrap())
    }

    /// Why a file may not be written; empty where it may.
    fn writes(&self, file: &str, content: &str) -> String {
        let input = json!({ "file_path": file, "content": content });
        let fields = json!({ "tool_name": "Write", "tool_use_id": "t", "tool_input": input });
        reason(&self.tell("PreToolUse", &fields))
    }

    fn runs(&self, command: &str, response: &Value) -> Value {
        let fields = json!({ "tool_name": "Bash", "tool_use_id": "b",
            "tool_input": { "command": command }, "tool_response": response });
        self.tell("PostToolUse", &fields)
    }

    fn state(&self) -> String {
        std::fs::read_to_string(self.path("home/.claude/hook-state/s-intent.json")).unwrap_or_default()
    }
}

fn reason(answer: &Value) -> String {
    answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().to_owned()
}

const DECLARED: &str =
    "FILE: src/a.py\nCHANGES: add a function that greets\nGOAL: visitors are greeted\nTEST: tests/test_a.py";
const COMMAND: &str = "intent-validator declare --file src/a.py --changes 'add a function that greets' \
                       --goal 'visitors are greeted' --test tests/test_a.py";
const CODE: &str = "def greet():\n    return 'hello'\n";

fn done() -> Value {
    json!({ "stdout": "", "stderr": "", "interrupted": false })
}

/// Follows a refusal in substance: fills in the blanks.
fn filled_in(text: &str) -> String {
    let text = text.replace("<what you change>", "add a function that greets");
    text.replace("<why you change it>", "visitors are greeted")
        .replace("<test file or test>", "tests/test_a.py")
}

#[test]
fn a_refusal_that_is_followed_passes_and_one_that_is_copied_does_not() {
    for file in ["src/my file.py", "web/größe's.ts", "lib/$x`y`.rb"] {
        let project = Project::new("stage2: off, max_blocks: 9");
        let told = project.writes(file, CODE);
        let lines = told.split("\n\n").nth(1).unwrap();
        project.say("greet", lines);
        assert!(!project.writes(file, CODE).is_empty(), "{lines}");
        project.say("greet", &told);
        assert!(!project.writes(file, CODE).is_empty(), "{told}");
        project.say("greet", &filled_in(lines));
        assert_eq!(project.writes(file, CODE), "", "{lines}");
        let project = Project::new("stage2: off, max_blocks: 9");
        let command = told
            .split_once("run this first, filled in and alone on a line: ")
            .unwrap()
            .1
            .lines()
            .next()
            .unwrap();
        project.runs(command, &done());
        assert!(!project.state().contains("names"), "{}", project.state());
        project.runs(&filled_in(command), &done());
        assert_eq!(project.writes(file, CODE), "", "{command}");
    }
}

#[test]
fn a_change_of_comments_alone_needs_no_test() {
    let project = Project::new("stage2: off, max_blocks: 9");
    let (without, _) = DECLARED.split_once("\nTEST").unwrap();
    project.say("greet them", without);
    project.write("project/src/a.py", CODE);
    assert_eq!(project.writes("src/a.py", &format!("# Greets.\n{CODE}")), "");
    assert!(!project.writes("src/a.py", &format!("{CODE}x = 1\n")).is_empty());
}

#[test]
fn a_line_that_did_not_run_or_is_somebody_elses_records_nothing() {
    let wrapped = COMMAND.replace("--file", "\\\n--file");
    for around in [
        wrapped.as_str(),
        "echo '@'",
        "intent-validator status || @",
        "@ && echo ok",
        "@; echo",
        "@ 2>&1",
        "@ | cat",
        "A=1 @",
    ] {
        let project = Project::new("stage2: off");
        let told = project.runs(&around.replace('@', COMMAND), &done());
        let told = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
        assert!(told.contains("this declaration was not recorded: "), "{around}: {told}");
        assert!(!project.state().contains("greets"), "{around}");
    }
    let project = Project::new("stage2: off");
    assert_eq!(project.runs(COMMAND, &done()), Value::Null);
    assert_eq!(project.runs("git log | grep intent-validator", &done()), Value::Null);
    assert!(project.state().contains("greets"));
}

#[test]
fn session_start_explains_the_form() {
    let start = json!({ "source": "startup" });
    let told = Project::new("").tell("SessionStart", &start);
    let text = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    crate::wording::tests::assert_filled(&text);
    assert!(text.contains("intent-validator declare") && text.contains("src, lib"), "{text}");
    assert_eq!(Project::new("announce: false").tell("SessionStart", &start), Value::Null);
}

#[cfg(unix)]
#[test]
fn projects_file_sends_no_file_to_a_model_that_the_users_own_leaves_out() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = Project::new("exclude_paths: [private], extensions: [rs]");
    let (program, trace) = (project.path("claude"), project.path("trace"));
    project.write("claude", &format!("#!/bin/sh\ntouch '{}'\n", trace.display()));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let global = project.path("home/.claude/requirements.yaml");
    let judge = format!("judge: {{ backend: claude_cli, claude_program: '{}' }}\n", program.display());
    std::fs::write(&global, std::fs::read_to_string(&global).unwrap() + &judge).unwrap();
    project.write(
        "project/.claude/requirements.yaml",
        "intent-validator: { exclude_paths: [], extensions: [rs, md], core_paths: [] }\n",
    );
    for (file, is_sent) in [("private/a.rs", false), ("notes.md", false), ("a.rs", true)] {
        project
            .say("add it", &format!("FILE: {file}\nCHANGES: adds a line to it\nGOAL: the reader finds it"));
        assert_eq!(project.writes(file, "let it = 1;\n"), "", "{file}");
        assert_eq!(trace.exists(), is_sent, "{file}");
    }
}
