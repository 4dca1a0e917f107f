//! `req hooks ...`: the installer for people without the source tree. It takes the hooks from a folder, builds nothing, and
//! is otherwise the engine that `cargo xtask` has.

use std::path::PathBuf;

use clap::Subcommand;
use shared::host::Host;

use crate::judge::Judge;
use crate::places::Where;
use crate::source::Source;
use crate::voice::Voice;
use crate::{disable, install, status, statusline, undo, uninstall};

/// What can be asked for behind `req hooks`.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Copy the hooks to ~/.claude/hooks, register the chosen ones, and prove that they work
    #[command(after_help = "Example: req hooks install --hooks rate-awareness,requirements-check --dry-run")]
    Install(Install),
    /// Take away what install put there; your settings and the hooks' data stay
    #[command(after_help = "Example: req hooks uninstall")]
    Uninstall(uninstall::Arguments),
    /// Register a hook and switch it on
    #[command(after_help = "Example: req hooks enable stop-momentum")]
    Enable(Enable),
    /// Switch a hook off and take its registration away
    #[command(after_help = "Example: req hooks disable stop-momentum --scope local --project ~/code/shop")]
    Disable(Disable),
    /// What is deployed, registered and switched on, and where these differ
    #[command(after_help = "Example: req hooks status --json")]
    Status(Status),
    /// Undo the last change of ours in settings.json; again: bring that change back
    #[command(after_help = "Example: req hooks undo")]
    Undo(Undo),
    /// Set the client's status line; one that is there is printed below it
    #[command(after_help = "Example: req hooks statusline")]
    Statusline,
}

/// The arguments of `req hooks install`.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Install {
    #[command(flatten)]
    wanted: install::Wanted,
    #[command(flatten)]
    folder: Folder,
    /// Remove deployed files that no hook owns, and their registration
    #[arg(long)]
    prune: bool,
    #[command(flatten)]
    manner: install::Manner,
}

/// The arguments of `req hooks enable`.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Enable {
    /// The hook's name
    hook: String,
    #[command(flatten)]
    place: Where,
    #[command(flatten)]
    folder: Folder,
    /// How a hook that asks a model does it
    #[arg(long, value_enum)]
    judge: Option<Judge>,
    /// As with the other commands; nothing is asked here
    #[arg(long, hide = true)]
    yes: bool,
}

/// The arguments of `req hooks disable`.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Disable {
    /// The hook's name
    hook: String,
    #[command(flatten)]
    place: Where,
    /// Where there is no terminal: yes, I mean it
    #[arg(long)]
    yes: bool,
}

/// The arguments of `req hooks status`.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Status {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The project whose settings are looked at too; else the one this command is started in
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

/// The arguments of `req hooks undo`.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Undo {
    #[command(flatten)]
    place: Where,
    /// Where there is no terminal: yes, I mean it
    #[arg(long)]
    yes: bool,
}

/// Where the hooks are taken from.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
struct Folder {
    /// Take the hooks from this folder, as an unpacked archive has them; else from the one this program lies in
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
}

/// Does what is asked for. Results go to stdout, progress and notes to stderr.
pub fn run(command: &Command, host: &Host) -> anyhow::Result<()> {
    let voice = Voice::Req;
    match command {
        Command::Install(Install { wanted, folder, prune, manner }) => {
            let install = if *prune { install::run_and_prune } else { install::run };
            install(host, wanted, manner, &folder.source()?, voice)
        }
        Command::Uninstall(arguments) => uninstall::run(host, arguments, voice),
        Command::Enable(Enable { hook, place, folder, judge, yes: _ }) => {
            install::enable(host, hook.clone(), place, *judge, &folder.source()?, voice)
        }
        Command::Disable(Disable { hook, place, yes }) => disable::run(host, hook, place, *yes, voice),
        Command::Status(Status { json, project }) => {
            status::run(host, *json, project.as_deref(), None, voice)
        }
        Command::Undo(Undo { place, yes }) => undo::run(host, place, *yes, voice),
        Command::Statusline => statusline::run(host, voice),
    }
}

impl Folder {
    fn source(&self) -> anyhow::Result<Source<'static>> {
        match &self.from {
            Some(folder) => Ok(Source::Folder(folder.clone())),
            None => Source::beside_this_program(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser, Subcommand as _};

    use std::path::Path;

    use shared::host::{Environment, Host};

    use super::{Command, run};

    #[derive(Parser)]
    #[command(name = "req hooks")]
    struct Line {
        #[command(subcommand)]
        command: Command,
    }

    #[test]
    fn the_command_line_holds_together() {
        Line::command().debug_assert();
        assert!(Command::has_subcommand("statusline"));
    }

    #[test]
    fn each_command_has_an_example_that_can_be_typed() {
        let line = Line::command();
        for command in line.get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = help.strip_prefix("Example: req hooks ").unwrap_or_default();
            assert!(example.starts_with(command.get_name()), "{}: {help}", command.get_name());
            let words = ["req hooks"].into_iter().chain(example.split(' '));
            let parsed = Line::try_parse_from(words).map(|line| line.command);
            assert!(parsed.is_ok(), "{help}");
        }
    }

    /// What it answers a user with this home.
    fn typed(home: &Path, words: &[&str]) -> anyhow::Result<()> {
        let words = ["req hooks"].iter().chain(words);
        let line = Line::try_parse_from(words).expect("a command line");
        let environment = Environment { home: Some(home.to_owned()), ..Environment::default() };
        run(&line.command, &Host { environment, ..Host::real() })
    }

    #[test]
    fn what_is_chosen_and_not_in_the_folder_is_named_before_anything_changes() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("archive");
        std::fs::create_dir(&folder).unwrap();
        let from = folder.display().to_string();
        for words in [
            vec!["install", "--hooks", "rate-awareness", "--yes", "--from", &from],
            vec!["install", "--all", "--dry-run", "--from", &from],
            vec!["enable", "rate-awareness", "--yes", "--from", &from],
            // The folder of this test's own program.
            vec!["enable", "rate-awareness"],
        ] {
            let error = typed(scratch.path(), &words).unwrap_err().to_string();
            assert!(error.contains("rate-awareness") && error.contains("--from DIR"), "{words:?}: {error}");
            let left = std::fs::read_dir(scratch.path()).unwrap().count();
            assert_eq!(left, 1, "{words:?}");
        }
    }

    #[test]
    fn lines_to_type_are_those_of_req() {
        let scratch = tempfile::tempdir().unwrap();
        for words in [&["undo"][..], &["uninstall", "--purge"], &["disable", "rate-awareness"]] {
            // Wherever this runs, it is not a person at a terminal of their own who answers for it.
            let environment = Environment {
                home: Some(scratch.path().to_owned()),
                inside_claude: true,
                ..Environment::default()
            };
            let line = Line::try_parse_from(["req hooks"].iter().chain(words)).expect("a command line");
            let error = run(&line.command, &Host { environment, ..Host::real() }).unwrap_err().to_string();
            assert!(error.ends_with(&format!("type: req hooks {}", words.join(" "))), "{error}");
        }
    }
}
