//! Turns with and without work; the last reply's numbers, in transcripts as Claude Code writes them and as they are found broken.

use std::path::Path;

use serde_json::{Value, json};

use super::{Patience, TurnWork, last_reply, turn_work};
use crate::tests::{boundary, call, on_disk, prompt, result, said, side, summary, text_of, with};

#[test]
fn a_turn_is_work_where_a_call_or_its_result_follows_the_prompt() {
    use TurnWork::{NoToolCall, ToolCalls, Unknown};
    let (asked, text, used, done) =
        (|| prompt("do it"), || said("a", "\"tool_use\""), || call("a", "t"), || result("t", false));
    let before = |line| with(line, "promptId", json!("o"));
    let earlier = || vec![before(prompt("do that")), used(), before(done()), text()];
    let then = |lines: &[Value]| [&earlier(), lines].concat();
    // Scheduled prompts and hook feedback are marked alike.
    let injected = || with(prompt("no"), "isMeta", json!(true));
    for (lines, prompt_id, expected) in [
        (vec![asked(), used(), done(), text()], Some("p"), ToolCalls),
        (vec![asked(), used()], Some("p"), ToolCalls),
        (vec![done()], Some("p"), ToolCalls),
        (vec![asked(), used(), text()], None, ToolCalls),
        (then(&[injected(), used(), done(), text()]), Some("p"), ToolCalls),
        (vec![asked()], Some("p"), NoToolCall),
        (then(&[json!({"type": "last-prompt", "sessionId": "s"}), asked(), text()]), Some("p"), NoToolCall),
        (vec![asked(), text(), injected(), text()], Some("p"), NoToolCall),
        (vec![asked(), side(used()), text()], Some("p"), NoToolCall),
        (then(&[asked(), text()]), None, NoToolCall),
        (then(&[injected(), text()]), Some("p"), NoToolCall),
        (vec![], Some("p"), Unknown),
        (earlier(), Some("p"), Unknown),
        (vec![json!("no object"), json!({"type": 7}), text()], Some("p"), Unknown),
    ] {
        let found = on_disk(text_of(&lines), |path| turn_work(path, prompt_id, Patience::NONE));
        assert_eq!(found, expected, "{lines:?}");
    }
}

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/transcripts");
const MODEL: &str = "claude-opus-4-8";

fn reply(message: &str, usage: &Value) -> Value {
    let mut reply = said(message, "words");
    (reply["message"]["model"], reply["message"]["usage"]) = (json!(MODEL), usage.clone());
    reply
}

fn used(input: u64, created: u64, read: u64, output: u64) -> Value {
    json!({
        "input_tokens": input, "cache_creation_input_tokens": created, "cache_read_input_tokens": read,
        "output_tokens": output, "cache_creation": {"ephemeral_1h_input_tokens": created},
    })
}

/// A reply with so many tokens in all.
fn of(tokens: u64) -> Value {
    reply("m", &used(tokens, 0, 0, 0))
}

#[track_caller]
fn check_reply(lines: &[Value], expected: Option<u64>) {
    assert_eq!(on_disk(text_of(lines), last_reply).map(|reply| reply.tokens), expected);
}

#[test]
fn the_four_numbers_of_the_last_line_count() {
    let line = |output| reply("n", &used(1, 20, 300, output));
    check_reply(
        &[of(7), prompt("go on"), line(1), line(4000), result("t", false), prompt("go on")],
        Some(4321),
    );
    let main = last_reply(&Path::new(FIXTURES).join("main.jsonl")).unwrap();
    assert_eq!((main.model.as_str(), main.tokens), (MODEL, 15));
}

#[test]
fn missing_usage_counts_nothing() {
    check_reply(&[reply("m", &json!({"input_tokens": 9}))], Some(9));
    let null = json!({"input_tokens": 9, "cache_read_input_tokens": null, "output_tokens": 1});
    check_reply(&[reply("m", &null)], Some(10));
    check_reply(&[of(7), of(u64::MAX)], Some(7));
    let broken = [of(7).to_string().as_bytes(), b"\n\xff\xfe\n\n{\"usage\"\n[]"].concat();
    assert_eq!(on_disk(&broken, last_reply).map(|reply| reply.tokens), Some(7));
}

#[test]
fn only_replies_of_the_main_conversation_count() {
    let sidechain = side(of(90_000));
    let failed = with(of(90_000), "isApiErrorMessage", json!(true));
    let mut synthetic = of(90_000);
    synthetic["message"]["model"] = json!("<synthetic>");
    let progress = json!({"type": "progress", "data": {"message": of(90_000)}});
    let usage = used(90_000, 0, 0, 0);
    let agent = json!({"type": "user", "toolUseResult": {"usage": usage}, "message": {"content": [], "usage": usage}});
    let quoted = prompt(&format!("{}{}", of(90_000), boundary()));
    let small = json!({"type": "system", "subtype": "microcompact_boundary"});
    let anothers = side(boundary());
    let silent = reply("z", &used(0, 0, 0, 0));
    for line in [sidechain, failed, synthetic, silent, progress, agent, quoted, small, anothers] {
        check_reply(&[of(7), line], Some(7));
    }
    check_reply(&[prompt("go on")], None);
}

#[test]
fn after_a_compaction_nothing_is_known_until_the_next_reply() {
    check_reply(&[of(167_000), boundary(), summary()], None);
    check_reply(&[of(167_000), boundary(), summary(), of(20_000)], Some(20_000));
}
