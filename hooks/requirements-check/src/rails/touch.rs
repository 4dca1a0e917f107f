//! What a program does to the files its words name, as far as a name tells.

/// What a program does to the files its words name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    /// Its words are texts, or it changes nothing here.
    Nothing,
    /// The last word, or what `-t` names, gets what the others are.
    Copies,
    /// As `Copies`, and the first words get a second name.
    Links,
    /// As `Copies`, and the first words are gone.
    Moves,
    /// They are gone, and with an option what lies in them.
    Removes,
    /// They are changed; folders of them, too.
    Alters,
    /// What git does not know in them is gone.
    Cleans,
    /// They become what the index or another commit has.
    Restores,
    /// Files come from elsewhere, under names that options tell.
    Fetches,
    /// Files come out of an archive.
    Unpacks,
    /// What is found in the folders named first may be gone.
    Searches,
    /// Unknown, so any of them may be changed.
    Unknown,
    /// Its script may write; the files it names are read.
    Prints,
    /// As unknown, and some of the words are code.
    Runs,
    /// A shell, whose `-c` is read by itself.
    Shell,
}

/// Programs whose words are no files of this machine, or that only send them away.
const TALKERS: &[&str] =
    &["echo", "eval", "gh", "glab", "hub", "printf", "ssh", "write-host", "write-output"];

const COPIERS: &[&str] = &["copy", "copy-item", "cp", "cpi", "install", "rsync", "scp"];

const MOVERS: &[&str] = &["mi", "move", "move-item", "mv", "ren", "rename-item", "rni"];

const REMOVERS: &[&str] = &[
    "del",
    "erase",
    "rd",
    "remove-item",
    "ri",
    "rimraf",
    "rm",
    "rmdir",
    "shred",
    "srm",
    "trash",
    "trash-put",
    "unlink",
];

const ALTERERS: &[&str] =
    &["attrib", "chattr", "chgrp", "chmod", "chown", "icacls", "mount", "setfacl", "umount"];

const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];

/// Programs some of whose words are code, or lines for a shell.
const RUNNERS: &[&str] = &[
    "at",
    "batch",
    "bun",
    "cmd",
    "crontab",
    "deno",
    "ed",
    "emacs",
    "ex",
    "expect",
    "fish",
    "flock",
    "lua",
    "node",
    "nvim",
    "osascript",
    "parallel",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "ruby",
    "screen",
    "script",
    "su",
    "systemd-run",
    "tmux",
    "ts-node",
    "tsx",
    "unbuffer",
    "vi",
    "vim",
    "watch",
];

/// git's subcommands that leave the files their words name as they are.
const GIT_TALKERS: &[&str] = &[
    "add",
    "blame",
    "branch",
    "check-attr",
    "check-ignore",
    "commit",
    "config",
    "diff",
    "fetch",
    "grep",
    "hash-object",
    "log",
    "ls-files",
    "notes",
    "push",
    "remote",
    "reset",
    "show",
    "status",
    "tag",
];

/// What `program` does to the files that `arguments` name.
pub(super) fn touch(program: &str, arguments: &[&str]) -> Touch {
    let is_one_of = |names: &[&str]| names.contains(&program);
    match program {
        "git" => git(arguments),
        "find" => Touch::Searches,
        "ln" => Touch::Links,
        "curl" | "wget" => Touch::Fetches,
        "bsdtar" | "gtar" | "tar" | "unzip" => Touch::Unpacks,
        "sed" if !arguments.iter().any(|word| is_in_place(word)) => Touch::Prints,
        "awk" | "gawk" | "mawk" if !arguments.contains(&"inplace") => Touch::Prints,
        _ if is_one_of(TALKERS) => Touch::Nothing,
        _ if is_one_of(COPIERS) => Touch::Copies,
        _ if is_one_of(MOVERS) => Touch::Moves,
        _ if is_one_of(REMOVERS) => Touch::Removes,
        _ if is_one_of(ALTERERS) => Touch::Alters,
        _ if is_one_of(SHELLS) => Touch::Shell,
        _ if is_one_of(RUNNERS) || program.starts_with("python") => Touch::Runs,
        _ => Touch::Unknown,
    }
}

fn git(arguments: &[&str]) -> Touch {
    let (subcommand, arguments) = subcommand(arguments);
    match subcommand {
        "rm" => Touch::Removes,
        "mv" => Touch::Moves,
        "restore" if is_of_index(arguments) => Touch::Nothing,
        "clean" if is_dry_run(arguments) => Touch::Nothing,
        "clean" => Touch::Cleans,
        "checkout" | "restore" => Touch::Restores,
        "stash" => Touch::Alters,
        talker
            if GIT_TALKERS.contains(&talker)
                && !arguments.iter().any(|word| word.starts_with("--output")) =>
        {
            Touch::Nothing
        }
        _ => Touch::Unknown,
    }
}

/// git's subcommand and what follows it.
pub(super) fn subcommand<'a, 'b>(arguments: &'b [&'a str]) -> (&'a str, &'b [&'a str]) {
    let with_value = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"];
    let mut at = 0;
    while let Some(option) = arguments.get(at).filter(|word| word.starts_with('-')) {
        at += 1 + usize::from(with_value.contains(option));
    }
    match arguments.get(at..).and_then(<[&str]>::split_first) {
        Some((subcommand, rest)) => (subcommand, rest),
        None => ("", &[]),
    }
}

/// The index is changed and no file.
fn is_of_index(arguments: &[&str]) -> bool {
    let has = |options: [&str; 2]| arguments.iter().any(|word| options.contains(word));
    has(["--staged", "-S"]) && !has(["--worktree", "-W"])
}

fn is_dry_run(arguments: &[&str]) -> bool {
    arguments.iter().any(|word| *word == "--dry-run" || is_cluster_with(word, 'n'))
}

/// `-i`, `-ni`, `-i.bak`, `--in-place`.
fn is_in_place(word: &str) -> bool {
    let cluster = word.split(['e', 'f']).next().unwrap_or_default();
    word.starts_with("--in") || is_cluster_with(cluster, 'i')
}

/// A group of short options with that letter.
pub(super) fn is_cluster_with(word: &str, letter: char) -> bool {
    word.strip_prefix('-').is_some_and(|cluster| !cluster.starts_with('-') && cluster.contains(letter))
}
