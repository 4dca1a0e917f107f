//! Questions 5, 8 and 19: prompts that nobody typed, `!command`, and prompts that a hook answers.

use crate::scene::{Scene, is_input_line, json_lines, wait_until};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::time::Duration;
use tests::clock::epoch_micros;
use tests::messages_api::{Answer, MessagesApi, Reply, Route};
use tests::recording::{Behaviour, Run};
use tests::script;
use tests::terminal::Key;

/// The client's schedules are full minutes.
const SOME_MINUTES: Duration = Duration::from_secs(300);

/// A one-shot schedule at minute 0 or 30 fires up to 90 s early, perhaps while the turn that made it still runs.
const EARLY_EVERY_MINUTES: u64 = 30;

/// To make a schedule and end the turn takes the client less than this, in seconds.
const A_TURN: u64 = 15;

/// The user's line of the session's transcript with this content; waits for it, because lines come late.
#[track_caller]
fn user_line(scene: &Scene, content: &str) -> Value {
    let runs = scene.recorder.all_runs();
    let path = runs.iter().find_map(|run| run.payload["transcript_path"].as_str()).expect("a transcript");
    let found = RefCell::new(Value::Null);
    wait_until(&format!("a line of `{content}`"), || {
        let lines = json_lines(path.as_ref());
        let line =
            lines.into_iter().find(|line| line["type"] == "user" && line["message"]["content"] == content);
        found.replace(line.unwrap_or_default());
        !found.borrow().is_null()
    });
    found.into_inner()
}

/// These keys of a line.
fn marks(line: &Value) -> [Value; 4] {
    [&line["origin"]["kind"], &line["promptSource"], &line["turnOrigin"], &line["isMeta"]].map(Value::clone)
}

