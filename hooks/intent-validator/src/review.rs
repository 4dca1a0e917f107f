//! The questions to the models.

use judge::{Asked, Caller, Part, Question, message_lines};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shared::blocks;
use shared::hook::{Context, Hook};
use shared::messages::Texts;
use shared::protocol::ToolCall;
use transcript::conversation;

use crate::IntentValidator;
use crate::change::diff;
use crate::form::Heard;
use crate::plan::{Known, asked_rules};
use crate::settings::Settings;
use crate::state::Review;
use crate::wording::{STAGE1, STAGE2, about_tests, filled, how_to_declare};

/// The most characters of a path and of a declaration that are shown.
const MAX_SHORT: usize = 1_000;
const MAX_DECLARED: usize = 4_000;

const NO_TEST: &str = "This file wants no test: NO_TDD is no verdict here.";

const OF_A_PART: &str = "Of the diff only the end is shown, and where it was cut is marked. Judge what you see; nothing is missing \
                         only because it could stand in the rest.";

const UNDECLARED: &str = "This change was not declared, and `declaration` is empty. Hold the change against what the user asked \
                          for in `conversation`, and against the rules.";

/// Asks the model of stage 2.
pub(crate) fn ask_for_review(
    context: &Context<'_, Settings>,
    tool: &ToolCall,
    known: &Known,
    declared: &str,
    texts: &mut Texts<'_>,
) -> Asked<Review> {
    let file = &known.place.file;
    let most = context.settings.judge.context_messages.get() as usize;
    let path = context.request.call.transcript_path.as_deref();
    let said = message_lines(&path.map(|path| conversation(path, most)).unwrap_or_default());
    let diff = diff(file, &known.versions);
    asked(context, tool, &about_change(context.settings, texts, file, declared, &diff, &said))
}

pub(crate) fn asked<V: DeserializeOwned>(
    context: &Context<'_, Settings>,
    tool: &ToolCall,
    question: &Question<'_>,
) -> Asked<V> {
    let is_blocked_elsewhere = || {
        let session = context.request.call.session_id.as_deref();
        let call = context.store.zip(session).zip(tool.tool_use_id.as_deref());
        call.is_some_and(|((store, session), id)| blocks::read(store, session).is_denied(id))
    };
    let judge = &context.settings.judge;
    judge::ask(question, &Caller::of(IntentValidator::NAME, context, judge, &is_blocked_elsewhere))
}

/// The question of stage 1.
pub(crate) fn about_declaration<'a>(
    settings: &'a Settings,
    known: &Known,
    texts: &mut Texts<'_>,
) -> Question<'a> {
    let declaration = how_to_declare(texts, &known.program);
    let tdd = if known.heard.wants_test { about_tests(texts, settings) } else { NO_TEST.to_owned() };
    let (place, Heard { words, user, .. }) = (&known.place, &known.heard);
    let most = settings.judge.max_conversation_chars.get() as usize / 2;
    let own = words.own.clone().unwrap_or_default();
    let missing = json!({ "type": "string", "enum": ["FILE", "CHANGES", "GOAL"] });
    Question {
        purpose: "declaration",
        model: &settings.stage1_model,
        fallback: None,
        instructions: filled(texts, STAGE1, &[("declaration", &declaration), ("tdd", &tdd)]),
        parts: vec![
            part("file", &place.file, MAX_SHORT),
            part("said_before", &words.before.join("\n\n"), most),
            part("said", &own, most),
            part("user", &user.texts.join("\n\n"), most),
        ],
        verdicts: schema(&["YES", "NO", "NO_TDD"], "missing", &missing),
    }
}

/// The question of stage 2.
fn about_change<'a>(
    settings: &'a Settings,
    texts: &mut Texts<'_>,
    file: &str,
    declared: &str,
    diff: &str,
    conversation: &str,
) -> Question<'a> {
    let instructions = filled(texts, STAGE2, &[("rules", &asked_rules(settings))]);
    let max_diff = settings.judge.max_diff_chars.get() as usize;
    let is_cut = diff.chars().count() > max_diff;
    let notes = [(is_cut, OF_A_PART), (declared.is_empty(), UNDECLARED)];
    let notes = notes.into_iter().filter(|(applies, _)| *applies);
    let text = json!({ "type": "string" });
    let finding = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["rule", "line", "why", "fix"],
        "properties": { "rule": text, "line": { "type": "integer" }, "why": text, "fix": text }
    });
    Question {
        purpose: if is_cut { "review of a part" } else { "review" },
        model: &settings.stage2_model,
        fallback: settings.stage2_fallback_model.as_deref(),
        instructions: notes.fold(instructions, |text, (_, note)| format!("{text}\n\n{note}")),
        parts: vec![
            part("file", file, MAX_SHORT),
            part("declaration", declared, MAX_DECLARED),
            part("diff", diff, max_diff),
            part("conversation", conversation, settings.judge.max_conversation_chars.get() as usize),
        ],
        verdicts: schema(&["APPROVED", "BLOCKED"], "findings", &finding),
    }
}

fn schema(verdicts: &[&str], list: &str, items: &Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["verdict", list],
        "properties": {
            "verdict": { "type": "string", "enum": verdicts },
            list: { "type": "array", "items": items }
        }
    })
}

fn part(name: &'static str, text: &str, max_chars: usize) -> Part {
    Part { name, text: text.to_owned(), max_chars }
}

#[cfg(test)]
mod tests;
