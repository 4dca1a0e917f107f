//! Kinds of lines of a transcript, by the fields that Claude Code writes around the content.
//!
//! The marks of who wrote a prompt are facts of tests/client-facts.md, section 5.

use serde::Deserialize;
use serde_json::value::RawValue;

/// These fields decide. One that its reader does not look at is empty, and decides nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks<'a> {
    /// `type`.
    pub(crate) kind: &'a str,
    /// `subtype`.
    pub(crate) subtype: Option<&'a RawValue>,
    /// `isSidechain`.
    pub(crate) is_sidechain: Option<bool>,
    /// `isMeta`.
    pub(crate) is_meta: Option<bool>,
    /// `isCompactSummary`.
    pub(crate) is_compact_summary: Option<bool>,
    /// `isApiErrorMessage`.
    pub(crate) is_api_error_message: Option<bool>,
    /// `origin`.
    pub(crate) origin: Option<&'a RawValue>,
    /// `promptSource`.
    pub(crate) prompt_source: Option<&'a RawValue>,
    /// `turnOrigin`.
    pub(crate) turn_origin: Option<&'a RawValue>,
}

/// Kind of a line of any conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A prompt, the results of tools, or a text that the client puts in.
    User,
    /// The model's.
    Model,
    /// The client's own, in the model's place: it could not be asked.
    Failed,
    /// Something beside the messages.
    Attachment,
    /// The conversation before it is compacted.
    Boundary,
    /// Something else of the client's.
    Other,
}

/// Author of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// A person.
    Person,
    /// Nobody: a schedule, a wake-up, a task's notice.
    Client,
    /// The client does not say: older ones, and a script's prompt.
    Untold,
}

impl Marks<'_> {
    /// Kind of the line.
    pub(crate) fn kind(&self) -> Kind {
        match self.kind {
            "user" => Kind::User,
            "assistant" if self.is_api_error_message == Some(true) => Kind::Failed,
            "assistant" => Kind::Model,
            "attachment" => Kind::Attachment,
            "system" if is_word(self.subtype, "compact_boundary") => Kind::Boundary,
            _ => Kind::Other,
        }
    }

    /// It belongs to a subagent's conversation, whatever it is.
    pub(crate) fn is_sidechain(&self) -> bool {
        self.is_sidechain == Some(true)
    }

    /// It is what a compaction left of the conversation before it.
    pub(crate) fn is_summary(&self) -> bool {
        self.is_compact_summary == Some(true)
    }

    /// The client put it in: feedback of a hook, a skill's text, a compaction's summary, a scheduled prompt.
    pub(crate) fn is_put_in(&self) -> bool {
        self.is_meta == Some(true) || self.is_summary()
    }

    /// Author of the prompt, if it is one.
    pub(crate) fn author(&self) -> Author {
        let is_sent = is_word(self.prompt_source, "system")
            || is_word(self.turn_origin, "scheduled")
            || is_word(self.turn_origin, "task_notification");
        if is_sent { Author::Client } else { author(self.origin) }
    }
}

/// By the field `origin` alone.
pub(crate) fn author(origin: Option<&RawValue>) -> Author {
    #[derive(Deserialize)]
    struct Origin<'a> {
        kind: &'a str,
    }
    let origin = origin.and_then(|origin| serde_json::from_str::<Origin<'_>>(origin.get()).ok());
    match origin {
        Some(Origin { kind: "human" }) => Author::Person,
        Some(_) => Author::Client,
        None => Author::Untold,
    }
}

fn is_word(value: Option<&RawValue>, word: &str) -> bool {
    value.is_some_and(|value| value.get().trim_matches('"') == word)
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::{Author, Kind, Marks};

    /// Kind of a line with these fields, whether it is a subagent's and put in by Claude Code, and its author.
    #[track_caller]
    fn check(line: &Value, expected: (Kind, bool, bool, Author)) {
        let raw = ["subtype", "origin", "promptSource", "turnOrigin"]
            .map(|name| line.get(name).map(|value| to_raw_value(value).unwrap()));
        let [subtype, origin, prompt_source, turn_origin] = raw.each_ref().map(Option::as_deref);
        let marks = Marks {
            kind: line["type"].as_str().unwrap_or_default(),
            subtype,
            is_sidechain: line["isSidechain"].as_bool(),
            is_meta: line["isMeta"].as_bool(),
            is_compact_summary: line["isCompactSummary"].as_bool(),
            is_api_error_message: line["isApiErrorMessage"].as_bool(),
            origin,
            prompt_source,
            turn_origin,
        };
        assert_eq!(
            (marks.kind(), marks.is_sidechain(), marks.is_put_in(), marks.author()),
            expected,
            "{line}"
        );
    }

    #[test]
    fn every_line_is_of_one_kind_whoever_it_belongs_to() {
        for (line, kind) in [
            (json!({"type": "user"}), Kind::User),
            (json!({"type": "assistant"}), Kind::Model),
            (json!({"type": "assistant", "isApiErrorMessage": true}), Kind::Failed),
            (json!({"type": "attachment"}), Kind::Attachment),
            (json!({"type": "system", "subtype": "compact_boundary"}), Kind::Boundary),
            (json!({"type": "system", "subtype": "microcompact_boundary"}), Kind::Other),
            (json!({"type": "user", "subtype": "compact_boundary"}), Kind::User),
            (json!({"type": "last-prompt"}), Kind::Other),
            (json!({}), Kind::Other),
        ] {
            check(&line, (kind, false, false, Author::Untold));
            let mut side = line;
            side["isSidechain"] = json!(true);
            check(&side, (kind, true, false, Author::Untold));
        }
    }

    #[test]
    fn a_prompt_is_the_clients_where_any_mark_says_so() {
        for (marks, author) in [
            (
                json!({"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}),
                Author::Person,
            ),
            (json!({"origin": {"kind": "human"}, "turnOrigin": "human"}), Author::Person),
            (json!({"origin": {"kind": "human"}, "turnOrigin": "scheduled"}), Author::Client),
            (json!({"origin": {"kind": "task-notification"}}), Author::Client),
            (json!({"promptSource": "system"}), Author::Client),
            (json!({"turnOrigin": "scheduled"}), Author::Client),
            (json!({"turnOrigin": "task_notification"}), Author::Client),
            (json!({"promptSource": "sdk", "turnOrigin": "sdk"}), Author::Untold),
            (json!({"origin": null, "promptSource": 7, "turnOrigin": []}), Author::Untold),
        ] {
            let mut line = marks;
            line["type"] = json!("user");
            check(&line, (Kind::User, false, false, author));
            line["isMeta"] = json!(true);
            check(&line, (Kind::User, false, true, author));
        }
    }
}
