//! The answer of the Messages API: a verdict with its tokens, or an error. Pure.

use serde::Deserialize;
use serde_json::Value;

use crate::model::{AskError, Reply, Tokens};
use shared::courier::{self, Answer, CourierError};

/// A message, as far as it matters.
#[derive(Deserialize)]
struct Message {
    content: Vec<Block>,
    stop_reason: StopReason,
    usage: Usage,
}

/// Where a model thinks, its thoughts are blocks too, and not always the last ones.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    #[serde(other)]
    Other,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StopReason {
    EndTurn,
    StopSequence,
    /// It was cut, refused, or wants something first: what is there keeps to no schema.
    #[serde(other)]
    Other,
}

/// Both numbers are always there. An answer without them is not taken: what it costs could not be counted.
#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "as the API names them")]
struct Usage {
    input_tokens: u64,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: u64,
}

impl Usage {
    fn tokens(&self) -> Tokens {
        let cached = [self.cache_creation_input_tokens, self.cache_read_input_tokens].into_iter().flatten();
        Tokens { input: cached.fold(self.input_tokens, u64::saturating_add), output: self.output_tokens }
    }
}

/// Reads what came of a request.
///
/// # Errors
/// Why there is no verdict in it.
pub(super) fn read(asked: Result<Answer, CourierError>) -> Result<Reply, AskError> {
    let answer = asked.map_err(|error| of_courier(&error))?;
    match of_status(answer.status) {
        Some(error) => Err(error),
        None if answer.truncated => Err(AskError::InvalidResponse),
        None => reply(&answer.body).ok_or(AskError::InvalidResponse),
    }
}

/// The verdict is the whole text. What stands beside a JSON object came about without the schema, and so might the object.
fn reply(body: &str) -> Option<Reply> {
    let message: Message = serde_json::from_str(body).ok()?;
    if message.stop_reason == StopReason::Other {
        return None;
    }
    let texts = message.content.iter().filter_map(|block| match block {
        Block::Text { text } => Some(text.as_str()),
        Block::Other => None,
    });
    let verdict: Value = serde_json::from_str(&texts.collect::<String>()).ok()?;
    verdict.is_object().then(|| Reply { verdict, tokens: message.usage.tokens(), micro_usd: None })
}

/// Documentation of the API, "Errors". 402 is a bill that is not paid, which no other model pays either.
const fn of_status(status: u16) -> Option<AskError> {
    match status {
        200 => None,
        400 | 404 | 413 => Some(AskError::Refused),
        401..=403 => Some(AskError::Unauthorized),
        429 => Some(AskError::Limited),
        500..=599 => Some(AskError::Overloaded),
        // A redirect among it: followed, it would take the key elsewhere.
        _ => Some(AskError::Unreachable),
    }
}

