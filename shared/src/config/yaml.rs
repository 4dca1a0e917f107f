//! The only module that knows YAML: text in, figment values out, and the line of a key on the cold path. Whole documents
//! are written by `writer`.

mod reader;
mod writer;

use std::cell::Cell;
use std::collections::HashMap;

use figment::value::{Dict, Empty, Tag, Value};
use saphyr_parser::{Event, Parser};
use serde::de::{DeserializeOwned, DeserializeSeed};

use reader::{Reader, Repeated};

pub use writer::to_yaml;

/// Deeper nesting is refused; no configuration of ours needs a tenth of it.
const MAX_DEPTH: usize = 64;

const TOO_DEEP: &str = "nested deeper than 64 levels";
const TOO_MANY: &str = "more values than any configuration needs";

/// Why a text is no configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct YamlError {
    /// Where, counted from 1, if the parser knows.
    pub(super) line: Option<usize>,
    /// Why, without quoting the text.
    pub(super) why: &'static str,
}

/// More open brackets than this are refused unparsed: the parser's time grows with the square of their number.
const MAX_BRACKETS: usize = 256;

/// What a text holds.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// The top level.
    pub(super) values: Dict,
    /// The paths of keys that stand twice; the last one counts.
    pub(super) repeated: Vec<Vec<String>>,
}

/// Reads a map. An empty text is an empty map.
pub(super) fn parse(text: &str) -> Result<Parsed, YamlError> {
    if opens_too_many_brackets(text) {
        return Err(YamlError { line: None, why: TOO_DEEP });
    }
    let repeated = Repeated::default();
    let values = Cell::new(0);
    let reader = Reader { path: Vec::new(), depth: 0, repeated: &repeated, values: &values };
    match reader.deserialize(serde_yaml::Deserializer::from_str(text)) {
        Ok(Value::Dict(_, values)) => Ok(Parsed { values, repeated: repeated.into_inner() }),
        Ok(Value::Empty(..)) => Ok(Parsed::default()),
        Ok(_) => Err(YamlError { line: Some(1), why: "not a map of settings" }),
        Err(_) if is_empty(text) => Ok(Parsed::default()),
        Err(error) => {
            let told = error.to_string();
            let known = [TOO_DEEP, TOO_MANY].into_iter().find(|why| told.contains(why));
            let line = error.location().map(|location| location.line());
            Err(YamlError { line, why: known.unwrap_or_else(|| why_of(&told, text, line)) })
        }
    }
}

/// What the parser says, which may quote the text and speaks of its own insides, in words that do neither.
const WHYS: [(&str, &str); 10] = [
    ("a tab character", TABBED),
    ("expected ',' or '}'", "not valid YAML (a `{` is not closed, or a comma is missing)"),
    ("expected ',' or ']'", "not valid YAML (a `[` is not closed, or a comma is missing)"),
    ("scanning a quoted scalar", "not valid YAML (a quote is not closed)"),
    ("mapping values are not allowed", "not valid YAML (a `:` too many here, or one too few above)"),
    ("could not find expected ':'", "not valid YAML (the key above lacks its `:`)"),
    ("escape character", "not valid YAML (a backslash between double quotes; use single quotes)"),
    ("did not find expected key", MISPLACED),
    ("did not find expected '-'", MISPLACED),
    ("more than one document", "not valid YAML (more than one document in the file)"),
];

const TABBED: &str = "not valid YAML (a tab indents the line; use spaces)";
const MISPLACED: &str = "not valid YAML (the indentation does not fit, or something follows a value)";

/// The parser's words for a text that begins with a sign: `*.rs`, `@x`.
const SIGNS: [&str; 3] = ["cannot start any token", "unknown anchor", "alphabetic or numeric character"];

fn why_of(told: &str, text: &str, line: Option<usize>) -> &'static str {
    if let Some((_, why)) = WHYS.iter().find(|(words, _)| told.contains(words)) {
        return why;
    }
    if told.contains("node content") && line.is_some_and(|line| line > text.lines().count()) {
        return "not valid YAML (the file ends before a bracket is closed)";
    }
    if !SIGNS.iter().any(|words| told.contains(words)) {
        return "not valid YAML";
    }
    let broken = line.and_then(|line| text.lines().nth(line.saturating_sub(1))).unwrap_or_default();
    let indentation = &broken[..broken.len() - broken.trim_start().len()];
    if indentation.contains('\t') {
        TABBED
    } else {
        "not valid YAML (a text that begins with `*` or another sign needs quotes)"
    }
}

