//! The words of a command.

use std::time::Duration;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind};

use crate::command_line;
use crate::settings::parse_duration;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
#[expect(clippy::option_option, reason = "an option may be left out, stand alone, or have a value")]
pub(crate) enum Asked {
    /// What is required here, met or not, why, and how to meet it.
    #[command(after_help = "Example: req status --summary")]
    Status(Status),
    /// Mark requirements as met.
    #[command(after_help = "Example: req satisfy commit_plan --note \"the plan is in docs/plan.md\"")]
    Satisfy {
        /// Which ones.
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
    /// Let a dynamic requirement pass for a while. For the user.
    #[command(after_help = "Example: req approve branch_size --for 1h")]
    Approve(Exception),
    /// Let a guard or evidence pass for a while, with a reason. For the user.
    #[command(
        after_help = "Example: req waive protected_branch --for 30m --note \"hotfix agreed with the team\""
    )]
    Waive(Exception),
    /// Take marks back. Only those of the session or branch named; for the user, but for one's own session.
    #[command(after_help = "Example: req clear commit_plan")]
    Clear {
        /// Which ones.
        #[arg(required_unless_present = "all", value_name = "NAME")]
        names: Vec<String>,
        /// All of them.
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// Of another session.
        #[arg(long, value_name = "ID", conflicts_with = "branch")]
        session: Option<String>,
        /// The marks for every session on this branch, or on the one named.
        #[arg(long, value_name = "BRANCH", num_args = 0..=1)]
        branch: Option<Option<String>>,
    },
    /// Whose marks are kept in this repository: branches, and how many each.
    #[command(after_help = "Example: req list --json")]
    List {
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Remove the marks of branches that are gone, and session marks that are a month old.
    #[command(after_help = "Example: req prune")]
    Prune,
    /// The live sessions of this project.
    #[command(after_help = "Example: req sessions")]
    Sessions {
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// What would happen to a tool call, and why. Exit status 1: it would be refused.
    #[command(
        after_help = "Examples: req check --tool Edit --file src/main.rs\n          req check --bash \"git commit -m x\""
    )]
    Check(Check),
}

/// What of the status is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Status {
    /// Those that are off, too.
    #[arg(long)]
    pub(crate) all: bool,
    /// On another branch.
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// For another session: its id, or the first 8 characters or more.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// One line.
    #[arg(long)]
    pub(crate) summary: bool,
    /// For programs.
    #[arg(long)]
    pub(crate) json: bool,
}

/// An approval or a waiver.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct Exception {
    /// Which one.
    pub(crate) name: String,
    /// How long: 90s, 10m, 2h, 1d.
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub(crate) span: Option<Duration>,
    /// For one session only: its id, or the first 8 characters or more.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Why; shown wherever the exception is.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

/// A tool call that is not made.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct Check {
    /// The tool.
    #[arg(long, value_name = "TOOL", required_unless_present = "bash", conflicts_with = "bash")]
    pub(crate) tool: Option<String>,
    /// The file it would touch.
    #[arg(long, value_name = "FILE", requires = "tool", conflicts_with = "bash")]
    pub(crate) file: Option<String>,
    /// The line a Bash call would run.
    #[arg(long, value_name = "LINE")]
    pub(crate) bash: Option<String>,
    /// For another session: its id, or the first 8 characters or more.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// For programs.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The longest exception.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

fn duration(text: &str) -> Result<Duration, &'static str> {
    let span = parse_duration(text).ok_or("a time is a number with s, m, h or d, as in 30m")?;
    if span <= LONGEST { Ok(span) } else { Err("an exception lasts 7 days at most") }
}

/// What this project requires, what is met, and how to meet the rest.
#[derive(Debug, Parser)]
#[command(name = "req", version, after_help = "Without a command: req status.")]
struct Words {
    #[command(subcommand)]
    asked: Option<Asked>,
}

/// The whole definition.
pub(crate) fn clap_command() -> clap::Command {
    Words::command()
}

/// Reads the words after `req`.
pub(crate) fn parse_words(words: &[String]) -> Result<Asked, clap::Error> {
    let line = std::iter::once("req").chain(words.iter().map(String::as_str));
    let matches = clap_command().try_get_matches_from(line)?;
    let words = Words::from_arg_matches(&matches)?;
    Ok(words.asked.unwrap_or_else(|| Asked::Status(Status::default())))
}

/// What a prompt asks of us: a single line whose first word is `req` and whose rest is a command to the end. Anything else is
/// for Claude.
pub(crate) fn parse_prompt(prompt: &str) -> Option<Result<Asked, String>> {
    let line = prompt.trim();
    if line.contains(['\n', '\r']) || line.split_whitespace().next() != Some("req") {
        return None;
    }
    let Some(commands) = command_line::parse(line).commands else {
        return is_meant(line).then(|| Err("req: a quote is not closed; nothing was done".to_owned()));
    };
    let [command] = commands.as_slice() else { return None };
    let is_plain = command.prefix.is_empty()
        && command.writes.is_empty()
        && command.reads.is_empty()
        && command.decides.is_ok();
    if !is_plain || command.words.first().map(String::as_str) != Some("req") {
        return None;
    }
    match parse_words(&command.words[1..]) {
        Ok(asked) => Some(Ok(asked)),
        Err(error) if error.kind() == ErrorKind::DisplayHelp || is_meant(line) => {
            Some(Err(error.render().to_string()))
        }
        Err(_) => None,
    }
}

/// A line that cannot be read as a command and is meant as one all the same: a verb of ours, alone or with an option. Claude
/// could do nothing with it but guess.
fn is_meant(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, verb, rest @ ..] = words.as_slice() else { return false };
    let is_verb = clap_command().get_subcommands().any(|known| known.get_name() == *verb);
    is_verb && (rest.is_empty() || rest.iter().any(|word| word.starts_with("--")))
}
