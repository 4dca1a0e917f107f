//! The command line: one enum of verbs with their options. `main` has the one match over it.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use shared::config::LayerKind;

use crate::help::in_groups;
use requirements_check::settings::parse_duration;

/// A verb. Its doc comment is its help; `help::GROUPS` puts it into a group of the help.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Show what is required here, satisfied or not, why, and how to satisfy it.
    #[command(after_help = "Example: req status --summary")]
    Status(Status),
    /// Satisfy requirements.
    #[command(after_help = "Example: req satisfy commit_plan --note \"the plan is in docs/plan.md\"")]
    Satisfy(Satisfy),
    /// Let a dynamic requirement, such as the branch's size, pass for a while (user only).
    #[command(after_help = "Example: req approve branch_size --for 1h")]
    Approve(Exception),
    /// Let a guard or evidence requirement pass for a while, with a reason (user only).
    #[command(after_help = "Example: req waive protected_branch --for 30m --note \"a hotfix\"")]
    Waive(Exception),
    /// Take satisfactions back: this session's, or those of another session or a branch (user only).
    #[command(after_help = "Example: req clear commit_plan")]
    Clear(Clear),
    /// List the branches with satisfactions in this repository, and how many each has.
    #[command(after_help = "Example: req list --json")]
    List(Output),
    /// Remove the satisfactions of branches that are gone, and those of sessions that are a month old.
    #[command(after_help = "Example: req prune")]
    Prune,
    /// List the live sessions of this project.
    #[command(after_help = "Example: req sessions")]
    Sessions(Output),
    /// Show what would happen to a tool call, and why; exit status 1: it would be denied.
    #[command(
        after_help = "Examples: req check --tool Edit --file src/main.rs\n          req check --bash \"git commit -m x\""
    )]
    Check(Check),
    /// Write a first requirements.yaml from a preset; shows it first on a terminal.
    #[command(after_help = "Example: req init --preset strict --yes")]
    Init(Init),
    /// Switch a requirement or a hook on, in your local file if no other is named.
    #[command(after_help = "Example: req enable branch_size --local")]
    Enable(Turn),
    /// Switch a requirement or a hook off, in your local file if no other is named (user only).
    #[command(after_help = "Example: req disable commit_plan --local")]
    Disable(Turn),
    /// Show what is in force and where it is set; set and unset change it (user only).
    #[command(
        after_help = "Examples: req config requirements.commit_plan --sources\n          req config set rate-awareness.repeat 8 --global"
    )]
    Config(Config),
    /// Check in CI what needs no session: branch size, protected branch, file evidence.
    #[command(after_help = "Example: req ci --base origin/main")]
    Ci(Ci),
    /// Explain why a call was denied or a stop blocked: the hook, the rule, where it is set, what to do.
    #[command(after_help = "Example: req why")]
    Why(Why),
    /// List what the hooks did, when and why; with --stats whether it was worth it.
    #[command(after_help = "Examples: req log --since 1h --blocks\n          req log --stats --since 7d")]
    Log(Log),
    /// Switch every hook off for a while (user only).
    #[command(after_help = "Example: req pause 10m")]
    Pause {
        /// How long, a day at most: 90s, 10m, 2h, 1d; 10m if not said
        #[arg(value_name = "TIME", value_parser = time)]
        span: Option<Duration>,
    },
    /// Switch every hook on again.
    #[command(after_help = "Example: req resume")]
    Resume,
    /// Install, register and remove the hooks, and see what is there (to remove or undo: user only).
    #[command(after_help = "Examples: req hooks status\n          req hooks enable HOOK --scope local")]
    Hooks {
        #[command(subcommand)]
        wanted: installer::commands::Command,
    },
    /// Prove that all of this works: each hook is run and must answer as documented.
    #[command(after_help = "Example: req doctor --fix")]
    Doctor {
        /// Mend what can be mended safely, and list the rest
        #[arg(long)]
        fix: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Print a page of the manual, or list its pages.
    #[command(after_help = "Example: req docs evidence")]
    Docs {
        /// The page; without it the pages are listed
        topic: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Print the JSON Schema of what a command prints with --json.
    #[command(after_help = "Example: req schema status")]
    Schema {
        /// The command; without it they are listed
        command: Option<String>,
    },
    /// Print what a shell needs to complete req: bash, zsh, fish, powershell, elvish.
    #[command(after_help = "Example: req completions bash")]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page; with --dir write one for each command.
    #[command(after_help = "Example: req man --dir ~/.local/share/man/man1")]
    Man {
        /// Write a page for each command into this folder, which is made; without it the page of req is printed
        #[arg(long)]
        dir: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Output {
    /// Print JSON; req schema describes it
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Default, Args)]
pub(crate) struct Status {
    /// Show those that are switched off, too
    #[arg(long)]
    pub(crate) all: bool,
    /// As it stands on another branch
    #[arg(long)]
    pub(crate) branch: Option<String>,
    /// For another session: its id, or the first 8 characters or more
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print one line
    #[arg(long)]
    pub(crate) summary: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Satisfy {
    /// Names of requirements
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// The reason; kept with the satisfaction
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Clear {
    /// Names of requirements
    #[arg(required_unless_present = "all", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// All of them
    #[arg(long, conflicts_with = "names")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) reach: Reach,
}

/// The sessions that a command is about, where it is not the caller's own.
#[derive(Debug, Default, Args)]
#[expect(clippy::option_option, reason = "the option may be left out, stand alone, or have a value")]
pub(crate) struct Reach {
    /// For every session on this branch, or on the one named
    #[arg(long, num_args = 0..=1)]
    pub(crate) branch: Option<Option<String>>,
    /// For another session: its id, or the first 8 characters or more
    #[arg(long, value_name = "ID", conflicts_with = "branch")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Exception {
    /// Name of the requirement
    pub(crate) name: String,
    /// How long: 90s, 10m, 2h, 1d; 7d at most
    #[arg(long = "for", value_name = "TIME", value_parser = exception_time)]
    pub(crate) span: Option<Duration>,
    /// For one session only: its id, or the first 8 characters or more
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The reason; shown wherever the approval or waiver is, and needed for a waiver
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("call").args(["tool", "bash"]).required(true).multiple(false))]
pub(crate) struct Check {
    /// The tool's name, as Claude Code calls it: Edit, Write, Bash
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// The file it would touch
    #[arg(long, requires = "tool", conflicts_with = "bash")]
    pub(crate) file: Option<String>,
    /// The line that Bash would run
    #[arg(long, value_name = "LINE")]
    pub(crate) bash: Option<String>,
    /// For another session: its id, or the first 8 characters or more
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// The file that is meant, of three.
#[derive(Debug, Clone, Copy, Default, Args)]
#[group(multiple = false)]
pub(crate) struct Level {
    /// The team's file, in git: .claude/requirements.yaml
    #[arg(long)]
    project: bool,
    /// Yours, for this project: .claude/requirements.local.yaml
    #[arg(long)]
    local: bool,
    /// Yours, for every project: ~/.claude/requirements.yaml
    #[arg(long)]
    global: bool,
}

impl Level {
    pub(crate) fn named(self) -> Option<LayerKind> {
        match (self.project, self.local, self.global) {
            (true, ..) => Some(LayerKind::Project),
            (_, true, _) => Some(LayerKind::Local),
            (.., true) => Some(LayerKind::Global),
            _ => None,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The first content; without it the preset that fits: relaxed for a team, minimal for you alone, advanced for all
    /// your projects
    #[arg(long, short, value_enum)]
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

/// The first content of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// A plan before the first edit
    Relaxed,
    /// A plan, no edits on protected branches, tests that passed, checked at the end of a turn too
    Strict,
    /// Nothing required yet; the keys as comments
    Minimal,
    /// Every type of requirement, to choose from
    Advanced,
    /// The requirements of your global file, and nothing more
    Inherit,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).multiple(false))]
pub(crate) struct Turn {
    /// Name of the requirement
    #[arg(group = "what")]
    pub(crate) name: Option<String>,
    /// A whole hook instead of one requirement
    #[arg(long, group = "what")]
    pub(crate) hook: Option<String>,
    #[command(flatten)]
    pub(crate) level: Level,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) change: Option<ConfigChange>,
    /// A key, or the beginning of several, as in the examples
    pub(crate) key: Option<String>,
    /// Name the place that sets each value
    #[arg(long)]
    pub(crate) sources: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigChange {
    /// Set a key, in your local file if no other is named and the key counts there; comments and order stay (user only).
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

#[derive(Debug, Args)]
pub(crate) struct Ci {
    /// A branch, tag or commit to compare the branch with; else what the requirement says, or the default branch
    #[arg(long, value_name = "REF")]
    pub(crate) base: Option<String>,
    /// The branch that is judged, where CI has checked out a commit without its branch
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) branch: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Why {
    /// The one with this id, as req log shows it
    #[arg(conflicts_with = "last")]
    pub(crate) id: Option<String>,
    /// The last one, which it is without an ID, too
    #[arg(long)]
    pub(crate) last: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line, independent of each other")]
pub(crate) struct Log {
    /// Only what this hook did
    #[arg(long)]
    pub(crate) hook: Option<String>,
    /// Everything: other projects, and answered commands
    #[arg(long)]
    pub(crate) all: bool,
    /// Not older than: 90s, 10m, 2h, 7d
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<Duration>,
    /// Only what was denied or blocked
    #[arg(long)]
    pub(crate) blocks: bool,
    /// Only questions to models, and their cost
    #[arg(long, conflicts_with = "blocks")]
    pub(crate) cost: bool,
    /// Per hook: how often it spoke, was followed, was overridden; seconds slept, money spent
    #[arg(long, conflicts_with = "blocks")]
    pub(crate) stats: bool,
    /// Show so many at most, the newest; 30 if not said
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 30, hide_default_value = true)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) output: Output,
}

fn time(text: &str) -> Result<Duration, &'static str> {
    parse_duration(text).ok_or("a time is a number with s, m, h or d, as in 30m")
}

fn exception_time(text: &str) -> Result<Duration, &'static str> {
    const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);
    Some(time(text)?).filter(|span| *span <= LONGEST).ok_or("an exception lasts 7 days at most")
}

const HINTS: &str = "Without a command: req status. Options and an example of one: req help COMMAND. The manual: req docs.\n\
    User only: in Claude's shell it is denied, with the line that you can type.";

/// Show what this project requires, what is satisfied, and how to satisfy the rest.
#[derive(Debug, Parser)]
#[command(name = "req", version, after_help = HINTS)]
struct Words {
    #[command(subcommand)]
    verb: Option<Verb>,
}

pub(crate) fn clap_command() -> clap::Command {
    in_groups(Words::command())
}

/// Reads the words after `req`.
pub(crate) fn parse_words(words: &[String]) -> Result<Verb, clap::Error> {
    let line = std::iter::once("req").chain(words.iter().map(String::as_str));
    let matches = clap_command().try_get_matches_from(line)?;
    let words = Words::from_arg_matches(&matches)?;
    Ok(words.verb.unwrap_or_else(|| Verb::Status(Status::default())))
}
