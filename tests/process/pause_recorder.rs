//! pause-recorder through real processes: a session from its first record to the brief of the next one, the commands, and in
//! `faults` what goes wrong around it. The rules are tables beside its `decide`.

mod faults;

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tests::payloads::Session;
use tests::transcripts::Transcript;

use crate::driver::{Driver, block_reason, context, has_extension, names, notice};

const NAME: &str = "pause-recorder";

/// A model of which nobody says anything: 200,000 tokens fit.
const MODEL: &str = "claude-sonnet-4-6";

/// Nine tenths of these: the record begins.
const AT_AUTO_PAUSE: u64 = 180_000;

struct Recorder(Driver);

impl Deref for Recorder {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.0
    }
}

impl Recorder {
    /// With these keys of its section in the global file, in YAML's flow style.
    fn new(own: &str) -> Self {
        Self(Driver::new(NAME, &format!("pause-recorder: {{{own}}}\n")))
    }

    /// Another session of the project.
    fn another(&self, id: &str) -> Session {
        self.session.clone().with_id(id)
    }

    /// What the hook answers to the end of a tool call in this session.
    #[track_caller]
    fn call(&self, session: &Session) -> Option<Value> {
        self.ask(&session.bash_succeeded("cargo test", "ok"))
    }

    /// What the user is told at a tool call with so much in the context.
    #[track_caller]
    fn climb(&self, session: &Session, tokens: u64) -> String {
        holds(session, tokens);
        notice(self.call(session).as_ref())
    }

    /// A session that is being recorded from now on.
    #[track_caller]
    fn recorded(&self, session: &Session) -> PathBuf {
        let before = self.actives();
        let told = self.climb(session, AT_AUTO_PAUSE);
        assert!(told.contains("this session is recorded in .claude/sessions"), "{told:?}");
        let mut new: Vec<PathBuf> =
            self.actives().into_iter().filter(|path| !before.contains(path)).collect();
        assert_eq!(new.len(), 1, "{before:?} {new:?}");
        new.remove(0)
    }

    /// The id in the pointer's first line.
    #[track_caller]
    fn latest(&self) -> String {
        let text = fs::read_to_string(self.dir().join("LATEST-SESSION.txt")).unwrap();
        text.lines().next().unwrap().to_owned()
    }

    /// The project's folder.
    fn dir(&self) -> PathBuf {
        self.sandbox.project().join(".claude/sessions")
    }

    fn file(&self, id: &str, end: &str) -> PathBuf {
        self.dir().join(format!("{id}{end}"))
    }

    #[track_caller]
    fn snapshot(&self, id: &str) -> Value {
        serde_json::from_slice(&fs::read(self.file(id, ".json")).unwrap()).unwrap()
    }

    /// What lies in the project's folder, without locks.
    fn kept(&self) -> Vec<String> {
        let there = if self.dir().is_dir() { names(&self.dir()) } else { return Vec::new() };
        there.into_iter().filter(|name| name != ".gitignore" && !has_extension(name, "lock")).collect()
    }

    fn actives(&self) -> Vec<PathBuf> {
        let names = self.kept().into_iter();
        names.filter(|name| name.starts_with("ACTIVE-PAUSE-")).map(|name| self.dir().join(name)).collect()
    }

    /// The brief that a session gets at its start.
    #[track_caller]
    fn starts(&self, id: &str) -> String {
        context(self.ask(&self.another(id).session_start("startup")).as_ref()).unwrap_or_default()
    }

    /// Runs its own command line, as Claude's shell would.
    fn run(&self, words: &[&str]) -> tests::process::Outcome {
        self.run_in(&self.session, words)
    }

    /// As Claude's shell in this session would.
    fn run_in(&self, session: &Session, words: &[&str]) -> tests::process::Outcome {
        let shell = self.hook().env("CLAUDE_CODE_SESSION_ID", session.id.as_str());
        shell.args(words.iter().copied()).run()
    }

    /// What a typed prompt is answered with; `None`: it goes to Claude.
    #[track_caller]
    fn typed(&self, session: &Session, prompt: &str) -> Option<String> {
        block_reason(self.ask(&session.user_prompt_submit(prompt)).as_ref())
    }
}

/// The session's last reply is one after which so much is in its context.
fn holds(session: &Session, tokens: u64) {
    Transcript::of(session).prompt("go on").context(MODEL, tokens).text("Going on.").write();
}

/// The lines of a record or an archive, each of which must be whole.
#[track_caller]
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().unwrap()).collect()
}

