//! The harness tested by itself: what it promises to every other test. No hook of ours is run here.

use serde_json::{Value, json};
use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};
use tests::binaries;
use tests::messages_api::{MessagesApi, Reply, Route, Script, Usage};
use tests::payloads::{self, Session};
use tests::process::Invocation;
use tests::recording::{Behaviour, Recorder, What};
use tests::sandbox::{Level, Sandbox, toolchain_env};

#[test]
fn every_recorded_input_is_an_object_that_names_its_session() {
    let recordings = payloads::recordings();
    assert_eq!(recordings.len(), 86);
    for (name, payload) in recordings {
        assert!(payload.get("session_id").is_string(), "{name}");
    }
}

#[test]
fn every_line_of_the_recorded_transcripts_is_json() {
    for name in ["main", "subagent"] {
        let text = fs::read_to_string(payloads::transcript(name)).unwrap();
        for line in text.lines() {
            serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{name}: {error}: {line}"));
        }
    }
}

#[test]
fn built_payloads_have_exactly_the_keys_of_the_recordings() {
    let session = Session::new(&Sandbox::new());
    let input = || json!({ "command": "ls" });
    let built = [
        (session.pre_tool_use("Bash", input()), "PreToolUse-Bash"),
        (
            session.pre_tool_use("Bash", input()).in_subagent("a1", "general-purpose"),
            "PreToolUse-Bash-in-subagent",
        ),
        (session.bash_succeeded("ls", "a"), "PostToolUse-Bash"),
        (
            session.bash_succeeded("ls", "a").in_subagent("a1", "general-purpose"),
            "PostToolUse-Bash-in-subagent",
        ),
        (session.post_tool_use_failure("Bash", input(), "Exit code 1"), "PostToolUseFailure-Bash"),
        (session.user_prompt_submit("go"), "UserPromptSubmit"),
        (session.session_start("startup"), "SessionStart"),
        (session.session_start("compact"), "SessionStart-compact"),
        (session.stop("end"), "Stop"),
        (session.stop_again("end"), "Stop-stop_hook_active"),
        (session.subagent_start("a1"), "SubagentStart"),
        (session.subagent_stop("a1", "end"), "SubagentStop"),
        (session.session_end("other"), "SessionEnd"),
        (session.status_line(), "statusLine-rate_limits"),
    ];
    for (payload, recording) in built {
        assert_eq!(payload.keys(), payloads::recorded(recording).keys(), "{recording}");
        assert_eq!(payload.get("session_id"), &session.id, "{recording}");
    }
}

#[test]
fn a_process_of_the_sandbox_sees_nothing_of_the_real_home() {
    let sandbox = Sandbox::new();
    let recorder = Recorder::new(&sandbox);
    let hook = Invocation::new(binaries::record_hook(), &sandbox);
    hook.args(recorder.args("home")).stdin("{}").run().assert_silent();

    let start = recorder.starts("home").remove(0);
    let expected: Vec<_> = sandbox.env().into_keys().filter(|name| !start.env_names.contains(name)).collect();
    assert_eq!((expected, start.env_names.len()), (Vec::<String>::new(), sandbox.env().len()));
    assert_eq!(start.env["HOME"], sandbox.home().display().to_string());
    let (real, scratch) = (env::home_dir().unwrap(), sandbox.home().parent().unwrap().to_owned());
    for folder in sandbox.env().values().flat_map(|value| value.split(':')).map(Path::new) {
        assert!(!folder.starts_with(&real) || folder.starts_with(&scratch), "{}", folder.display());
    }
}

#[test]
fn a_sandbox_is_a_clean_git_project_and_is_gone_afterwards() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.git(&["branch", "--show-current"]), "main");
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), "1");
    sandbox.write("src/a.rs", "fn a() {}");
    sandbox.requirements(Level::Project, "version: \"1.0\"\n");
    sandbox.commit("a file");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let project = sandbox.project();
    drop(sandbox);
    assert!(!project.exists());
}

#[test]
fn cargo_runs_in_a_sandbox_with_the_toolchain_passed_through() {
    let sandbox = Sandbox::new();
    let outcome = Invocation::new(env!("CARGO"), &sandbox).args(["--version"]).envs(toolchain_env()).run();
    assert!(outcome.stdout_text().starts_with("cargo "), "{outcome}");
}

