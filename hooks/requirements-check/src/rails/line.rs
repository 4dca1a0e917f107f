//! Lines of a shell, command by command.

use crate::command_line::{self, Line, Pattern};

use super::command::{Command, readings};
use super::kept::{How, Keep};
use super::touch::{Touch, is_cluster_with};
use super::word::{Place, place};
use super::{What, arrival, disguise, repeat, script, sweep};

/// Options whose value is a text for people.
const MESSAGES: [&str; 9] =
    ["-m", "--message", "--body", "--title", "--description", "--note", "--notes", "--comment", "--subject"];

/// What the line would do around the user.
pub(super) fn breach(line: &Line, is_powershell: bool, keep: &Keep<'_>) -> Option<What> {
    let unrolled = repeat::unrolled(&line.text);
    let in_loops = || {
        let mut lines = unrolled
            .iter()
            .flatten()
            .map(|text| command_line::parse(text))
            .filter(|line| line.commands.is_some());
        lines.find_map(|line| once(&line, is_powershell, true, keep))
    };
    once(line, is_powershell, unrolled.is_some(), keep).or_else(in_loops)
}

/// The same without a look at what loops put in the place of their variables; whether that is looked at.
fn once(line: &Line, is_powershell: bool, loops_are_seen: bool, keep: &Keep<'_>) -> Option<What> {
    let Some(commands) = &line.commands else { return unreadable(line) };
    let words = readings(commands, is_powershell);
    let shell = Shell { commands: Command::all(commands, &words, keep.guarded), keep, is_powershell };
    disguise::disguise(line, commands, is_powershell)
        .or_else(|| shell.breach())
        .or_else(|| shell.swept(&line.text))
        .or_else(|| shell.unseen(&line.text, loops_are_seen))
}

/// A line that is no line to us: the names themselves count.
fn unreadable(line: &Line) -> Option<What> {
    let names = r"requirements(\.local)?\.yaml|\.claude[/\\]+settings|hook-state|\.git[/\\]+requirements|\b(CLAUDECODE|CLAUDE_CODE_SESSION_ID)\b";
    let is_named = line.may_contain(&Pattern::parse_regex(names)?);
    is_named.then_some(What::Unreadable)
}

/// The commands of a line, as one shell runs them.
struct Shell<'a> {
    commands: Vec<Command<'a>>,
    keep: &'a Keep<'a>,
    is_powershell: bool,
}

