//! What stands where in a text, in bytes: the maps on the way to a key, and the extent of every value.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::{Refused, at};

/// A map and where it stands.
pub(super) struct Map {
    /// Of its bracket, or of its first key.
    pub(super) start: usize,
    /// Behind its closing bracket, or its last value.
    pub(super) end: usize,
    /// Written with brackets.
    pub(super) is_flow: bool,
    pub(super) entries: Vec<Entry>,
}

pub(super) struct Entry {
    pub(super) name: Name,
    pub(super) value: Node,
}

/// A key and where it stands.
pub(super) struct Name {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Counted from 1.
    pub(super) line: usize,
    /// Counted from 0.
    pub(super) column: usize,
}

/// A value; tags and anchors before it are part of it.
pub(super) enum Node {
    Map(Map),
    /// A list; written with brackets or not.
    List {
        start: usize,
        end: usize,
        is_flow: bool,
    },
    /// A text with `|` or `>`; it starts behind the colon.
    Block {
        start: usize,
        end: usize,
    },
    /// A number, a word, a text, an alias.
    Scalar {
        start: usize,
        end: usize,
    },
    /// Nothing; behind the colon.
    Empty {
        end: usize,
    },
}

/// The map at the top of a text.
pub(super) struct Root {
    pub(super) map: Map,
    /// Where the line that ends the document stands, else the end of the text.
    pub(super) document_end: usize,
}

impl Map {
    pub(super) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name.text == name)
    }

    /// The column of its keys, counted from 0.
    pub(super) fn column(&self) -> usize {
        self.entries.first().map_or(0, |entry| entry.name.column)
    }
}

impl Node {
    /// Behind its last character, which is no white space.
    pub(super) fn end(&self) -> usize {
        match self {
            Self::Map(map) => map.end,
            Self::List { end, .. }
            | Self::Block { end, .. }
            | Self::Scalar { end, .. }
            | Self::Empty { end } => *end,
        }
    }

    /// Its first character.
    pub(super) fn start(&self) -> usize {
        match self {
            Self::Map(map) => map.start,
            Self::List { start, .. } | Self::Block { start, .. } | Self::Scalar { start, .. } => *start,
            Self::Empty { end } => *end,
        }
    }

    /// Written over lines of its own, by indentation.
    pub(super) fn is_block(&self) -> bool {
        match self {
            Self::Map(map) => !map.is_flow,
            Self::List { is_flow, .. } => !is_flow,
            _ => false,
        }
    }
}