/// Reads one value of any kind; an empty text is an empty value.
pub(super) fn parse_value(text: &str) -> Result<Value, YamlError> {
    if opens_too_many_brackets(text) {
        return Err(YamlError { line: None, why: TOO_DEEP });
    }
    let repeated = Repeated::default();
    let values = Cell::new(0);
    let reader = Reader { path: Vec::new(), depth: 0, repeated: &repeated, values: &values };
    match reader.deserialize(serde_yaml::Deserializer::from_str(text)) {
        Ok(_) if !repeated.borrow().is_empty() => {
            Err(YamlError { line: None, why: "a key stands twice in it" })
        }
        Ok(value) => Ok(value),
        Err(_) if is_empty(text) => Ok(Value::Empty(Tag::Default, Empty::Unit)),
        Err(error) => {
            Err(YamlError { line: error.location().map(|location| location.line()), why: "not valid YAML" })
        }
    }
}

/// Reads a text of our own that is compiled in.
///
/// # Errors
/// If it does not fit the type; a test of the text's owner rules that out.
pub fn read_typed<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_yaml::from_str(text).map_err(|error| error.to_string())
}

/// Nothing but comments: the parser finds no document in it.
pub(super) fn is_empty(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with('#') || line == "---" || line == "...")
}

/// Brackets in texts and comments count too, which is why the bound lies far above [`MAX_DEPTH`].
pub(super) fn opens_too_many_brackets(text: &str) -> bool {
    let mut open = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > MAX_BRACKETS
    })
}

/// The line, counted from 1, on which the key `path` stands; the deepest key found if the last ones are not there.
#[must_use]
pub fn line_of(text: &str, path: &[&str]) -> Option<usize> {
    let path: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
    Lines::of(text).of_key(&path)
}

/// Where each key of a text stands. Read once: a denial may name hundreds of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines(HashMap<Vec<String>, usize>);

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let mut reader = LineReader::default();
        for event in Parser::new_from_str(text) {
            let Ok((event, span)) = event else { break };
            reader.take(&event, span.start.line());
        }
        Self(reader.lines)
    }

    /// The line of the key at `path`, or of the deepest one on the way to it.
    pub(super) fn of_key(&self, path: &[String]) -> Option<usize> {
        (1..=path.len()).rev().find_map(|depth| self.0.get(&path[..depth]).copied())
    }
}

/// Follows the parser's events. Of a key that stands twice the last one counts.
#[derive(Default)]
struct LineReader {
    lines: HashMap<Vec<String>, usize>,
    /// The keys down to here.
    path: Vec<String>,
    /// Per open collection.
    open: Vec<Open>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// What is in a list has no path.
    List,
    /// A map waiting for a key.
    Map,
    /// A map waiting for the value of the path's last key.
    Value,
}

impl LineReader {
    fn take(&mut self, event: &Event<'_>, line: usize) {
        match event {
            Event::MappingStart(..) => self.open.push(Open::Map),
            Event::SequenceStart(..) => self.open.push(Open::List),
            Event::MappingEnd | Event::SequenceEnd => {
                self.open.pop();
                self.value_ended();
            }
            Event::Scalar(text, ..) if self.open.last() == Some(&Open::Map) => self.key(text, line),
            Event::Scalar(..) | Event::Alias(..) => self.value_ended(),
            _ => {}
        }
    }

    fn key(&mut self, text: &str, line: usize) {
        self.path.push(text.to_owned());
        if !self.open.contains(&Open::List) {
            self.lines.insert(self.path.clone(), line);
        }
        if let Some(open) = self.open.last_mut() {
            *open = Open::Value;
        }
    }

