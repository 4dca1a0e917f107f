//! The one reader of YAML that people write: values, keys that stand twice, and the lines of keys. [`read_typed`] reads the
//! texts of our own that are compiled in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use figment::value::{Dict, Empty, Num, Tag, Value};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};
use serde::de::DeserializeOwned;

/// Maximum nesting; no configuration of ours needs a tenth of it.
const MAX_DEPTH: usize = 64;

/// Maximum number of values. Aliases can make a small text large.
const MAX_VALUES: usize = 50_000;

/// Maximum number of open brackets in a text that is parsed; in quotes and comments, too, so it lies above [`MAX_DEPTH`].
const MAX_BRACKETS: usize = 256;

const TOO_DEEP: &str = "nested deeper than 64 levels";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Line, counted from 1, if the parser knows it.
    pub line: Option<usize>,
    /// The reason, without quoting the text.
    pub why: String,
}

impl Unread {
    pub(crate) fn new(line: Option<usize>, why: impl Into<String>) -> Self {
        Self { line, why: why.into() }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line.unwrap_or(1), self.why)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) values: Dict,
    /// The paths of keys that stand twice; the last one counts.
    pub(crate) repeated: Vec<Vec<String>>,
}

/// Reads the sections of a file that are `wanted`, by their keys at the top: parsing is the largest part of what a hook does, and no
/// hook pays for the others' sections. A text that cannot be divided into sections is read as a whole, and so is one whose part
/// breaks: its anchor may stand elsewhere, and the line of a mistake counts from the top of the file.
pub(crate) fn parse_sections(text: &str, wanted: impl Fn(&str) -> bool) -> Result<Parsed, Unread> {
    let part = sections(text, wanted).and_then(|part| parse(&part).ok());
    part.map_or_else(|| parse(text), Ok)
}

/// The lines of the sections that are `wanted`. `None`: a line at the margin is no plain key, and only a parser knows what it is.
fn sections(text: &str, wanted: impl Fn(&str) -> bool) -> Option<String> {
    // It may end a line.
    if text.contains('\r') {
        return None;
    }
    let mut part = String::with_capacity(text.len());
    let mut is_wanted = None;
    for line in text.strip_prefix("---\n").unwrap_or(text).split_inclusive('\n') {
        match line.as_bytes() {
            [b' ', ..] | [b'-', b' ', ..] => drop(is_wanted?),
            [b'#' | b'\n', ..] => {}
            _ => is_wanted = Some(wanted(plain_key(line)?)),
        }
        if is_wanted == Some(true) {
            part.push_str(line);
        }
    }
    Some(part)
}

fn plain_key(line: &str) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let (key, value) = line.split_at(line.bytes().position(|byte| !is_plain(byte))?);
    let is_key = !key.is_empty() && matches!(value.as_bytes(), [b':'] | [b':', b' ' | b'\n', ..]);
    is_key.then_some(key)
}

/// Reads a map. An empty text is an empty map.
pub(crate) fn parse(text: &str) -> Result<Parsed, Unread> {
    let mut reader = Reader::of(text)?;
    match reader.document()? {
        Value::Dict(_, values) => Ok(Parsed { values, repeated: reader.repeated }),
        Value::Empty(..) => Ok(Parsed::default()),
        _ => Err(Unread::new(Some(1), "not a map of settings")),
    }
}

/// Reads one value of any kind; an empty text is an empty value.
pub(crate) fn parse_value(text: &str) -> Result<Value, Unread> {
    let mut reader = Reader::of(text)?;
    let value = reader.document()?;
    if reader.repeated.is_empty() {
        return Ok(value);
    }
    Err(Unread::new(None, "a key stands twice in it"))
}

/// Reads a text of our own that is compiled in.
pub fn read_typed<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_yaml::from_str(text).map_err(|error| error.to_string())
}

/// The line, counted from 1, of the key `path`, or of the deepest key on the way to it.
pub fn line_of(text: &str, path: &[String]) -> Option<usize> {
    line_in(&lines_of(text), path)
}

pub(crate) type Lines = BTreeMap<Vec<String>, usize>;

/// The lines of all keys, up to where the text breaks, if it does.
pub(crate) fn lines_of(text: &str) -> Lines {
    let Ok(mut reader) = Reader::of(text) else { return Lines::new() };
    reader.lines = Some(Lines::new());
    let _ = reader.document();
    reader.lines.unwrap_or_default()
}

pub(crate) fn line_in(lines: &Lines, path: &[String]) -> Option<usize> {
    (1..=path.len()).rev().find_map(|depth| lines.get(&path[..depth]).copied())
}

fn opens_too_many_brackets(text: &str) -> bool {
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

struct Reader<'t> {
    events: Parser<'t, StrInput<'t>>,
    anchors: BTreeMap<usize, Value>,
    values: usize,
    /// The keys on the way to the value that is read.
    path: Vec<String>,
    repeated: Vec<Vec<String>>,
    lines: Option<Lines>,
}

