//! Lists, chains, pipelines and constructs.

use super::reader::{Files, Read, Reader, Unreadable};
use super::word::{Word, arithmetic};
use super::{Directory, Hidden, Simple};

/// Words that mean something where a command begins.
const KEYWORDS: &[&str] = &[
    "!", "{", "}", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "time", "until", "while",
];

/// The keywords that end a list.
const CLOSING: &[&str] = &["}", "do", "done", "elif", "else", "esac", "fi", "then"];

impl Reader<'_> {
    /// The keyword that stands here, alone.
    fn keyword(&self) -> Option<&'static str> {
        let rest = self.rest();
        let ends = [' ', '\t', '\r', '\n', ';', '&', '|', '<', '>', '(', ')'];
        let length = rest.find(ends).unwrap_or(rest.len());
        KEYWORDS.iter().copied().find(|keyword| *keyword == &rest[..length])
    }

    fn eat_keyword(&mut self, expected: &str) -> bool {
        self.keyword() == Some(expected) && self.eat(expected)
    }

    fn expect_keyword(&mut self, expected: &str) -> Read<()> {
        if self.eat_keyword(expected) { Ok(()) } else { Err(Unreadable) }
    }

    /// Chains, up to what closes the construct around them.
    pub(super) fn list(&mut self) -> Read<()> {
        let mut previous = None;
        loop {
            self.lines()?;
            if self.at_end_of_list() {
                return Ok(());
            }
            if let Some(from) = previous {
                self.is_followed(from);
            }
            let (from, before) = (self.found.len(), self.shell.clone());
            self.chain()?;
            if !self.rest().starts_with("&&") && self.eat("&") {
                self.hide(from, Hidden::Background);
                self.shell = before;
            } else if self.peek() != Some('\n') && (self.at_end_of_list() || !self.eat(";")) {
                return Ok(());
            }
            previous = Some(from);
        }
    }

    /// Another command follows: it decides, where nothing of the chain's own is in the way.
    fn is_followed(&mut self, from: usize) {
        let own = [Some(Hidden::Or), Some(Hidden::Background), Some(Hidden::AfterExit)];
        for simple in self.found[from..].iter_mut().filter(|simple| !own.contains(&simple.hidden)) {
            simple.hidden = Some(Hidden::FollowedBy);
        }
    }

    fn at_end_of_list(&self) -> bool {
        match self.peek() {
            None | Some(')') => true,
            Some(';') => matches!(self.second(), Some(';' | '&')),
            _ => self.keyword().is_some_and(|keyword| CLOSING.contains(&keyword)),
        }
    }

    /// Pipelines joined by `&&` and `||`.
    fn chain(&mut self) -> Read<()> {
        let (from, mut before) = (self.found.len(), self.shell.directory.clone());
        self.pipeline()?;
        let pipefail = self.shell.pipefail;
        let mut has_or = false;
        loop {
            let here = self.shell.clone();
            if self.eat("&&") {
                before = here.directory;
                self.lines()?;
                self.pipeline()?;
            } else if self.eat("||") {
                has_or = true;
                // What follows runs because the command before it failed, a `cd` included.
                self.shell.directory.clone_from(&before);
                self.lines()?;
                self.pipeline()?;
                self.shell.directory = here.directory;
                // A bare `exit` passes on the failure.
                let is_bare_exit = self.found.last().is_some_and(|last| last.words == ["exit"]);
                self.shell.left &= here.left || !is_bare_exit;
            } else {
                break;
            }
        }
        // Only what the first pipeline set is sure to be set after the chain.
        self.shell.pipefail &= pipefail;
        if has_or {
            self.hide(from, Hidden::Or);
        }
        Ok(())
    }

    fn pipeline(&mut self) -> Read<()> {
        let (from, before) = (self.found.len(), self.shell.clone());
        let negated = self.negations();
        let mut part = from;
        self.command()?;
        while !self.rest().starts_with("||") && self.eat("|") {
            if !before.pipefail {
                self.hide(part, Hidden::Pipe);
            }
            part = self.found.len();
            self.eat("&");
            self.lines()?;
            self.shell = before.clone();
            self.command()?;
            self.shell = before.clone();
        }
        if negated {
            self.hide(from, Hidden::Negated);
        }
        if before.left {
            self.hide(from, Hidden::AfterExit);
        }
        Ok(())
    }

    /// `!`, and `time` before a construct; before a simple command, it is a prefix.
    fn negations(&mut self) -> bool {
        let mut negated = false;
        loop {
            if self.eat_keyword("!") {
                negated = !negated;
            } else if !(self.keyword() == Some("time") && self.times_a_construct()) {
                return negated;
            }
            self.blanks();
        }
    }

    fn times_a_construct(&mut self) -> bool {
        let start = self.at;
        self.eat("time");
        self.blanks();
        let is_construct = self.peek() == Some('(') || self.keyword().is_some_and(|word| word != "time");
        if !is_construct {
            self.at = start;
        }
        is_construct
    }

    fn command(&mut self) -> Read<()> {
        match self.keyword() {
            Some("{") => self.nested(Self::braces)?,
            Some("[[") => self.test()?,
            Some("if") => self.compound(Self::condition)?,
            Some("while" | "until") => self.compound(Self::repetition)?,
            Some("for" | "select") => self.compound(Self::for_each)?,
            Some("case") => self.compound(Self::case)?,
            Some("function") => self.function()?,
            None if self.peek() == Some('(') => self.parentheses()?,
            None | Some("time") => return self.simple(),
            Some(_) => return Err(Unreadable),
        }
        self.redirects_of_construct()
    }

    /// Redirections of a whole construct, as a command without words.
    fn redirects_of_construct(&mut self) -> Read<()> {
        let (from, mut files) = (self.found.len(), Files::default());
        self.blanks();
        while self.redirect(&mut files)? {
            self.blanks();
        }
        if files.any {
            self.add(from, Simple::default(), files);
        }
        Ok(())
    }

    pub(super) fn add(&mut self, at: usize, simple: Simple, files: Files) {
        let directory = if simple.directory == Directory::Start {
            self.shell.directory.clone()
        } else {
            simple.directory
        };
        self.found.insert(at, Simple { directory, writes: files.writes, reads: files.reads, ..simple });
    }

    /// What runs its parts never, once or often.
    fn compound(&mut self, read: impl FnOnce(&mut Self) -> Read<()>) -> Read<()> {
        let (from, before) = (self.found.len(), self.shell.clone());
        self.nested(read)?;
        self.hide(from, Hidden::Compound);
        self.shell.pipefail &= before.pipefail;
        if self.shell.directory != before.directory {
            self.shell.directory = Directory::Unknown;
        }
        Ok(())
    }

    fn braces(&mut self) -> Read<()> {
        self.eat("{");
        self.list()?;
        self.expect_keyword("}")
    }

    fn parentheses(&mut self) -> Read<()> {
        let before = self.shell.clone();
        self.nested(|reader| match arithmetic(reader.rest()) {
            Some(length) => reader.arithmetic(length),
            None => reader.parenthesis(),
        })?;
        self.shell = before;
        Ok(())
    }

    /// Steps over `((..))` of that length; commands may stand in it all the same.
    pub(super) fn arithmetic(&mut self, length: usize) -> Read<()> {
        let inner = &self.rest()[..length];
        self.at += length;
        self.substitution(|reader| reader.expansions(inner))
    }

    /// `[[ .. ]]`, whose operators are no redirections.
    fn test(&mut self) -> Read<()> {
        let (from, mut words) = (self.found.len(), Vec::new());
        while words.last().is_none_or(|word: &Word| word.raw != "]]") {
            self.lines()?;
            match self.word()? {
                Some(word) => words.push(word),
                None => drop(self.next().ok_or(Unreadable)?),
            }
        }
        self.add(from, Simple::of(&words, 0), Files::default());
        Ok(())
    }

    fn condition(&mut self) -> Read<()> {
        self.eat("if");
        loop {
            self.list()?;
            self.expect_keyword("then")?;
            self.list()?;
            if !self.eat_keyword("elif") {
                break;
            }
        }
        if self.eat_keyword("else") {
            self.list()?;
        }
        self.expect_keyword("fi")
    }

    fn repetition(&mut self) -> Read<()> {
        let _ = self.eat("while") || self.eat("until");
        self.list()?;
        self.do_group()
    }

    fn do_group(&mut self) -> Read<()> {
        self.expect_keyword("do")?;
        self.list()?;
        self.expect_keyword("done")
    }

    fn for_each(&mut self) -> Read<()> {
        let _ = self.eat("for") || self.eat("select");
        self.blanks();
        match arithmetic(self.rest()) {
            Some(length) => self.arithmetic(length)?,
            None => drop(self.word()?.ok_or(Unreadable)?),
        }
        self.lines()?;
        if self.eat_keyword("in") {
            self.blanks();
            while self.word()?.is_some() {
                self.blanks();
            }
        }
        self.eat(";");
        self.lines()?;
        if self.keyword() == Some("{") { self.braces() } else { self.do_group() }
    }

    fn case(&mut self) -> Read<()> {
        self.eat("case");
        self.blanks();
        self.word()?.ok_or(Unreadable)?;
        self.lines()?;
        self.expect_keyword("in")?;
        self.lines()?;
        while !self.eat_keyword("esac") {
            self.patterns()?;
            self.list()?;
            let _ = self.eat(";;&") || self.eat(";;") || self.eat(";&");
            self.lines()?;
        }
        Ok(())
    }

    fn patterns(&mut self) -> Read<()> {
        self.eat("(");
        loop {
            self.blanks();
            self.word()?.ok_or(Unreadable)?;
            self.blanks();
            if !self.eat("|") {
                return self.expect(")");
            }
        }
    }

    fn function(&mut self) -> Read<()> {
        self.eat("function");
        self.blanks();
        self.word()?.ok_or(Unreadable)?;
        self.blanks();
        self.function_body()
    }

    /// A function is only defined here: it changes nothing until it is called.
    fn function_body(&mut self) -> Read<()> {
        if self.eat("(") {
            self.blanks();
            self.expect(")")?;
        }
        self.lines()?;
        let before = self.shell.clone();
        self.compound(Self::command)?;
        self.shell = before;
        Ok(())
    }

    fn simple(&mut self) -> Read<()> {
        let (from, mut words, mut files) = (self.found.len(), Vec::new(), Files::default());
        loop {
            self.blanks();
            if !self.redirect(&mut files)? {
                let Some(word) = self.word()? else { break };
                words.push(word);
            }
        }
        match words.as_slice() {
            [] if !files.any => Err(Unreadable),
            [_] if self.peek() == Some('(') => self.function_body(),
            _ => self.run(from, &words, files),
        }
    }
}
