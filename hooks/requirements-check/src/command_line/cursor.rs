//! A place in a line, and how far nesting may still go.

use super::tree::{List, Script};

/// The line is none a shell would read, or too deep.
#[derive(Debug)]
pub(super) struct Unreadable;

pub(super) type Read<T> = Result<T, Unreadable>;

/// A here-document whose body comes after the line's end.
#[derive(Debug)]
pub(super) struct HereDocument {
    pub(super) end: String,
    /// The end word is unquoted: what expands in the body is expanded.
    pub(super) expands: bool,
    /// `<<-`: tabs before the end word do not count.
    pub(super) tabs: bool,
}

/// Reads a line from left to right, never back.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// In bytes; always at the beginning of a character.
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) pending: Vec<HereDocument>,
    pub(super) in_here_documents: Vec<List>,
}

impl Script {
    /// `depth` is how many levels of nesting are allowed.
    pub(super) fn read(text: &str, depth: usize) -> Read<Self> {
        let mut cursor = Cursor::new(text, depth);
        let list = cursor.list()?;
        if cursor.peek().is_some() {
            return Err(Unreadable);
        }
        Ok(Self { list, in_here_documents: cursor.in_here_documents })
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, depth: usize) -> Self {
        Self { text, at: 0, depth, pending: Vec::new(), in_here_documents: Vec::new() }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Steps over `expected` if it stands here.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    pub(super) fn expect(&mut self, expected: &str) -> Read<()> {
        if self.eat(expected) { Ok(()) } else { Err(Unreadable) }
    }

    /// One level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.depth = self.depth.checked_sub(1).ok_or(Unreadable)?;
        let result = read(self);
        self.depth += 1;
        result
    }

    /// Steps over blanks, continued lines and a comment, up to the end of the line.
    pub(super) fn blanks(&mut self) {
        while self.eat(" ") || self.eat("\t") || self.eat("\\\n") || self.eat("\\\r\n") {}
        if self.rest().starts_with("\r\n") {
            self.at += 1;
        }
        if self.peek() == Some('#') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// Steps over blanks and line ends.
    pub(super) fn lines(&mut self) -> Read<()> {
        self.blanks();
        while self.eat("\n") {
            self.here_documents()?;
            self.blanks();
        }
        Ok(())
    }

    /// Steps over the bodies that begin at this line's beginning.
    fn here_documents(&mut self) -> Read<()> {
        for document in std::mem::take(&mut self.pending) {
            let start = self.at;
            let body = self.body(&document, start);
            if document.expands {
                let mut inner = Cursor::new(body, self.depth);
                self.in_here_documents.extend(inner.expansions()?);
            }
        }
        Ok(())
    }

    /// Up to the line with the end word, or to the end of everything, which a shell forgives.
    fn body(&mut self, document: &HereDocument, start: usize) -> &'a str {
        loop {
            let before = self.at;
            let line = self.rest().split('\n').next().unwrap_or_default();
            self.at = (self.at + line.len() + 1).min(self.text.len());
            let line = line.strip_suffix('\r').unwrap_or(line);
            let line = if document.tabs { line.trim_start_matches('\t') } else { line };
            if line == document.end || self.at == self.text.len() {
                let end = if line == document.end { before } else { self.at };
                return self.text.get(start..end).unwrap_or_default();
            }
        }
    }
}
