//! Words: quotes, escapes and expansions.

use super::Hidden;
use super::reader::{Read, Reader, Unreadable};
use super::shell::lose;

/// Expansions with the same value for every command of a session: the folder of the call, and the home.
/// The work tree's top stands for the folder of the call: they are one work tree.
const SPELLED: [(&str, &str); 6] = [
    ("$(git rev-parse --show-toplevel)", "."),
    ("$(pwd)", "."),
    ("${PWD}", "."),
    ("$PWD/", "./"),
    ("${HOME}", "~"),
    ("$HOME/", "~/"),
];

/// The text with what the shell puts in for some expansions.
pub(crate) fn spelled(text: &str) -> String {
    let text = format!("{text}/");
    let spelled = SPELLED.iter().fold(text, |text, (from, to)| text.replace(from, to));
    spelled.strip_suffix('/').unwrap_or(&spelled).to_owned()
}

#[derive(Debug, Default)]
pub(super) struct Word {
    /// As it stands in the line.
    pub(super) raw: String,
    /// With its quotes removed; expansions stand in it as written.
    pub(super) text: String,
    /// The shell puts something else in place of part of it: a variable, a pattern, a home folder.
    pub(super) expands: bool,
}

impl Word {
    /// As an argument it may be an option that only the shell knows: it begins with what is expanded, or is an option with
    /// a name that is. A value (`--target-dir=$X`), a pattern of paths (`tests/*.py`) and `$HOME` or `$PWD` are none.
    pub(super) fn may_be_options(&self) -> bool {
        let name = self.text.split('=').next().unwrap_or_default();
        let is_option = name.starts_with('-') && name.contains(['$', '`', '*', '?', '[', '{']);
        self.expands && (is_option || spelled(&self.text).starts_with(['$', '`', '{']))
    }
}

/// It begins with `NAME=`, `NAME+=` or `NAME[..]=`, unquoted.
pub(super) fn is_assignment(raw: &str) -> bool {
    let name = raw.split(['=', '+', '[']).next().unwrap_or_default();
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name && !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && raw.contains('=')
}

/// The characters that end a word.
pub(super) const WORD_END: [char; 10] = [' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')'];

impl Reader<'_> {
    pub(super) fn word(&mut self) -> Read<Option<Word>> {
        let start = self.at;
        let mut word = Word { expands: self.peek() == Some('~'), ..Word::default() };
        self.until(&WORD_END, false, &mut word)?;
        self.since(start).clone_into(&mut word.raw);
        Ok((self.at > start).then_some(word))
    }

    /// Reads a word, what stands between double quotes or braces, or with no `end` the whole text. `is_quoted`: single quotes mean
    /// nothing.
    fn until(&mut self, end: &[char], is_quoted: bool, word: &mut Word) -> Read<()> {
        let (start, is_word) = (self.at, end.len() > 1);
        while let Some(next) = self.peek() {
            let second = self.second();
            match next {
                '<' | '>' if is_word && second == Some('(') => self.expansion(word, Self::parenthesis)?,
                // `NAME=(..)`
                '(' if is_word && self.since(start).ends_with('=') && is_assignment(self.since(start)) => {
                    self.expansion(word, |reader| reader.enclosed(1, &[')'], false))?;
                }
                '\r' if is_word && second == Some('\n') => return Ok(()),
                _ if end.contains(&next) => {
                    self.at += usize::from(!is_word);
                    return Ok(());
                }
                '\\' if end != ['"'] || second.is_some_and(|c| "$`\"\\\n".contains(c)) => {
                    self.next();
                    word.text.extend(self.next().filter(|escaped| *escaped != '\n'));
                }
                '\'' if !is_quoted => self.single_quoted(word)?,
                '"' if !end.is_empty() => {
                    self.next();
                    self.until(&['"'], true, word)?;
                }
                '$' => self.dollar(word, is_quoted)?,
                '`' => self.expansion(word, Self::backquoted)?,
                _ => {
                    word.expands |= is_word && "*?[{".contains(next);
                    word.text.extend(self.next());
                }
            }
        }
        if is_word || end.is_empty() { Ok(()) } else { Err(Unreadable) }
    }

    fn single_quoted(&mut self, word: &mut Word) -> Read<()> {
        self.next();
        let length = self.rest().find('\'').ok_or(Unreadable)?;
        word.text.push_str(&self.rest()[..length]);
        self.at += length + 1;
        Ok(())
    }

    /// `$'..'`. Its escapes are left to the shell.
    fn ansi_quoted(&mut self, word: &mut Word) -> Read<()> {
        let start = self.at;
        self.at += 2;
        let mut has_escape = false;
        while !self.eat("'") {
            has_escape |= self.next().ok_or(Unreadable)? == '\\' && self.next().is_some();
        }
        let text = self.since(start);
        word.text.push_str(if has_escape { text } else { &text[2..text.len() - 1] });
        word.expands |= has_escape;
        Ok(())
    }

    fn dollar(&mut self, word: &mut Word, is_quoted: bool) -> Read<()> {
        match self.second() {
            Some('(') => match arithmetic(&self.rest()[1..]) {
                Some(length) => self.expansion(word, |reader| {
                    reader.next();
                    reader.arithmetic(length)
                }),
                None => self.expansion(word, Self::parenthesis),
            },
            Some('{') => self.expansion(word, |reader| reader.enclosed(2, &['}'], is_quoted)),
            Some('\'') if !is_quoted => self.ansi_quoted(word),
            // A translated text is quoted like any other.
            Some('"') if !is_quoted => {
                self.next();
                Ok(())
            }
            next => {
                word.expands |= next.is_some_and(|c| c.is_alphanumeric() || "_@*#?-$!".contains(c));
                word.text.extend(self.next());
                Ok(())
            }
        }
    }

    fn expansion(&mut self, word: &mut Word, read: impl FnOnce(&mut Self) -> Read<()>) -> Read<()> {
        let start = self.at;
        read(self)?;
        word.text.push_str(self.since(start));
        word.expands = true;
        Ok(())
    }

    fn backquoted(&mut self) -> Read<()> {
        let mut inner = String::new();
        self.next();
        while !self.eat("`") {
            match self.next().ok_or(Unreadable)? {
                '\\' if matches!(self.peek(), Some('`' | '\\' | '$')) => inner.extend(self.next()),
                other => inner.push(other),
            }
        }
        self.inside(&inner, 1, Hidden::Substitution, |inner| inner.level(false))
    }

    /// Words between signs, behind an opening one of that length.
    fn enclosed(&mut self, opening: usize, end: &[char], is_quoted: bool) -> Read<()> {
        self.at += opening;
        self.nested(Hidden::Substitution, |reader| reader.until(end, is_quoted, &mut Word::default()))
    }

    /// Steps over `((..))` of that length; commands may stand in it all the same.
    pub(super) fn arithmetic(&mut self, length: usize) -> Read<()> {
        let inner = &self.rest()[..length];
        self.at += length;
        self.expansions(inner)
    }

    /// Reads the substitutions in a text that is no command and has no quotes of its own. Where they run is not known.
    pub(super) fn expansions(&mut self, text: &str) -> Read<()> {
        let from = self.found.len();
        self.inside(text, 1, Hidden::Substitution, |reader| reader.until(&[], true, &mut Word::default()))?;
        lose(&mut self.found[from..]);
        Ok(())
    }
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
