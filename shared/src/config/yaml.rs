//! The only module that knows YAML: text in, figment values out, and the line of a key on the cold path.

mod reader;

use std::cell::Cell;

use figment::value::{Dict, Empty, Tag, Value};
use saphyr_parser::{Event, Parser};
use serde::de::{DeserializeOwned, DeserializeSeed};

use reader::{Reader, Repeated};

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
            let why = known.unwrap_or("not valid YAML");
            Err(YamlError { line: error.location().map(|location| location.line()), why })
        }
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
    let mut finder = Finder { path, found: None, keys: Vec::new() };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        finder.take(&event, span.start.line());
    }
    finder.found.map(|(_, line)| line)
}

/// Follows the parser's events and remembers the deepest key on the wanted path.
struct Finder<'a> {
    path: &'a [&'a str],
    /// How many keys of the path were met, and the last one's line.
    found: Option<(usize, usize)>,
    /// Per open collection: `None` in a list, else the key whose value comes next.
    keys: Vec<Open>,
}

enum Open {
    List,
    /// A map waiting for a key.
    Map,
    /// A map waiting for this key's value, and whether all keys down to here are on the path.
    Key(bool),
}

impl Finder<'_> {
    fn take(&mut self, event: &Event<'_>, line: usize) {
        match event {
            Event::MappingStart(..) => self.keys.push(Open::Map),
            Event::SequenceStart(..) => self.keys.push(Open::List),
            Event::MappingEnd | Event::SequenceEnd => {
                self.keys.pop();
                self.value_ended();
            }
            Event::Scalar(text, ..) if matches!(self.keys.last(), Some(Open::Map)) => self.key(text, line),
            Event::Scalar(..) | Event::Alias(..) => self.value_ended(),
            _ => {}
        }
    }

    fn key(&mut self, text: &str, line: usize) {
        let depth = self.keys.len();
        let above = self.keys[..depth - 1].iter().all(|open| matches!(open, Open::Key(true)));
        let matches = above && self.path.get(depth - 1) == Some(&text);
        if matches && self.found.is_none_or(|(found, _)| found <= depth) {
            self.found = Some((depth, line));
        }
        if let Some(open) = self.keys.last_mut() {
            *open = Open::Key(matches);
        }
    }

    fn value_ended(&mut self) {
        if let Some(open @ Open::Key(_)) = self.keys.last_mut() {
            *open = Open::Map;
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
        assert_eq!(parse("a: [b\nc: d").unwrap_err().why, "not valid YAML");
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
    fn says_where_the_text_breaks() {
        assert_eq!(parse("a: 1\nb: \"open\nc: 2\n").unwrap_err().line.map(|line| line >= 2), Some(true));
    }
}
