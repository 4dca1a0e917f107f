//! The user's own `claude -p` as the judge of a session of the same client: what it finds is read, nothing of the user's runs
//! in it, and nothing of it is left.

use crate::intent_validator::{DECLARED, FILE, NEW, OLD, PROMPT, Turn, code, outcomes, script};
use crate::judging::{Asked, ask, hanging, questions};
use crate::registered::{self, installed, journal};
use crate::requirements_check::{HOOKS, client, content};
use serde_json::{Value, json};
use shared::catalog::Catalog;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};
use tests::client::{CLIENT_VERSION, executable};
use tests::messages_api::{MessagesApi, Recorded, Reply, Route, Script};
use tests::recording::{Behaviour, Recorder};
use tests::sandbox::{Level, Sandbox};
use tests::settings::Settings;
use tests::terminal::Key;

/// What stands in nobody's requests but a judge's.
const MATERIAL: &str = "\n\ndiff:\nBEGIN ";

/// For everything that happens at once on an idle machine.
const SOON: Duration = Duration::from_secs(30);

/// From the key to the end of the judge; seen: a tenth of a second.
const UNTIL_GONE: Duration = Duration::from_secs(2);

const EVENTS: [&str; 6] =
    ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];

/// The hook as it is installed, with these keys of `judge`.
fn project(judge: &str) -> Sandbox {
    with_client(installed(&["intent-validator"], HOOKS, &global(judge)))
}

fn global(judge: &str) -> String {
    format!("judge: {{backend: claude_cli{judge}}}\nintent-validator: {{enabled: true}}\n")
}

/// `claude` is on the search path, as users have it.
fn with_client(sandbox: Sandbox) -> Sandbox {
    fs::create_dir_all(program(&sandbox).parent().unwrap()).unwrap();
    symlink(executable(), program(&sandbox)).unwrap();
    code(sandbox)
}

/// `claude`, as it is found on the search path.
fn program(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".local/bin/claude")
}

/// These keys are added to the user's settings; of hooks, to those that are there.
fn also(sandbox: &Sandbox, more: Value) {
    let path = sandbox.settings_path(Level::User);
    let mut settings: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let Value::Object(more) = more else { panic!("settings are an object, not {more}") };
    for (key, value) in more {
        if key != "hooks" {
            settings[key] = value;
            continue;
        }
        for (event, groups) in value.as_object().unwrap() {
            let own = settings["hooks"].as_object_mut().unwrap();
            let own = own.entry(event).or_insert_with(|| json!([])).as_array_mut().unwrap();
            own.extend(groups.as_array().unwrap().iter().cloned());
        }
    }
    sandbox.settings(Level::User, &settings);
}

/// The tool through which a client gives a structured answer.
fn says(verdict: &str, findings: &Value) -> Reply {
    Reply::tool("StructuredOutput", json!({ "verdict": verdict, "findings": findings }))
}

fn approved() -> Reply {
    says("APPROVED", &json!([]))
}

fn blocked() -> Reply {
    let finding = json!({
        "rule": "magic-numbers", "line": 2, "why": "86400 says nothing.", "fix": "Name it SECONDS_PER_DAY.",
    });
    says("BLOCKED", &json!([finding]))
}

/// What the judges were asked, in order.
fn judged(api: &MessagesApi) -> Vec<Arc<Recorded>> {
    api.requests_of(&Route::Shown(MATERIAL.to_owned()))
}

#[track_caller]
fn wait_for_judge(api: &MessagesApi) {
    let is_judge = |request: &Arc<Recorded>| request.route == Route::Shown(MATERIAL.to_owned());
    api.wait_until("the judge asks", SOON, |requests| requests.iter().any(is_judge));
}

/// The edit and another one that takes it back, both declared.
fn two_edits(sandbox: &Sandbox) -> Script {
    let path = sandbox.project().join(FILE);
    let edit = |from, to| json!({ "file_path": &path, "old_string": from, "new_string": to });
    let words = "FILE: src/app.py\nCHANGES: say hello again\nGOAL: as it was\nTEST: tests/test_app.py";
    Script::new()
        .reply(Reply::tool("Read", json!({ "file_path": &path })))
        .reply(Reply::text(DECLARED).and_tool("Edit", edit(OLD, NEW)))
        .reply(Reply::text(words).and_tool("Edit", edit(NEW, OLD)))
        .reply("end")
}

/// Both edits were made, and the user has heard why nobody judged them: once.
#[track_caller]
fn assert_went_on(what: &str, sandbox: &Sandbox, asked: &Asked, why: &str) {
    assert_eq!(asked.run.text(), "end", "{what}");
    assert_eq!(outcomes(asked), ["ran", "ran"], "{what}: {:#?}", asked.last().tool_results());
    assert_eq!(content(sandbox, FILE), OLD, "{what}: changed and changed back");
    assert_eq!(questions(sandbox), vec![format!("review: {why}"); 2], "{what}");
    let told = format!("gave no verdict: {why}; changes go on unreviewed");
    assert_eq!(asked.told(sandbox, &told), 1, "{what}");
    assert_eq!(asked.told(sandbox, "intent-validator"), 1, "{what}");
    assert_nothing_is_left(what, sandbox, asked);
}

