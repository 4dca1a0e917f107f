//! The command line of the installer: `req hooks` for users without the source tree, and the same verbs of `cargo xtask`, which builds
//! the programs first and names their folder. Results go to stdout, progress and notes to stderr.

use clap::Subcommand;
use shared::host::Host;

use crate::places::Removing;
use crate::say::Voice;
use crate::{commands, install, status, uninstall};

#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Copy the hooks to ~/.claude/hooks, register the chosen ones, and prove that they work
    #[command(after_help = "Example: req hooks install --hooks rate-awareness,requirements-check --dry-run")]
    Install(install::Install),
    /// Remove what install put there; your settings and the hooks' data stay
    #[command(after_help = "Example: req hooks uninstall")]
    Uninstall(uninstall::Arguments),
    /// Register a hook and switch it on
    #[command(after_help = "Example: req hooks enable stop-momentum")]
    Enable(install::Enable),
    /// Switch a hook off and remove its registration
    #[command(after_help = "Example: req hooks disable stop-momentum --scope local --project ~/code/shop")]
    Disable(commands::Disable),
    /// Show what is installed, registered and switched on, and where these differ
    #[command(after_help = "Example: req hooks status --json")]
    Status(status::Arguments),
    /// Undo the last change of ours in settings.json; again: bring that change back
    #[command(after_help = "Example: req hooks undo")]
    Undo(Removing),
    /// Set Claude Code's status line; one that is there is printed below it
    #[command(after_help = "Example: req hooks statusline")]
    Statusline {
        /// As with the other commands; this one asks nothing
        #[arg(long)]
        yes: bool,
    },
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
