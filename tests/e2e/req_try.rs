//! `req try` after a session under the real client: of each hook it says what the hook's own journal says.

use crate::registered::{installed, journal, ran, touch};
use crate::requirements_check::{HOOKS, client, write};
use serde_json::Value;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::process::Invocation;
use tests::sandbox::Sandbox;

const TRIED: [&str; 3] = ["delegation-guard", "stop-momentum", "requirements-check"];

/// Everything speaks where it can.
const LOUD: &str = "delegation-guard: {enabled: true, headless: true, first_call: deny}
stop-momentum: {enabled: true, headless: true}
requirements-check: {headless: true}
requirements:
  plan: {enabled: true}
";

/// What becomes of a call or a stop. The rest is said at a session's start, or is no answer to an event.
const SAID: [&str; 4] = ["deny", "ask", "block", "advise"];

#[test]
fn a_session_that_is_tried_again_hears_what_it_heard() {
    let sandbox = installed(&TRIED, HOOKS, LOUD);
    let script = Script::new()
        .reply(touch("refused"))
        .reply(touch("ran"))
        .reply(write(&sandbox, "unplanned", ""))
        .reply(Reply::bash("false"))
        .reply(Reply::bash("req satisfy plan"))
        .reply(write(&sandbox, "planned", ""))
        .reply(Reply::agent("sub", "the task"))
        .reply(touch("refused-again"))
        .reply(
            Reply::text("Now.")
                .and_tool("Bash", serde_json::json!({ "command": "true", "description": "x" })),
        )
        .reply("One.")
        .reply("Two.")
        .route("sub", [touch("sub"), Reply::text("done")]);
    let api = MessagesApi::start(script);

    let run = client(&sandbox, &api).ask("do it");

    assert_eq!(run.text(), "Two.", "the stop was held once");
    assert_eq!(ran(&sandbox), ["planned", "ran", "sub"]);
    for (hook, least) in TRIED.into_iter().zip([4, 1, 1]) {
        let (then, now) = (heard(&sandbox, hook), tried(&sandbox, hook, run.session_id()));
        assert!(then.len() >= least, "{hook}: {then:#?}");
        assert_eq!(now, then, "{hook}");
    }
}

/// What was said, by which rule, on which tool's call: out of the journal, in order.
fn heard(sandbox: &Sandbox, hook: &str) -> Vec<[String; 3]> {
    let journal = journal(sandbox);
    let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<Value> = lines.filter(|line| line["hook"] == hook).collect();
    said(&lines)
}

/// The same out of `req try --json`.
#[track_caller]
fn tried(sandbox: &Sandbox, hook: &str, session: &str) -> Vec<[String; 3]> {
    let req = sandbox.root().join(HOOKS).join("req");
    let run = Invocation::new(req, sandbox).args(["try", hook, "--session", session, "--json"]).run();
    run.assert_exit(0);
    let report: Value = serde_json::from_str(&run.stdout_text()).unwrap();
    said(report["said"].as_array().unwrap())
}

fn said(lines: &[Value]) -> Vec<[String; 3]> {
    let of =
        |line: &Value| ["what", "rule", "tool"].map(|key| line[key].as_str().unwrap_or_default().to_owned());
    let is_at_start = |line: &Value| line["event"] == "SessionStart";
    lines
        .iter()
        .filter(|line| !is_at_start(line))
        .map(of)
        .filter(|[what, ..]| SAID.contains(&what.as_str()))
        .collect()
}
