//! Reads a line from left to right, once: words with quotes and expansions, operators, constructs and here-documents.
//!
//! Keywords, `{ .. }`, functions and arithmetic are one thing, a construct: each command in it is found, and none counts. None of
//! `( .. )` counts either, but their folders are known.

use std::path::{Path, PathBuf};

use super::{CONSTRUCT, PIPE, SUBSTITUTION, Simple, is_in, is_plain};

/// No shell would read the line, or it is too deep.
pub(crate) struct Unreadable;

pub(crate) type Read<T> = Result<T, Unreadable>;

const MAX_FOLDER_BYTES: usize = 4096;
const OPERATORS: [&str; 12] = [";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "(", ")", "\n"];
/// Words of the shell behind which a command begins, or a redirection.
const KEYWORDS: &str = "! { } if then elif else fi while until do done for select case esac function time";
/// Commands of the shell that may change its folder; a program of that name does not.
const MOVING: &str = "cd pushd popd eval";

/// A place in a line, and what was found before it.
#[derive(Default)]
pub(crate) struct Reader<'a> {
    pub(crate) rest: &'a str,
    pub(crate) depth: usize,
    pub(crate) found: Vec<Simple>,
    /// The end words of here-documents whose bodies come after the line's end, and whether tabs may stand before them.
    pub(crate) documents: Vec<(Word, bool)>,
}

/// The text with what the shell puts in for expansions that mean the same to every command: the folder of the call, and the home.
/// The work tree's top stands for the folder of the call: they are one work tree.
pub fn spelled(text: &str) -> String {
    let text = format!("{text}/").replace("$(git rev-parse --show-toplevel)", ".").replace("$(pwd)", ".");
    let text = text.replace("`git rev-parse --show-toplevel`", ".");
    let text =
        text.replace("${PWD}", ".").replace("$PWD/", "./").replace("${HOME}", "~").replace("$HOME/", "~/");
    text[..text.len() - 1].to_owned()
}

#[derive(Default)]
pub(crate) struct Word {
    /// As it stands in the line.
    pub(crate) raw: String,
    /// With its quotes removed; expansions stand in it as written.
    pub(crate) text: String,
}

/// It begins with `NAME=`, `NAME+=` or `NAME[..]=`, unquoted.
pub(crate) fn is_assignment(raw: &str) -> bool {
    let name = raw.split(['=', '+', '[']).next().unwrap_or_default();
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name && name.starts_with(|c: char| !c.is_ascii_digit()) && raw.contains('=')
}

pub(crate) const WORD_END: [char; 10] = [' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')'];

