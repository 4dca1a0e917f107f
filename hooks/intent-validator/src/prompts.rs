//! The texts of config/prompts, compiled in, or the user's own in their place, and how their placeholders are filled.

use std::collections::BTreeMap;
use std::path::PathBuf;

use shared::host::{Host, Places};
use shared::messages::own_message;

/// One text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// What the model of stage 1 is told.
    Stage1,
    /// What the model of stage 2 is told.
    Stage2,
    /// How a change is declared.
    Intent,
    /// What core code wants beside that.
    Tdd,
    /// What `status` says beside what every hook says.
    Status,
}

/// All of them.
pub(crate) const ALL: [Prompt; 5] =
    [Prompt::Stage1, Prompt::Stage2, Prompt::Intent, Prompt::Tdd, Prompt::Status];

impl Prompt {
    /// Its key under `message_files`: the name of its file.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Stage1 => "stage1_declaration_check",
            Self::Stage2 => "stage2_code_review",
            Self::Intent => "intent_declaration_prompt",
            Self::Tdd => "tdd_declaration_prompt",
            Self::Status => "status_message",
        }
    }

    const fn built_in(self) -> &'static str {
        match self {
            Self::Stage1 => {
                include_str!("../../../config/prompts/pre_tool_use/stage1_declaration_check.md")
            }
            Self::Stage2 => include_str!("../../../config/prompts/pre_tool_use/stage2_code_review.md"),
            Self::Intent => include_str!("../../../config/prompts/common/intent_declaration_prompt.md"),
            Self::Tdd => include_str!("../../../config/prompts/common/tdd_declaration_prompt.md"),
            Self::Status => include_str!("../../../config/prompts/user_commands/status_message.md"),
        }
    }
}

/// Where texts are read, and which of the user's own could not be.
#[derive(Debug)]
pub(crate) struct Texts<'a> {
    pub(crate) own: &'a BTreeMap<String, PathBuf>,
    pub(crate) host: &'a Host,
    pub(crate) places: &'a Places,
    /// The keys of those that cannot be used.
    pub(crate) unusable: Vec<&'static str>,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(own: &'a BTreeMap<String, PathBuf>, host: &'a Host, places: &'a Places) -> Self {
        Self { own, host, places, unusable: Vec::new() }
    }

    /// The text with its placeholders filled. No file is touched where the user has replaced none.
    pub(crate) fn filled(&mut self, prompt: Prompt, values: &[(&str, &str)]) -> String {
        let own = self.own.get(prompt.key()).map(|file| own_message(file, self.host, self.places));
        match own {
            Some(Ok(text)) if !text.trim().is_empty() => fill(text.trim(), values),
            Some(_) => {
                self.unusable.push(prompt.key());
                fill(prompt.built_in().trim(), values)
            }
            None => fill(prompt.built_in().trim(), values),
        }
    }
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