/// Reads a text; `None` if there is no map in it.
pub(super) fn read(text: &str) -> Result<Option<Root>, Refused> {
    let mut events = Vec::new();
    for event in Parser::new_from_str(text) {
        let event =
            event.map_err(|error| at(error.marker().line(), error.marker().col() + 1, "not valid YAML"))?;
        events.push(event);
    }
    let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
    let mut reader = Reader { text, offsets, events: events.into_iter() };
    while let Some((event, span)) = reader.events.next() {
        match event {
            Event::StreamStart | Event::DocumentStart(_) => {}
            Event::MappingStart(..) => {
                let map = reader.map(span);
                return Ok(Some(Root { map, document_end: reader.document_end() }));
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

struct Reader<'a> {
    text: &'a str,
    /// From characters, in which the parser counts, to bytes.
    offsets: Vec<usize>,
    events: std::vec::IntoIter<(Event<'a>, Span)>,
}

impl<'a> Reader<'a> {
    fn byte(&self, character: usize) -> usize {
        self.offsets.get(character).copied().unwrap_or(self.text.len())
    }

    fn start(&self, span: Span) -> usize {
        self.byte(span.start.index())
    }

    /// The bracket that opens a collection stands in its span, behind tags and anchors and perhaps before a comment.
    fn is_flow(&self, span: Span, bracket: char) -> bool {
        let mut opened = self.text.get(self.start(span)..self.byte(span.end.index())).unwrap_or_default();
        while opened.starts_with(['&', '!']) {
            opened = opened.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
        }
        opened.starts_with(bracket)
    }

    fn map(&mut self, span: Span) -> Map {
        let start = self.start(span);
        let is_flow = self.is_flow(span, '{');
        let mut map = Map { start, end: start, is_flow, entries: Vec::new() };
        while let Some((event, span)) = self.events.next() {
            if event == Event::MappingEnd {
                if is_flow {
                    map.end = self.start(span) + 1;
                }
                break;
            }
            let name = self.name(&event, span);
            let Some((value, span)) = self.events.next() else { break };
            let value = self.node(&value, span, name.end);
            map.end = value.end();
            map.entries.push(Entry { name, value });
        }
        map
    }

    fn name(&mut self, event: &Event<'a>, span: Span) -> Name {
        let text = match event {
            Event::Scalar(text, ..) => text.clone().into_owned(),
            _ => String::new(),
        };
        let (line, column) = (span.start.line(), span.start.col());
        // A key that is a list or a map is passed over.
        let node = self.node(event, span, self.start(span));
        Name { text, start: node.start(), end: node.end(), line, column }
    }

    /// `behind` is where the key of the value ends.
    fn node(&mut self, event: &Event<'a>, span: Span, behind: usize) -> Node {
        match event {
            Event::MappingStart(..) => Node::Map(self.map(span)),
            Event::SequenceStart(..) => self.list(span),
            Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) => {
                let start = self.behind_colon(behind);
                Node::Block { start, end: self.trimmed(start, self.byte(span.end.index())) }
            }
            Event::Scalar(text, ScalarStyle::Plain, ..) if text.is_empty() && span.is_empty() => {
                Node::Empty { end: self.behind_colon(behind) }
            }
            Event::Scalar(_, ScalarStyle::SingleQuoted, ..) => self.quoted(span, '\''),
            Event::Scalar(_, ScalarStyle::DoubleQuoted, ..) => self.quoted(span, '"'),
            _ => {
                let start = self.start(span);
                Node::Scalar { start, end: self.trimmed(start, self.byte(span.end.index())) }
            }
        }
    }

    fn list(&mut self, span: Span) -> Node {
        let start = self.start(span);
        let is_flow = self.is_flow(span, '[');
        let mut end = start;
        while let Some((event, span)) = self.events.next() {
            if event == Event::SequenceEnd {
                if is_flow {
                    end = self.start(span) + 1;
                }
                break;
            }
            let behind = self.start(span);
            let entry = self.node(&event, span, behind);
            // What stands behind a dash has no colon behind which it would begin.
            end = match entry {
                Node::Empty { .. } => self.trimmed(end, behind),
                Node::Block { .. } => self.trimmed(behind, self.byte(span.end.index())),
                entry => entry.end(),
            };
        }
        Node::List { start, end, is_flow }
    }

    /// The parser's span of a quoted text over several lines ends behind the comment that follows it.
    fn quoted(&self, span: Span, quote: char) -> Node {
        let (start, most) = (self.start(span), self.byte(span.end.index()));
        let found = self.text[start..most].find(quote);
        let mut next = found.map_or(most, |found| start + found + 1);
        while let Some(char) = self.text[next..most].chars().next() {
            next += char.len_utf8();
            let rest = &self.text[next..most];
            match char {
                '\\' if quote == '"' => next += rest.chars().next().map_or(0, char::len_utf8),
                '\'' if quote == '\'' && rest.starts_with('\'') => next += 1,
                _ if char == quote => break,
                _ => {}
            }
        }
        Node::Scalar { start, end: next }
    }

    fn behind_colon(&self, from: usize) -> usize {
        self.text[from..].find(':').map_or(from, |colon| from + colon + 1)
    }

    fn trimmed(&self, start: usize, end: usize) -> usize {
        start + self.text.get(start..end).unwrap_or_default().trim_end().len()
    }

    /// Where `...` stands, else the end of the text.
    fn document_end(&mut self) -> usize {
        let end = self.events.next().filter(|(event, span)| *event == Event::DocumentEnd && !span.is_empty());
        end.map_or(self.text.len(), |(_, span)| self.start(span))
    }
}