impl<'a> Reader<'a> {
    /// The text read since the rest was `start`.
    fn since(&self, start: &'a str) -> &'a str {
        &start[..start.len() - self.rest.len()]
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn eat(&mut self, expected: &str) -> bool {
        let behind = self.rest.strip_prefix(expected);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    /// Reads what stands one level deeper. The exit status of its commands is lost.
    fn nested(&mut self, why: &'static str, read: impl FnOnce(&mut Self) -> Read<()>) -> Read<()> {
        let from = self.found.len();
        self.depth = self.depth.checked_sub(1).ok_or(Unreadable)?;
        read(self)?;
        self.depth += 1;
        hide(&mut self.found[from..], why);
        Ok(())
    }

    /// Reads another text. Something in it may be read twice, so it takes three levels.
    pub(crate) fn inside(&mut self, text: &str, read: impl FnOnce(&mut Reader<'_>) -> Read<()>) -> Read<()> {
        let depth = self.depth.checked_sub(3).ok_or(Unreadable)?;
        let mut inner = Reader { rest: text, depth, ..Reader::default() };
        read(&mut inner)?;
        hide(&mut inner.found, SUBSTITUTION);
        self.found.append(&mut inner.found);
        Ok(())
    }

    /// `$((..))`, `$(..)` or `<(..)`. Here-documents begun outside wait until it ends.
    fn substitution(&mut self) -> Read<()> {
        let is_dollar = self.next() == Some('$');
        self.next();
        if is_dollar && self.arithmetic()? {
            return Ok(());
        }
        let documents = std::mem::take(&mut self.documents);
        self.nested(SUBSTITUTION, |reader| reader.level(true))?;
        self.documents = documents;
        Ok(())
    }

    /// The commands up to the end of the text, or to the `)` that closes them.
    pub(crate) fn level(&mut self, is_closed: bool) -> Read<()> {
        let from = self.found.len();
        let mut level = Level { chain: from, directory: Some(PathBuf::new()), ..Level::default() };
        loop {
            let here = self.found.len();
            let operator = self.operator();
            self.rest = &self.rest[operator.len()..];
            match operator {
                "(" if self.arithmetic()? => level.construct(here),
                "\n" => self.bodies()?,
                // A pattern ends.
                ")" if level.cases > 0 => level.construct(here),
                // A subshell, which has a folder of its own, or a pattern.
                "(" => {
                    self.nested(CONSTRUCT, |reader| reader.level(true))?;
                    level.command(here, self.operator(), &mut self.found);
                }
                "||" | "&" => {
                    level.unsure = Some(from);
                    level.why.get_or_insert(if operator == "&" { "beside `&`" } else { "beside `||`" });
                }
                "" if !self.rest.is_empty() => self.part(&mut level)?,
                ")" | "" if is_closed == (operator == ")") => break,
                ")" | "" => return Err(Unreadable),
                _ => {}
            }
        }
        hide(&mut self.found[from..level.chain], "before `;` or a line's end");
        for simple in self.found[from..].iter_mut().filter(|one| one.hidden != Some(SUBSTITUTION)) {
            simple.hidden = level.why.or(simple.hidden);
        }
        // A `cd` among them leaves every folder unknown.
        let unsure = level.unsure.map_or(&mut [][..], |at| &mut self.found[at..]);
        let is_unsure = unsure.iter().any(|one| one.calls(MOVING));
        for one in unsure {
            one.directory.take_if(|_| is_unsure);
        }
        Ok(())
    }

    /// The operator that comes next; empty where none does.
    pub(crate) fn operator(&mut self) -> &'static str {
        self.blanks();
        OPERATORS.into_iter().find(|operator| self.rest.starts_with(operator)).unwrap_or_default()
    }

    /// Reads a keyword with the words that belong to it, else a simple command.
    fn part(&mut self, level: &mut Level) -> Read<()> {
        let (from, keyword) = (self.found.len(), self.rest.split(WORD_END).next().unwrap_or_default());
        let behind = &self.rest[keyword.len()..];
        // With an option it is the program of that name.
        let is_program = keyword == "time" && behind.trim_start().starts_with('-');
        if is_program || !is_in(KEYWORDS, keyword) {
            return self.simple(level);
        }
        self.rest = behind;
        match keyword {
            "time" => return Ok(()),
            "function" => drop(self.word()?),
            "for" | "select" | "case" => {
                level.cases += usize::from(keyword == "case");
                // Words, no command.
                while self.word()?.is_some() {}
                run_in(&mut self.found[from..], None);
            }
            "esac" => level.cases = level.cases.saturating_sub(1),
            _ => {}
        }
        level.construct(from);
        Ok(())
    }

    /// Steps over blanks, continued lines and a comment, up to the end of the line.
    pub(crate) fn blanks(&mut self) {
        while self.eat(" ") || self.eat("\t") || self.eat("\\\n") {}
        if self.rest.starts_with('#') {
            self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
        }
    }

    fn bodies(&mut self) -> Read<()> {
        for (end, has_tabs) in std::mem::take(&mut self.documents) {
            let start = self.rest;
            // One without an end goes up to the end of everything, which a shell forgives.
            for line in start.split_inclusive('\n') {
                self.rest = &self.rest[line.len()..];
                if line.trim_end_matches('\n').trim_start_matches(|c| has_tabs && c == '\t') == end.text {
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

    /// The next word of the line, if it goes on with one.
    pub(crate) fn word(&mut self) -> Read<Option<Word>> {
        self.blanks();
        let (start, mut word) = (self.rest, Word::default());
        self.until(&WORD_END, false, &mut word)?;
        self.since(start).clone_into(&mut word.raw);
        Ok((!word.raw.is_empty()).then_some(word))
    }

    /// Reads a word, or to its `end` what quotes or braces enclose, or without one all. `is_quoted`: single quotes mean nothing.
    fn until(&mut self, end: &[char], is_quoted: bool, word: &mut Word) -> Read<()> {
        let (start, is_word) = (self.rest, end.len() > 1);
        while let Some(next) = self.rest.chars().next() {
            let before = self.since(start);
            match (next, self.rest.chars().nth(1).unwrap_or_default()) {
                ('<' | '>', '(') if is_word => self.expansion(word, Self::substitution)?,
                // `NAME=(..)`
                ('(', _) if is_word && before.ends_with('=') && is_assignment(before) => {
                    self.enclosed(word, 1, ')', false)?;
                }
                _ if end.contains(&next) => break,
                ('\\', escaped) if end != ['"'] || "$`\"\\\n".contains(escaped) => {
                    self.next();
                    word.text.extend(self.next().filter(|escaped| *escaped != '\n'));
                }
                ('\'', _) | ('$', '\'') if !is_quoted => self.single_quoted(word)?,
                // A translated text is quoted like any other.
                ('$', '"') if !is_quoted => drop(self.next()),
                ('$', '(') => self.expansion(word, Self::substitution)?,
                ('$', '{') => self.enclosed(word, 2, '}', is_quoted)?,
                ('"', _) if !end.is_empty() => {
                    self.next();
                    self.until(&['"'], true, word)?;
                    self.next().ok_or(Unreadable)?;
                }
                ('`', _) => self.expansion(word, Self::backquoted)?,
                _ => word.text.extend(self.next()),
            }
        }
        Ok(())
    }

    /// `'..'`, or `$'..'`, whose escapes are left to the shell.
    fn single_quoted(&mut self, word: &mut Word) -> Read<()> {
        let (start, is_ansi, mut has_escape) = (self.rest, self.eat("$"), false);
        self.next();
        while !self.eat("'") {
            let next = self.next().ok_or(Unreadable)?;
            has_escape |= is_ansi && next == '\\' && self.next().is_some();
        }
        let text = self.since(start);
        word.text += if has_escape { text } else { text.split('\'').nth(1).unwrap_or_default() };
        Ok(())
    }

    fn expansion(&mut self, word: &mut Word, read: impl FnOnce(&mut Self) -> Read<()>) -> Read<()> {
        let start = self.rest;
        read(self)?;
        word.text += self.since(start);
        Ok(())
    }

    fn backquoted(&mut self) -> Read<()> {
        let mut inner = String::new();
        self.next();
        while !self.eat("`") {
            match self.next().ok_or(Unreadable)? {
                '\\' if self.rest.starts_with(['`', '\\', '$']) => inner.extend(self.next()),
                other => inner.push(other),
            }
        }
        self.inside(&inner, |inner| inner.level(false))
    }

    /// Words between signs, behind an opening one of that length.
    fn enclosed(&mut self, word: &mut Word, opening: usize, end: char, is_quoted: bool) -> Read<()> {
        self.expansion(word, |reader| {
            reader.rest = &reader.rest[opening..];
            reader.nested(SUBSTITUTION, |reader| reader.until(&[end], is_quoted, &mut Word::default()))?;
            reader.next().map(drop).ok_or(Unreadable)
        })
    }

    /// Steps over `((..))` behind its first sign, if it is no subshell in a subshell: told apart as bash does, the two parentheses
    /// touch that close it. Commands may stand in it all the same.
    fn arithmetic(&mut self) -> Read<bool> {
        let inner = self.rest.strip_prefix('(').unwrap_or_default();
        let mut open = 0_i32;
        let end = inner.bytes().position(|byte| {
            open += i32::from(byte == b'(') - i32::from(byte == b')');
            open < 0
        });
        let Some(end) = end.filter(|end| inner[*end..].starts_with("))")) else { return Ok(false) };
        self.rest = &inner[end + 2..];
        self.expansions(&inner[..end]).map(|()| true)
    }

    /// Reads the substitutions in a text that is no command and has no quotes of its own. Where they run is not known.
    pub(crate) fn expansions(&mut self, text: &str) -> Read<()> {
        let from = self.found.len();
        self.inside(text, |reader| reader.until(&[], true, &mut Word::default()))?;
        run_in(&mut self.found[from..], None);
        Ok(())
    }
}

/// One level of a line while it is read, with what its commands leave to those after them.
#[derive(Default)]
pub(crate) struct Level {
    /// How many `case` are open.
    pub(crate) cases: usize,
    /// The index of the first command of the last chain of `&&` among those found.
    chain: usize,
    /// Why none of them decides the line's exit status.
    why: Option<&'static str>,
    /// The first one that may run never, again, or beside the rest.
    unsure: Option<usize>,
    /// The operator behind the last one.
    before: &'static str,
    /// As [`Simple::directory`].
    directory: Option<PathBuf>,
    pipefail: bool,
}

impl Level {
    pub(crate) fn construct(&mut self, at: usize) {
        self.unsure.get_or_insert(at);
        self.why = Some(CONSTRUCT);
        self.before = "";
    }

    /// A simple command was read, found at `at` with those of its substitutions and its script behind it, or a subshell.
    pub(crate) fn command(&mut self, at: usize, operator: &'static str, found: &mut [Simple]) {
        let is_pipe = |operator| matches!(operator, "|" | "|&");
        let before = std::mem::replace(&mut self.before, operator);
        if before != "&&" && !is_pipe(before) {
            // Only the first command of the chain before is sure to have run.
            let mut unsure = found[self.chain..at].iter().skip(1).filter(|one| one.hidden.is_none());
            self.pipefail &= !unsure.clone().any(|one| one.calls("set"));
            self.directory.take_if(|_| unsure.any(|one| one.calls(MOVING)));
            self.chain = at;
        }
        run_in(&mut found[at..], self.directory.as_ref());
        if is_pipe(operator) && !self.pipefail {
            hide(&mut found[at..], PIPE);
        }
        // A subshell and the parts of a pipe have shells of their own.
        let own = found.get(at).filter(|one| one.hidden.is_none() || one.runs_another());
        let Some(command) = own.filter(|_| !is_pipe(before) && !is_pipe(operator)) else { return };
        match &command.words[..] {
            [program, to] if program == "cd" => self.directory = join(self.directory.take(), to),
            [program, options @ ..] if program == "set" && options.iter().any(|word| word == "pipefail") => {
                self.pipefail = !options.iter().any(|word| word.starts_with('+'));
            }
            _ if command.calls(MOVING) => self.directory = None,
            _ => {}
        }
        if command.calls("eval exit return exec trap") {
            self.why.get_or_insert("beside `exit`, `exec`, `eval` or `trap`");
        }
    }
}

fn hide(commands: &mut [Simple], why: &'static str) {
    for simple in commands {
        simple.hidden.get_or_insert(why);
    }
}

/// The commands run in that folder, or in one seen from there. `None`: where is not known.
pub(crate) fn run_in(commands: &mut [Simple], folder: Option<&PathBuf>) {
    for simple in commands {
        let own = simple.directory.take();
        simple.directory = own.and_then(|own| join(folder.cloned(), &own.to_string_lossy()));
    }
}

/// The directory that `to` names from `here`, as [`Simple::directory`].
pub(crate) fn join(here: Option<PathBuf>, to: &str) -> Option<PathBuf> {
    let to = spelled(to);
    let in_home = to.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let is_known = to != "-" && is_plain(in_home.unwrap_or(&to));
    let is_whole = in_home.is_some() || Path::new(&to).is_absolute();
    let here = if is_whole { PathBuf::new() } else { here? };
    let folder: PathBuf = here.join(to).components().collect();
    (is_known && folder.as_os_str().len() <= MAX_FOLDER_BYTES).then_some(folder)
}
