//! The last reply's numbers, in transcripts as the client writes them and as they are found broken.

use std::path::Path;

use serde_json::{Value, json};

use crate::tests::{boundary, on_disk, prompt, result, side, text_of, with};

use super::{Reply, last_reply};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/transcripts");
const MODEL: &str = "claude-opus-4-8";

fn reply(message: &str, usage: &Value) -> Value {
    let content = json!([{"type": "text", "text": "words"}]);
    let message =
        json!({"id": message, "role": "assistant", "model": MODEL, "content": content, "usage": usage});
    json!({"type": "assistant", "isSidechain": false, "message": message})
}

fn used(input: u64, created: u64, read: u64, output: u64) -> Value {
    json!({
        "input_tokens": input,
        "cache_creation_input_tokens": created,
        "cache_read_input_tokens": read,
        "output_tokens": output,
        "cache_creation": {"ephemeral_1h_input_tokens": created},
    })
}

/// A reply with so many tokens in all.
fn of(tokens: u64) -> Value {
    reply("m", &used(tokens, 0, 0, 0))
}

fn at_message(mut line: Value, key: &str, value: Value) -> Value {
    line["message"][key] = value;
    line
}

fn found(bytes: impl AsRef<[u8]>) -> Option<Reply> {
    on_disk(bytes, last_reply)
}

#[track_caller]
fn check(lines: &[Value], expected: Option<u64>) {
    assert_eq!(found(text_of(lines)).map(|reply| reply.tokens), expected);
}

#[test]
fn the_four_numbers_of_the_last_line_count() {
    let line = |output| reply("n", &used(1, 20, 300, output));
    check(&[of(7), prompt("go on"), line(1), line(4000), result("t", false), prompt("go on")], Some(4321));
    let main = last_reply(&Path::new(FIXTURES).join("main.jsonl")).unwrap();
    assert_eq!((main.model.as_str(), main.tokens), (MODEL, 15));
}

#[test]
fn what_is_not_told_counts_nothing() {
    check(&[reply("m", &json!({"input_tokens": 9}))], Some(9));
    let null = json!({"input_tokens": 9, "cache_read_input_tokens": null, "output_tokens": 1});
    check(&[reply("m", &null)], Some(10));
    check(&[of(7), of(u64::MAX)], Some(7));
    let broken = [of(7).to_string().as_bytes(), b"\n\xff\xfe\n\n{\"usage\"\n[]"].concat();
    assert_eq!(found(&broken).map(|reply| reply.tokens), Some(7));
}

#[test]
fn what_is_no_reply_of_the_main_conversation_is_passed_over() {
    let sidechain = side(of(90_000));
    let failed = with(of(90_000), "isApiErrorMessage", json!(true));
    let synthetic = at_message(of(90_000), "model", json!("<synthetic>"));
    let progress = json!({"type": "progress", "data": {"message": of(90_000)}});
    let agent = json!({"type": "user", "toolUseResult": {"usage": used(90_000, 0, 0, 0)},
                       "message": {"content": [], "usage": used(90_000, 0, 0, 0)}});
    let quoted = prompt(&format!("{}{}", of(90_000), boundary()));
    let small = json!({"type": "system", "subtype": "microcompact_boundary"});
    let anothers = side(boundary());
    let silent = reply("z", &used(0, 0, 0, 0));
    for line in [sidechain, failed, synthetic, silent, progress, agent, quoted, small, anothers] {
        check(&[of(7), line], Some(7));
    }
    check(&[prompt("go on")], None);
}

#[test]
fn after_a_compaction_nothing_is_known_until_the_next_reply() {
    let summary = json!({"type": "user", "isCompactSummary": true, "message": {"content": "before: much"}});
    check(&[of(167_000), boundary(), summary.clone()], None);
    check(&[of(167_000), boundary(), summary, of(20_000)], Some(20_000));
}
