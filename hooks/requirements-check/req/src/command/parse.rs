//! The words of a command.

use std::time::Duration;

use clap::{ArgGroup, Args, CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind};

use super::arguments::{Ci, Completions, Config, Docs, Doctor, Init, Log, Man, Pause, Turn, Why};
use super::help::in_groups;
use requirements_check::settings::parse_duration;
use requirements_check::words::{cut, plain};

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
#[expect(clippy::option_option, reason = "an option may be left out, stand alone, or have a value")]
pub(crate) enum Asked {
    /// What is required here, satisfied or not, why, and how to satisfy it.
    #[command(after_help = "Example: req status --summary")]
    Status(Status),
    /// Satisfy requirements.
    #[command(after_help = "Example: req satisfy commit_plan --note \"the plan is in docs/plan.md\"")]
    Satisfy {
        /// Names of requirements.
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
        /// For every session on this branch, or on the one named.
        #[arg(long, value_name = "BRANCH", num_args = 0..=1, require_equals = false)]
        branch: Option<Option<String>>,
        /// For another session: its id, or the first 8 characters or more.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Why; kept with the mark.
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Let a dynamic requirement, such as the branch's size, pass for a while (user only).
    #[command(after_help = "Example: req approve branch_size --for 1h")]
    Approve(Exception),
    /// Let a guard or evidence requirement pass for a while, with a reason (user only).
    #[command(
        after_help = "Example: req waive protected_branch --for 30m --note \"hotfix agreed with the team\""
    )]
    Waive(Exception),
    /// Take marks back: this session's, or those of another session or a branch (user only).
    #[command(after_help = "Example: req clear commit_plan")]
    Clear {
        /// Names of requirements.
        #[arg(required_unless_present = "all", value_name = "NAME")]
        names: Vec<String>,
        /// All of them.
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// The marks of another session: its id, or the first 8 characters or more.
        #[arg(long, value_name = "ID", conflicts_with = "branch")]
        session: Option<String>,
        /// The marks for every session on this branch, or on the one named.
        #[arg(long, value_name = "BRANCH", num_args = 0..=1)]
        branch: Option<Option<String>>,
    },
    /// Which branches have marks in this repository, and how many.
    #[command(after_help = "Example: req list --json")]
    List {
        /// Print JSON; req schema describes it
        #[arg(long)]
        json: bool,
    },
    /// Remove the marks of branches that are gone, and session marks that are a month old.
    #[command(after_help = "Example: req prune")]
    Prune,
    /// The live sessions of this project.
    #[command(after_help = "Example: req sessions")]
    Sessions {
        /// Print JSON; req schema describes it
        #[arg(long)]
        json: bool,
    },
    /// What would happen to a tool call, and why; exit status 1: it would be refused.
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
    /// What is in force and where it is set; set and unset change it (user only).
    #[command(
        after_help = "Examples: req config requirements.commit_plan --sources\n          req config set rate-awareness.repeat 8 --global"
    )]
    Config(Config),
    /// Check in CI what needs no session: branch size, protected branch, file evidence.
    #[command(after_help = "Example: req ci --base origin/main")]
    Ci(Ci),
    /// Why a call was refused or a stop held: the hook, the rule, where it is set, what to do.
    #[command(after_help = "Example: req why")]
    Why(Why),
    /// What the hooks did, when and why; with --stats whether it was worth it.
    #[command(after_help = "Examples: req log --since 1h --blocks\n          req log --stats --since 7d")]
    Log(Log),
    /// Every hook off for a while (user only).
    #[command(after_help = "Example: req pause 10m")]
    Pause(Pause),
    /// Every hook on again.
    #[command(after_help = "Example: req resume")]
    Resume,
    /// Install, register and remove the hooks, and see what is there (taking away: user only).
    #[command(after_help = "Examples: req hooks status\n          req hooks enable HOOK --scope local")]
    Hooks {
        #[command(subcommand)]
        wanted: installer::hooks::Command,
    },
    /// Prove that all of this works: each hook is run and must answer as documented.
    #[command(after_help = "Example: req doctor --fix")]
    Doctor(Doctor),
    /// The manual, built in: its topics, or one of them.
    #[command(after_help = "Example: req docs evidence")]
    Docs(Docs),
    /// The JSON Schema of what a command prints with --json.
    #[command(after_help = "Example: req schema status")]
    Schema {
        /// Which command; without it they are listed
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
    /// What a shell needs to complete req: bash, zsh, fish, powershell, elvish.
    #[command(after_help = "Example: req completions bash --dir ~/.local/share/bash-completion/completions")]
    Completions(Completions),
    /// The manual page; with --dir one for each command.
    #[command(after_help = "Example: req man --dir ~/.local/share/man/man1")]
    Man(Man),
}