#[test]
fn a_process_that_hangs_is_ended_at_its_deadline_with_its_children() {
    let sandbox = Sandbox::new();
    let script = "sleep 100 & echo $!; wait";
    let hang = Invocation::new("/bin/sh", &sandbox).args(["-c", script]).deadline(Duration::from_millis(100));
    let outcome = hang.run();
    assert!(outcome.killed, "{outcome}");
    assert!(outcome.wall < Duration::from_secs(10), "{outcome}");
    assert!(!outcome.stdout.is_empty(), "what was printed before the end counts: {outcome}");
}

#[test]
fn every_kind_of_stdin_and_stdout_can_be_given() {
    let sandbox = Sandbox::new();
    let shell = |script: &str| Invocation::new("/bin/sh", &sandbox).args(["-c", script]);
    assert_eq!(shell("cat").stdin("given").run().stdout_text(), "given");
    assert_eq!(shell("read line; echo \"$line\"").stdin_held_open("given\n").run().stdout_text(), "given\n");
    let write = "trap '' PIPE; echo text || exit 9";
    shell(write).stdout_without_reader().run().assert_exit(9);
    shell(write).stdout_closed().run().assert_exit(9);
    #[cfg(target_os = "linux")]
    shell(write).stdout_on_full_disk().run().assert_exit(9);
}

#[test]
fn parallel_runs_of_a_recording_hook_get_one_reply_each() {
    let sandbox = Sandbox::new();
    let recorder = Recorder::new(&sandbox);
    let replies = ["a", "b", "c", "d"].map(tests::recording::Reply::stdout);
    drop(recorder.hook("one", Behaviour::replying(replies)));
    let hook = || Invocation::new(binaries::record_hook(), &sandbox).args(recorder.args("one")).start();
    let running: Vec<_> = (0..4).map(|_| hook()).collect();
    let mut said: Vec<_> = running.into_iter().map(|hook| hook.wait().stdout_text()).collect();
    said.sort();
    assert_eq!(said, ["a", "b", "c", "d"]);
    assert_eq!(recorder.lines().iter().filter(|line| matches!(line.what, What::End { .. })).count(), 4);
}

#[test]
fn a_recording_hook_notes_the_signal_and_goes_on() {
    let sandbox = Sandbox::new();
    let recorder = Recorder::new(&sandbox);
    let reply = tests::recording::Reply::stdout("late").after_ms(400);
    drop(recorder.hook("slow", Behaviour::replying([reply]).trapping_signals()));
    let args = recorder.args("slow");
    let mut hook = Invocation::new(binaries::record_hook(), &sandbox).args(args).start();
    recorder.wait_until("the start of the hook", Duration::from_secs(10), |lines| !lines.is_empty());
    hook.terminate();
    let outcome = hook.wait();
    outcome.assert_exit(0);
    assert_eq!(outcome.stdout_text(), "late");
    assert!(recorder.lines().iter().any(|line| matches!(line.what, What::Signal { signal: 15 })));
}

#[test]
fn the_scripted_api_answers_by_route_and_keeps_every_request() {
    let usage = Usage { input: 1000, ..Usage::default() };
    let script = Script::new()
        .reply(
            Reply::thinking("hm").and_text("first").and_tool("Bash", json!({ "command": "ls" })).usage(usage),
        )
        .reply_with(|request| Reply::text(&format!("seen {}", request.texts().len())))
        .route("sub", ["from the subagent"])
        .aux("a title")
        .when_shown("judge this", ["a verdict"]);
    let api = MessagesApi::start(script);

    let first = ask(&api, &json!({ "model": "m", "tools": [{ "name": "Bash" }], "messages": [user("go")] }));
    assert_eq!(first["content"][1]["text"], "first");
    assert_eq!((&first["stop_reason"], &first["usage"]["input_tokens"]), (&json!("tool_use"), &json!(1000)));
    assert!(first["content"][2]["id"].is_string());
    let marked = json!({ "tools": [{ "name": "Bash" }], "messages": [user("[[route:sub]] go")] });
    assert_eq!(ask(&api, &marked)["content"][0]["text"], "from the subagent");
    assert_eq!(ask(&api, &json!({ "messages": [user("title")] }))["content"][0]["text"], "a title");
    assert_eq!(ask(&api, &json!({ "messages": [user("judge this")] }))["content"][0]["text"], "a verdict");
    let result = json!({ "type": "tool_result", "tool_use_id": "t", "content": "out <system-reminder>why</system-reminder>" });
    let messages = json!([user("go"), { "role": "assistant", "content": "mine" }, { "role": "user", "content": [result] }]);
    let second = ask(&api, &json!({ "tools": [{ "name": "Bash" }], "messages": messages }));
    assert_eq!(second["content"][0]["text"], "seen 3");
    let third = ask(&api, &json!({ "tools": [{ "name": "Bash" }], "messages": [user("go")] }));
    assert_eq!(third["content"][0]["text"], "done");

    assert_eq!((api.main_requests().len(), api.requests().len()), (3, 6));
    assert!(api.showed(1, "why") && !api.showed(1, "mine"));
    assert_eq!(api.shown_after(0), ["out <system-reminder>why</system-reminder>"]);
    assert_eq!(api.requests_of(&Route::Shown("judge this".to_owned())).len(), 1);
}

