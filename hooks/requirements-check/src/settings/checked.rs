//! Texts that must be more than text: globs, command patterns, regular expressions, ages. A wrong one is caught where the
//! file is read, so that the level below counts. A glob that is plainly right is not compiled for it: settings are read on every call.
//! A glob knows `*`, `**` over folders, `?`, `[ab]` and `{a,b}`; a command pattern is words at the head of a command, or a regular expression.

use std::time::Duration;

use command_line::{MAX_EXPRESSIONS, may_compile};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex_lite::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

const MAX_BYTES: usize = 4096;
/// So many globs of names are compiled in a call. One is compiled anew each time it is asked, so there may be more than expressions.
const MAX_GLOBS: u32 = 4000;
/// Bytes of memory that a compiled regular expression may take.
const MAX_COMPILED: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("title" = "a glob", "minLength" = 1))]
pub struct Glob(String);

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("title" = "a regular expression", "minLength" = 1))]
pub struct Pattern {
    pub text: String,
    /// None: one more than are compiled.
    regex: Option<Regex>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("title" = "the first words of a command, or a regular expression", "minLength" = 1))]
pub struct CommandPattern {
    pub text: String,
    /// For evidence it must match from the beginning of a command.
    pub(crate) compiled: command_line::Pattern,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String", extend("title" = "HEAD, or a time such as 30m, 2h, 1d", "minLength" = 1))]
pub enum Age {
    /// The last commit.
    Head,
    Ago(Duration),
}

impl Glob {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn literal(name: &str) -> Self {
        Self(name.to_owned())
    }

    pub(crate) fn is_literal(&self) -> bool {
        !self.0.contains(['*', '?', '[', ']', '{', '}', '\\', '!'])
    }

    /// `name` is meant, a tool's or a branch's: `*` stands for anything, slashes or not. One more glob than are compiled means any
    /// name, so that gates close.
    pub fn is_name(&self, name: &str) -> bool {
        if self.0.contains(['?', '[', ']', '{', '}', '\\', '!']) {
            let glob = GlobBuilder::new(&self.0).literal_separator(false).backslash_escape(true).build();
            return !may_compile(MAX_GLOBS) || glob.is_ok_and(|glob| glob.compile_matcher().is_match(name));
        }
        is_wild_match(&self.0, name)
    }

    pub(crate) fn over_paths(&self) -> Option<globset::Glob> {
        GlobBuilder::new(&self.0).literal_separator(true).backslash_escape(true).build().ok()
    }
}

impl Pattern {
    /// It matches somewhere in `text`; upper and lower case count, `^` and `$` stand for each line's.
    pub fn is_in(&self, text: &str) -> bool {
        self.regex.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

impl CommandPattern {
    /// The command, if it can be typed.
    pub fn typed(&self) -> Option<&str> {
        matches!(self.compiled, command_line::Pattern::Words(_)).then_some(&self.text)
    }
}

/// Reads an expression over commands, whatever it looks like.
pub(super) fn expression<'de, D: Deserializer<'de>>(from: D) -> Result<Option<CommandPattern>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let compiled = has_length(&text).then(|| command_line::Pattern::parse_regex(&text)).flatten();
    let compiled = compiled.ok_or_else(|| D::Error::custom("not a regular expression"))?;
    Ok(Some(CommandPattern { text, compiled }))
}

/// Matches `*` alone, without compiling anything: names are matched on every call, and compiling costs more than the rest of the rule.
fn is_wild_match(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let (between, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in between.split('*') {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

fn has_length(text: &str) -> bool {
    (1..=MAX_BYTES).contains(&text.len())
}

impl TryFrom<String> for Glob {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let glob = Some(Self(text)).filter(|glob| has_length(&glob.0));
        glob.filter(|glob| glob.is_literal() || glob.over_paths().is_some()).ok_or("not a glob")
    }
}

impl TryFrom<String> for Pattern {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let build = || RegexBuilder::new(&text).multi_line(true).size_limit(MAX_COMPILED).build();
        let regex = has_length(&text).then(|| may_compile(MAX_EXPRESSIONS).then(build).transpose());
        let regex = regex.and_then(Result::ok).ok_or("not a regular expression")?;
        Ok(Self { text, regex })
    }
}

impl TryFrom<String> for CommandPattern {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let compiled = has_length(&text).then(|| command_line::Pattern::parse_pattern(&text)).flatten();
        Ok(Self { compiled: compiled.ok_or("not a command pattern")?, text })
    }
}

impl TryFrom<String> for Age {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let ago = || parse_duration(&text).map(Self::Ago).ok_or("not HEAD and not a time such as 30m");
        if text == "HEAD" { Ok(Self::Head) } else { ago() }
    }
}

/// `90s`, `30m`, `2h`, `1d`.
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

/// All of them in one; `None` where there are none.
pub(crate) fn glob_set(globs: &[Glob]) -> Option<GlobSet> {
    if globs.is_empty() {
        return None;
    }
    let mut set = GlobSetBuilder::new();
    for glob in globs.iter().filter_map(Glob::over_paths) {
        set.add(glob);
    }
    set.build().ok()
}

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