#[test]
fn a_cron_prompt_arrives_as_if_typed_and_only_the_transcript_tells() {
    let load = Reply::tool("ToolSearch", &json!({ "query": "select:CronCreate" }));
    let plan = Answer::made_by(|_| Reply::tool("CronCreate", &next_minute("cron words")));
    let scene = Scene::new()
        .hook("UserPromptSubmit", "prompt", Behaviour::default().watching_the_transcript(1000))
        .recording(&["Stop"]);

    let mut user = scene.user_as(script![load, plan, "planned", "cron answer"], |client| {
        client.env("TZ", "UTC").allow("CronCreate,ToolSearch")
    });
    user.asks("typed words", "planned");
    user.terminal.wait_until("the answer", SOME_MINUTES, |screen| screen.contains("cron answer"));
    scene.recorder.wait_for_ends("Stop", 2);

    assert_eq!(scene.inputs("prompt", "prompt"), ["typed words", "cron words"]);
    let prompts = scene.recorder.runs("prompt");
    assert_looks_typed(&prompts[0], &prompts[1]);
    let crons = &scene.inputs("Stop", "session_crons")[0];
    assert_eq!((&crons[0]["prompt"], &crons[0]["recurring"]), (&json!("cron words"), &json!(false)));
    let (typed, scheduled) = (user_line(&scene, "typed words"), user_line(&scene, "cron words"));
    assert_eq!(marks(&typed), [json!("human"), json!("typed"), json!("human"), Value::Null]);
    assert_eq!(marks(&scheduled), [Value::Null, json!("system"), json!("scheduled"), json!(true)]);
    assert_eq!(scheduled["promptId"], prompts[1].payload["prompt_id"]);
    let looks = &prompts[1].looks;
    assert!(prompts[1].first_look_with(r#""content":"cron words""#).is_some(), "{looks:?}");
    assert!(
        prompts[1].first_look_with("queue-operation").is_some() && prompts[0].looks == [None],
        "{looks:?}"
    );
}

/// Input of `CronCreate`: once, at the next full minute that leaves time to end the turn and is not fired early.
fn next_minute(prompt: &str) -> Value {
    let next = (epoch_micros() / 1_000_000 + A_TURN) / 60 + 1;
    let minute = if next.is_multiple_of(EARLY_EVERY_MINUTES) { next + 1 } else { next };
    json!({ "cron": format!("{} * * * *", minute % 60), "prompt": prompt, "recurring": false })
}

/// Same fields, same environment, a `prompt_id` of its own, and no `source`.
fn assert_looks_typed(typed: &Run, scheduled: &Run) {
    let keys = |run: &Run| run.payload.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(typed), keys(scheduled));
    assert_eq!(scheduled.payload["source"], Value::Null);
    assert_ne!(typed.payload["prompt_id"], scheduled.payload["prompt_id"]);
    assert_eq!(typed.env, scheduled.env);
    assert_eq!(
        (&*typed.env["CLAUDE_CODE_ENTRYPOINT"], &*typed.env["CLAUDE_CODE_SESSION_ATTENDED"]),
        ("cli", "1")
    );
}

#[test]
fn every_way_of_asking_in_print_mode_submits_a_prompt() {
    let scene = Scene::new().recording(&["UserPromptSubmit"]);
    let api = MessagesApi::start(script![]);
    let first = scene.client(&api).ask("asked");
    scene.client(&api).args(&["--resume", first.session_id()]).ask("resumed").outcome.assert_exit(0);
    scene.client(&api).args(&["--continue"]).ask("continued").outcome.assert_exit(0);
    scene.client(&api).feed(&["fed", "fed again"]).outcome.assert_exit(0);
    scene.client(&api).pipe("piped\n").outcome.assert_exit(0);

    let prompts = ["asked", "resumed", "continued", "fed", "fed again", "piped\n"];
    assert_eq!(scene.inputs("UserPromptSubmit", "prompt"), prompts);
    assert_all_different(&scene.inputs("UserPromptSubmit", "prompt_id"));
    for run in scene.recorder.runs("UserPromptSubmit") {
        assert_eq!(run.payload["source"], Value::Null);
        let env = &run.env;
        assert_eq!(
            (&*env["CLAUDE_CODE_ENTRYPOINT"], &*env["CLAUDE_CODE_SESSION_ATTENDED"]),
            ("sdk-cli", "0")
        );
    }
    assert_eq!(marks(&user_line(&scene, "asked")), [Value::Null, json!("sdk"), json!("sdk"), Value::Null]);
}

#[track_caller]
fn assert_all_different(ids: &[Value]) {
    for (index, id) in ids.iter().enumerate() {
        assert!(id.is_string() && !ids[..index].contains(id), "{ids:?}");
    }
}

#[test]
fn the_end_of_a_background_command_is_a_prompt_of_its_own() {
    let wait = "until test -e go; do sleep 0.1; done";
    let input = json!({ "command": wait, "description": "wait", "run_in_background": true });
    let scene = Scene::new().recording(&["Stop", "UserPromptSubmit"]);

    let mut user = scene.user(script![Reply::tool("Bash", &input), "waiting", "woken"]);
    user.asks("work", "waiting");
    scene.recorder.wait_for_ends("Stop", 1);
    scene.sandbox.write("go", "");
    scene.recorder.wait_for_ends("Stop", 2);

    let prompts = scene.inputs("UserPromptSubmit", "prompt");
    let notice = prompts[1].as_str().unwrap();
    assert!(prompts.len() == 2 && notice.starts_with("<task-notification>\n<task-id>"), "{prompts:?}");
    let ids = scene.inputs("UserPromptSubmit", "prompt_id");
    assert_all_different(&ids);
    assert_eq!(scene.inputs("Stop", "prompt_id"), ids);
    let tasks = &scene.inputs("Stop", "background_tasks")[0];
    assert_eq!([&tasks[0]["type"], &tasks[0]["status"]], ["shell", "running"]);
    let marks = marks(&user_line(&scene, notice));
    assert_eq!(marks[..3], ["task-notification", "system", "task_notification"]);
}

#[test]
fn no_hook_runs_for_a_bang_command_and_it_sees_what_a_command_of_the_model_sees() {
    let probe = "env | grep -v -e ^_= -e ^SHLVL= | sort > $0; ps -o tty= -p $$ >> $0; (: < /dev/tty) 2>> $0; echo shown";
    let command = |name: &str| format!("sh -c '{probe}' {name}");
    let scene = Scene::new().recording(&[
        "Notification",
        "PermissionRequest",
        "PostToolBatch",
        "PostToolUse",
        "PreToolUse",
        "Stop",
        "UserPromptExpansion",
        "UserPromptSubmit",
    ]);

    let mut user = scene.user(script!["first answer", Reply::bash(&command("of-the-model")), "end"]);
    user.bangs(&command("of-the-user"), "first answer");
    user.waits_for_end("first answer");
    scene.recorder.wait_for_ends("Stop", 1);
    assert_eq!(scene.order(), ["Stop"]);
    user.asks("typed words", "end");
    scene.recorder.wait_for_ends("Stop", 2);

    let own = scene.inputs("Stop", "prompt_id").remove(0);
    assert!(own.is_string() && own != scene.inputs("UserPromptSubmit", "prompt_id")[0]);
    let request = &user.requests()[0];
    assert!(
        request.shows("<bash-input>sh -c ") && request.shows("<bash-stdout>shown"),
        "{:#?}",
        request.shown_texts()
    );
    let seen = |name: &str| scene.content(name).replace(name, "NAME");
    assert_eq!(seen("of-the-user"), seen("of-the-model"));
    let seen = seen("of-the-user");
    for line in ["CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_ENTRYPOINT=cli", "?"] {
        assert!(seen.lines().any(|own| own == line), "`{line}` is not in {seen}");
    }
    assert!(seen.contains("/dev/tty: No such device") && !seen.contains("CLAUDE_PROJECT_DIR="), "{seen}");
}

/// A block keeps prompt and answer from the model for good; a halt tells it both with the next prompt.
#[test]
fn a_prompt_that_a_hook_answers_costs_no_request() {
    let answer = "line one\nline two";
    let block = json!({ "decision": "block", "reason": answer });
    let mut suppressed = block.clone();
    suppressed["hookSpecificOutput"] =
        json!({ "hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": true });
    let halt = json!({ "continue": false, "stopReason": answer });
    let blocked = format!("UserPromptSubmit operation blocked by hook:\n{answer}");
    for (reply, result, stays, is_read) in [
        (block, format!("{blocked}\n\nOriginal prompt: own command"), true, false),
        (suppressed, blocked, true, false),
        (halt, format!("Operation stopped by hook: {answer}"), false, true),
    ] {
        let scene =
            Scene::new().hook("UserPromptSubmit", "answer", Behaviour::default().then(reply.clone(), 0));
        let session = scene.ask("own command", script![]);
        assert_eq!((session.text(), &session.run.result["num_turns"]), (&*result, &json!(0)));
        assert!(session.requests().is_empty() && session.run.result["is_error"] == false);

        let scene = Scene::new().hook("UserPromptSubmit", "answer", Behaviour::default().then(reply, 0));
        let mut user = scene.user(script!["end"]);
        user.asks("own command", "line two");
        assert_eq!(user.screen().contains("Original prompt"), result.contains("Original prompt"));
        user.terminal.wait_until("the input line", tests::terminal::DEADLINE, |screen| {
            is_input_line(screen, "❯\u{a0}own command") == stays
        });
        user.terminal.press(Key::Ctrl('u'));
        user.enters("hello");
        let request = user.wait_for(&Route::Main, 0);
        assert_eq!([request.shows("own command"), request.shows("line one")], [is_read; 2], "{result}");
    }
}