#[test]
fn the_scripted_api_answers_judges_out_of_a_list_of_their_own() {
    let script = Script::new()
        .reply("to the client")
        .judge(Reply::json(&json!({ "verdict": "NO" })))
        .judge_with(|request| Reply::text(&format!("{} again", request.texts().len())));
    let api = MessagesApi::start(script);
    let form = json!({ "format": { "type": "json_schema", "schema": {} }, "effort": "low" });
    let judged = json!({ "output_config": form, "messages": [user("it")] });
    let text = |body: &Value| ask(&api, body)["content"][0]["text"].as_str().unwrap().to_owned();

    assert_eq!(text(&judged), r#"{"verdict":"NO"}"#);
    let client = json!({ "output_config": { "effort": "low" }, "tools": [{ "name": "Bash" }], "messages": [user("go")] });
    assert_eq!(text(&client), "to the client");
    assert_eq!([text(&judged), text(&judged)], ["1 again", "1 again"]);
    assert_eq!((api.judge_requests().len(), api.main_requests().len()), (3, 1));

    let titled = json!({ "stream": true, "output_config": form, "messages": [user("a title")] });
    post(&api.url().replace("http://", ""), "/v1/messages", &titled);
    assert_eq!(api.requests_of(&Route::Aux).len(), 1, "clients have their answers streamed");
}

#[test]
fn the_scripted_api_streams_reports_errors_and_stops_when_dropped() {
    let api = MessagesApi::start(
        Script::new()
            .reply("streamed")
            .reply(Reply::error(529, "overloaded_error", "later"))
            .header("x-limit", "42"),
    );
    let address = api.url().replace("http://", "");
    let body = json!({ "stream": true, "tools": [{ "name": "Bash" }], "messages": [user("go")] });
    let streamed = post(&address, "/v1/messages?beta=true", &body);
    assert!(streamed.contains("text_delta") && streamed.contains("message_stop"), "{streamed}");
    let refused = post(&address, "/v1/messages", &body);
    assert!(refused.starts_with("HTTP/1.1 529") && refused.contains("overloaded_error"), "{refused}");
    assert!(refused.to_ascii_lowercase().contains("x-limit: 42"), "{refused}");
    let counted = post(&address, "/v1/messages/count_tokens", &body);
    assert!(counted.ends_with(r#"{"input_tokens":100}"#), "{counted}");
    assert!(post(&address, "/nowhere", &body).starts_with("HTTP/1.1 404"));
    assert!(
        exchange(&address, "HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .starts_with("HTTP/1.1 404")
    );

    drop(api);
    let until = Instant::now() + Duration::from_secs(10);
    while TcpStream::connect(&address).is_ok() {
        assert!(Instant::now() < until, "the server still listens");
    }
}

#[test]
fn a_delayed_reply_holds_up_neither_other_requests_nor_the_end() {
    let slow = Reply::text("never").after(Duration::from_secs(600));
    let api = MessagesApi::start(Script::new().reply(slow).aux("at once"));
    let address = api.url().replace("http://", "");
    let asking = std::thread::spawn(move || {
        post(&address, "/v1/messages", &json!({ "tools": [{ "name": "Bash" }], "messages": [user("go")] }))
    });
    api.wait_for_main_request(0, Duration::from_secs(10));
    assert_eq!(ask(&api, &json!({ "messages": [user("title")] }))["content"][0]["text"], "at once");
    drop(api);
    assert!(!asking.join().unwrap().contains("never"));
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// Asks without a stream and returns the message.
fn ask(api: &MessagesApi, body: &Value) -> Value {
    let answer = post(&api.url().replace("http://", ""), "/v1/messages", body);
    let (_, message) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(message).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

fn post(address: &str, path: &str, body: &Value) -> String {
    let body = body.to_string();
    let length = body.len();
    exchange(
        address,
        &format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        ),
    )
}

fn exchange(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer));
    String::from_utf8_lossy(&answer).into_owned()
}
