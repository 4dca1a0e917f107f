//! What a reviewer finds, what is found without one, and when none is asked.

use super::{
    DECLARED, FILE, OLD, PROMPT, Says, assert_changed, code, outcomes, project, read, saying, script, shown,
    write,
};
use crate::judging::{self, approved, ask, assert_unpaid_in_one_of_five, questions};
use crate::registered::{journal, newest_result};
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

#[test]
fn the_same_change_under_the_same_words_is_not_paid_for_twice() {
    let sandbox = project();
    let finding =
        json!({ "rule": "scope-creep", "line": 1, "why": "Nobody asked for it.", "fix": "Leave it." });
    let blocked = Reply::json(&json!({ "verdict": "BLOCKED", "findings": [finding] }));
    let turns = [Says(DECLARED); 3];

    let asked = ask(&sandbox, PROMPT, script(&sandbox, &turns).judge(blocked));

    assert_eq!(outcomes(&asked), ["refused", "refused", "ran"], "it is allowed after max_blocks");
    assert_changed("let go", &sandbox);
    assert_eq!(asked.judged().len(), 1);
    assert_eq!(asked.told(&sandbox, "allowed after max_blocks (2) blocks"), 1);
}

#[test]
fn a_secret_is_found_without_a_reviewer() {
    let sandbox = project();
    let code = "KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'\n";
    let words = "FILE: src/keys.py\nCHANGES: add the key\nGOAL: we can log in\nTEST: tests/test_keys.py";
    let script = Script::new()
        .reply(saying(words).and_tool("Write", write(&sandbox, "src/keys.py", code)))
        .reply("end");
    let asked = ask(&sandbox, PROMPT, script.judge(approved()));
    let refused = newest_result(&asked.last());
    assert!(
        refused.is_error && refused.text.contains("is not clean.\n- line 1, hardcoded-secrets"),
        "{refused:?}"
    );
    assert!(asked.judged().is_empty());
}

#[test]
fn a_call_that_another_hook_refuses_is_not_paid_for() {
    let section = "intent-validator: {enabled: true}\nrequirements: {commit_plan: {enabled: true}}\n";
    assert_unpaid_in_one_of_five(|| {
        let sandbox = code(judging::sandbox(&["intent-validator", "requirements-check"], "", section));
        let asked = ask(&sandbox, PROMPT, script(&sandbox, &[Says(DECLARED)]).judge(approved()));
        let refused = newest_result(&asked.last());
        assert!(refused.is_error && refused.text.contains("requirements-check: "), "{refused:?}");
        assert_eq!(content(&sandbox, FILE), OLD);
        (!asked.judged().is_empty()).then(|| journal(&sandbox))
    });
}
