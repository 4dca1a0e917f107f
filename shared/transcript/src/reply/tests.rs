//! The last reply's numbers, in transcripts as the client writes them and as they are found broken.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{MOST_TOKENS, Reply, find, last_reply};
use crate::{MAX_TAIL_BYTES, Tail};

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

fn with(mut line: Value, pointer: &str, key: &str, value: Value) -> Value {
    line.pointer_mut(pointer).unwrap()[key] = value;
    line
}

fn prompt() -> Value {
    json!({"type": "user", "promptId": "p", "message": {"content": "go on"}})
}

fn result(text: &str) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": "t", "content": text});
    json!({"type": "user", "promptId": "p", "message": {"content": [block]}})
}

fn boundary() -> Value {
    json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"})
}

fn found(bytes: &[u8]) -> Option<Reply> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("t.jsonl");
    fs::write(&path, bytes).unwrap();
    last_reply(&path)
}

#[track_caller]
fn check(lines: &[Value], expected: Option<u64>) {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    assert_eq!(found(lines.join("\n").as_bytes()).map(|reply| reply.tokens()), expected);
}

#[test]
fn the_recorded_transcripts() {
    let main = last_reply(&Path::new(FIXTURES).join("main.jsonl")).unwrap();
    assert_eq!(
        (main.model.as_str(), main.input_tokens, main.output_tokens, main.tokens()),
        (MODEL, 10, 5, 15)
    );
    // Every line of a subagent's transcript is its own.
    assert_eq!(last_reply(&Path::new(FIXTURES).join("subagent.jsonl")), None);
}

#[test]
fn the_four_numbers_of_the_last_reply() {
    let lines = [of(7), prompt(), reply("n", &used(1, 20, 300, 4000)), prompt()];
    check(&lines, Some(4321));
    let text = lines.map(|line| line.to_string()).join("\n");
    let expected = Reply {
        model: MODEL.to_owned(),
        input_tokens: 1,
        cache_creation_tokens: 20,
        cache_read_tokens: 300,
        output_tokens: 4000,
    };
    assert_eq!(found(text.as_bytes()), Some(expected));
}

#[test]
fn lines_of_one_reply_are_one_and_the_last_one_counts() {
    let line = |output| reply("m", &used(100, 0, 0, output));
    check(&[line(1), line(1), line(50)], Some(150));
    check(&[line(1), line(50), result("out"), prompt()], Some(150));
}

#[test]
fn what_is_not_told_counts_nothing() {
    check(&[reply("m", &json!({"input_tokens": 9}))], Some(9));
    let null = json!({"input_tokens": 9, "cache_read_input_tokens": null, "output_tokens": 1});
    check(&[reply("m", &null)], Some(10));
}

#[test]
fn what_is_no_reply_of_the_main_conversation_is_passed_over() {
    let sidechain = with(of(90_000), "", "isSidechain", json!(true));
    let failed = with(of(90_000), "", "isApiErrorMessage", json!(true));
    let synthetic = with(of(90_000), "/message", "model", json!("<synthetic>"));
    let progress = json!({"type": "progress", "data": {"message": of(90_000)}});
    let agent = json!({"type": "user", "toolUseResult": {"usage": used(90_000, 0, 0, 0)},
                       "message": {"content": [], "usage": used(90_000, 0, 0, 0)}});
    let quoted = result(&of(90_000).to_string());
    for line in [sidechain, failed, synthetic, reply("z", &used(0, 0, 0, 0)), progress, agent, quoted] {
        check(&[of(7), line], Some(7));
    }
    check(&[], None);
    check(&[prompt()], None);
}

#[test]
fn after_a_compaction_nothing_is_known_until_the_next_reply() {
    let summary = json!({"type": "user", "isCompactSummary": true, "message": {"content": "before: much"}});
    check(&[of(167_000), boundary(), summary.clone()], None);
    check(&[of(167_000), boundary(), summary.clone(), of(20_000)], Some(20_000));
    check(&[of(167_000), boundary(), summary, of(20_000), boundary()], None);
    let failed = with(of(3), "", "isApiErrorMessage", json!(true));
    check(&[of(167_000), boundary(), failed], None);
}

#[test]
fn only_the_whole_main_conversation_is_compacted() {
    let small = json!({"type": "system", "subtype": "microcompact_boundary"});
    let anothers = with(boundary(), "", "isSidechain", json!(true));
    let said = result(&boundary().to_string());
    let named = json!({"type": "user", "subtype": "compact_boundary", "message": {"content": "x"}});
    for line in [small, anothers, said, named] {
        check(&[of(7), line], Some(7));
    }
}

#[test]
fn a_resumed_session_goes_on_from_its_last_reply() {
    let resumed = with(of(80_000), "", "sessionId", json!("the one before"));
    let lines = [of(7), resumed, json!({"type": "summary", "summary": "s", "leafUuid": "u"}), prompt()];
    check(&lines, Some(80_000));
}

