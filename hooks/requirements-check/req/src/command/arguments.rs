//! What can be typed after the verbs that are about the machine, not about one requirement.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use requirements_check::settings::parse_duration;

/// Which of the three files is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Args)]
#[command(group = ArgGroup::new("level").multiple(false))]
pub(crate) struct Level {
    /// The team's file, in git: .claude/requirements.yaml
    #[arg(long, group = "level")]
    pub(crate) project: bool,
    /// Yours, for this project: .claude/requirements.local.yaml
    #[arg(long, group = "level")]
    pub(crate) local: bool,
    /// Yours, for every project: ~/.claude/requirements.yaml
    #[arg(long, group = "level")]
    pub(crate) global: bool,
}

/// `req init`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Init {
    /// What the file begins with; without it the preset that fits: relaxed for a team, minimal for you alone, advanced for all
    /// your projects
    #[arg(long, short, value_enum, value_name = "PRESET")]
    pub(crate) preset: Option<Preset>,
    #[command(flatten)]
    pub(crate) level: Level,
    /// Write the file without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Replace the file that is there; it is kept beside as .before
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Print the file, and write nothing
    #[arg(long, alias = "preview")]
    pub(crate) dry_run: bool,
}

/// What a new file begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// A plan before the first edit
    Relaxed,
    /// A plan, no work on protected branches, tests that passed, checked at the end of a turn too
    Strict,
    /// Nothing required yet; the keys as comments
    Minimal,
    /// Every type of requirement, to choose from
    Advanced,
    /// What your global file requires, and nothing more
    Inherit,
}

/// `req enable` and `req disable`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(group = ArgGroup::new("what").required(true).multiple(false))]
pub(crate) struct Turn {
    /// Name of the requirement
    #[arg(group = "what", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// A whole hook instead of one requirement
    #[arg(long, group = "what", value_name = "HOOK")]
    pub(crate) hook: Option<String>,
    #[command(flatten)]
    pub(crate) level: Level,
}

/// `req config`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) change: Option<ConfigChange>,
    /// A key, or the beginning of several, as in the examples
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Where each value is set
    #[arg(long)]
    pub(crate) sources: bool,
    /// Print JSON; req schema describes it
    #[arg(long)]
    pub(crate) json: bool,
}

/// A change of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub(crate) enum ConfigChange {
    /// Set a key, in your local file if no other is named; comments and order stay (user only).
    #[command(after_help = "Example: req config set requirements.branch_size.thresholds.warn 200 --local")]
    Set {
        /// The key, with dots
        key: String,
        /// The value as it would stand in YAML: true, 5, [main, develop]
        value: String,
        #[command(flatten)]
        level: Level,
    },
    /// Take a key out of a file, so that the level below counts (user only).
    #[command(after_help = "Example: req config unset requirements.branch_size.thresholds.warn --local")]
    Unset {
        /// The key, with dots
        key: String,
        #[command(flatten)]
        level: Level,
    },
}

/// `req ci`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Ci {
    /// What the branch is compared with: a branch, tag or commit; else what the requirement says, or the default branch
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// The branch that is judged; else the one that is checked out, or of a bare commit the one the CI's variables name
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// Print JSON; req schema describes it
    #[arg(long)]
    pub(crate) json: bool,
}

/// `req why`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Why {
    /// Which one, by the id that req log shows
    #[arg(value_name = "ID", conflicts_with = "last")]
    pub(crate) id: Option<String>,
    /// The last one, which it is without an ID, too
    #[arg(long)]
    pub(crate) last: bool,
    /// The last one of any project, not of this one
    #[arg(long, conflicts_with = "id")]
    pub(crate) all: bool,
    /// Of one session only: its id, or the first 8 characters or more
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print JSON; req schema describes it
    #[arg(long)]
    pub(crate) json: bool,
}

/// `req log`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line, independent of each other")]
pub(crate) struct Log {
    /// Only what this hook did
    #[arg(long, value_name = "HOOK")]
    pub(crate) hook: Option<String>,
    /// Of every project, and which; else of this one, and what is about all of them
    #[arg(long)]
    pub(crate) all: bool,
    /// Of one session only, whichever its project: its id, or the first 8 characters or more
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Not older than: 90s, 10m, 2h, 7d
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub(crate) since: Option<Duration>,
    /// Only what was refused or held
    #[arg(long)]
    pub(crate) blocks: bool,
    /// Which models were asked, and what it cost
    #[arg(long, conflicts_with_all = ["blocks", "stats"])]
    pub(crate) cost: bool,
    /// Per hook: how often it spoke, was followed, was overridden; seconds slept, money spent
    #[arg(long, conflicts_with = "blocks")]
    pub(crate) stats: bool,
    /// Show so many at most, the newest; 30 if not said
    #[arg(long, short = 'n', value_name = "NUMBER")]
    pub(crate) limit: Option<usize>,
    /// Print JSON; req schema describes it
    #[arg(long)]
    pub(crate) json: bool,
}

/// `req pause`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Pause {
    /// How long, a day at most: 90s, 10m, 2h, 1d; 10m if not said
    #[arg(value_name = "TIME", value_parser = span)]
    pub(crate) span: Option<Duration>,
}

/// `req doctor`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Doctor {
    /// Mend what can be mended safely, and list the rest
    #[arg(long)]
    pub(crate) fix: bool,
    /// Print JSON; req schema describes it
    #[arg(long)]
    pub(crate) json: bool,
}

/// `req docs`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Docs {
    /// Which page, or a word to look for; without it the pages are listed
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Option<String>,
    /// Print JSON; req schema describes it
    #[arg(long)]
    pub(crate) json: bool,
}

/// `req completions`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct Completions {
    /// Which shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
    /// Write them into this folder, which is made, under the name the shell looks for; without it they are printed
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

/// `req man`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Man {
    /// Write a page for each command into this folder, which is made; without it the page of req is printed
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

fn span(text: &str) -> Result<Duration, &'static str> {
    parse_duration(text).ok_or("a time is a number with s, m, h or d, as in 30m")
}
