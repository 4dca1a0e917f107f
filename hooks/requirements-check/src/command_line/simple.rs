//! A simple command: its words and redirections, the program behind `env`, `sudo` and the like, and the script it runs.

use std::path::PathBuf;

use super::reader::{Read, Reader, Unreadable};
use super::shell::{Level, run_in};
use super::word::{Word, is_assignment};
use super::{Hidden, Simple, base_name, is_in};

const REDIRECTIONS: [&str; 12] = ["<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">", "&>>", "&>"];

/// How many levels of nesting a script takes of those allowed: what stands in it may be read twice.
const SCRIPT_DEPTH: usize = 3;

/// How many words stand before the program: assignments, and programs that run it in their place. With another option than
/// these, with a value or without, they may do something else.
fn prefix(words: &[Word]) -> usize {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let mut program = 0;
    loop {
        program += words[program..].iter().take_while(|word| is_assignment(&word.raw)).count();
        let wrapper = base_name(text(program));
        let (with_value, flags) = match wrapper {
            "builtin" => ("", "--"),
            "command" => ("", "-p --"),
            "env" => ("-u", "-i --"),
            "nice" => ("-n", ""),
            "nohup" => ("", ""),
            "sudo" => ("-u -g", "-E -H -n"),
            "time" => ("", "-p"),
            "timeout" => ("-k -s", ""),
            _ => return program,
        };
        let mut next = program + 1;
        while is_in(with_value, text(next)) || is_in(flags, text(next)) {
            next += 1 + usize::from(is_in(with_value, text(next)));
        }
        // Before the program comes the time.
        next += usize::from(wrapper == "timeout" && !text(next).starts_with('-'));
        if next >= words.len() || text(next).starts_with('-') {
            return program;
        }
        program = next;
    }
}

/// The command of these words, with the redirections that were read.
fn command(words: &[Word], redirected: Simple) -> Simple {
    let program = prefix(words);
    let raw: Vec<&str> = words.iter().map(|word| word.raw.as_str()).collect();
    let unknown = words.iter().skip(program + 1).filter(|word| word.may_be_options());
    let mut texts = words.iter().map(|word| word.text.clone());
    let mut simple = Simple {
        text: raw.join(" "),
        unknown_options: unknown.map(|word| word.raw.clone()).collect(),
        prefix: texts.by_ref().take(program).collect(),
        words: texts.collect(),
        directory: Some(PathBuf::new()),
        ..redirected
    };
    simple.hidden = simple.runs_another().then_some(Hidden::Lost("behind a program that may not run it"));
    let is_literal = !words.iter().skip(program + 1).any(|word| word.expands);
    simple.runs_script = is_literal && simple.script().is_some();
    simple
}

impl Simple {
    /// The script of `sh -c '..'` and of `eval '..'`. One with expansions is as it is written; what it comes to is not known.
    fn script(&self) -> Option<String> {
        let is_shell = |word: &String| is_in("sh bash zsh dash ksh eval", base_name(word));
        let shell = self.words[..self.beginnings()].iter().position(is_shell)?;
        let arguments = &self.words[shell + 1..];
        if self.words[shell] == "eval" {
            return Some(arguments.join(" "));
        }
        let is_command = |word: &String| word.starts_with('-') && word.ends_with('c');
        let option = arguments.iter().position(is_command)?;
        arguments.get(option + 1).cloned()
    }
}

impl Reader<'_> {
    /// A simple command, or the redirections of a construct.
    pub(super) fn simple(&mut self, level: &mut Level) -> Read<()> {
        let (at, start, mut words, mut redirected) =
            (self.found.len(), self.at, Vec::new(), Simple::default());
        loop {
            self.blanks();
            let is_test = words.first().is_some_and(|word: &Word| word.raw == "[[")
                && words.last().is_some_and(|word| word.raw != "]]");
            if is_test {
                // Operators inside `[[ .. ]]` are none of the line's.
                match self.word()? {
                    Some(word) => words.push(word),
                    None => drop(self.next().ok_or(Unreadable)?),
                }
            } else if !self.redirect(&mut redirected)? {
                let Some(word) = self.word()? else { break };
                words.push(word);
            }
        }
        if self.at == start || (self.peek() == Some('(') && words.len() != 1) {
            return Err(Unreadable);
        }
        if self.peek() == Some('(') {
            // `NAME()` begins a function.
            level.construct(at);
            return Ok(());
        }
        let command = command(&words, redirected);
        if let Some(script) = command.script() {
            let (first, why) = (self.found.len(), Hidden::Lost("in a script in quotes"));
            let read = self.inside(&script, SCRIPT_DEPTH, why, |inner| inner.level(false));
            run_in(&mut self.found[first..], command.acts_in().as_ref());
            if command.runs_script {
                read?;
            }
        }
        self.found.insert(at, command);
        level.command(at, false, self.operator(), &mut self.found);
        Ok(())
    }

    fn redirect(&mut self, command: &mut Simple) -> Read<bool> {
        let behind = self.rest().trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = behind.len() < self.rest().len();
        let is_none =
            behind.starts_with("<(") || behind.starts_with(">(") || (is_numbered && behind.starts_with('&'));
        let operator = REDIRECTIONS.into_iter().find(|operator| !is_none && behind.starts_with(operator));
        let Some(operator) = operator else { return Ok(false) };
        self.at += self.rest().len() - behind.len() + operator.len();
        self.blanks();
        let target = self.word()?.ok_or(Unreadable)?;
        let is_descriptor = target.text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit());
        match operator {
            "<<" | "<<-" => self.documents.push((target, operator == "<<-")),
            "<<<" | "<&" => {}
            ">&" if is_descriptor => {}
            "<" => command.reads.push(target.text),
            _ => command.writes.push(target.text),
        }
        Ok(true)
    }
}