impl Shell<'_> {
    fn breach(&self) -> Option<What> {
        // What one command prints becomes arguments of another one that changes them.
        let feeds = self.commands.iter().any(|command| command.is_fed() && !command.only_reads());
        self.commands.iter().find_map(|command| {
            let changed = || self.changed(command).filter(|_| !command.only_reads());
            let fed = || self.named(command, |_| true).filter(|_| feeds);
            self.written(command).or_else(|| self.assigned(command)).or_else(changed).or_else(fed)
        })
    }

    /// What the commands do not show: a script given to an interpreter as a here-document, and the words of a `for`, which its
    /// commands know as a variable only.
    fn unseen(&self, text: &str, loops_are_seen: bool) -> Option<What> {
        let runs = |command: &Command<'_>| matches!(command.touch, Touch::Runs | Touch::Shell);
        let has_script = text.contains("<<") && self.commands.iter().any(runs);
        let in_loop = |command: &Command<'_>| !command.only_reads() && command.simple.text.contains('$');
        let has_words = !loops_are_seen
            && text.contains("for ")
            && text.contains(" in ")
            && self.commands.iter().any(in_loop);
        let name = script::protected_name(text).filter(|_| has_script || has_words)?;
        Some(What::Name(name.to_owned()))
    }

    fn reaches(&self, word: &str, folder: &Place, furthest: How) -> Option<What> {
        self.keep.within(&place(word, folder, self.keep.guarded), furthest)
    }

    fn any_reaches(&self, words: &[&str], command: &Command<'_>, furthest: How) -> Option<What> {
        words.iter().find_map(|word| self.reaches(word, &command.folder, furthest))
    }

    /// The files its redirections write to.
    fn written(&self, command: &Command<'_>) -> Option<What> {
        let bare =
            |file: &str| script::protected_name_without_separators(file).filter(|_| self.is_powershell);
        command.simple.writes.iter().find_map(|file| {
            let itself = self.reaches(file, &command.shell_folder, How::Itself);
            itself.or_else(|| bare(file).map(|name| What::Name(name.to_owned())))
        })
    }

    /// A variable that stands for something protected, and a command that may change what a variable stands for.
    fn assigned(&self, command: &Command<'_>) -> Option<What> {
        let users = || self.commands.iter().filter(|other| other.changes_variables());
        if !command.declares() || users().next().is_none() {
            return None;
        }
        let removes = users().any(|user| matches!(user.touch, Touch::Removes | Touch::Moves));
        let furthest = if removes { How::Folder } else { How::Itself };
        let words = command.simple.prefix.iter().map(String::as_str).chain(command.arguments.iter().copied());
        let mut values = words.filter_map(|word| word.split_once('=').map(|(_, value)| value));
        values.find_map(|value| self.reaches(value, &command.folder, furthest))
    }

    /// What the command's words name and may be changed by it.
    fn changed(&self, command: &Command<'_>) -> Option<What> {
        let any = |words: &[&str], furthest| self.any_reaches(words, command, furthest);
        let operands = command.operands();
        let sources = match operands.as_slice() {
            // `mv a{,.bak}` is one word to us.
            [both] if both.contains('{') => &operands,
            [sources @ .., _] => sources,
            [] => &[],
        };
        let named = match command.touch {
            _ if command.declares() => return None,
            Touch::Nothing => return None,
            Touch::Copies => self.copied(command),
            Touch::Links => any(sources, How::Itself).or_else(|| self.copied(command)),
            Touch::Moves => any(sources, How::Above).or_else(|| self.copied(command)),
            Touch::Removes => any(&operands, command.depth()),
            Touch::Alters => any(&operands, How::Folder),
            Touch::Restores => any(&operands, How::Folder).or_else(|| self.restored(command)),
            Touch::Fetches => self.fetched(command),
            Touch::Unpacks => self.unpacked(command),
            Touch::Cleans => self.cleaned(command),
            Touch::Searches => self.searched(command),
            Touch::Prints => self.named(command, script::is_text),
            Touch::Shell => self.named(command, |word| !script::is_text(word)),
            Touch::Runs => self.named(command, |_| true).or_else(|| in_code(command)),
            Touch::Unknown => self.named(command, |_| true).filter(|_| !command.is_own()),
        };
        let inside = || if command.edits() { self.keep.within(&command.folder, How::Itself) } else { None };
        named.or_else(inside)
    }

    /// Words, parts of words and values of options that are protected paths.
    fn named(&self, command: &Command<'_>, counts: impl Fn(&str) -> bool) -> Option<What> {
        let mut before = "";
        let assigned = command.simple.prefix.iter().map(String::as_str);
        assigned.chain(command.arguments.iter().copied()).find_map(|word| {
            let is_message = MESSAGES.contains(&std::mem::replace(&mut before, word));
            let mut paths = script::paths(word).filter(|_| !is_message && counts(word));
            paths.find_map(|path| self.reaches(path, &command.folder, How::Itself))
        })
    }

    /// What a copy puts in the place of something protected.
    fn copied(&self, command: &Command<'_>) -> Option<What> {
        let (target, sources) = command.copied()?;
        let target = place(target, &command.folder, self.keep.guarded);
        let furthest = if command.replaces_folder() { How::Folder } else { How::Itself };
        let itself = self.keep.within(&target, furthest);
        itself.or_else(|| {
            sources.iter().find_map(|source| self.keep.within(&target.join(last_name(source)), How::Folder))
        })
    }

    /// What a download puts there.
    fn fetched(&self, command: &Command<'_>) -> Option<What> {
        let (folder, names) = arrival::fetched(command);
        let folder = folder.map(|folder| place(folder, &command.folder, self.keep.guarded));
        let folder = folder.as_ref().unwrap_or(&command.folder);
        names.into_iter().find_map(|name| self.reaches(name, folder, How::Itself))
    }

    /// What comes out of an archive: its names are known only where they are asked for.
    fn unpacked(&self, command: &Command<'_>) -> Option<What> {
        let Some(arrivals) = arrival::unpacked(command) else { return self.named(command, |_| true) };
        let folder = arrivals.folders.last().unwrap_or(&".");
        let into = place(folder, &command.folder, self.keep.guarded);
        let named = || arrivals.names.iter().find_map(|name| self.reaches(name, &into, How::Folder));
        self.keep.within(&into, How::Folder).or_else(named)
    }

    /// What git takes from another commit, in which the protected files may be others.
    fn restored(&self, command: &Command<'_>) -> Option<What> {
        let paths = arrival::taken_from_a_commit(command);
        let spares = |path: &&str| {
            path.contains(".claude") && [":!", ":^", ":(exclude"].iter().any(|start| path.starts_with(start))
        };
        if paths.iter().any(spares) {
            return None;
        }
        let top = Place::At(self.keep.guarded.root.unwrap_or(self.keep.guarded.cwd).to_path_buf());
        paths.into_iter().find_map(|path| {
            let from_top = path.strip_prefix(":/").or_else(|| path.strip_prefix(":(top)"));
            let (folder, path) = from_top.map_or((&command.folder, path), |path| (&top, path));
            // git's patterns do not pass over hidden names.
            let path = if matches!(path, "" | "*" | "**" | "./*") { "." } else { path };
            self.reaches(path, folder, How::Above)
        })
    }

    /// A command that changes what others list, where all there is is listed, or what stands in protected files.
    fn swept(&self, text: &str) -> Option<What> {
        if !self.commands.iter().any(sweep::changes_what_it_is_given) {
            return None;
        }
        let by_content = sweep::is_telling(text);
        self.commands
            .iter()
            .find_map(|command| self.any_reaches(&sweep::listed(command, by_content), command, How::Above))
    }

    /// `git clean` removes what git does not know, with `-x` what it is to ignore as well: the local file.
    fn cleaned(&self, command: &Command<'_>) -> Option<What> {
        let has = |letter| command.arguments.iter().any(|word| is_cluster_with(word, letter));
        let spares = command
            .arguments
            .windows(2)
            .any(|pair| matches!(pair[0], "-e" | "--exclude") && pair[1].contains(".claude"));
        let furthest = if has('x') || has('X') { How::Above } else { How::Folder };
        let operands = command.operands();
        let operands = if operands.is_empty() { &["."][..] } else { &operands };
        self.any_reaches(operands, command, furthest).filter(|_| !spares)
    }

    /// `find` that removes, or runs what does, where something protected may be found.
    fn searched(&self, command: &Command<'_>) -> Option<What> {
        let is_start = |word: &&&str| !word.starts_with(['-', '(', '!']);
        let mut starts: Vec<&str> = command.arguments.iter().take_while(is_start).copied().collect();
        if starts.is_empty() {
            starts.push(".");
        }
        self.any_reaches(&starts, command, command.reach_of_search())
    }
}

/// Code among the words that names something protected.
fn in_code(command: &Command<'_>) -> Option<What> {
    let name = command.arguments.iter().find_map(|word| script::protected_name(word));
    name.map(|name| What::Name(name.to_owned()))
}

/// The name under which a copy stands in a folder; empty if what lies in it is copied.
fn last_name(source: &str) -> &str {
    let name = source.rsplit('/').next().unwrap_or_default();
    if matches!(name, "." | "..") { "" } else { name }
}
