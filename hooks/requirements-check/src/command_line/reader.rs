//! Reads a line from left to right, once, and collects its simple commands on the way.
//!
//! Lists, pipelines, subshells, groups and substitutions are read as bash does. Of `if`, loops, `case` and functions only the
//! words are known behind which a command begins: each command in them is found, and none of them counts as having run.

use std::path::PathBuf;

use super::word::{Word, arithmetic};
use super::{Hidden, Simple};

/// No shell would read the line, or it is too deep.
#[derive(Debug)]
pub(super) struct Unreadable;

pub(super) type Read<T> = Result<T, Unreadable>;

/// What a subshell does not give back.
#[derive(Clone, Debug)]
pub(super) struct Shell {
    /// As [`Simple::directory`].
    pub(super) directory: Option<PathBuf>,
    pub(super) pipefail: bool,
    /// What comes now may never run: `exit`, `exec`, `trap` or `set -n` stood before.
    pub(super) left: bool,
}

/// A here-document whose body comes after the line's end.
#[derive(Debug)]
struct HereDocument {
    end: String,
    /// The end word is unquoted: the shell expands the body.
    expands: bool,
    /// `<<-`: tabs before the end word do not count.
    tabs: bool,
}

/// A place in a line, and what was found before it.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    /// In bytes; always at the beginning of a character.
    pub(super) at: usize,
    /// How many levels of nesting are still allowed.
    pub(super) depth: usize,
    pub(super) found: Vec<Simple>,
    pub(super) shell: Shell,
    /// How many constructs are open; one that begins a function stays so.
    pub(super) constructs: usize,
    /// The patterns of a `case` stand here: a `)` ends them.
    in_patterns: bool,
    documents: Vec<HereDocument>,
}

/// The simple commands of a line, in the order they are written.
pub(super) fn commands(line: &str, depth: usize) -> Read<Vec<Simple>> {
    let mut reader = Reader::new(line, depth);
    whole(&mut reader)?;
    Ok(reader.found)
}

