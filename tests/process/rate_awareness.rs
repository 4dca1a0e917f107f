//! rate-awareness through real processes: what a call costs and who is told, what goes in a circle, whose bucket pays, and
//! what the state folder holds afterwards. Where a test must not depend on how fast the machine is, no token comes back.

use crate::driver::{Driver, context, denial, documented, notice};
use serde_json::{Value, json};
use tests::payloads::Payload;

/// Nothing goes in a circle and no token comes back: only the capacity counts.
fn only_capacity(capacity: u32) -> String {
    format!(
        "rate-awareness:\n  global_default: {{capacity: {capacity}, refill_per_sec: 0}}\n  repeat: 0\n  ping_pong: 0\n"
    )
}

/// The input of a call that differs from all with another text.
fn bash(calls: &Driver, text: &str) -> Payload {
    calls.session.pre_tool_use("Bash", json!({ "command": format!("echo {text}"), "description": text }))
}

/// The numbers, counted from 1, of the answers with a notice; the others are silence.
#[track_caller]
fn told(answers: &[Option<Value>]) -> Vec<usize> {
    let mut told = Vec::new();
    for (index, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.is_some()) {
        assert_ne!(notice(answer.as_ref()), "", "{answer:?}");
        told.push(index + 1);
    }
    told
}

#[test]
fn eighty_calls_at_once_pay_one_token_each() {
    const COPIES: u64 = 80;
    let calls = Driver::new("rate-awareness", &only_capacity(50));
    let payloads: Vec<_> = (0..COPIES).map(|number| bash(&calls, &number.to_string())).collect();
    let answers = calls.ask_at_once(&payloads);
    // On a loaded machine a copy may not get the lock in its second: then it passes and says so.
    let busy = calls.journal().matches("held by another process").count() as u64;
    assert!(busy < COPIES / 4, "{busy} copies gave up");
    let state = calls.remembered(&format!("{}-buckets.json", calls.session.id));
    let bucket = &state["_buckets"]["main::ungated"];
    let refused = COPIES - busy - 50;
    assert_eq!((&bucket["tokens"], &bucket["refused"]), (&0.0.into(), &refused.into()), "{bucket}");
    let powers = (1..=refused).filter(|number| number.is_power_of_two()).count();
    assert_eq!(told(&answers).len(), powers, "each number of the empty window is told once");
}

#[test]
fn claude_reads_advice_or_a_denial_and_a_script_only_on_request() {
    // The keys of the section, in a script or not; then whether the user, Claude and the gate speak at the second call.
    for (keys, is_script, expected) in [
        ("audience: both", false, (true, true, false)),
        ("audience: both", true, (true, false, false)),
        ("audience: model\n  headless: true", true, (false, true, false)),
        ("mode: deny", true, (true, false, true)),
    ] {
        let calls = Driver::new("rate-awareness", &format!("{}  {keys}\n", only_capacity(1)));
        let ask = |text: &str| {
            let hook = calls.hook().env("CLAUDE_CODE_ENTRYPOINT", if is_script { "sdk-cli" } else { "cli" });
            documented(&hook.stdin(bash(&calls, text).to_bytes()).run())
        };
        assert_eq!(ask("a"), None);
        let answer = ask("b");
        let (answer, denial) = (answer.as_ref(), denial(answer.as_ref()));
        let found = (!notice(answer).is_empty(), context(answer).is_some(), denial.is_some());
        assert_eq!(found, expected, "{keys} {is_script}: {answer:?}");
        let place = "(rate-awareness.global_default: ~/.claude/requirements.yaml:2)";
        assert!(denial.is_none_or(|reason| reason.ends_with(place)), "{answer:?}");
    }
}

#[test]
fn polling_tools_make_no_loop_and_the_recorded_skill_call_is_understood() {
    let settings = "  polling_tools: [mcp__ci__status]\n  per_skill: {demo-skill: {capacity: 1000000}}\n";
    let calls = Driver::new(
        "rate-awareness",
        &format!("rate-awareness:\n  global_default: {{capacity: 1, refill_per_sec: 0}}\n{settings}"),
    );
    assert_eq!(calls.ask(&calls.session.replay("PreToolUse-Skill")), None);
    let same = |tool: &str| calls.ask(&calls.session.pre_tool_use(tool, json!({ "task_id": "b1" })));
    assert_eq!((0..9).filter(|_| same("mcp__ci__status").is_some()).count(), 0);
    assert_eq!(told(&(0..5).map(|_| same("TaskOutput")).collect::<Vec<_>>()), [4, 5]);
}
