//! The stops that are never blocked, whatever the settings say, and the nearest ones that are.

use crate::driver::is_block;
use crate::gate::{Gate, INSISTS, ON, WORDS, reason};
use serde_json::json;
use tests::payloads::Payload;
use tests::transcripts::Transcript;

#[track_caller]
fn passes(change: impl FnOnce(Payload) -> Payload) {
    let gate = Gate::new(INSISTS);
    let stop = change(gate.session.stop(WORDS));
    assert_eq!(gate.ask(&stop), None, "{stop:?}");
}

#[track_caller]
fn is_blocked(change: impl FnOnce(Payload) -> Payload) {
    let gate = Gate::new(INSISTS);
    let stop = change(gate.session.stop(WORDS));
    assert!(gate.ask(&stop).is_some_and(|answer| is_block(&answer)), "{stop:?}");
}

#[test]
fn a_turn_without_a_tool_call_passes() {
    let gate = Gate::new(INSISTS);
    Transcript::of(&gate.session).prompt("what is a hook?").text("A barbed or barbless one.").write();
    gate.passes(WORDS);
}

#[test]
fn a_turn_without_a_tool_call_passes_whatever_the_turns_before_it_did() {
    let gate = Gate::new(INSISTS);
    let earlier = gate.session.clone().with_prompt_id("an-earlier-turn");
    let input = json!({ "command": "ls" });
    Transcript::of(&earlier).prompt("do it").tool_call("Bash", &input).text(WORDS).write();
    let earlier = std::fs::read_to_string(&gate.session.transcript).unwrap();
    Transcript::of(&gate.session).prompt("thanks").text("You are welcome.").write();
    let present = std::fs::read_to_string(&gate.session.transcript).unwrap();
    std::fs::write(&gate.session.transcript, earlier + &present).unwrap();
    gate.passes(WORDS);
}

#[test]
fn a_turn_nothing_is_known_of_counts_as_work() {
    is_blocked(|stop| stop.with("transcript_path", "/nowhere/at/all.jsonl"));
    is_blocked(|stop| stop.without("transcript_path"));
}

#[test]
fn a_question_to_the_user_passes() {
    passes(|stop| stop.with("last_assistant_message", "Shall I go on?"));
    passes(|stop| stop.with("last_assistant_message", "Which one?\n\n1. The first\n2. The second"));
    is_blocked(|stop| stop.with("last_assistant_message", "You asked why? Because of this."));
}

#[test]
fn background_tasks_and_wake_ups_in_flight_pass() {
    let tasks = tests::payloads::recorded("Stop-background_tasks").get("background_tasks").clone();
    assert_eq!(tasks.as_array().map(Vec::len), Some(1));
    passes(|stop| stop.with("background_tasks", tasks));
    passes(|stop| stop.with("session_crons", json!([{ "id": "c", "schedule": "* * * * *" }])));
    is_blocked(|stop| stop.with("background_tasks", json!([])).with("session_crons", json!([])));
}

#[test]
fn without_a_prompt_id_the_first_stop_is_blocked_and_the_continued_one_passes() {
    passes(|stop| stop.without("prompt_id").with("stop_hook_active", true));
    is_blocked(|stop| stop.without("prompt_id").with("stop_hook_active", false));
}

#[test]
fn without_a_prompt_id_every_first_stop_starts_a_new_count() {
    let gate = Gate::new(ON);
    for _ in 0..3 {
        let stop = gate.session.stop(WORDS).without("prompt_id");
        drop(reason(gate.ask(&stop).as_ref()));
    }
}

#[test]
fn a_continued_stop_with_a_prompt_id_is_blocked_all_the_same() {
    is_blocked(|stop| stop.with("stop_hook_active", true));
}

#[test]
fn without_a_session_id_it_passes_and_nothing_is_remembered() {
    let gate = Gate::new(INSISTS);
    let stop = gate.session.stop(WORDS);
    for stop in
        [stop.clone().without("session_id"), stop.clone().with("session_id", ""), stop.with("session_id", 7)]
    {
        assert_eq!(gate.ask(&stop), None, "{stop:?}");
    }
    assert!(gate.state_names().iter().all(|name| ["heartbeat", "journal.jsonl"].contains(&name.as_str())));
}

#[test]
fn six_blocks_of_one_turn_are_the_most_whatever_the_hook_insists_on() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    assert_eq!(gate.blocks_in_a_row(), 6);
}