/// What of the status is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Status {
    /// Show those that are switched off, too.
    #[arg(long)]
    pub(crate) all: bool,
    /// As it stands on another branch.
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// For another session: its id, or the first 8 characters or more.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print one line.
    #[arg(long)]
    pub(crate) summary: bool,
    /// Print JSON; req schema describes it
    #[arg(long)]
    pub(crate) json: bool,
}

/// An approval or a waiver.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct Exception {
    /// Name of the requirement.
    pub(crate) name: String,
    /// How long: 90s, 10m, 2h, 1d; 7d at most.
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub(crate) span: Option<Duration>,
    /// For one session only: its id, or the first 8 characters or more.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Why; shown wherever the exception is, and needed for a waiver.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

/// A tool call that is not made.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(group = ArgGroup::new("call").args(["tool", "bash"]).required(true).multiple(false))]
pub(crate) struct Check {
    /// The tool's name, as Claude Code calls it: Edit, Write, Bash.
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Option<String>,
    /// The file it would touch.
    #[arg(long, value_name = "FILE", requires = "tool", conflicts_with = "bash")]
    pub(crate) file: Option<String>,
    /// The line that Bash would run.
    #[arg(long, value_name = "LINE")]
    pub(crate) bash: Option<String>,
    /// For another session: its id, or the first 8 characters or more.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print JSON; req schema describes it
    #[arg(long)]
    pub(crate) json: bool,
}

/// The longest exception.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

fn duration(text: &str) -> Result<Duration, &'static str> {
    let span = parse_duration(text).ok_or("a time is a number with s, m, h or d, as in 30m")?;
    if span <= LONGEST { Ok(span) } else { Err("an exception lasts 7 days at most") }
}

/// What stands below the list of commands.
const HINTS: &str = "Without a command: req status. Options and an example of one: req help COMMAND. The manual: req docs.\n\
    User only: in Claude's shell it is refused, with the line that you can type.";

/// What this project requires, what is met, and how to meet the rest.
#[derive(Debug, Parser)]
#[command(name = "req", version, after_help = HINTS)]
struct Words {
    #[command(subcommand)]
    asked: Option<Asked>,
}

/// The whole definition.
pub(crate) fn clap_command() -> clap::Command {
    in_groups(Words::command())
}

/// Reads the words after `req`.
pub(crate) fn parse_words(words: &[String]) -> Result<Asked, clap::Error> {
    let line = std::iter::once("req").chain(words.iter().map(String::as_str));
    let matches = clap_command().try_get_matches_from(line)?;
    let words = Words::from_arg_matches(&matches)?;
    Ok(words.asked.unwrap_or_else(|| Asked::Status(Status::default())))
}

/// So much of a line of a complaint is shown, in characters.
const MAX_LINE: usize = 300;

/// So many lines of it.
const MAX_LINES: usize = 24;

/// What is wrong with the words, or the help that was asked for. A complaint repeats them, and they may be anything.
pub(crate) fn usage_error(error: &clap::Error) -> String {
    let told = error.render().to_string();
    let is_help =
        matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
    if is_help {
        return told;
    }
    let lines: Vec<String> =
        told.trim_end().lines().take(MAX_LINES).map(|line| cut(&plain(line), MAX_LINE)).collect();
    lines.join("\n")
}
