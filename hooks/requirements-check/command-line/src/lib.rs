//! Understands the line of a Bash or `PowerShell` call: its simple commands, where each runs, what it writes, and
//! whether its exit status is the line's. Text in, data out; every line has an answer, if only that it cannot be read.
//!
//! The reader is written by hand and goes over the line once: a line comes from outside and decides whether a gate closes, so
//! nothing may panic on it, loop on it or overlook a command that a shell would run. Text that bash cannot read, `PowerShell`'s own
//! syntax for one, is searched as raw text. Not seen: aliases, scripts, make targets, what a variable stands for, and
//! scripts fed to a shell through a here-document or a pipe.

mod pattern;
mod reader;
mod simple;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use secrets::masked;

pub use pattern::{MAX_EXPRESSIONS, Pattern, may_compile};
pub use reader::spelled;
pub use simple::is_one_of;
use simple::own_options;

const MAX_LINE_BYTES: usize = 64 * 1024;
/// The time for all expressions of the settings together to search a line: a project may have many, and slow ones.
const PATIENCE: Duration = Duration::from_millis(300);
/// How deep substitutions and scripts may stand in each other.
const MAX_DEPTH: usize = 24;

/// The place of a command whose exit status is not the line's.
pub const CONSTRUCT: &str = "beside `!`, a group, `if`, a loop or a function";
pub const PIPE: &str = "before a pipe";
/// A command there runs before the one whose words it makes.
pub const SUBSTITUTION: &str = "in a substitution or a script";

/// A line, read.
#[derive(Debug)]
pub struct Line {
    until: Instant,
    /// The simple commands in the order they are written, those inside others too; `None`: the line cannot be read.
    pub commands: Option<Vec<Simple>>,
    /// The line as written.
    pub text: String,
    has_secret: OnceCell<bool>,
}

/// Reads a line. From now on all expressions of the settings together may search it for 0.3 s.
pub fn parse(line: &str) -> Line {
    let unix = line.replace("\r\n", "\n");
    let mut reader = reader::Reader { rest: &unix, depth: MAX_DEPTH, ..Default::default() };
    let is_readable = line.len() <= MAX_LINE_BYTES && !line.contains('\0') && reader.level(false).is_ok();
    let until = Instant::now() + PATIENCE;
    for command in &mut reader.found {
        command.until = Some(until);
    }
    let (commands, text) = (is_readable.then_some(reader.found), line.to_owned());
    Line { until, commands, text, has_secret: OnceCell::new() }
}

/// A simple command of a line.
#[derive(Clone, Debug, Default)]
pub struct Simple {
    /// Then expressions search it no more.
    until: Option<Instant>,
    /// The program and its arguments, quotes removed, expansions as written; empty if there are only assignments or redirections.
    pub words: Vec<String>,
    /// The words before the program, quotes removed: assignments, and programs that run it (`env`, `sudo`, `timeout 60` ...).
    pub prefix: Vec<String>,
    /// The files its redirections write to, quotes removed.
    pub writes: Vec<String>,
    /// The files its redirections read, quotes removed.
    pub reads: Vec<String>,
    /// The command as written, prefix included, redirections left out.
    pub text: String,
    /// The place it stands in, if the line may succeed though this command failed; `None`: its exit status decides the line's.
    pub hidden: Option<&'static str>,
    /// The folder it runs in: absolute, or relative to the folder of the call. `None`: the line does not name it.
    pub directory: Option<PathBuf>,
}

/// Whether a text names what it says, with nothing for the shell to put in its place.
pub fn is_plain(text: &str) -> bool {
    !text.starts_with('~') && !text.contains(['$', '`', '*', '?', '[', '{', '\0'])
}

/// The word is one of a list of words with blanks between them.
pub fn is_in(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// A program's name without its directory and `.exe`.
pub fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

impl Simple {
    /// The name of the program, without its folder; empty if there is none.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", |program| base_name(program))
    }

    /// All words of the command.
    pub fn with_prefix(&self) -> Vec<String> {
        [self.prefix.as_slice(), &self.words].concat()
    }

    /// The folder it runs in, for a call in `cwd`; `None`: the line does not name it.
    pub fn folder(&self, cwd: &Path) -> Option<PathBuf> {
        self.directory.as_deref().map(|directory| cwd.join(directory))
    }

    /// The folder it acts in, for a call in `cwd`; `cwd` where the line does not name it.
    pub fn place(&self, cwd: &Path) -> PathBuf {
        cwd.join(self.acts_in().unwrap_or_default())
    }
}

impl Line {
    /// Replaces `~` in the folders of commands and of `git -C`; without a home folder they are unknown.
    #[must_use]
    pub fn at_home(mut self, home: Option<&Path>) -> Self {
        let at_home = |folder: &Path| Some(home?.join(folder.strip_prefix("~").ok()?));
        for command in self.commands.iter_mut().flatten() {
            let own = own_options(&command.words).0.len();
            for word in command.words.iter_mut().take(own).skip(1) {
                let folder = at_home(Path::new(&spelled(word)));
                *word = folder.map_or(std::mem::take(word), |folder| folder.display().to_string());
            }
            if let Some(folder) = command.directory.take_if(|folder| folder.starts_with("~")) {
                command.directory = at_home(&folder);
            }
        }
        self
    }

    /// A command of the line as it may be kept and shown: nothing where the line has a secret, which may span several commands.
    pub fn shown(&self, simple: &Simple) -> String {
        let has_secret = *self.has_secret.get_or_init(|| masked(&self.text) != self.text);
        // Quotes may break a secret.
        let words = simple.with_prefix().join(" ");
        let is_clean = !has_secret && masked(&words) == words;
        if is_clean { simple.text.clone() } else { "[masked]".to_owned() }
    }
}

#[cfg(test)]
mod tests;