    fn value_ended(&mut self) {
        if let Some(open @ Open::Value) = self.open.last_mut() {
            *open = Open::Map;
            self.path.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{line_of, parse};

    #[test]
    fn finds_the_line_of_a_key() {
        let text = "# top\nversion: \"1.0\"\na:\n  b: {c: 1,\n      d: 2}\n  e:\n    - b: 1\n    - x\n  f: &anchor 3\ng: {a: {b: 9}}\n";
        for (path, line) in [
            (&["version"][..], Some(2)),
            (&["a"], Some(3)),
            (&["a", "b"], Some(4)),
            (&["a", "b", "d"], Some(5)),
            (&["a", "e"], Some(6)),
            (&["a", "f"], Some(9)),
            (&["g", "a", "b"], Some(10)),
            (&["a", "nothing"], Some(3)),
            (&["nothing"], None),
        ] {
            assert_eq!(line_of(text, path), line, "{path:?}");
        }
    }

    #[test]
    fn refuses_what_is_no_map_too_deep_or_a_bomb() {
        assert!(parse("").unwrap().values.is_empty());
        assert!(parse("# only a comment\n").unwrap().values.is_empty());
        assert_eq!(parse("- a\n- b\n").unwrap_err().why, "not a map of settings");
        assert!(parse("a: [b\nc: d").unwrap_err().why.starts_with("not valid YAML"));
        assert_eq!(
            parse(&format!("a: {}{}", "[".repeat(70), "]".repeat(70))).unwrap_err().why,
            "nested deeper than 64 levels"
        );
        assert!(parse(&format!("a: {}", "[".repeat(100_000))).is_err());
        let bomb = (1..30).fold("a0: &a0 [x, x]\n".to_owned(), |text, level| {
            let below = level - 1;
            format!("{text}a{level}: &a{level} [*a{below}, *a{below}, *a{below}]\n")
        });
        assert!(parse(&bomb).is_err());
    }

    #[test]
    fn a_key_that_stands_twice_is_noticed_and_the_last_one_counts() {
        let parsed = parse("a: {b: 1, c: 2, b: 3}\na: {d: [{e: 1, e: 2}]}\n").unwrap();
        assert_eq!(parsed.repeated, [vec!["a", "b"], vec!["a", "d", "e"], vec!["a"]]);
        assert!(parsed.values["a"].find_ref("d").is_some());
        assert_eq!(line_of("a: 1\nb: 2\na: 3\n", &["a"]), Some(3));
    }

    #[test]
    fn says_what_is_wrong_with_the_text_as_far_as_the_parser_knows() {
        for (text, line, why) in [
            ("a:\n\tb: 1\n", Some(2), "a tab indents the line"),
            ("\ta: 1\n", Some(1), "a tab indents the line"),
            ("a:\n  b: 1\n\tc: 1\n", Some(3), "a tab indents the line"),
            ("a: |\n\tx\n", Some(2), "a tab indents the line"),
            ("a: {b: 1\nc: 2\n", Some(2), "a `{` is not closed, or a comma is missing"),
            ("a: [b\n", Some(2), "a `[` is not closed, or a comma is missing"),
            ("a: 'open\n", Some(2), "a quote is not closed"),
            ("a: b: c\n", Some(1), "a `:` too many here, or one too few above"),
            ("a\nb: 1\n", Some(2), "a `:` too many here, or one too few above"),
            ("a: 1\nb\nc: 1\n", Some(3), "the key above lacks its `:`"),
            ("a:\n  b: 1\n c: 2\n", Some(3), "the indentation does not fit"),
            ("- a\nb: 1\n", Some(2), "the indentation does not fit"),
            ("a: [*.rs]\n", Some(1), "needs quotes"),
            ("a: *x\n", Some(1), "needs quotes"),
            ("a: @x\n", Some(1), "needs quotes"),
            ("a: \"\\d+\"\n", Some(1), "use single quotes"),
            ("a: 1\n---\nb: 1\n", None, "more than one document"),
            ("a: [\n", Some(2), "ends before a bracket is closed"),
            ("a: }\n", Some(1), "not valid YAML"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text:?}");
            assert!(
                error.why.contains(why) && error.why.starts_with("not valid YAML"),
                "{text:?}: {}",
                error.why
            );
            assert!(!error.why.contains(": "), "it is told as one part of a line: {}", error.why);
        }
    }

    #[test]
    fn says_where_the_text_breaks() {
        assert_eq!(parse("a: 1\nb: \"open\nc: 2\n").unwrap_err().line.map(|line| line >= 2), Some(true));
    }
}