/// All of a text.
pub(super) fn whole(reader: &mut Reader<'_>) -> Read<()> {
    reader.list()?;
    if reader.peek().is_none() { Ok(()) } else { Err(Unreadable) }
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, depth: usize) -> Self {
        let shell = Shell { directory: Some(PathBuf::new()), pipefail: false, left: false };
        let (found, documents) = (Vec::new(), Vec::new());
        Self { text, at: 0, depth, found, shell, constructs: 0, in_patterns: false, documents }
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

    /// Reads one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.depth = self.depth.checked_sub(1).ok_or(Unreadable)?;
        let result = read(self);
        self.depth += 1;
        result
    }

    /// Reads another text in the same shell.
    pub(super) fn inside(
        &mut self,
        text: &str,
        depth: usize,
        read: impl FnOnce(&mut Reader<'_>) -> Read<()>,
    ) -> Read<()> {
        let (found, shell) = (std::mem::take(&mut self.found), self.shell.clone());
        let mut inner = Reader { found, shell, constructs: self.constructs, ..Reader::new(text, depth) };
        let result = read(&mut inner);
        (self.found, self.shell, self.constructs) = (inner.found, inner.shell, inner.constructs);
        result
    }

    /// Reads commands that a word stands for: their status and what they do to the shell are lost.
    pub(super) fn substitution(&mut self, read: impl FnOnce(&mut Self) -> Read<()>) -> Read<()> {
        let (from, before) = (self.found.len(), self.shell.clone());
        read(self)?;
        self.shell = before;
        for simple in &mut self.found[from..] {
            simple.hidden = Some(Hidden::Substitution);
        }
        Ok(())
    }

    /// The innermost reason stays.
    pub(super) fn hide(&mut self, from: usize, why: Hidden) {
        for simple in &mut self.found[from..] {
            simple.hidden.get_or_insert(why);
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

    /// Steps over blanks and line ends.
    pub(super) fn lines(&mut self) -> Read<()> {
        self.blanks();
        while self.eat("\n") {
            for document in std::mem::take(&mut self.documents) {
                let body = self.body(&document);
                if document.expands {
                    self.expansions(body)?;
                }
            }
            self.blanks();
        }
        Ok(())
    }

    /// A here-document up to the line with the end word, or to the end of everything, which a shell forgives.
    fn body(&mut self, document: &HereDocument) -> &'a str {
        let start = self.at;
        while self.at < self.text.len() {
            let before = self.at;
            let line = self.rest().split('\n').next().unwrap_or_default();
            self.at = (self.at + line.len() + 1).min(self.text.len());
            let line = line.strip_suffix('\r').unwrap_or(line);
            let line = if document.tabs { line.trim_start_matches('\t') } else { line };
            if line == document.end {
                return self.text.get(start..before).unwrap_or_default();
            }
        }
        self.since(start)
    }

    /// Reads one redirection of a command, if one stands here.
    fn redirect(&mut self, command: &mut Simple) -> Read<bool> {
        let start = self.at;
        self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let Some(operator) = self.redirect_operator(start) else {
            self.at = start;
            return Ok(false);
        };
        self.blanks();
        let target = self.word()?.ok_or(Unreadable)?;
        let is_process = target.raw.starts_with(">(") || target.raw.starts_with("<(");
        let is_descriptor = target.text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
        match operator {
            "<<" | "<<-" => self.documents.push(HereDocument {
                expands: target.raw == target.text,
                end: target.text,
                tabs: operator == "<<-",
            }),
            "<<<" | "<&" => {}
            _ if is_process || (operator == ">&" && is_descriptor) => {}
            "<" => command.reads.push(target.text),
            "<>" => {
                command.reads.push(target.text.clone());
                command.writes.push(target.text);
            }
            _ => command.writes.push(target.text),
        }
        Ok(true)
    }

    fn redirect_operator(&mut self, start: usize) -> Option<&'static str> {
        const OPERATORS: &[&str] = &["<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">", "&>>", "&>"];
        let rest = self.rest();
        let numbered = self.at > start;
        if rest.starts_with("<(") || rest.starts_with(">(") || (numbered && rest.starts_with('&')) {
            return None;
        }
        OPERATORS.iter().copied().find(|operator| self.eat(operator))
    }

    /// Reads `( .. )`. Here-documents begun outside wait until it ends.
    pub(super) fn parenthesis(&mut self) -> Read<()> {
        let (documents, in_patterns) =
            (std::mem::take(&mut self.documents), std::mem::take(&mut self.in_patterns));
        self.expect("(")?;
        self.list()?;
        self.expect(")")?;
        self.documents.splice(0..0, documents);
        self.in_patterns = in_patterns;
        Ok(())
    }

    /// Chains, up to what closes the group around them.
    fn list(&mut self) -> Read<()> {
        let mut previous = None;
        loop {
            self.lines()?;
            self.patterns();
            if matches!(self.peek(), None | Some(')')) || self.keyword() == "}" {
                return Ok(());
            }
            if let Some(from) = previous {
                self.hide(from, Hidden::FollowedBy);
            }
            let (start, from, before) = (self.at, self.found.len(), self.shell.clone());
            self.chain()?;
            if self.eat(";") {
                self.in_patterns |= self.eat(";&") || self.eat(";") || self.eat("&");
            } else if self.eat("&") {
                self.hide(from, Hidden::Background);
                self.shell = before;
            } else if self.at == start {
                return Err(Unreadable);
            }
            previous = Some(from);
        }
    }

    /// Steps over the `)` behind the patterns of a `case`.
    fn patterns(&mut self) {
        if self.in_patterns && self.eat(")") {
            self.in_patterns = false;
            self.blanks();
        }
    }

    /// Pipelines joined by `&&` and `||`.
    fn chain(&mut self) -> Read<()> {
        let (from, before) = (self.found.len(), self.shell.directory.clone());
        self.pipeline()?;
        let (pipefail, mut has_or) = (self.shell.pipefail, false);
        let first = self.shell.directory.clone();
        loop {
            if self.eat("&&") {
                self.lines()?;
                self.pipeline()?;
            } else if self.eat("||") {
                has_or = true;
                self.lines()?;
                self.alternative(before.as_ref())?;
            } else {
                break;
            }
        }
        if has_or {
            self.hide(from, Hidden::Or);
        }
        // Only what the first pipeline set is sure to be set after the chain.
        self.shell.pipefail &= pipefail;
        if self.shell.directory != first {
            self.shell.directory = None;
        }
        Ok(())
    }

    /// What follows `||` runs because something before it failed, perhaps a `cd`; the line goes on where it was without it.
    fn alternative(&mut self, before: Option<&PathBuf>) -> Read<()> {
        let (from, left, on) = (self.found.len(), self.shell.left, self.shell.directory.clone());
        if on.as_ref() != before {
            self.shell.directory = None;
        }
        self.pipeline()?;
        let moves = |simple: &Simple| matches!(simple.program(), "cd" | "chdir" | "popd" | "pushd");
        self.shell.directory = on.filter(|_| !self.found[from..].iter().any(moves));
        // A bare `exit` passes on the failure.
        let is_bare_exit = self.found.last().is_some_and(|last| last.words == ["exit"]);
        self.shell.left &= left || !is_bare_exit;
        Ok(())
    }

    fn pipeline(&mut self) -> Read<()> {
        let (from, before, constructs) = (self.found.len(), self.shell.clone(), self.constructs);
        let mut part = from;
        let negated = self.keywords()?;
        self.command()?;
        while !self.rest().starts_with("||") && self.eat("|") {
            if !before.pipefail {
                self.hide(part, Hidden::Pipe);
            }
            part = self.found.len();
            self.eat("&");
            self.lines()?;
            self.shell = before.clone();
            self.keywords()?;
            self.command()?;
            // A construct that begins here goes on in this part's shell.
            if self.constructs <= constructs {
                self.shell = before.clone();
            }
        }
        if negated {
            self.hide(from, Hidden::Negated);
        }
        if before.left {
            self.hide(from, Hidden::AfterExit);
        }
        Ok(())
    }

    /// The text up to where a keyword would end.
    fn keyword(&self) -> &'a str {
        let rest = self.rest();
        let ends = [' ', '\t', '\r', '\n', ';', '&', '|', '<', '>', '(', ')'];
        &rest[..rest.find(ends).unwrap_or(rest.len())]
    }

    /// Steps over the keywords behind which a command begins; whether one of them turns the status round.
    fn keywords(&mut self) -> Read<bool> {
        let mut negated = false;
        loop {
            let keyword = self.keyword();
            match keyword {
                "!" => negated = true,
                "if" | "while" | "until" | "coproc" | "function" => self.constructs += 1,
                "then" | "do" | "else" | "elif" => {}
                "for" | "select" | "case" => {
                    self.constructs += 1;
                    self.head()?;
                    self.in_patterns |= keyword == "case";
                    return Ok(negated);
                }
                "time" if self.times_a_group() => {}
                _ => return Ok(negated),
            }
            self.eat(keyword);
            self.blanks();
            if keyword == "function" {
                self.word()?;
            }
            self.lines()?;
        }
    }

    /// `time` before a program is one more program in front of it.
    fn times_a_group(&self) -> bool {
        let next = self.rest().trim_start_matches("time").trim_start_matches([' ', '\t']);
        next.starts_with('(') || next.starts_with("{ ")
    }

    /// `for x in a b`, `for ((..))`, `case x in`: words, no command.
    fn head(&mut self) -> Read<()> {
        loop {
            self.blanks();
            if let Some(length) = arithmetic(self.rest()) {
                self.arithmetic(length)?;
            } else {
                let Some(word) = self.word()? else { return Ok(()) };
                if word.raw == "in" && self.rest().starts_with(['\n', '\r']) {
                    return Ok(());
                }
            }
        }
    }

    fn command(&mut self) -> Read<()> {
        if self.peek() == Some('(') {
            let before = self.shell.clone();
            self.nested(|reader| match arithmetic(reader.rest()) {
                Some(length) => reader.arithmetic(length),
                None => reader.parenthesis(),
            })?;
            self.shell = before;
            // `(a)` may be a pattern of a `case`.
            self.in_patterns = false;
            return self.simple(false);
        }
        let keyword = self.keyword();
        if matches!(keyword, "fi" | "done" | "esac") {
            self.eat(keyword);
            self.constructs = self.constructs.saturating_sub(1);
            self.in_patterns = false;
            return self.simple(false);
        }
        if keyword == "{" {
            self.nested(|reader| {
                reader.eat("{");
                reader.list()?;
                reader.expect("}")
            })?;
            return self.simple(false);
        }
        self.simple(true)
    }

    /// A simple command, or the redirections of a group, which has no words.
    fn simple(&mut self, has_words: bool) -> Read<()> {
        let (from, mut words, mut command) = (self.found.len(), Vec::new(), Simple::default());
        let mut is_redirected = false;
        loop {
            self.blanks();
            let is_test = words.first().is_some_and(|word: &Word| word.raw == "[[")
                && words.last().is_some_and(|word| word.raw != "]]");
            if is_test {
                // Its operators are no redirections.
                match self.word()? {
                    Some(word) => words.push(word),
                    None => drop(self.next().ok_or(Unreadable)?),
                }
            } else if self.redirect(&mut command)? {
                is_redirected = true;
            } else {
                let Some(word) = has_words.then(|| self.word()).transpose()?.flatten() else { break };
                words.push(word);
            }
        }
        match words.as_slice() {
            [] if !is_redirected => Ok(()),
            [_] if self.peek() == Some('(') => self.function(),
            _ => self.run(from, &words, command),
        }
    }

    /// `NAME()`: its body is read like a construct that never ends, for it may change what a command means.
    fn function(&mut self) -> Read<()> {
        self.eat("(");
        self.blanks();
        self.expect(")")?;
        self.lines()?;
        self.constructs += 1;
        self.nested(Self::command)
    }
}