#[test]
fn session_is_recorded_and_the_next_one_gets_its_snapshot_once() {
    let recorder = Recorder::new("git_commit: true");
    let session = &recorder.session;
    let record = recorder.recorded(session);
    for name in ["src/parser.rs", "src/printer.rs"] {
        let path = recorder.sandbox.write(name, "fn main() {}").display().to_string();
        let input = json!({ "file_path": path, "content": "fn main() {}" });
        recorder.ask(&session.post_tool_use("Write", input, json!({ "type": "create", "filePath": path })));
    }
    recorder.sandbox.git(&["add", "src/parser.rs"]);
    recorder.sandbox.git(&["commit", "--quiet", "--message", "add the parser"]);
    recorder.ask(&session.post_tool_use_failure("Bash", json!({ "command": "false" }), "Exit code 1"));
    recorder.ask(&session.subagent_start("a1"));
    recorder.ask(&session.subagent_stop("a1", "Found it."));
    recorder.ask(&session.stop("The parser is written, the printer is not."));
    recorder.ask(&session.pre_compact("manual"));
    let id = recorder.latest();
    assert!(record.is_file() && recorder.file(&id, ".json").is_file(), "the record goes on");
    recorder.ask(&session.session_start("compact"));
    recorder.climb(session, 186_000);
    recorder.ask(&session.user_prompt_submit("and now the printer"));
    recorder.ask(&session.session_end("other"));

    let mut expected: Vec<String> =
        [".json", ".yaml", ".md", "-incremental.jsonl"].iter().map(|end| format!("{id}{end}")).collect();
    expected.push("LATEST-SESSION.txt".to_owned());
    expected.sort();
    assert_eq!(recorder.kept(), expected);
    let lines = lines(&recorder.file(&id, "-incremental.jsonl"));
    let happened = "pause_started system_event tool_call tool_call tool_call system_event system_event system_event \
                    assistant_response system_event system_event system_event tool_call user_message system_event pause_finalized";
    assert_eq!(kinds(&lines), happened.split_whitespace().collect::<Vec<_>>());
    let snapshot = recorder.snapshot(&id);
    let usage = json!({ "tokens_used": 186_000, "tokens_total": 200_000, "percentage": 93.0 });
    assert_eq!((&snapshot["session_id"], &snapshot["context_usage"]), (&json!(id), &usage));
    assert_eq!(snapshot["files_touched"], json!(["src/parser.rs", "src/printer.rs"]));
    let committed = recorder.sandbox.git(&["show", "--name-only", "--format=%s", "HEAD"]);
    assert!(committed.starts_with(&format!("Pause snapshot {id}")), "{committed}");
    assert!(!committed.contains("printer.rs"), "{committed}");

    let brief = recorder.starts("bbbbbbbb-1");
    for part in [
        "an earlier session of this project ended ",
        "context 93 % full",
        "Branch: main; files uncommitted: 1",
        "- last words of a turn: The parser is written, the printer is not.",
        "- asked last, without an answer: and now the printer",
        ": add the parser",
        &format!("\nSnapshot: .claude/sessions/{id}.json (each recorded action: "),
    ] {
        assert!(brief.contains(part), "{part}: {brief}");
    }
    assert_eq!(recorder.starts("bbbbbbbb-2"), "");
}

#[test]
fn words_in_a_shell_and_typed_as_a_prompt_are_answered_alike() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    let in_shell = |words: &str, part: &str| {
        let outcome = recorder.run(&words.split(' ').collect::<Vec<_>>());
        outcome.assert_exit(0);
        assert!(outcome.stdout_text().contains(part), "{words}: {outcome}");
    };
    let typed = |words: &str, part: &str| {
        let told = recorder.typed(session, &format!("pause-recorder {words}")).unwrap_or_default();
        assert!(told.contains(part), "{words}: {told:?}");
    };
    in_shell("start", "from here on this session is recorded in .claude/sessions");
    typed("start", "this session is being recorded already");
    in_shell("status", "record: session-");
    typed("list", "being recorded, 1 action, of this session");
    in_shell("finalize", "is finalized, 1 action:\n");
    typed("show", "# Paused session `session-");
    in_shell("resume", "\nSnapshot: .claude/sessions/session-");
    typed("prune --dry-run", "no snapshot of this project is older than 90 days");
    let first = lines(&recorder.file(&recorder.latest(), "-incremental.jsonl")).remove(0);
    assert_eq!(first["data"]["reason"], "command");
    assert_eq!(recorder.typed(session, "pause-recorder start the server"), None);
    in_shell("list", "unread");
    let answer = recorder.ask(&session.user_prompt_submit("pause-recorder resume"));
    let brief = context(answer.as_ref()).expect("which is for Claude");
    assert!(brief.contains(&recorder.latest()), "{brief}");
    in_shell("list", ", read");
}
