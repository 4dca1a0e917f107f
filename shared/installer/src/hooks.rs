//! The command line of the installer: `req hooks` for users without the source tree, and the same verbs of `cargo xtask`, which builds
//! the programs first and names their folder. Results go to stdout, progress and notes to stderr.

use std::path::PathBuf;

use clap::Subcommand;
use shared::host::Host;

use crate::places::{Scope, Where};
use crate::requirements::Judge;
use crate::say::Voice;
use crate::{commands, install, status, uninstall};

#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Copy the hooks to ~/.claude/hooks, register the chosen ones, and prove that they work
    #[command(after_help = "Example: req hooks install --hooks rate-awareness,requirements-check --dry-run")]
    Install(Install),
    /// Remove what install put there; your settings and the hooks' data stay
    #[command(after_help = "Example: req hooks uninstall")]
    Uninstall(uninstall::Arguments),
    /// Register a hook and switch it on
    #[command(after_help = "Example: req hooks enable stop-momentum")]
    Enable(Enable),
    /// Switch a hook off and remove its registration
    #[command(after_help = "Example: req hooks disable stop-momentum --scope local --project ~/code/shop")]
    Disable(Disable),
    /// Show what is installed, registered and switched on, and where these differ
    #[command(after_help = "Example: req hooks status --json")]
    Status(Status),
    /// Undo the last change of ours in settings.json; again: bring that change back
    #[command(after_help = "Example: req hooks undo")]
    Undo(Undo),
    /// Set Claude Code's status line; one that is there is printed below it
    #[command(after_help = "Example: req hooks statusline")]
    Statusline {
        /// As with the other commands; this one asks nothing
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line, independent of each other")]
pub struct Install {
    /// Register these hooks, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "HOOK", conflicts_with = "all")]
    pub(crate) hooks: Vec<String>,
    /// Register every hook
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Set Claude Code's status line; one that is there is printed below it
    #[arg(long)]
    pub(crate) statusline: bool,
    /// Let Claude run the hooks' harmless commands without asking
    #[arg(long)]
    pub(crate) allow_rules: bool,
    /// How hooks that ask a model do it
    #[arg(long, value_enum)]
    pub(crate) judge: Option<Judge>,
    /// Take the hooks from this folder, as an unpacked archive has them; else from the one this program lies in
    #[arg(long, value_name = "DIR", alias = "prebuilt")]
    pub(crate) from: Option<PathBuf>,
    /// Remove installed programs that no hook owns, and their registration
    #[arg(long)]
    pub(crate) prune: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Ask nothing: take the ticked defaults
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Enable {
    /// The hook's name
    pub(crate) hook: String,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Take the hooks from this folder, as an unpacked archive has them; else from the one this program lies in
    #[arg(long, value_name = "DIR", alias = "prebuilt")]
    pub(crate) from: Option<PathBuf>,
    /// How a hook that asks a model does it
    #[arg(long, value_enum)]
    pub(crate) judge: Option<Judge>,
    /// As with the other commands; this one asks nothing
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Disable {
    /// The hook's name
    pub(crate) hook: String,
    #[command(flatten)]
    pub(crate) place: Where,
    /// Where there is no terminal: yes, I mean it
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Status {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The project whose settings are looked at too; else the one this command is started in
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// The folder that cargo builds the programs into
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) built: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Undo {
    #[command(flatten)]
    pub(crate) place: Where,
    /// Where there is no terminal: yes, I mean it
    #[arg(long)]
    pub(crate) yes: bool,
}

impl Default for Where {
    fn default() -> Self {
        Self { scope: Scope::User, project: None }
    }
}

pub fn run(command: &Command, host: &Host, voice: Voice) -> anyhow::Result<()> {
    match command {
        Command::Install(wanted) => install::run(host, wanted, voice),
        Command::Uninstall(wanted) => uninstall::run(host, wanted, voice),
        Command::Enable(wanted) => install::enable(host, wanted, voice),
        Command::Disable(wanted) => commands::disable(host, wanted, voice),
        Command::Status(wanted) => status::run(host, wanted, voice),
        Command::Undo(wanted) => commands::undo(host, wanted, voice),
        Command::Statusline { .. } => commands::statusline(host, voice),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::{CommandFactory as _, Parser};
    use shared::host::{Environment, Host};

    use super::{Command, run};
    use crate::say::Voice;

    #[derive(Parser)]
    #[command(name = "req hooks")]
    struct Line {
        #[command(subcommand)]
        command: Command,
    }

    #[test]
    fn each_command_has_an_example_that_can_be_typed() {
        let line = Line::command();
        line.clone().debug_assert();
        for command in line.get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = help.strip_prefix("Example: req hooks ").unwrap_or_default();
            assert!(example.starts_with(command.get_name()), "{}: {help}", command.get_name());
            let words = ["req hooks"].into_iter().chain(example.split(' '));
            assert!(Line::try_parse_from(words).is_ok(), "{help}");
        }
    }

    /// The error for a user with this home. No person at a terminal answers, wherever the tests run.
    fn error(home: &Path, words: &[&str]) -> String {
        let line = Line::try_parse_from(["req hooks"].iter().chain(words)).expect("a command line");
        let environment =
            Environment { home: Some(home.to_owned()), inside_claude: true, ..Environment::default() };
        run(&line.command, &Host { environment, ..Host::real() }, Voice::Req).unwrap_err().to_string()
    }

    #[test]
    fn refusals_name_lines_of_req() {
        let scratch = tempfile::tempdir().unwrap();
        for words in [&["undo"][..], &["uninstall", "--purge"], &["disable", "rate-awareness"]] {
            let error = error(scratch.path(), words);
            assert!(error.ends_with(&format!("type: req hooks {}", words.join(" "))), "{error}");
        }
    }
}
