//! The look of `req --help`, the lists of verbs in the manual, the manual pages, and what a shell needs to complete `req`: one
//! order, one set of examples. What each verb does and takes is said where it is defined.

use std::path::Path;

use anyhow::Context as _;
use clap::Command;
use clap_complete::{Shell, generate};

use crate::reply::{Answer, Reply};

const GROUPS: [(&str, &[&str]); 6] = [
    ("What is required", &["status", "satisfy", "approve", "waive", "clear", "check"]),
    ("What happened", &["why", "log"]),
    ("What is set", &["init", "enable", "disable", "config"]),
    ("What is kept", &["list", "prune", "sessions"]),
    ("The hooks themselves", &["pause", "resume", "hooks", "doctor", "ci"]),
    ("This program", &["docs", "schema", "completions", "man"]),
];

pub(crate) fn in_groups(command: Command) -> Command {
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}{{after-help}}",
        listed(&command)
    );
    command.help_template(template)
}

fn listed(command: &Command) -> String {
    let width = command.get_subcommands().map(|verb| verb.get_name().len()).max().unwrap_or_default();
    let line = |verb: &Command| format!("  {:width$}  {}\n", verb.get_name(), about(verb));
    let group = |(heading, verbs): (&str, Vec<&Command>)| {
        format!("{heading}:\n{}\n", verbs.into_iter().map(line).collect::<String>())
    };
    groups(command).map(group).collect()
}

pub(crate) fn groups(command: &Command) -> impl Iterator<Item = (&'static str, Vec<&Command>)> {
    GROUPS.into_iter().map(|(heading, verbs)| {
        (heading, verbs.iter().filter_map(|verb| command.find_subcommand(verb)).collect())
    })
}

pub(crate) fn about(verb: &Command) -> String {
    verb.get_about().map(ToString::to_string).unwrap_or_default()
}

/// The lines its help shows as examples.
pub(crate) fn examples(verb: &Command) -> Vec<String> {
    let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines = help.split_once(": ").filter(|(head, _)| head.starts_with("Example"));
    let lines = lines.map(|(_, lines)| lines).unwrap_or_default();
    lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
}

pub(crate) fn completions(mut command: Command, shell: Shell) -> Reply {
    let mut script = Vec::new();
    generate(shell, &mut command, "req", &mut script);
    Reply::yes(String::from_utf8_lossy(&script).trim_end())
}

/// Prints the page of `req`, or writes a page for each command into a folder.
pub(crate) fn man(command: Command, dir: Option<&Path>) -> Answer {
    let command = command.disable_help_subcommand(true);
    let Some(dir) = dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return Ok(Reply::yes(String::from_utf8_lossy(&page).trim_end()));
    };
    let written = std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir));
    written.with_context(|| dir.display().to_string())?;
    Ok(Reply::yes(format!("wrote the pages into {}; man -M reads them", dir.display())))
}

#[cfg(test)]
mod tests {
    use super::{Command, GROUPS, about, examples};
    use crate::verb::{clap_command, parse_words};

    #[test]
    fn each_verb_is_in_one_group_and_says_in_one_line_what_it_does() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| *verbs).copied().collect();
        let definition = clap_command();
        let mut verbs: Vec<&str> = definition.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        verbs.sort_unstable();
        assert_eq!(grouped, verbs);
        for about in definition.get_subcommands().map(about) {
            assert!(!about.contains('\n') && (1..=110).contains(&about.len()), "{about}");
        }
    }

    #[test]
    fn each_example_of_a_verb_is_a_command_of_that_verb() {
        let definition = clap_command();
        let mut open: Vec<(String, &Command)> = vec![("req".to_owned(), &definition)];
        while let Some((start, command)) = open.pop() {
            let below = command.get_subcommands();
            open.extend(below.map(|verb| (format!("{start} {}", verb.get_name()), verb)));
            let examples = examples(command);
            assert!(start == "req" || !examples.is_empty(), "{start} has no example");
            for example in examples {
                assert!(example.starts_with(&start), "{example}");
                let commands = command_line::parse(&example).commands.unwrap();
                let parsed = parse_words(&commands[0].words[1..]);
                assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
            }
        }
    }
}
