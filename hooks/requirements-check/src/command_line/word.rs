//! Words: quotes, escapes and expansions.

use std::ops::Range;

use super::cursor::{Cursor, Read, Unreadable};
use super::tree::{List, Script, Word};

/// What an unquoted word cannot contain.
fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

impl Cursor<'_> {
    /// The word that stands here, if one does.
    pub(super) fn word(&mut self) -> Read<Option<Word>> {
        let start = self.at;
        let mut word = Word { expands: self.peek() == Some('~'), ..Word::default() };
        while self.piece(&mut word, start)? {}
        if self.at == start {
            return Ok(None);
        }
        self.since(start).clone_into(&mut word.raw);
        for range in &mut word.quoted {
            *range = range.start - start..range.end - start;
        }
        Ok(Some(word))
    }

    /// One more piece of `word`; false at its end.
    fn piece(&mut self, word: &mut Word, start: usize) -> Read<bool> {
        let Some(next) = self.peek() else { return Ok(false) };
        match next {
            '\\' => self.escaped(word),
            '\'' => self.single_quoted(word)?,
            '"' => self.double_quoted(word)?,
            '$' => self.dollar(word, Quotes::Outside)?,
            '`' => self.backquoted(word)?,
            '<' | '>' if self.second() == Some('(') => self.process_substitution(word)?,
            '(' if is_array_name(self.since(start)) => self.array(word)?,
            '\r' if self.second() == Some('\n') => return Ok(false),
            _ if ends_word(next) => return Ok(false),
            _ => {
                word.expands |= matches!(next, '*' | '?' | '[' | '{');
                self.take(word);
            }
        }
        Ok(true)
    }

    fn take(&mut self, word: &mut Word) {
        word.text.extend(self.next());
    }

    fn escaped(&mut self, word: &mut Word) {
        self.next();
        match self.next() {
            Some('\n') | None => {}
            Some(escaped) => word.text.push(escaped),
        }
    }

    fn single_quoted(&mut self, word: &mut Word) -> Read<()> {
        let start = self.at;
        self.next();
        let length = self.rest().find('\'').ok_or(Unreadable)?;
        word.text.push_str(&self.rest()[..length]);
        self.at += length + 1;
        word.quoted.push(start..self.at);
        Ok(())
    }

    /// `$'..'`, whose escapes are those of C.
    fn ansi_quoted(&mut self, word: &mut Word) -> Read<()> {
        let start = self.at;
        self.at += 2;
        loop {
            match self.next().ok_or(Unreadable)? {
                '\'' => break,
                '\\' => {
                    let escaped = self.ansi_escape()?;
                    word.text.extend(escaped);
                }
                other => word.text.push(other),
            }
        }
        word.quoted.push(start..self.at);
        Ok(())
    }

    /// What stands for the escape after a backslash; nothing for a code that is no character.
    fn ansi_escape(&mut self) -> Read<Option<char>> {
        Ok(match self.next().ok_or(Unreadable)? {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'e' | 'E' => Some('\u{1b}'),
            'f' => Some('\u{c}'),
            'v' => Some('\u{b}'),
            'x' => self.code(16, 2),
            'u' => self.code(16, 4),
            'U' => self.code(16, 8),
            first @ '0'..='7' => {
                self.at -= first.len_utf8();
                self.code(8, 3)
            }
            other => Some(other),
        })
    }

    /// The character whose code stands here in at most so many digits.
    fn code(&mut self, radix: u32, most: usize) -> Option<char> {
        let rest = self.rest();
        let length = rest.chars().take(most).take_while(|c| c.is_digit(radix)).count();
        self.at += length;
        u32::from_str_radix(rest.get(..length)?, radix).ok().and_then(char::from_u32)
    }

    fn double_quoted(&mut self, word: &mut Word) -> Read<()> {
        let start = self.at;
        self.next();
        loop {
            match self.peek().ok_or(Unreadable)? {
                '"' => break,
                '\\' => self.escaped_in_quotes(word),
                '$' => self.dollar(word, Quotes::Inside)?,
                '`' => self.backquoted(word)?,
                _ => self.take(word),
            }
        }
        self.next();
        word.quoted.push(start..self.at);
        Ok(())
    }

    fn escaped_in_quotes(&mut self, word: &mut Word) {
        if matches!(self.second(), Some('$' | '`' | '"' | '\\' | '\n')) {
            self.escaped(word);
        } else {
            self.take(word);
        }
    }

    fn dollar(&mut self, word: &mut Word, quotes: Quotes) -> Read<()> {
        match (self.second(), quotes) {
            (Some('('), _) => self.expansion(word, Self::dollar_parenthesis),
            (Some('{'), _) => self.expansion(word, |cursor, word| cursor.braced(word, quotes)),
            (Some('\''), Quotes::Outside) => self.ansi_quoted(word),
            (Some('"'), Quotes::Outside) => {
                self.next();
                self.double_quoted(word)
            }
            (next, _) => {
                word.expands |= next.is_some_and(|c| c.is_alphanumeric() || "_@*#?-$!".contains(c));
                self.take(word);
                Ok(())
            }
        }
    }

    /// An expansion that stands in the word's text as written.
    fn expansion(
        &mut self,
        word: &mut Word,
        read: impl FnOnce(&mut Self, &mut Word) -> Read<()>,
    ) -> Read<()> {
        let start = self.at;
        let mut inner = Word::default();
        self.nested(|cursor| read(cursor, &mut inner))?;
        word.text.push_str(self.since(start));
        word.expands = true;
        word.substitutions.append(&mut inner.substitutions);
        Ok(())
    }

    fn dollar_parenthesis(&mut self, word: &mut Word) -> Read<()> {
        self.next();
        if let Some(length) = arithmetic(self.rest()) {
            return self.arithmetic(length, word);
        }
        self.parenthesis(word)
    }

    fn process_substitution(&mut self, word: &mut Word) -> Read<()> {
        self.expansion(word, |cursor, word| {
            cursor.next();
            cursor.parenthesis(word)
        })
    }

    /// `( .. )`, whose commands belong to the word. Here-documents begun outside wait till it ends.
    fn parenthesis(&mut self, word: &mut Word) -> Read<()> {
        let outer = std::mem::take(&mut self.pending);
        self.expect("(")?;
        word.substitutions.push(self.list()?);
        self.expect(")")?;
        self.pending.splice(0..0, outer);
        Ok(())
    }

    /// Steps over `((..))` of that length; commands may stand in it all the same.
    pub(super) fn arithmetic(&mut self, length: usize, word: &mut Word) -> Read<()> {
        let inner = &self.rest()[..length];
        self.at += length;
        word.substitutions.extend(Cursor::new(inner, self.depth).expansions()?);
        Ok(())
    }

    /// `${..}`.
    fn braced(&mut self, word: &mut Word, quotes: Quotes) -> Read<()> {
        self.at += 2;
        loop {
            match self.peek().ok_or(Unreadable)? {
                '}' => break,
                '\\' => self.escaped(word),
                '\'' if quotes == Quotes::Outside => self.single_quoted(word)?,
                '"' => self.double_quoted(word)?,
                '$' => self.dollar(word, quotes)?,
                '`' => self.backquoted(word)?,
                _ => self.take(word),
            }
        }
        self.next();
        Ok(())
    }

    fn backquoted(&mut self, word: &mut Word) -> Read<()> {
        self.expansion(word, |cursor, word| {
            let inner = cursor.in_backquotes()?;
            let script = Script::read(&inner, cursor.depth)?;
            word.substitutions.push(script.list);
            word.substitutions.extend(script.in_here_documents);
            Ok(())
        })
    }

    fn in_backquotes(&mut self) -> Read<String> {
        let mut inner = String::new();
        self.next();
        loop {
            match self.next().ok_or(Unreadable)? {
                '`' => return Ok(inner),
                '\\' if matches!(self.peek(), Some('`' | '\\' | '$')) => inner.extend(self.next()),
                other => inner.push(other),
            }
        }
    }

    /// `NAME=(..)`.
    fn array(&mut self, word: &mut Word) -> Read<()> {
        self.expansion(word, |cursor, word| {
            cursor.next();
            cursor.lines()?;
            while let Some(mut element) = cursor.word()? {
                word.substitutions.append(&mut element.substitutions);
                cursor.lines()?;
            }
            cursor.expect(")")
        })
    }

    /// The commands that run to expand a text without quotes of its own, to its end.
    pub(super) fn expansions(&mut self) -> Read<Vec<List>> {
        let mut word = Word::default();
        while let Some(next) = self.peek() {
            match next {
                '\\' => self.escaped(&mut word),
                '$' => self.dollar(&mut word, Quotes::Inside)?,
                '`' => self.backquoted(&mut word)?,
                _ => {
                    self.next();
                }
            }
        }
        Ok(word.substitutions)
    }
}

/// Whether a `$` stands between double quotes, where single quotes mean nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Inside,
    Outside,
}

fn is_array_name(before: &str) -> bool {
    Word { raw: before.to_owned(), ..Word::default() }.is_assignment() && before.ends_with('=')
}

/// The length of `((..))` at the beginning of a text, if it is that and no subshell in a subshell. Told apart as bash
/// does: the two closing parentheses that belong to the opening ones touch.
pub(super) fn arithmetic(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("((")?;
    let mut open = 0_usize;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'(' => open += 1,
            b')' if open > 0 => open -= 1,
            b')' => return inner[at..].starts_with("))").then_some(at + 4),
            _ => {}
        }
    }
    None
}

/// Where `ranges` of one word stand once it begins at `offset`.
pub(super) fn moved(ranges: &[Range<usize>], offset: usize) -> impl Iterator<Item = Range<usize>> {
    ranges.iter().map(move |range| range.start + offset..range.end + offset)
}
