//! Texts of ours that come twice for one call: every line of every text, whatever it looks like and whoever is to read it. Only
//! hooks of ours are registered, so each text that the client has kept of a hook is one of ours.
//!
//! One doubling is the client's own: it reports each held stop once as feedback and once as an error of the command.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tests::messages_api::Recorded;

/// What the client writes before the words of a hook.
const BEFORE: [&str; 2] = [" hook additional context: ", " hook error: "];

/// How its own second report of a held stop begins.
const OWN_REPORT: &str = "Stop hook blocking error from command";

/// Shorter lines say nothing by themselves.
const LEAST_CHARS: usize = 20;

/// The lines that hooks have said, as a transcript has them.
pub(super) fn said(transcript: &[Value]) -> BTreeSet<String> {
    transcript.iter().flat_map(texts).flat_map(|(_, text)| lines(&text)).collect()
}

/// Lines of these that the model reads twice between two messages of its own, and where.
pub(super) fn in_request(request: &Recorded, said: &BTreeSet<String>) -> Vec<String> {
    let (mut twice, mut seen) = (Vec::new(), BTreeMap::new());
    for message in request.body["messages"].as_array().into_iter().flatten() {
        if message["role"] == "assistant" {
            seen.clear();
            continue;
        }
        for text in words(&message["content"]).into_iter().filter(|text| !text.starts_with(OWN_REPORT)) {
            let begins: String = text.chars().take(80).collect();
            for line in lines(text).into_iter().filter(|line| said.contains(line)) {
                if let Some(before) = seen.insert(line.clone(), begins.clone()) {
                    twice.push(format!("{line}\n  in: {before}\n  and in: {begins}"));
                }
            }
        }
    }
    twice
}

/// Every text in a message's content, results of calls included.
fn words(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks.iter().flat_map(words).collect(),
        Value::Object(block) => {
            ["text", "content"].into_iter().filter_map(|key| block.get(key)).flat_map(words).collect()
        }
        _ => Vec::new(),
    }
}

/// Lines that the client has kept twice under one id: of a call, of a stop, of a session's start.
pub(super) fn in_transcript(transcript: &[Value]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let kept = transcript.iter().flat_map(texts);
    let kept = kept.flat_map(|(id, text)| lines(&text).into_iter().map(move |line| (id.clone(), line)));
    kept.filter(|line| !seen.insert(line.clone())).map(|(_, line)| line).collect()
}

/// The lines of a text, without what the client writes before them.
fn lines(text: &str) -> Vec<String> {
    let bare =
        |line| BEFORE.iter().fold(line, |line: &str, before| line.split(before).last().unwrap_or(line));
    let lines = text.lines().map(bare).map(|line| line.trim_end_matches("</system-reminder>").trim());
    lines.filter(|line| line.chars().count() >= LEAST_CHARS).map(str::to_owned).collect()
}

/// The texts of hooks in a line of the transcript, with the id of what they belong to.
fn texts(line: &Value) -> Vec<(String, String)> {
    let text = |id: &Value, text: &Value| {
        let [id, text] = [id, text].map(|value| value.as_str().unwrap_or_default().to_owned());
        (id, text)
    };
    let attachment = &line["attachment"];
    let told = |content: &Value| text(&attachment["toolUseID"], content);
    let each = |content: &Value| content.as_array().cloned().unwrap_or_default();
    match (line["type"].as_str(), attachment["type"].as_str()) {
        (_, Some("hook_additional_context")) => each(&attachment["content"]).iter().map(told).collect(),
        (_, Some("hook_system_message")) => vec![told(&attachment["content"])],
        (_, Some("hook_blocking_error")) => vec![told(&attachment["blockingError"]["blockingError"])],
        (Some("user"), None) => {
            let is_ours =
                |block: &&Value| block["content"].as_str().is_some_and(|text| text.contains(BEFORE[1]));
            let refused = each(&line["message"]["content"]);
            refused
                .iter()
                .filter(is_ours)
                .map(|block| text(&block["tool_use_id"], &block["content"]))
                .collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod self_test {
    use super::{in_request, in_transcript, said};
    use serde_json::{Value, json};
    use tests::messages_api::{Recorded, Route};

    const ADVICE: &str =
        "delegation-guard (advice at streak 2): if more calls of this kind are to come, stop";
    const REPEAT: &str =
        "rate-awareness.repeat: the session called Bash 4 times in a row with the same input.";
    const LIST: &str = "requirements-check: Edit needs what is not satisfied yet.\n- commit_plan: Say in which commits it lands.";

    fn request(messages: &Value) -> Recorded {
        let (url, headers) = (String::new(), std::collections::HashMap::new());
        let body = json!({ "messages": messages });
        Recorded { number: 0, at_us: 0, route: Route::Main, url, headers, body }
    }

    fn told(event: &str, text: &str) -> Value {
        json!({ "role": "system", "content": format!("{event} hook additional context: {text}") })
    }

    fn kept(kind: &str, id: &str, content: &Value) -> Value {
        json!({ "attachment": { "type": kind, "toolUseID": id, "content": content } })
    }

    /// What is found, if all of these texts are ours.
    fn found(messages: &Value) -> usize {
        let kept = [ADVICE, REPEAT, LIST].map(|text| kept("hook_system_message", text, &json!(text)));
        in_request(&request(messages), &said(&kept)).len()
    }

    #[test]
    fn a_doubled_text_of_any_form_is_found_between_two_messages() {
        let call = json!({ "role": "assistant", "content": [{ "type": "tool_use", "name": "Bash" }] });
        for (text, lines) in [(ADVICE, 1), (REPEAT, 1), (LIST, 2)] {
            let once = told("PreToolUse:Bash", text);
            let again = told("PostToolUse:Bash", text);
            assert_eq!(found(&json!([call, once, again, call, once])), lines, "{text}");
            assert_eq!(found(&json!([once, call, once])), 0, "{text}");
        }
    }

    #[test]
    fn a_bullet_that_stands_in_two_texts_of_one_call_is_found() {
        let text = format!("PreToolUse:Edit hook error: {LIST}");
        let result = json!({ "type": "tool_result", "is_error": true, "content": text });
        let refused = json!({ "role": "user", "content": [result] });
        let bullet = told(
            "PreToolUse:Edit",
            "something else is said first, then the same:\n- commit_plan: Say in which commits it lands.",
        );
        assert_eq!(found(&json!([refused, bullet])), 1);
    }

    #[test]
    fn what_the_user_is_told_twice_for_one_call_is_found_and_for_two_calls_is_not() {
        let notice = |id| kept("hook_system_message", id, &json!(REPEAT));
        assert_eq!(in_transcript(&[notice("one"), notice("one")]), [REPEAT]);
        assert_eq!(in_transcript(&[notice("one"), notice("two")]), Vec::<String>::new());
        let to_both = [notice("one"), kept("hook_additional_context", "one", &json!([ADVICE, REPEAT]))];
        assert_eq!(in_transcript(&to_both), [REPEAT]);
    }

    #[test]
    fn what_others_print_twice_is_their_own_business() {
        let printed = json!({ "role": "user", "content": "Total lines in this file of the project: 3" });
        assert_eq!(found(&json!([printed, printed])), 0);
    }
}