/// Of judges: no process, no nonce, no session; of the session itself no more than its transcript.
#[track_caller]
fn assert_nothing_is_left(what: &str, sandbox: &Sandbox, asked: &Asked) {
    assert_eq!(judges(sandbox), [""; 0], "{what}");
    assert_eq!(names(sandbox.state_dir().join("nonce")), [""; 0], "{what}");
    assert_eq!(names(sandbox.home().join(".claude/sessions")), [""; 0], "{what}");
    let transcript = sandbox.transcript(asked.run.session_id()).expect("the session's transcript");
    let folder = transcript.parent().unwrap().file_name().unwrap().to_string_lossy();
    assert_eq!(names(sandbox.home().join(".claude/projects")), [folder.as_ref()], "{what}");
    let sessions = names(transcript.parent().unwrap());
    let sessions: Vec<_> = sessions.iter().filter(|name| name.rsplit('.').next() == Some("jsonl")).collect();
    assert_eq!(sessions.len(), 1, "{what}: {sessions:?}");
    assert_eq!(names(sandbox.state_dir().join("judge-cwd")), [""; 0], "{what}");
}

fn names(folder: impl Into<PathBuf>) -> Vec<String> {
    let entries = fs::read_dir(folder.into()).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// The command lines of the processes of this sandbox that were started as judges, or by one.
fn judges(sandbox: &Sandbox) -> Vec<String> {
    let home = format!("HOME={}", sandbox.home().display());
    let processes = names("/proc").into_iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let of_judge = processes.filter(|process| {
        let variables = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let variables = String::from_utf8_lossy(&variables);
        let has = |is_meant: &dyn Fn(&str) -> bool| variables.split('\0').any(is_meant);
        has(&|variable| variable == home) && has(&|variable| variable.starts_with("BARBLESS_NONCE="))
    });
    of_judge
        .map(|process| fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .collect()
}

#[test]
fn what_it_finds_is_read_with_line_and_fix_and_the_mended_change_passes() {
    let sandbox = project("");
    let words =
        "FILE: src/timer.py\nCHANGES: add the time to live\nGOAL: old entries go\nTEST: tests/test_timer.py";
    let path = sandbox.project().join("src/timer.py");
    let written =
        |code: &str| Reply::text(words).and_tool("Write", json!({ "file_path": &path, "content": code }));
    let mended = "SECONDS_PER_DAY = 86400\nTTL = SECONDS_PER_DAY\n";
    let script = Script::new()
        .reply(Reply::tool("Read", json!({ "file_path": sandbox.project().join(FILE) })))
        .reply(written("# how long\nTTL = 86400\n"))
        .reply(written(mended))
        .reply("end")
        .when_shown(MATERIAL, [blocked(), approved()]);

    let asked = ask(&sandbox, PROMPT, script);

    let results = asked.last().tool_results();
    assert_eq!(outcomes(&asked), ["refused", "ran"], "{results:#?}");
    let found =
        "found fault with it.\n- line 2, magic-numbers: 86400 says nothing. Fix: Name it SECONDS_PER_DAY.\n";
    assert!(results[1].text.contains(found), "{}", results[1].text);
    assert_eq!(content(&sandbox, "src/timer.py"), mended);
    assert_eq!(questions(&sandbox), ["review: answered", "review: answered"]);
    assert_eq!(asked.told(&sandbox, "intent-validator"), 0);
    for request in judged(&asked.api) {
        assert_eq!(request.model(), "claude-sonnet-5-5");
        assert!(request.tools().contains(&"StructuredOutput"), "{:?}", request.tools());
        assert!(request.shows("GOAL: old entries go") && request.shows("86400"), "{request:#?}");
    }
    assert_nothing_is_left("answered", &sandbox, &asked);
}

/// A client that is told neither to leave hooks alone nor to start safely, as one would do that heeds none of it, or whose
/// hooks are managed; with these further commands before it starts.
fn heedless(sandbox: &Sandbox, first: &str) {
    let script = format!(
        r#"#!/bin/sh
unset CLAUDE_CODE_SAFE_MODE
{first}
for word in "$@"; do
  shift
  if [ -n "$drop" ]; then drop=; continue; fi
  case $word in --settings | --setting-sources) drop=1; continue ;; esac
  set -- "$@" "$word"
done
exec '{}' "$@"
"#,
        executable().display()
    );
    fs::remove_file(program(sandbox)).unwrap();
    fs::write(program(sandbox), script).unwrap();
    fs::set_permissions(program(sandbox), fs::Permissions::from_mode(0o755)).unwrap();
}

/// What ran in the judge of one edit, with all hooks of ours and a recording one registered for the user.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    /// Events on which hooks of others did.
    others: Vec<String>,
    /// Hooks of ours said something to the model, or have a heartbeat that only the judge can have given them.
    ours: bool,
}