impl<'t> Reader<'t> {
    fn of(text: &'t str) -> Result<Self, Unread> {
        if opens_too_many_brackets(text) {
            return Err(Unread::new(None, TOO_DEEP));
        }
        Ok(Self {
            events: Parser::new_from_str(text),
            anchors: BTreeMap::new(),
            values: 0,
            path: Vec::new(),
            repeated: Vec::new(),
            lines: None,
        })
    }

    /// The one document of the text; an empty value if there is none.
    fn document(&mut self) -> Result<Value, Unread> {
        let (event, span) = self.next()?;
        if event == Event::StreamEnd {
            return Ok(nothing());
        }
        let value = self.value(event, span, 0)?;
        match self.next()? {
            (Event::StreamEnd, _) => Ok(value),
            _ => Err(Unread::new(None, "not valid YAML (more than one document in the file)")),
        }
    }

    /// The next event that is about a value.
    fn next(&mut self) -> Result<(Event<'t>, Span), Unread> {
        loop {
            match self.events.next() {
                None => return Ok((Event::StreamEnd, Span::default())),
                Some(Err(error)) => return Err(broken(&error)),
                Some(Ok((Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd, _))) => {}
                Some(Ok(next)) => return Ok(next),
            }
        }
    }

    fn value(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Value, Unread> {
        self.count(1, span)?;
        if depth > MAX_DEPTH {
            return Err(at(span, TOO_DEEP));
        }
        let (anchor, value) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
                (anchor, scalar(text, is_text || style != ScalarStyle::Plain))
            }
            Event::SequenceStart(anchor, _) => (anchor, self.list(depth)?),
            Event::MappingStart(anchor, _) => (anchor, self.map(depth)?),
            Event::Alias(anchor) => return self.alias(anchor, span),
            _ => (0, nothing()),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn list(&mut self, depth: usize) -> Result<Value, Unread> {
        let mut list = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::Array(Tag::Default, list)),
                (event, span) => list.push(self.value(event, span, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, Unread> {
        let mut dict = Dict::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                return Ok(Value::Dict(Tag::Default, dict));
            }
            let key = self.key(event, span, depth)?;
            self.path.push(key.clone());
            if let Some(lines) = &mut self.lines {
                lines.insert(self.path.clone(), span.start.line());
            }
            let (event, span) = self.next()?;
            let value = self.value(event, span, depth + 1)?;
            if dict.insert(key, value).is_some() {
                self.repeated.push(self.path.clone());
            }
            self.path.pop();
        }
    }

    /// Anything may stand where a key does; what is no text is none of our keys.
    fn key(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<String, Unread> {
        if let Event::Scalar(text, _, 0, _) = event {
            return Ok(text.into_owned());
        }
        match self.value(event, span, depth + 1)? {
            Value::String(_, text) => Ok(text),
            _ => Ok("(no text)".to_owned()),
        }
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<Value, Unread> {
        let unknown = "not valid YAML (an alias without its anchor)";
        let Some(value) = self.anchors.get(&anchor).cloned() else { return Err(at(span, unknown)) };
        self.count(size(&value), span)?;
        Ok(value)
    }

    fn count(&mut self, more: usize, span: Span) -> Result<(), Unread> {
        self.values += more;
        let too_many = "more values than any configuration needs";
        if self.values > MAX_VALUES { Err(at(span, too_many)) } else { Ok(()) }
    }
}

/// The parser's own words, which quote one character of the text at most.
fn broken(error: &ScanError) -> Unread {
    Unread::new(Some(error.marker().line()), format!("not valid YAML ({})", error.info()))
}

fn at(span: Span, why: &str) -> Unread {
    Unread::new(Some(span.start.line()), why)
}

fn nothing() -> Value {
    Value::Empty(Tag::Default, Empty::Unit)
}

fn size(value: &Value) -> usize {
    match value {
        Value::Dict(_, dict) => 1 + dict.values().map(size).sum::<usize>(),
        Value::Array(_, list) => 1 + list.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// A text, or what it stands for where it has no quotes.
fn scalar(text: Cow<'_, str>, is_text: bool) -> Value {
    if is_text {
        return Value::String(Tag::Default, text.into_owned());
    }
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => nothing(),
        "true" | "True" | "TRUE" => Value::Bool(Tag::Default, true),
        "false" | "False" | "FALSE" => Value::Bool(Tag::Default, false),
        plain => match number(plain) {
            Some(number) => Value::Num(Tag::Default, number),
            None => Value::String(Tag::Default, text.into_owned()),
        },
    }
}

/// A decimal number. `0x1F` and `.inf` are no numbers of ours, and `007` is the number of a ticket or the mode of a file.
fn number(text: &str) -> Option<Num> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_decimal = match digits.as_bytes() {
        [b'0', second, ..] => !second.is_ascii_digit(),
        [b'.', second, ..] => second.is_ascii_digit(),
        [first, ..] => first.is_ascii_digit(),
        [] => false,
    };
    if !is_decimal {
        return None;
    }
    let unsigned = || text.parse::<u64>().ok().map(Num::from);
    let signed = || text.parse::<i64>().ok().map(Num::from);
    let fraction = || text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Num::from);
    unsigned().or_else(signed).or_else(fraction)
}

#[cfg(test)]
mod tests;
