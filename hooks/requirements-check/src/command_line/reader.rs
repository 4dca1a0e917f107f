//! Reads a line from left to right, once: the operators between its simple commands, its constructs and here-documents.
//!
//! Keywords, `{ .. }`, functions and arithmetic are one thing, a construct: each command in it is found, and none counts. None of
//! `( .. )` counts either, but their folders are known.

use super::shell::{Level, hide, lose};
use super::word::{WORD_END, Word, arithmetic};
use super::{Hidden, Simple, is_in};

/// No shell would read the line, or it is too deep.
#[derive(Debug)]
pub(super) struct Unreadable;

pub(super) type Read<T> = Result<T, Unreadable>;

const OPERATORS: [&str; 12] = [";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "(", ")", "\n"];
/// Words of the shell behind which a command begins, or a redirection.
const KEYWORDS: &str =
    "! { } if then elif else fi while until do done for select case esac function coproc time";

/// A place in a line, and what was found before it.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    /// In bytes; always at the beginning of a character.
    pub(super) at: usize,
    depth: usize,
    pub(super) found: Vec<Simple>,
    /// The end words of here-documents whose bodies come after the line's end, and whether tabs may stand before them.
    pub(super) documents: Vec<(Word, bool)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, depth: usize) -> Self {
        Self { text, at: 0, depth, found: Vec::new(), documents: Vec::new() }
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

    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        self.at += if found { expected.len() } else { 0 };
        found
    }

    /// Reads what stands one level deeper. The exit status of its commands is lost.
    pub(super) fn nested(&mut self, why: Hidden, read: impl FnOnce(&mut Self) -> Read<()>) -> Read<()> {
        let from = self.found.len();
        self.depth = self.depth.checked_sub(1).ok_or(Unreadable)?;
        read(self)?;
        self.depth += 1;
        hide(&mut self.found[from..], why);
        Ok(())
    }

    /// Reads another text so many levels deeper.
    pub(super) fn inside(
        &mut self,
        text: &str,
        levels: usize,
        why: Hidden,
        read: impl FnOnce(&mut Reader<'_>) -> Read<()>,
    ) -> Read<()> {
        let mut inner = Reader::new(text, self.depth.checked_sub(levels).ok_or(Unreadable)?);
        read(&mut inner)?;
        hide(&mut inner.found, why);
        self.found.append(&mut inner.found);
        Ok(())
    }

    /// `$(..)` or `<(..)`. Here-documents begun outside wait until it ends.
    pub(super) fn parenthesis(&mut self) -> Read<()> {
        self.at += 2;
        let documents = std::mem::take(&mut self.documents);
        self.nested(Hidden::Substitution, |reader| reader.level(true))?;
        self.documents = documents;
        Ok(())
    }

    /// The commands up to the end of the text, or to the `)` that closes them.
    pub(super) fn level(&mut self, is_closed: bool) -> Read<()> {
        let mut level = Level::new(self.found.len());
        loop {
            self.blanks();
            let here = self.found.len();
            if let Some(length) = arithmetic(self.rest()) {
                level.construct(here);
                self.arithmetic(length)?;
                continue;
            }
            let operator = self.operator();
            self.at += operator.len();
            match operator {
                "\n" => self.bodies()?,
                // They may enclose a pattern.
                "(" | ")" if level.cases > 0 => level.construct(here),
                // A subshell has a folder of its own.
                "(" => {
                    self.nested(Hidden::Construct, |reader| reader.level(true))?;
                    self.blanks();
                    level.command(here, true, self.operator(), &mut self.found);
                }
                ")" if is_closed => break,
                "" if self.peek().is_none() && !is_closed => break,
                "" if self.peek().is_some() => match self.keyword() {
                    Some(keyword) => self.construct(&mut level, keyword)?,
                    None => self.simple(&mut level)?,
                },
                ")" | "" => return Err(Unreadable),
                _ => level.operator(operator),
            }
        }
        level.end(&mut self.found);
        Ok(())
    }

    /// The operator that comes next; empty where none does.
    pub(super) fn operator(&self) -> &'static str {
        OPERATORS.into_iter().find(|operator| self.rest().starts_with(operator)).unwrap_or_default()
    }

    fn keyword(&self) -> Option<&'a str> {
        let word = self.rest().split(WORD_END).next()?.trim_end_matches('\r');
        // With an option it is the program of that name.
        let has_option = self.rest()[word.len()..].trim_start().starts_with('-');
        (is_in(KEYWORDS, word) && (word != "time" || !has_option)).then_some(word)
    }

    fn construct(&mut self, level: &mut Level, keyword: &str) -> Read<()> {
        self.at += keyword.len();
        let from = self.found.len();
        if keyword != "time" {
            level.construct(from);
        }
        match keyword {
            "coproc" => return Err(Unreadable),
            "function" => {
                self.blanks();
                self.word()?;
            }
            "for" | "select" | "case" => {
                level.cases += usize::from(keyword == "case");
                self.head()?;
                lose(&mut self.found[from..]);
            }
            "esac" => level.cases = level.cases.saturating_sub(1),
            _ => {}
        }
        Ok(())
    }

    /// `for x in a b`, `for ((..))`, `case x in`: words, no command.
    fn head(&mut self) -> Read<()> {
        loop {
            self.blanks();
            if let Some(length) = arithmetic(self.rest()) {
                self.arithmetic(length)?;
                continue;
            }
            let Some(word) = self.word()? else { return Ok(()) };
            if word.raw == "in" && self.rest().starts_with(['\n', '\r']) {
                return Ok(());
            }
        }
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

    fn bodies(&mut self) -> Read<()> {
        for (end, has_tabs) in std::mem::take(&mut self.documents) {
            let start = self.at;
            // One without an end goes up to the end of everything, which a shell forgives.
            for line in self.rest().split_inclusive('\n') {
                self.at += line.len();
                let line = line.trim_end_matches('\n').trim_end_matches('\r');
                if end.text == if has_tabs { line.trim_start_matches('\t') } else { line } {
                    break;
                }
            }
            // The shell expands it where the word has no quotes.
            if end.raw == end.text {
                self.expansions(self.since(start))?;
            }
        }
        Ok(())
    }
}
