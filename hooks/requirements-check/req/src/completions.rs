//! `req completions`: what a shell needs to complete `req`, from the definition of the command line and from what can stand
//! behind its words: the hooks, the pages of the manual, the commands that have a schema.

use std::path::{Path, absolute};

use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::{Shell, generate, generate_to};

use super::schema;
use crate::command::arguments::Completions;
use crate::command::{Reply, clap_command};
use crate::machine::docs;

/// Prints the script, or writes it where the shell looks for it.
pub(super) fn completions(wanted: &Completions) -> Result<Reply, String> {
    let mut command = with_values(clap_command());
    if let Some(dir) = &wanted.dir {
        return write(&mut command, wanted.shell, dir);
    }
    let mut script = Vec::new();
    generate(wanted.shell, &mut command, "req", &mut script);
    Ok(Reply::yes(String::from_utf8_lossy(&script).trim_end()))
}

fn write(command: &mut Command, shell: Shell, dir: &Path) -> Result<Reply, String> {
    let failed = |error: std::io::Error| format!("req: {}: {error}", dir.display());
    std::fs::create_dir_all(dir).map_err(failed)?;
    let file = generate_to(shell, command, "req", dir).map_err(failed)?;
    let file = absolute(&file).unwrap_or(file);
    Ok(Reply::yes(format!("wrote {}\n{}", file.display(), how_it_is_read(shell))))
}

const fn how_it_is_read(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => "a new bash reads it, if its bash-completion looks into that folder",
        Shell::Zsh => "a new zsh reads it, if that folder is in its fpath",
        Shell::Fish => "a new fish reads it, if it is one of its completions folders",
        _ => "your shell's profile has to read that file",
    }
}

/// The definition as a shell should see it. That a word is one of these is checked by the command itself, which knows the
/// nearest one.
fn with_values(command: Command) -> Command {
    let command = command.mut_args(|arg| match values_of(arg.get_id().as_str()) {
        Some(values) => arg.value_parser(PossibleValuesParser::new(values)),
        None => arg,
    });
    command.mut_subcommands(with_values)
}

/// What can stand for an argument of this name.
fn values_of(argument: &str) -> Option<Vec<&'static str>> {
    match argument {
        "hook" | "hooks" => Some(docs::hooks().collect()),
        "topic" => Some(docs::topics().collect()),
        // Of `req schema`: what is asked for with other commands is called otherwise.
        "command" => Some(schema::names()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::{values_of, with_values};
    use crate::command::clap_command;

    /// The arguments of this name, with the words of their verb.
    fn named(command: &Command, name: &str) -> Vec<(String, Arg)> {
        let own = command.get_arguments().filter(|arg| arg.get_id() == name);
        let own = own.map(|arg| (command.get_name().to_owned(), arg.clone()));
        own.chain(command.get_subcommands().flat_map(|verb| named(verb, name))).collect()
    }

    #[test]
    fn each_argument_with_a_fixed_list_offers_it() {
        let command = with_values(clap_command());
        for (name, verbs) in [
            ("hook", vec!["log", "enable", "disable", "enable", "disable"]),
            ("hooks", vec!["install"]),
            ("topic", vec!["docs"]),
            ("command", vec!["schema"]),
        ] {
            let mut found: Vec<String> = named(&command, name).into_iter().map(|(verb, _)| verb).collect();
            let mut verbs: Vec<String> = verbs.into_iter().map(str::to_owned).collect();
            found.sort();
            verbs.sort();
            assert_eq!(found, verbs, "{name}");
            for (verb, arg) in named(&command, name) {
                let offered: Vec<String> =
                    arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
                assert_eq!(offered, values_of(name).unwrap(), "{verb} {name}");
                assert!(offered.len() >= 4, "{verb} {name}: {offered:?}");
            }
        }
    }
}
