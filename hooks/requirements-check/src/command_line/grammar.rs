//! Lists, chains, pipelines and commands.

use super::cursor::{Cursor, HereDocument, Read, Unreadable};
use super::tree::{
    Chain, Command, Compound, Connector, Item, List, Pipeline, Redirect, RedirectKind, SimpleCommand, Word,
};
use super::word::arithmetic;

/// Words that mean something where a command begins.
const KEYWORDS: &[&str] = &[
    "!", "{", "}", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "time", "until", "while",
];

/// The keywords that end a list.
const CLOSING: &[&str] = &["}", "do", "done", "elif", "else", "esac", "fi", "then"];

impl Cursor<'_> {
    /// Commands up to what closes the construct around them.
    pub(super) fn list(&mut self) -> Read<List> {
        let mut items = Vec::new();
        loop {
            self.lines()?;
            if self.at_end_of_list() {
                break;
            }
            let chain = self.chain()?;
            let background = self.background();
            items.push(Item { chain, background });
            if !background && !self.separator() {
                break;
            }
        }
        Ok(List(items))
    }

    fn at_end_of_list(&self) -> bool {
        match self.peek() {
            None | Some(')') => true,
            Some(';') => matches!(self.second(), Some(';' | '&')),
            _ => self.keyword().is_some_and(|keyword| CLOSING.contains(&keyword)),
        }
    }

    /// The keyword that stands here, alone.
    fn keyword(&self) -> Option<&'static str> {
        let rest = self.rest();
        let length =
            rest.find([' ', '\t', '\r', '\n', ';', '&', '|', '<', '>', '(', ')']).unwrap_or(rest.len());
        KEYWORDS.iter().copied().find(|keyword| *keyword == &rest[..length])
    }

    fn eat_keyword(&mut self, expected: &str) -> bool {
        self.keyword() == Some(expected) && self.eat(expected)
    }

    fn expect_keyword(&mut self, expected: &str) -> Read<()> {
        if self.eat_keyword(expected) { Ok(()) } else { Err(Unreadable) }
    }

    fn background(&mut self) -> bool {
        !self.rest().starts_with("&&") && self.eat("&")
    }

    fn separator(&mut self) -> bool {
        self.peek() == Some('\n') || (!self.at_end_of_list() && self.eat(";"))
    }

    fn chain(&mut self) -> Read<Chain> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        while let Some(connector) = self.connector() {
            self.lines()?;
            rest.push((connector, self.pipeline()?));
        }
        Ok(Chain { first, rest })
    }

    fn connector(&mut self) -> Option<Connector> {
        if self.eat("&&") { Some(Connector::And) } else { self.eat("||").then_some(Connector::Or) }
    }

    fn pipeline(&mut self) -> Read<Pipeline> {
        let negated = self.negations();
        let mut commands = vec![self.command()?];
        while !self.rest().starts_with("||") && self.eat("|") {
            self.eat("&");
            self.lines()?;
            commands.push(self.command()?);
        }
        Ok(Pipeline { negated, commands })
    }

    /// `!`, and `time` before anything but a simple command, whose prefix it is.
    fn negations(&mut self) -> bool {
        let mut negated = false;
        loop {
            if self.eat_keyword("!") {
                negated = !negated;
            } else if !(self.keyword() == Some("time") && self.times_a_compound()) {
                return negated;
            }
            self.blanks();
        }
    }

    fn times_a_compound(&mut self) -> bool {
        let start = self.at;
        self.eat("time");
        self.blanks();
        if self.rest().starts_with("-p ") {
            self.eat("-p ");
            self.blanks();
        }
        let compound = self.peek() == Some('(') || self.keyword().is_some_and(|word| word != "time");
        if !compound {
            self.at = start;
        }
        compound
    }

    fn command(&mut self) -> Read<Command> {
        let command = match self.keyword() {
            Some("{") => self.nested(Self::braces)?,
            Some("[[") => self.test()?,
            Some("if") => self.nested(Self::condition)?,
            Some("while" | "until") => self.nested(Self::repetition)?,
            Some("for" | "select") => self.nested(Self::for_each)?,
            Some("case") => self.nested(Self::case)?,
            Some("function") => self.nested(Self::function)?,
            Some("time") => self.simple()?,
            Some(_) => return Err(Unreadable),
            None if self.peek() == Some('(') => self.nested(Self::parentheses)?,
            None => self.simple()?,
        };
        self.with_redirects(command)
    }

    fn with_redirects(&mut self, mut command: Command) -> Read<Command> {
        self.blanks();
        while let Some(redirect) = self.redirect()? {
            match &mut command {
                Command::Simple(SimpleCommand { redirects, .. })
                | Command::Group { redirects, .. }
                | Command::Compound(Compound { redirects, .. }) => redirects.push(redirect),
            }
            self.blanks();
        }
        Ok(command)
    }

    fn simple(&mut self) -> Read<Command> {
        let mut simple = SimpleCommand::default();
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
            } else if let Some(word) = self.word()? {
                simple.words.push(word);
            } else {
                break;
            }
        }
        match simple.words.as_slice() {
            [] if simple.redirects.is_empty() => Err(Unreadable),
            [name] if self.peek() == Some('(') => {
                let name = name.raw.clone();
                self.nested(|cursor| cursor.function_body(name))
            }
            _ => Ok(Command::Simple(simple)),
        }
    }

    fn function(&mut self) -> Read<Command> {
        self.eat("function");
        self.blanks();
        let name = self.word()?.ok_or(Unreadable)?.raw;
        self.blanks();
        self.function_body(name)
    }

    fn function_body(&mut self, name: String) -> Read<Command> {
        if self.eat("(") {
            self.blanks();
            self.expect(")")?;
        }
        self.lines()?;
        match self.command()? {
            Command::Group { list, redirects, .. } => Ok(Command::Compound(Compound {
                lists: vec![list],
                redirects,
                function: Some(name),
                ..Compound::default()
            })),
            Command::Compound(body) => Ok(Command::Compound(Compound { function: Some(name), ..body })),
            Command::Simple(_) => Err(Unreadable),
        }
    }

    fn braces(&mut self) -> Read<Command> {
        self.eat("{");
        let list = self.list()?;
        self.expect_keyword("}")?;
        Ok(Command::Group { list, subshell: false, redirects: Vec::new() })
    }

    fn parentheses(&mut self) -> Read<Command> {
        if let Some(length) = arithmetic(self.rest()) {
            return self.compound_arithmetic(length);
        }
        self.expect("(")?;
        let list = self.list()?;
        self.expect(")")?;
        Ok(Command::Group { list, subshell: true, redirects: Vec::new() })
    }

    fn compound_arithmetic(&mut self, length: usize) -> Read<Command> {
        let mut word = Word::default();
        self.arithmetic(length, &mut word)?;
        Ok(Command::Compound(Compound { words: vec![word], ..Compound::default() }))
    }

    /// `[[ .. ]]`, whose operators are no redirections.
    fn test(&mut self) -> Read<Command> {
        let mut words = Vec::new();
        loop {
            self.lines()?;
            match self.word()? {
                Some(word) => words.push(word),
                None => {
                    self.next().ok_or(Unreadable)?;
                }
            }
            if words.last().is_some_and(|word| word.raw == "]]") {
                return Ok(Command::Simple(SimpleCommand { words, redirects: Vec::new() }));
            }
        }
    }

    fn condition(&mut self) -> Read<Command> {
        let mut lists = Vec::new();
        self.eat("if");
        loop {
            lists.push(self.list()?);
            self.expect_keyword("then")?;
            lists.push(self.list()?);
            if !self.eat_keyword("elif") {
                break;
            }
        }
        if self.eat_keyword("else") {
            lists.push(self.list()?);
        }
        self.expect_keyword("fi")?;
        Ok(Command::Compound(Compound { lists, ..Compound::default() }))
    }

    fn repetition(&mut self) -> Read<Command> {
        let _ = self.eat("while") || self.eat("until");
        let lists = vec![self.list()?, self.do_group()?];
        Ok(Command::Compound(Compound { lists, ..Compound::default() }))
    }

    fn do_group(&mut self) -> Read<List> {
        self.expect_keyword("do")?;
        let list = self.list()?;
        self.expect_keyword("done")?;
        Ok(list)
    }

    fn for_each(&mut self) -> Read<Command> {
        let _ = self.eat("for") || self.eat("select");
        self.blanks();
        let mut words = vec![self.loop_variable()?];
        self.lines()?;
        if self.eat_keyword("in") {
            self.blanks();
            while let Some(word) = self.word()? {
                words.push(word);
                self.blanks();
            }
        }
        self.eat(";");
        self.lines()?;
        let list = match self.keyword() {
            Some("{") => self.block()?,
            _ => self.do_group()?,
        };
        Ok(Command::Compound(Compound { lists: vec![list], words, ..Compound::default() }))
    }

    fn block(&mut self) -> Read<List> {
        self.eat("{");
        let list = self.list()?;
        self.expect_keyword("}")?;
        Ok(list)
    }

    /// A name, or `((..;..;..))`.
    fn loop_variable(&mut self) -> Read<Word> {
        if let Some(length) = arithmetic(self.rest()) {
            let mut word = Word::default();
            self.arithmetic(length, &mut word)?;
            return Ok(word);
        }
        self.word()?.ok_or(Unreadable)
    }

    fn case(&mut self) -> Read<Command> {
        self.eat("case");
        self.blanks();
        let mut compound = Compound { words: vec![self.word()?.ok_or(Unreadable)?], ..Compound::default() };
        self.lines()?;
        self.expect_keyword("in")?;
        self.lines()?;
        while !self.eat_keyword("esac") {
            self.patterns(&mut compound.words)?;
            compound.lists.push(self.list()?);
            let _ = self.eat(";;&") || self.eat(";;") || self.eat(";&");
            self.lines()?;
        }
        Ok(Command::Compound(compound))
    }

    fn patterns(&mut self, words: &mut Vec<Word>) -> Read<()> {
        self.eat("(");
        loop {
            self.blanks();
            words.push(self.word()?.ok_or(Unreadable)?);
            self.blanks();
            if !self.eat("|") {
                return self.expect(")");
            }
        }
    }

    fn redirect(&mut self) -> Read<Option<Redirect>> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.next();
        }
        let Some(operator) = self.redirect_operator(start) else {
            self.at = start;
            return Ok(None);
        };
        self.blanks();
        let target = self.word()?.ok_or(Unreadable)?;
        if operator.starts_with("<<") && operator != "<<<" {
            self.pending.push(HereDocument {
                end: target.text.clone(),
                expands: target.raw == target.text,
                tabs: operator == "<<-",
            });
        }
        Ok(Some(Redirect { kind: kind(operator, &target), target }))
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
}

fn kind(operator: &str, target: &Word) -> RedirectKind {
    let descriptor = target.text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
    let process = target.raw.starts_with(">(") || target.raw.starts_with("<(");
    match operator {
        _ if process => RedirectKind::NoFile,
        "<" => RedirectKind::Read,
        "<>" => RedirectKind::ReadAndWrite,
        ">&" if descriptor => RedirectKind::NoFile,
        ">" | ">>" | ">|" | "&>" | "&>>" | ">&" => RedirectKind::Write,
        _ => RedirectKind::NoFile,
    }
}
