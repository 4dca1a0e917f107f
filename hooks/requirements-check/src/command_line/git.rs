//! Git's own options, and where a git command acts.

use std::path::PathBuf;

use super::shell::join;
use super::{Simple, base_name, runs_another};

const WITH_VALUE: &[&str] = &[
    "-C",
    "-c",
    "--attr-source",
    "--config-env",
    "--exec-path",
    "--git-dir",
    "--namespace",
    "--shallow-file",
    "--super-prefix",
    "--work-tree",
];

/// An option, a setting or a variable that names git's repository or work tree.
pub(crate) fn names_repository(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["--git-dir", "--work-tree", "core.worktree=", "git_dir=", "git_work_tree="]
        .iter()
        .any(|name| word.starts_with(name))
}

/// An option of a program that runs another one, with which that runs in another folder.
fn changes_folder(word: &str) -> bool {
    ["-C", "-D", "--chdir", "-execdir", "-okdir"].iter().any(|option| word.starts_with(option))
}

/// The words behind the program, without those before the subcommand of git or cargo.
pub(super) fn without_global_options(words: &[String]) -> &[String] {
    let Some((program, arguments)) = words.split_first() else { return words };
    let skipped = match base_name(program) {
        "git" => global_options(arguments),
        "cargo" => arguments.iter().take_while(|word| word.starts_with('+')).count(),
        _ => 0,
    };
    &arguments[skipped..]
}

fn global_options(arguments: &[String]) -> usize {
    let mut count = 0;
    while let Some(option) = arguments.get(count).filter(|word| word.starts_with('-')) {
        count += 1 + usize::from(WITH_VALUE.contains(&option.as_str()));
    }
    count.min(arguments.len())
}

impl Simple {
    /// git's subcommand and what follows it, if the program is git, also behind one that runs it: `git commit -m x`. Only options:
    /// the first of them.
    pub(crate) fn git(&self) -> Option<(&str, &[String])> {
        let words = &self.words[self.git_at()?..];
        let rest = match without_global_options(words) {
            [] => &words[1..],
            rest => rest,
        };
        Some(rest.split_first().map_or(("", rest), |(subcommand, rest)| (subcommand.as_str(), rest)))
    }

    fn git_at(&self) -> Option<usize> {
        let behind = if runs_another(&self.words) { self.words.len() } else { 1 };
        self.words.iter().take(behind).position(|word| base_name(word) == "git")
    }

    /// The directory the command acts in: where it runs, and for git, also behind a program that runs it, `-C`. `None` where
    /// the line does not spell it out.
    pub(crate) fn acts_in(&self) -> Option<PathBuf> {
        let mut directory = self.directory.clone();
        let git = self.git_at();
        let before = self.words.iter().take(git.unwrap_or(self.words.len()));
        if runs_another(&self.words) && before.skip(1).any(|word| changes_folder(word)) {
            directory = None;
        }
        let Some(git) = git else { return directory };
        let mut options = self.words.iter().skip(git + 1);
        let mut names = self.prefix.iter().any(|word| names_repository(word));
        while let Some(option) = options.next().filter(|word| word.starts_with('-')) {
            names |= names_repository(option);
            let value = WITH_VALUE.contains(&option.as_str()).then(|| options.next()).flatten();
            match option.as_str() {
                "-C" => directory = join(directory, value.map_or("", String::as_str)),
                "-c" => names |= value.is_some_and(|set| names_repository(set)),
                _ => {}
            }
        }
        directory.filter(|_| !names)
    }
}
