//! What a reviewer finds, what is found without one, and when none is asked.

use super::{
    DECLARED, FILE, PROMPT, Says, assert_changed, outcomes, project, read, saying, script, shown, write,
};
use crate::judging::{approved, ask, questions};
use crate::requirements_check::content;
use serde_json::json;
use tests::messages_api::{Reply, Script};

#[test]
fn the_reviewer_is_shown_the_declaration_the_diff_and_what_was_said() {
    let sandbox = project();
    let asked = ask(&sandbox, PROMPT, script(&sandbox, &[Says(DECLARED)]).judge(approved()));
    assert_changed("approved", &sandbox);
    let judged = asked.judged();
    let [request] = &judged[..] else { panic!("one question: {judged:?}") };
    assert_eq!(request.model(), "claude-sonnet-5-5");
    for (name, text) in [
        ("file", FILE),
        ("declaration", "GOAL: a polite greeting"),
        ("diff", "-GREETING = 'hello'\n+GREETING = 'good day'"),
        ("conversation", r#"{"by":"user","text":"Make the greeting polite"#),
        ("conversation", r#"{"by":"agent","text":"FILE: src/app.py"#),
    ] {
        let part = shown(request, name);
        assert!(part.contains(text), "{name}: `{text}` is not in {part}");
    }
    assert!(!asked.last().shows("intent-validator: this change"), "{:#?}", asked.last().shown_texts());
    assert_eq!(questions(&sandbox), ["review: answered"]);
}

#[test]
fn what_it_finds_is_read_with_line_and_fix_and_the_mended_change_passes() {
    let sandbox = project();
    let finding = json!({
        "rule": "magic-numbers", "line": 2, "why": "86400 says nothing.", "fix": "Name it SECONDS_PER_DAY.",
    });
    let blocked = Reply::json(&json!({ "verdict": "BLOCKED", "findings": [finding] }));
    let words =
        "FILE: src/timer.py\nCHANGES: add the time to live\nGOAL: old entries go\nTEST: tests/test_timer.py";
    let written = |code: &str| saying(words).and_tool("Write", write(&sandbox, "src/timer.py", code));
    let mended = "SECONDS_PER_DAY = 86400\nTTL = SECONDS_PER_DAY\n";
    let script = Script::new()
        .reply(read(&sandbox))
        .reply(written("# how long\nTTL = 86400\n"))
        .reply(written(mended))
        .reply("end");

    let asked = ask(&sandbox, PROMPT, script.judge(blocked).judge(approved()));

    let results = asked.last().tool_results();
    assert_eq!(outcomes(&asked), ["refused", "ran"], "{results:#?}");
    let found =
        "found fault with it.\n- line 2, magic-numbers: 86400 says nothing. Fix: Name it SECONDS_PER_DAY.\n";
    assert!(results[1].text.contains(found), "{}", results[1].text);
    assert_eq!(content(&sandbox, "src/timer.py"), mended);
    assert_eq!(asked.judged().len(), 2);
}
