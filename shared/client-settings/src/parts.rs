//! Permission rules under `permissions.allow`, and the status line's command.
//!
//! Only rules that were added for us ([`Owner::rules`]) are removed: the user's own may read the same. Settings have one place for a
//! status line: ours replaces another one only where that is wanted, and gives it back as written. Keys beside the command stay.

use jsonc_parser::common::Ranged;
use serde_json::json;
use shared::text::quoted;

use super::document::{Document, END, Step, elements, text, text_of};
use super::{Aim, Edited, Owner, Refused};

const ALLOW: [Step<'_>; 2] = [Step::Key("permissions"), Step::Key("allow")];
const STATUS_LINE: &str = "statusLine";
const COMMAND: [Step<'_>; 2] = [Step::Key(STATUS_LINE), Step::Key("command")];

pub(super) fn rules(document: &Document<'_>) -> Vec<String> {
    let permissions = document.root.get_object("permissions");
    let allow = permissions.map(|permissions| elements(permissions.get("allow"))).unwrap_or_default();
    // An empty text stands for what is no text, so that positions stay.
    allow.iter().map(|rule| text(rule).unwrap_or_default()).collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLineThere {
    pub raw: String,
    pub command: Option<String>,
    /// The type is `command`, and there is a shell line.
    pub is_command: bool,
    pub is_ours: bool,
}

pub(super) fn status_line(document: &Document<'_>, owner: &Owner) -> Option<StatusLineThere> {
    let value = &document.root.get(STATUS_LINE)?.value;
    let text = |key: &str| value.as_object().and_then(|object| text_of(object, key));
    let command = text("command");
    let is_ours = command.as_deref().is_some_and(|line| is_our_line(line, owner));
    let is_command = command.is_some() && text("type").as_deref() == Some("command");
    Some(StatusLineThere { raw: document.raw(value.range()).to_owned(), command, is_command, is_ours })
}

fn is_our_line(line: &str, owner: &Owner) -> bool {
    owner.owns(&first_word(line))
}

impl Aim<'_> {
    pub(super) fn step_of_rules(&self, document: &Document<'_>) -> Edited {
        let (ours, wanted) = (&self.owner.rules, &self.wanted.rules);
        if wanted.is_empty() && ours.is_empty() {
            return Ok(None);
        }
        document.check_unique(&document.root, Some("permissions"))?;
        let permissions = document.root.get_object("permissions");
        permissions.map_or(Ok(()), |permissions| document.check_unique(permissions, Some("allow")))?;
        let there = rules(document);
        if let Some(index) = there.iter().position(|rule| ours.contains(rule) && !wanted.contains(rule)) {
            return Ok(Some(document.remove(&[ALLOW[0], ALLOW[1], Step::Item(index)], self.before_us)));
        }
        let missing = wanted.iter().find(|rule| !there.contains(rule));
        missing.map(|rule| document.set(&[ALLOW[0], ALLOW[1], END], &json!(rule))).transpose()
    }

    pub(super) fn step_of_status_line(&self, document: &Document<'_>) -> Edited {
        let there = status_line(document, self.owner);
        let is_ours = there.as_ref().is_some_and(|there| there.is_ours);
        if self.wanted.status_line.is_none() && !is_ours {
            return Ok(None);
        }
        document.check_unique(&document.root, Some(STATUS_LINE))?;
        let Some(command) = &self.wanted.status_line else { return self.give_back(document).map(Some) };
        match there {
            Some(there) if there.command.as_ref() == Some(command) => Ok(None),
            // The keys beside the command stay.
            Some(there) if there.is_ours || there.is_command => {
                document.set(&COMMAND, &json!(command)).map(Some)
            }
            _ => document.set(&COMMAND[..1], &json!({ "type": "command", "command": command })).map(Some),
        }
    }

    /// The one before ours as written, or its command alone where a key beside it has changed since.
    fn give_back(&self, document: &Document<'_>) -> Result<String, Refused> {
        let data = |raw: &str| serde_json::from_str::<serde_json::Value>(raw).unwrap_or_default();
        let is_foreign =
            |raw: &&str| !data(raw)["command"].as_str().is_some_and(|line| is_our_line(line, self.owner));
        let before = self.owner.status_line_before.as_deref().filter(is_foreign);
        let (Some(raw), Some(there)) = (before, document.root.get(STATUS_LINE)) else {
            return Ok(document.remove(&COMMAND[..1], self.before_us));
        };
        let before = data(raw);
        if before["type"] == "command"
            && before["command"].is_string()
            && beside(&document.value(&there.value)) != beside(&before)
        {
            return document.set(&COMMAND, &before["command"]);
        }
        Ok(document.splice(there.value.range(), raw))
    }
}

fn beside(line: &serde_json::Value) -> serde_json::Value {
    let mut line = line.clone();
    line["command"].take();
    line
}

/// The shell line that starts `program`: Claude Code gives a status line's command to a shell.
pub fn status_line_command(program: &str, arguments: &str) -> String {
    // PowerShell and cmd read single quotes differently; a path of Windows holds no double quote.
    let is_quoted = cfg!(windows) && quoted(program) != program;
    let program = if is_quoted { format!("\"{program}\"") } else { quoted(program) };
    format!("{program} {arguments}")
}

/// The first word of a shell line without its quotes.
pub fn first_word(line: &str) -> String {
    let mut word = String::new();
    let mut quote = None;
    let mut letters = line.trim_start().chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => quote = Some(letter),
            // A path of Windows keeps its backslashes.
            ('\\', None) if cfg!(unix) => word.extend(letters.next()),
            (letter, None) if letter.is_whitespace() => break,
            (letter, _) => word.push(letter),
        }
    }
    word
}