const fn of_courier(error: &CourierError) -> AskError {
    match error {
        CourierError::NotStarted(..) => AskError::NotStarted,
        CourierError::Late | CourierError::Failed { kind: courier::Kind::Timeout, .. } => AskError::Late,
        // As 413: asked once more, it would be as long.
        CourierError::Failed { kind: courier::Kind::TooLarge, .. } => AskError::Refused,
        CourierError::Speechless | CourierError::Failed { .. } => AskError::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io;
    use std::path::PathBuf;

    use serde_json::{Value, json};

    use super::read;
    use crate::model::{AskError, Reply, Tokens};
    use shared::courier::{Answer, CourierError, Kind};

    fn answer(status: u16, body: &str) -> Answer {
        Answer { status, headers: BTreeMap::new(), body: body.to_owned(), truncated: false }
    }

    /// A message with this content, for the usual tokens.
    fn message(content: &Value, stop_reason: &str) -> Value {
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-5-5",
            "content": content, "stop_reason": stop_reason, "stop_sequence": null,
            "usage": { "input_tokens": 700, "output_tokens": 30, "service_tier": "standard" },
        })
    }

    /// One that ends with these texts.
    fn texts(texts: &[&str]) -> Value {
        let block = |text: &&str| json!({ "type": "text", "text": text });
        message(&texts.iter().map(block).collect(), "end_turn")
    }

    #[track_caller]
    fn check(body: &Value, expected: Result<&Value, AskError>) {
        let found = read(Ok(answer(200, &body.to_string()))).map(|reply| reply.verdict);
        assert_eq!(found.as_ref().map_err(|error| *error), expected, "{body}");
    }

    #[test]
    fn the_verdict_is_all_the_text_and_nothing_but_the_text() {
        let yes = json!({ "verdict": "YES" });
        for given in
            [&[r#"{"verdict":"YES"}"#][..], &["{\"verdict\"", ":\"YES\"}\n"], &["", r#" {"verdict":"YES"}"#]]
        {
            check(&texts(given), Ok(&yes));
        }
        for given in [
            &[][..],
            &[""],
            &["YES"],
            &[r#""YES""#],
            &[r#"["YES"]"#],
            &["null"],
            &[r#"{"verdict":"YES""#],
            &[r#"{"verdict":"YES"} I am sure."#],
            &[r#"Here it is: {"verdict":"YES"}"#],
            &["```json\n{\"verdict\":\"YES\"}\n```"],
            &[r#"{"verdict":"NO"}"#, r#"{"verdict":"YES"}"#],
        ] {
            check(&texts(given), Err(AskError::InvalidResponse));
        }
    }

    #[test]
    fn blocks_are_told_apart_by_their_type() {
        let text = json!({ "type": "text", "text": r#"{"verdict":"NO"}"#, "citations": null });
        let thinking = json!({ "type": "thinking", "thinking": "{\"verdict\":\"YES\"}", "signature": "x" });
        let tool = json!({ "type": "tool_use", "id": "t", "name": "answer", "input": { "verdict": "YES" } });
        let unknown = json!({ "type": "of_tomorrow", "text": "{}" });
        let no = json!({ "verdict": "NO" });
        check(&message(&json!([thinking, text]), "end_turn"), Ok(&no));
        check(&message(&json!([text, thinking, unknown]), "end_turn"), Ok(&no));
        check(&message(&json!([tool]), "end_turn"), Err(AskError::InvalidResponse));
        check(&message(&json!([thinking]), "end_turn"), Err(AskError::InvalidResponse));
        check(&message(&json!([{ "text": "{}" }]), "end_turn"), Err(AskError::InvalidResponse));
    }

    #[test]
    fn a_model_that_did_not_finish_has_no_verdict() {
        let yes = json!({ "verdict": "YES" });
        let content = json!([{ "type": "text", "text": yes.to_string() }]);
        for (reason, is_finished) in [
            ("end_turn", true),
            ("stop_sequence", true),
            ("max_tokens", false),
            ("refusal", false),
            ("tool_use", false),
            ("pause_turn", false),
            ("model_context_window_exceeded", false),
            ("of_tomorrow", false),
            ("", false),
        ] {
            check(
                &message(&content, reason),
                if is_finished { Ok(&yes) } else { Err(AskError::InvalidResponse) },
            );
        }
    }

    #[test]
    fn what_is_read_from_a_cache_and_written_to_it_is_read_too() {
        let tokens = |usage: &Value| {
            let mut body = texts(&["{}"]);
            body["usage"] = usage.clone();
            read(Ok(answer(200, &body.to_string()))).map(|reply| (reply.tokens.input, reply.tokens.output))
        };
        for (usage, expected) in [
            (json!({ "input_tokens": 700, "output_tokens": 30 }), Ok((700, 30))),
            (
                json!({
                    "input_tokens": 7, "output_tokens": 30,
                    "cache_creation_input_tokens": 200, "cache_read_input_tokens": 1000,
                }),
                Ok((1207, 30)),
            ),
            (
                json!({
                    "input_tokens": 7, "output_tokens": 0,
                    "cache_creation_input_tokens": null, "cache_read_input_tokens": u64::MAX,
                }),
                Ok((u64::MAX, 0)),
            ),
            (json!({ "input_tokens": 7 }), Err(AskError::InvalidResponse)),
            (json!({ "output_tokens": 7 }), Err(AskError::InvalidResponse)),
            (json!({ "input_tokens": -7, "output_tokens": 7 }), Err(AskError::InvalidResponse)),
            (json!(null), Err(AskError::InvalidResponse)),
        ] {
            assert_eq!(tokens(&usage), expected, "{usage}");
        }
    }

    #[test]
    fn what_is_no_message_is_no_verdict() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        for body in ["", "{}", "null", "<html>504</html>", "{\"content\":", r#"{"type":"error"}"#, &deep] {
            assert_eq!(read(Ok(answer(200, body))), Err(AskError::InvalidResponse), "{body:.40}");
        }
        let whole = texts(&["{}"]).to_string();
        let cut = Answer { truncated: true, ..answer(200, &whole) };
        assert_eq!(read(Ok(cut)), Err(AskError::InvalidResponse));
        let tokens = Tokens { input: 700, output: 30 };
        let expected = Reply { verdict: json!({}), tokens, micro_usd: None };
        assert_eq!(read(Ok(answer(200, &whole))), Ok(expected));
    }

    #[test]
    fn a_status_says_what_is_wrong_whatever_the_body() {
        for (status, expected) in [
            (400, AskError::Refused),
            (401, AskError::Unauthorized),
            (402, AskError::Unauthorized),
            (403, AskError::Unauthorized),
            (404, AskError::Refused),
            (408, AskError::Unreachable),
            (413, AskError::Refused),
            (429, AskError::Limited),
            (500, AskError::Overloaded),
            (502, AskError::Overloaded),
            (529, AskError::Overloaded),
            (599, AskError::Overloaded),
            (600, AskError::Unreachable),
            (201, AskError::Unreachable),
            (204, AskError::Unreachable),
            (301, AskError::Unreachable),
            (308, AskError::Unreachable),
        ] {
            let body = texts(&[r#"{"verdict":"YES"}"#]).to_string();
            assert_eq!(read(Ok(answer(status, &body))), Err(expected), "{status}");
        }
    }

    #[test]
    fn a_courier_that_brings_nothing_says_why() {
        let failed = |kind| CourierError::Failed { kind, message: String::new() };
        let not_found = io::Error::from(io::ErrorKind::NotFound);
        for (error, expected) in [
            (CourierError::NotStarted(PathBuf::from("courier"), not_found), AskError::NotStarted),
            (CourierError::Late, AskError::Late),
            (CourierError::Speechless, AskError::Unreachable),
            (failed(Kind::Timeout), AskError::Late),
            (failed(Kind::TooLarge), AskError::Refused),
            (failed(Kind::Resolve), AskError::Unreachable),
            (failed(Kind::Connect), AskError::Unreachable),
            (failed(Kind::Tls), AskError::Unreachable),
            (failed(Kind::BadRequest), AskError::Unreachable),
            (failed(Kind::Other), AskError::Unreachable),
        ] {
            let words = format!("{error:?}");
            assert_eq!(read(Err(error)), Err(expected), "{words}");
        }
    }
}
