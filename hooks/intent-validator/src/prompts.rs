//! The texts of config/prompts, and how their placeholders are filled.

use shared::messages::{Text, Texts};

/// What the model of stage 1 is told.
pub(crate) const STAGE1: Text = Text {
    name: "stage1_declaration_check",
    built_in: include_str!("../../../config/prompts/pre_tool_use/stage1_declaration_check.md"),
};

/// What the model of stage 2 is told.
pub(crate) const STAGE2: Text = Text {
    name: "stage2_code_review",
    built_in: include_str!("../../../config/prompts/pre_tool_use/stage2_code_review.md"),
};

pub(crate) const INTENT: Text = Text {
    name: "intent_declaration_prompt",
    built_in: include_str!("../../../config/prompts/common/intent_declaration_prompt.md"),
};

/// What core code wants beside that.
pub(crate) const TDD: Text = Text {
    name: "tdd_declaration_prompt",
    built_in: include_str!("../../../config/prompts/common/tdd_declaration_prompt.md"),
};

/// What `status` says beside what every hook says.
pub(crate) const STATUS: Text = Text {
    name: "status_message",
    built_in: include_str!("../../../config/prompts/user_commands/status_message.md"),
};

pub(crate) const ALL: [Text; 5] = [STAGE1, STAGE2, INTENT, TDD, STATUS];

/// The text with its placeholders filled.
pub(crate) fn filled(texts: &mut Texts<'_>, text: Text, values: &[(&str, &str)]) -> String {
    fill(&texts.read(text), values)
}

/// Puts each value in the place of its `{name}`. What is put in is not looked through again, and braces around anything else
/// stay as they are.
fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let known = after.split_once('}').and_then(|(name, behind)| {
            let value = values.iter().find(|(known, _)| *known == name)?.1;
            Some((value, behind))
        });
        let (put, behind) = known.unwrap_or(("{", after));
        filled.push_str(put);
        rest = behind;
    }
    filled + rest
}

#[cfg(test)]
pub(crate) mod tests;
