//! Words: quotes, escapes and expansions.

use super::reader::{Read, Reader, Unreadable, whole};

/// What only the shell puts in, as far as it is the same for every command of a session: the folder of the call, git's
/// folder, and the home. The work tree's top stands for the folder of the call: they are one work tree.
const SPELLED: [(&str, &str); 15] = [
    ("$(git rev-parse --show-toplevel)", "."),
    ("`git rev-parse --show-toplevel`", "."),
    ("$(git rev-parse --git-dir)", ".git"),
    ("`git rev-parse --git-dir`", ".git"),
    ("$(git rev-parse --git-common-dir)", ".git"),
    ("`git rev-parse --git-common-dir`", ".git"),
    ("$(git rev-parse --absolute-git-dir)", ".git"),
    ("${GIT_DIR}", ".git"),
    ("$GIT_DIR/", ".git/"),
    ("$(pwd)", "."),
    ("`pwd`", "."),
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

/// Whether a `$` stands between double quotes, where single quotes mean nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Inside,
    Outside,
}

impl Word {
    /// As an argument it may be an option that only the shell knows: it begins with what is expanded, or is an option with
    /// a name that is. A value (`--target-dir=$X`), a pattern of paths (`tests/*.py`) and `$HOME` or `$PWD` are none.
    pub(super) fn may_be_options(&self) -> bool {
        if !self.expands {
            return false;
        }
        if self.text.starts_with('-') {
            let name = self.text.split('=').next().unwrap_or_default();
            return name.contains(['$', '`', '*', '?', '[', '{']);
        }
        let is_list = self.text.starts_with('{') && (self.text.contains(',') || self.text.contains(".."));
        is_list || spelled(&self.text).starts_with(['$', '`'])
    }

    /// `NAME=`, `NAME+=` and `NAME[..]=` at its beginning, unquoted.
    pub(super) fn is_assignment(&self) -> bool {
        is_assignment(&self.raw)
    }
}

fn is_assignment(raw: &str) -> bool {
    let after = raw.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_name = after.len() < raw.len() && !raw.starts_with(|c: char| c.is_ascii_digit());
    let value = match after.strip_prefix('[') {
        Some(index) => index.split_once(']').map_or("", |(_, value)| value),
        None => after,
    };
    is_name && (value.starts_with('=') || value.starts_with("+="))
}

impl Reader<'_> {
    /// The word that stands here, if one does.
    pub(super) fn word(&mut self) -> Read<Option<Word>> {
        let start = self.at;
        let mut word = Word { expands: self.peek() == Some('~'), ..Word::default() };
        while self.piece(&mut word, start)? {}
        self.since(start).clone_into(&mut word.raw);
        Ok((self.at > start).then_some(word))
    }

    /// One more piece of `word`; false at its end.
    fn piece(&mut self, word: &mut Word, start: usize) -> Read<bool> {
        let Some(next) = self.peek() else { return Ok(false) };
        match next {
            '\\' => self.escaped(word),
            '\'' => self.single_quoted(word)?,
            '"' => self.double_quoted(word)?,
            '$' => self.dollar(word, Quotes::Outside)?,
            '`' => self.expansion(word, Self::backquoted)?,
            '<' | '>' if self.second() == Some('(') => self.expansion(word, |reader| {
                reader.next();
                reader.substitution(Self::parenthesis)
            })?,
            '(' if self.since(start).ends_with('=') && is_assignment(self.since(start)) => {
                self.expansion(word, Self::array)?;
            }
            '\r' if self.second() == Some('\n') => return Ok(false),
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => return Ok(false),
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
        word.text.extend(self.next().filter(|escaped| *escaped != '\n'));
    }

    fn single_quoted(&mut self, word: &mut Word) -> Read<()> {
        self.next();
        let length = self.rest().find('\'').ok_or(Unreadable)?;
        word.text.push_str(&self.rest()[..length]);
        self.at += length + 1;
        Ok(())
    }

    /// `$'..'`. An escape that names a character by its code is left to the shell.
    fn ansi_quoted(&mut self, word: &mut Word) -> Read<()> {
        self.at += 2;
        loop {
            match self.next().ok_or(Unreadable)? {
                '\'' => return Ok(()),
                '\\' => match self.next().ok_or(Unreadable)? {
                    'n' => word.text.push('\n'),
                    't' => word.text.push('\t'),
                    code if code.is_ascii_alphanumeric() => {
                        word.expands = true;
                        word.text.extend(["$'\\", code.encode_utf8(&mut [0; 4])]);
                    }
                    other => word.text.push(other),
                },
                other => word.text.push(other),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut Word) -> Read<()> {
        self.next();
        self.until("\"", word, Quotes::Inside)
    }

    /// Reads what stands between quotes or braces, or to the end of the text where nothing ends it.
    fn until(&mut self, end: &str, word: &mut Word, quotes: Quotes) -> Read<()> {
        let is_escapable = |next| matches!(next, Some('$' | '`' | '"' | '\\' | '\n'));
        loop {
            match self.peek() {
                None if end.is_empty() => return Ok(()),
                None => return Err(Unreadable),
                Some(_) if !end.is_empty() && self.eat(end) => return Ok(()),
                Some('\\') if end != "\"" || is_escapable(self.second()) => self.escaped(word),
                Some('\'') if quotes == Quotes::Outside => self.single_quoted(word)?,
                Some('"') if end == "}" => self.double_quoted(word)?,
                Some('$') => self.dollar(word, quotes)?,
                Some('`') => self.expansion(word, Self::backquoted)?,
                Some(_) => self.take(word),
            }
        }
    }

    fn dollar(&mut self, word: &mut Word, quotes: Quotes) -> Read<()> {
        match (self.second(), quotes) {
            (Some('('), _) => self.expansion(word, Self::dollar_parenthesis),
            (Some('{'), _) => self.expansion(word, |reader| {
                reader.at += 2;
                reader.until("}", &mut Word::default(), quotes)
            }),
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
    fn expansion(&mut self, word: &mut Word, read: impl FnOnce(&mut Self) -> Read<()>) -> Read<()> {
        let start = self.at;
        self.nested(read)?;
        word.text.push_str(self.since(start));
        word.expands = true;
        Ok(())
    }

    fn dollar_parenthesis(&mut self) -> Read<()> {
        self.next();
        match arithmetic(self.rest()) {
            Some(length) => self.arithmetic(length),
            None => self.substitution(Self::parenthesis),
        }
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
        self.substitution(|reader| reader.inside(&inner, reader.depth, whole))
    }

    /// `NAME=(..)`.
    fn array(&mut self) -> Read<()> {
        self.next();
        self.lines()?;
        while self.word()?.is_some() {
            self.lines()?;
        }
        self.expect(")")
    }

    /// Steps over `((..))` of that length; commands may stand in it all the same.
    pub(super) fn arithmetic(&mut self, length: usize) -> Read<()> {
        let inner = &self.rest()[..length];
        self.at += length;
        self.substitution(|reader| reader.expansions(inner))
    }

    /// Reads the substitutions in a text that is no command and has no quotes of its own.
    pub(super) fn expansions(&mut self, text: &str) -> Read<()> {
        self.inside(text, self.depth, |reader| reader.until("", &mut Word::default(), Quotes::Inside))
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
