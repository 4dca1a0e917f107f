//! Texts that must be more than text: globs, command patterns, regular expressions, ages. A wrong one is caught where the
//! file is read, so that the level below counts. A glob that is plainly right is not compiled for it: settings are read on every call.

use std::borrow::Cow;
use std::time::Duration;

use globset::{GlobBuilder, GlobMatcher};
use regex_lite::{Regex, RegexBuilder};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::command_line;

const MAX_BYTES: usize = 4096;
/// Bytes of memory that a compiled regular expression may take.
const MAX_COMPILED: usize = 1 << 20;

/// A glob: `*` within a name, `**` over folders, `?`, `[ab]`, `{a,b}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Glob(String);

#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern {
    text: String,
    regex: Regex,
}

/// Words at the head of a command, or a regular expression.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct CommandPattern {
    text: String,
    compiled: command_line::Pattern,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Age {
    /// The last commit.
    Head,
    Ago(Duration),
}

impl Glob {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn literal(name: &str) -> Self {
        Self(name.to_owned())
    }

    pub(crate) fn is_literal(&self) -> bool {
        is_literal(&self.0)
    }

    /// `name` is meant, a tool's or a branch's: `*` stands for anything, slashes or not.
    #[must_use]
    pub fn is_name(&self, name: &str) -> bool {
        if self.0.contains(['[', ']', '{', '}', '\\', '!']) {
            return compile(&self.0).is_some_and(|glob| glob.is_match(name));
        }
        is_wild_match(self.0.as_bytes(), name.as_bytes())
    }

    pub(crate) fn over_paths(&self) -> Option<globset::Glob> {
        GlobBuilder::new(&self.0).literal_separator(true).backslash_escape(true).build().ok()
    }
}

/// Patterns are the same if they are written alike.
macro_rules! same_as_written {
    ($($type:ty),*) => {
        $(
            impl PartialEq for $type {
                fn eq(&self, other: &Self) -> bool {
                    self.text == other.text
                }
            }

            impl Eq for $type {}

            impl $type {
                #[must_use]
                pub fn as_str(&self) -> &str {
                    &self.text
                }
            }
        )*
    };
}

same_as_written!(Pattern, CommandPattern);

impl Pattern {
    /// It matches somewhere in `text`; upper and lower case count, `^` and `$` stand for each line's.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl CommandPattern {
    /// An expression over commands, whatever it looks like.
    pub(super) fn of_expression(pattern: &Pattern) -> Option<Self> {
        let compiled = command_line::Pattern::parse_regex(&pattern.text)?;
        Some(Self { text: pattern.text.clone(), compiled })
    }

    /// Words that can be typed.
    pub const fn is_words(&self) -> bool {
        matches!(self.compiled, command_line::Pattern::Words(_))
    }

    /// The pattern; for evidence it must match from the beginning of a command.
    pub const fn over_commands(&self) -> &command_line::Pattern {
        &self.compiled
    }
}

fn is_literal(glob: &str) -> bool {
    !glob.contains(['*', '?', '[', ']', '{', '}', '\\', '!'])
}

/// `*` and `?` alone, without compiling anything: names are matched on every call, and compiling costs more than the rest of
/// the rule. Goes back to the last `*` at most, so the time is bounded by both lengths.
fn is_wild_match(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut of, mut last_star) = (0, 0, None);
    while of < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                last_star = Some((at, of));
                at += 1;
            }
            Some(byte) if *byte == b'?' || *byte == name[of] => {
                at += 1;
                of += 1;
            }
            _ => {
                let Some((star, from)) = last_star else { return false };
                last_star = Some((star, from + 1));
                (at, of) = (star + 1, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

fn compile(glob: &str) -> Option<GlobMatcher> {
    let glob = GlobBuilder::new(glob).literal_separator(false).backslash_escape(true).build().ok()?;
    Some(glob.compile_matcher())
}

fn regex(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).multi_line(true).size_limit(MAX_COMPILED).build().ok()
}

impl TryFrom<String> for Glob {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_right = !text.is_empty()
            && text.len() <= MAX_BYTES
            && (is_literal(&text) || GlobBuilder::new(&text).backslash_escape(true).build().is_ok());
        if is_right { Ok(Self(text)) } else { Err("not a glob") }
    }
}

impl TryFrom<String> for Pattern {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_right = !text.is_empty() && text.len() <= MAX_BYTES;
        let regex = is_right.then(|| regex(&text)).flatten().ok_or("not a regular expression")?;
        Ok(Self { text, regex })
    }
}

impl TryFrom<String> for CommandPattern {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_right = text.len() <= MAX_BYTES;
        let compiled = is_right.then(|| command_line::Pattern::parse_pattern(&text)).flatten();
        Ok(Self { compiled: compiled.ok_or("not a command pattern")?, text })
    }
}

impl TryFrom<String> for Age {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text == "HEAD" {
            return Ok(Self::Head);
        }
        parse_duration(&text).map(Self::Ago).ok_or("not HEAD and not a time such as 30m")
    }
}

/// `90s`, `30m`, `2h`, `1d`.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len()));
    let secs = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return None,
    };
    let number: u64 = number.parse().ok().filter(|number| *number > 0)?;
    number.checked_mul(secs).map(Duration::from_secs)
}

macro_rules! text_schema {
    ($type:ty, $name:literal, $title:literal) => {
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "title": $title, "minLength": 1 })
            }
        }
    };
}

text_schema!(Glob, "Glob", "a glob");
text_schema!(Pattern, "Pattern", "a regular expression");
text_schema!(CommandPattern, "CommandPattern", "the first words of a command, or a regular expression");
text_schema!(Age, "Age", "HEAD, or a time such as 30m, 2h, 1d");

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Age, Glob, Pattern, parse_duration};

    #[test]
    fn a_glob_over_names_crosses_slashes_and_a_plain_name_is_itself() {
        for (glob, name, expected) in [
            ("main", "main", true),
            ("main", "mainline", false),
            ("release/*", "release/1.0", true),
            ("release/*", "release/1.0/fix", true),
            ("release-?", "release-1", true),
            ("{main,master}", "master", true),
            ("mcp__*", "mcp__github__create", true),
            ("mcp__*", "Edit", false),
            ("*", "anything/at all", true),
            ("**", "", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("?", "", false),
        ] {
            assert_eq!(Glob::try_from(glob.to_owned()).unwrap().is_name(name), expected, "{glob} {name}");
        }
        for wrong in ["", "[a", "{a"] {
            assert!(Glob::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_expression_is_looked_for_line_by_line_and_a_wrong_or_huge_one_refused() {
        let is_in = |pattern: &str, text| Pattern::try_from(pattern.to_owned()).unwrap().is_in(text);
        assert!(is_in("[0-9]+ passed", "12 passed; 0 failed"));
        assert!(is_in("^## Risks$", "# Plan\n## Risks\nnone"), "a line's beginning and end");
        for wrong in ["(", "a{999999}{999999}", ""] {
            assert!(Pattern::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ages_carry_their_unit() {
        for (text, secs) in [("90s", 90), ("30m", 1800), ("2h", 7200), ("1d", 86400)] {
            assert_eq!(parse_duration(text), Some(Duration::from_secs(secs)), "{text}");
        }
        for wrong in ["", "90", "m", "0m", "-1m", "1w", "1 m", "99999999999999999999d"] {
            assert_eq!(parse_duration(wrong), None, "{wrong}");
        }
        assert_eq!(Age::try_from("HEAD".to_owned()), Ok(Age::Head));
        assert!(Age::try_from("head".to_owned()).is_err());
    }
}
