//! Reads a line from left to right, once, and collects its simple commands on the way.

use super::{Directory, Hidden, Simple};

/// No shell would read the line, or it is too deep.
#[derive(Debug)]
pub(super) struct Unreadable;

pub(super) type Read<T> = Result<T, Unreadable>;

/// What a subshell does not give back.
#[derive(Clone, Debug, Default)]
pub(super) struct Shell {
    pub(super) directory: Directory,
    pub(super) pipefail: bool,
    /// An `exit`, `return`, `exec` or `trap` stood before: what comes now may never run.
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

/// The files of redirections.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) writes: Vec<String>,
    pub(super) reads: Vec<String>,
    /// There was a redirection, if only of a descriptor.
    pub(super) any: bool,
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
    documents: Vec<HereDocument>,
}

/// The simple commands of a line, in the order they are written.
pub(super) fn commands(line: &str, depth: usize) -> Read<Vec<Simple>> {
    let mut reader = Reader::new(line, depth);
    reader.whole()?;
    Ok(reader.found)
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, depth: usize) -> Self {
        Self { text, at: 0, depth, found: Vec::new(), shell: Shell::default(), documents: Vec::new() }
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

    /// A reader of another text in the same shell.
    fn enter<'t>(&mut self, text: &'t str, depth: usize) -> Reader<'t> {
        let found = std::mem::take(&mut self.found);
        Reader { found, shell: self.shell.clone(), ..Reader::new(text, depth) }
    }

    fn leave(&mut self, inner: Reader<'_>) {
        self.found = inner.found;
        self.shell = inner.shell;
    }

    /// Reads commands that a word stands for: their status and what they do to the shell are lost.
    pub(super) fn substitution(&mut self, read: impl FnOnce(&mut Self) -> Read<()>) -> Read<()> {
        let (from, before) = (self.found.len(), self.shell.clone());
        read(self)?;
        self.shell = before;
        self.hide(from, Hidden::Substitution);
        Ok(())
    }

    /// Reads `( .. )`. Here-documents begun outside wait until it ends.
    pub(super) fn parenthesis(&mut self) -> Read<()> {
        let outer = std::mem::take(&mut self.documents);
        self.expect("(")?;
        self.list()?;
        self.expect(")")?;
        self.documents.splice(0..0, outer);
        Ok(())
    }

    /// Reads a text in backquotes or of another shell.
    pub(super) fn script(&mut self, text: &str, depth: usize) -> Read<()> {
        let mut inner = self.enter(text, depth);
        let read = inner.whole();
        self.leave(inner);
        read
    }

    /// Reads the substitutions in a text that is no command.
    pub(super) fn expansions(&mut self, text: &str) -> Read<()> {
        let mut inner = self.enter(text, self.depth);
        let read = inner.unquoted();
        self.leave(inner);
        read
    }

    pub(super) fn hide(&mut self, from: usize, why: Hidden) {
        for simple in &mut self.found[from..] {
            simple.hidden = Some(why);
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

    pub(super) fn whole(&mut self) -> Read<()> {
        self.list()?;
        if self.peek().is_none() { Ok(()) } else { Err(Unreadable) }
    }

    /// Reads one redirection, if one stands here.
    pub(super) fn redirect(&mut self, files: &mut Files) -> Read<bool> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.next();
        }
        let Some(operator) = self.redirect_operator(start) else {
            self.at = start;
            return Ok(false);
        };
        self.blanks();
        let target = self.word()?.ok_or(Unreadable)?;
        let is_process = target.raw.starts_with(">(") || target.raw.starts_with("<(");
        let is_descriptor = target.text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
        files.any = true;
        match operator {
            "<<" | "<<-" => self.documents.push(HereDocument {
                expands: target.raw == target.text,
                end: target.text,
                tabs: operator == "<<-",
            }),
            "<<<" | "<&" => {}
            _ if is_process || (operator == ">&" && is_descriptor) => {}
            "<" => files.reads.push(target.text),
            "<>" => {
                files.reads.push(target.text.clone());
                files.writes.push(target.text);
            }
            _ => files.writes.push(target.text),
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
}