fn ran(prepare: impl FnOnce(&Sandbox)) -> Ran {
    let catalog = Catalog::built_in().unwrap();
    let all: Vec<&str> = catalog.hooks.iter().map(|hook| hook.name.as_str()).collect();
    let sandbox = with_client(registered::sandbox(&all, &global("")));
    let recorder = Recorder::new(&sandbox);
    let recording = EVENTS.iter().fold(Settings::new(), |settings, event| {
        settings.hook(event, &recorder.hook(event, Behaviour::default()))
    });
    also(&sandbox, recording.json());
    prepare(&sandbox);
    // Before its own stop nothing in the session itself runs this one.
    let beat = sandbox.state_dir().join("heartbeat/stop-momentum");
    let has_beaten = Arc::new(OnceLock::new());
    let note = Arc::clone(&has_beaten);
    let script = Script::new()
        .reply(Reply::tool("Read", json!({ "file_path": sandbox.project().join(FILE) })))
        .reply(Reply::text(DECLARED).and_tool("Edit", edit(&sandbox)))
        .reply_with(move |_| {
            note.set(beat.exists()).unwrap();
            Reply::text("end")
        })
        .when_shown(MATERIAL, [approved()]);

    let asked = ask(&sandbox, PROMPT, script);

    assert_eq!(content(&sandbox, FILE), NEW);
    assert_eq!(questions(&sandbox), ["review: answered"]);
    assert_eq!(names(sandbox.state_dir().join("nonce")), [""; 0]);
    let own = asked.run.session_id();
    let runs = recorder.all_runs();
    let of_judge = runs.iter().filter(|(_, run)| run.start.payload["session_id"] != own);
    let others = of_judge.map(|(event, _)| event.clone()).collect();
    let has_beaten = *has_beaten.get().expect("the session's last request");
    let is_shown = judged(&asked.api).iter().any(|request| request.shows("intent-validator: "));
    let sessions = sessions_in_journal(&sandbox);
    assert!(sessions.contains(own), "{sessions:?}");
    Ran { others, ours: has_beaten || is_shown || sessions.len() > 1 }
}

fn edit(sandbox: &Sandbox) -> Value {
    json!({ "file_path": sandbox.project().join(FILE), "old_string": OLD, "new_string": NEW })
}

fn sessions_in_journal(sandbox: &Sandbox) -> BTreeSet<String> {
    let journal = journal(sandbox);
    let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| Some(line["session"].as_str()?.to_owned())).collect()
}

#[test]
fn no_hook_runs_in_it_though_all_are_registered_and_where_others_do_ours_are_silent() {
    assert_eq!(ran(|_| {}), Ran { others: Vec::new(), ours: false });
    let events = EVENTS.map(str::to_owned).to_vec();
    let heedless_alone = ran(|sandbox| heedless(sandbox, ""));
    assert_eq!(heedless_alone, Ran { others: events.clone(), ours: false }, "the nonce is enough");
    // Without it they would not be: so it is the nonce that silences them.
    let without_nonce = ran(|sandbox| heedless(sandbox, "unset BARBLESS_NONCE"));
    assert_eq!(without_nonce, Ran { others: events, ours: true });
}

#[test]
fn one_that_hangs_is_gone_at_the_deadline_and_the_changes_are_made() {
    // A client on a busy machine takes two seconds before it asks.
    let sandbox = project(", deadline_secs: 5");
    let script = two_edits(&sandbox).when_shown(MATERIAL, [hanging()]);
    let api = MessagesApi::start(script);
    let (run, running) = thread::scope(|scope| {
        let run = scope.spawn(|| client(&sandbox, &api).ask(PROMPT));
        wait_for_judge(&api);
        let running = judges(&sandbox);
        (run.join().unwrap(), running)
    });
    run.outcome.assert_exit(0);
    let asked = Asked { api, run };

    assert!(running.iter().any(|line| line.contains(" -p --strict-mcp-config ")), "{running:?}");
    assert_went_on("hanging", &sandbox, &asked, "the model did not answer in time");
    assert_eq!(judged(&asked.api).len(), 2);
}

#[test]
fn escape_ends_one_that_is_asked_and_leaves_nothing_of_it() {
    let sandbox = project("");
    let script = script(&sandbox, &[Turn::Says(DECLARED)]).when_shown(MATERIAL, [hanging()]);
    let api = MessagesApi::start(script);
    let mut terminal = client(&sandbox, &api).terminal();
    terminal.wait_until("the banner and the input line", SOON, |screen| {
        screen.contains(CLIENT_VERSION.trim()) && screen.contains('❯')
    });
    terminal.enter(PROMPT);
    wait_for_judge(&api);
    assert_ne!(judges(&sandbox), [""; 0]);

    terminal.press(Key::Escape);
    let pressed = Instant::now();
    while !judges(&sandbox).is_empty() {
        assert!(pressed.elapsed() < UNTIL_GONE, "it is still there:\n{}", terminal.screen());
        thread::sleep(Duration::from_millis(10));
    }

    terminal.wait_for("Rejected update to src/app.py");
    assert_eq!(content(&sandbox, FILE), OLD);
    assert_eq!(names(sandbox.state_dir().join("nonce")), [""; 0]);
    assert!(terminal.quit().success());
}
