//! Asks the models: instructions, material, and answers.

use judge::{Caller, Question};
use serde::de::DeserializeOwned;
use shared::blocks;
use shared::hook::{Context, Hook};
use shared::messages::Texts;
use shared::protocol::ToolCall;
use transcript::conversation;

use super::{about_tests, how_to_declare};
use crate::IntentValidator;
use crate::change::diff;
use crate::plan::Known;
use crate::prompts::{STAGE1, STAGE2, filled};
use crate::review::{self, Announced, Reply, Review};
use crate::settings::Settings;

const NO_TEST: &str = "This file wants no test: NO_TDD is no verdict here.";

pub(super) fn whether_declared(
    context: &Context<'_, Settings>,
    tool: &ToolCall,
    known: &Known,
    texts: &mut Texts<'_>,
) -> Reply<Announced> {
    let instructions = about_declarations(context.settings, known, texts);
    let Known { place, words, user, .. } = known;
    asked(context, tool, &review::announced(context.settings, instructions, &place.file, words, user))
}

pub(super) fn review(
    context: &Context<'_, Settings>,
    tool: &ToolCall,
    known: &Known,
    declared: &str,
    texts: &mut Texts<'_>,
) -> Reply<Review> {
    let file = &known.place.file;
    let most = context.settings.judge.context_messages.get() as usize;
    let path = context.request.call.transcript_path.as_deref();
    let said = judge::spoken(&path.map(|path| conversation(path, most)).unwrap_or_default());
    let instructions = about_reviews(context.settings, file, texts);
    let diff = diff(file, &known.versions);
    asked(context, tool, &review::reviewed(context.settings, instructions, file, declared, &diff, &said))
}

fn about_declarations(settings: &Settings, known: &Known, texts: &mut Texts<'_>) -> String {
    let declaration = how_to_declare(texts, &known.program);
    let tdd = if known.wants_test { about_tests(texts, settings) } else { NO_TEST.to_owned() };
    filled(texts, STAGE1, &[("declaration", &declaration), ("tdd", &tdd)])
}

fn about_reviews(settings: &Settings, file: &str, texts: &mut Texts<'_>) -> String {
    filled(texts, STAGE2, &[("rules", &review::asked_rules(settings, file))])
}

fn asked<V: DeserializeOwned>(
    context: &Context<'_, Settings>,
    tool: &ToolCall,
    question: &Question<'_>,
) -> Reply<V> {
    let is_blocked_elsewhere = || {
        let session = context.request.call.session_id.as_deref();
        let call = context.store.zip(session).zip(tool.tool_use_id.as_deref());
        call.is_some_and(|((store, session), id)| blocks::read(store, session).is_denied(id))
    };
    let judge = &context.settings.judge;
    let caller = Caller::of(IntentValidator::NAME, context, judge, &is_blocked_elsewhere);
    judge::ask(question, &caller).into()
}

#[cfg(test)]
mod tests {
    use shared::host::Places;
    use shared::messages::Texts;

    use super::{about_declarations, about_reviews};
    use crate::plan::Known;
    use crate::plan::tests::{defaults, known};
    use crate::prompts::tests::{assert_filled, host};

    #[test]
    fn what_a_model_is_told_is_whole() {
        let (settings, host, places, own) = (defaults(), host(), Places::default(), [].into());
        let mut texts = Texts::new(&own, &host, &places);
        for wants_test in [true, false] {
            let told = about_declarations(&settings, &Known { wants_test, ..known() }, &mut texts);
            assert_filled(&told);
            assert!(told.contains("CHANGES: ") && told.contains("intent-validator declare --file"), "{told}");
            assert_eq!(told.contains("in src, lib"), wants_test, "{told}");
            assert_eq!(told.contains("wants no test"), !wants_test, "{told}");
        }
        for (file, asked) in [("a.py", false), ("a.sql", true)] {
            let told = about_reviews(&settings, file, &mut texts);
            assert_filled(&told);
            for rule in settings.rules.keys() {
                let is_checked =
                    ["commented-out-code", "long-functions", "deep-nesting"].contains(&rule.as_str());
                let is_asked = rule != "hardcoded-secrets" && (asked || !is_checked);
                assert_eq!(told.contains(&format!("\n- {rule}: ")), is_asked, "{file}: {rule} in {told}");
            }
        }
    }
}
