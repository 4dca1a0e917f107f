//! The texts of config/prompts, how their placeholders are filled, and how a foreign text is shown.

use shared::messages::{Text, Texts};
use shared::text::is_hidden;

use crate::settings::Settings;

macro_rules! texts {
    ($($constant:ident = $folder:literal / $name:literal),*) => {
        $(pub(crate) const $constant: Text = Text {
            name: $name,
            built_in: include_str!(concat!("../../../config/prompts/", $folder, "/", $name, ".md")),
        };)*
        pub(crate) const ALL: &[Text] = &[$($constant),*];
    };
}

texts! {
    STAGE1 = "pre_tool_use" / "stage1_declaration_check",
    STAGE2 = "pre_tool_use" / "stage2_code_review",
    INTENT = "common" / "intent_declaration_prompt",
    TDD = "common" / "tdd_declaration_prompt",
    STATUS = "user_commands" / "status_message"
}

pub(crate) fn how_to_declare(texts: &mut Texts<'_>, program: &str) -> String {
    filled(texts, INTENT, &[("declare", program)])
}

pub(crate) fn about_tests(texts: &mut Texts<'_>, settings: &Settings) -> String {
    filled(texts, TDD, &[("core_paths", &settings.core_paths.join(", "))])
}

/// The text with each value in the place of its `{name}`. Other braces stay as they are.
pub(crate) fn filled(texts: &mut Texts<'_>, text: Text, values: &[(&str, &str)]) -> String {
    let fill = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
    values.iter().fold(texts.read(text), fill)
}

/// One line without characters that move the cursor or turn the writing round, cut to so many characters.
pub(crate) fn cleaned(text: &str, max_chars: usize) -> String {
    let line = text.replace(is_hidden, " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let kept: String = line.chars().take(max_chars).collect();
    if kept.len() < line.len() { format!("{kept}…") } else { kept }
}

#[cfg(test)]
pub(crate) mod tests;