#[test]
fn numbers_that_are_none_say_nothing() {
    let strange = [
        json!("150000"),
        json!(-1),
        json!(1.5),
        json!(1e30),
        json!(u64::MAX),
        json!(MOST_TOKENS + 1),
        json!([]),
        json!({}),
        json!(true),
    ];
    for value in strange {
        for key in ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"]
        {
            check(&[of(7), with(of(9), "/message/usage", key, value.clone())], Some(7));
        }
    }
    for usage in [json!(null), json!("many"), json!(7), json!([])] {
        check(&[of(7), reply("m", &usage)], Some(7));
    }
    check(&[reply("m", &used(MOST_TOKENS, MOST_TOKENS, MOST_TOKENS, MOST_TOKENS))], Some(4 * MOST_TOKENS));
}

#[test]
fn torn_and_foreign_lines_are_passed_over() {
    let whole = of(7).to_string();
    let torn = &of(90_000).to_string()[..120];
    assert_eq!(found(format!("{whole}\n{torn}").as_bytes()).unwrap().tokens(), 7);
    assert_eq!(found(format!("{torn}{whole}\n").as_bytes()), None);
    for foreign in
        [&b"\"usage\""[..], b"{\"usage\"", b"[\"usage\"]", b"\xff\xfe\"usage\"", b"\0\0\0", b"\r", b""]
    {
        let bytes = [whole.as_bytes(), b"\n", foreign, b"\n", foreign].concat();
        assert_eq!(found(&bytes).unwrap().tokens(), 7, "{foreign:?}");
    }
}

#[test]
fn words_that_are_no_utf_8_do_not_hide_the_numbers() {
    let line = of(7).to_string();
    let (before, after) = line.split_once("words").unwrap();
    let bytes = [before.as_bytes(), b"\xff\xc3 \\ud83d", after.as_bytes()].concat();
    assert_eq!(found(&bytes).unwrap().tokens(), 7);
}

#[test]
fn a_missing_file_or_a_folder_is_unknown() {
    let scratch = tempfile::tempdir().unwrap();
    assert_eq!(last_reply(&scratch.path().join("missing.jsonl")), None);
    assert_eq!(last_reply(scratch.path()), None);
}

#[test]
fn what_is_too_far_from_the_end_is_unknown() {
    let most = usize::try_from(MAX_TAIL_BYTES).unwrap();
    let reply = of(7).to_string();
    let after = |length: usize| format!("{reply}\n{}", "y".repeat(length)).into_bytes();
    assert_eq!(found(&after(most - reply.len() - 2)).unwrap().tokens(), 7);
    assert_eq!(found(&after(most)), None);
}

/// A long file costs what its end costs: of one of 200 MB no more than the first piece is looked at.
#[test]
fn of_a_long_file_only_the_end_is_read() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("t.jsonl");
    long_file(&path, 200_000_000);
    let mut end = Tail::open_limited(&path, 16 * 1024).unwrap();
    assert_eq!(find(&mut end).unwrap().unwrap().tokens(), 140_000);
    assert_eq!(last_reply(&path).unwrap().tokens(), 140_000);
}

/// A file with a hole for most of it, and a conversation at its end.
fn long_file(path: &Path, length: u64) {
    let mut file = File::create(path).unwrap();
    file.seek(SeekFrom::Start(length)).unwrap();
    for line in [of(7), prompt(), of(140_000), result(&"out ".repeat(1000)), prompt()] {
        writeln!(file, "\n{line}").unwrap();
    }
}

#[test]
#[ignore = "writes 202 MB and measures"]
fn a_long_file_takes_no_longer_than_a_short_one() {
    let scratch = tempfile::tempdir().unwrap();
    let turn = [of(140_000), result(&"out ".repeat(1000)), prompt()].map(|line| line.to_string()).join("\n");
    let medians = [2_000_000, 200_000_000].map(|length: usize| {
        let path = scratch.path().join(format!("{length}.jsonl"));
        fs::write(&path, (turn.clone() + "\n").repeat(length / turn.len())).unwrap();
        let mut micros: Vec<u128> = (0..201)
            .map(|_| {
                let began = Instant::now();
                assert_eq!(last_reply(&path).unwrap().tokens(), 140_000);
                began.elapsed().as_micros()
            })
            .collect();
        micros.sort_unstable();
        micros[100]
    });
    eprintln!("medians in microseconds: {medians:?}");
    assert!(medians[1] <= medians[0] * 2 + 20, "{medians:?}");
}

proptest! {
    #[test]
    fn whatever_stands_after_it_the_reply_is_found(junk in prop::collection::vec(any::<Vec<u8>>(), 0..20)) {
        let lines = junk.iter().map(|bytes| bytes.iter().filter(|byte| **byte != b'\n').copied().collect());
        let lines: Vec<Vec<u8>> = [of(7).to_string().into_bytes()].into_iter().chain(lines).collect();
        prop_assert_eq!(found(&lines.join(&b'\n')).map(|reply| reply.tokens()), Some(7));
    }

    #[test]
    fn any_numbers_are_read_without_harm(input: u64, created: u64, read: u64, output: u64) {
        let text = reply("m", &used(input, created, read, output)).to_string();
        let tokens = found(text.as_bytes()).map_or(0, |reply| reply.tokens());
        prop_assert!(tokens <= 4 * MOST_TOKENS);
    }
}
