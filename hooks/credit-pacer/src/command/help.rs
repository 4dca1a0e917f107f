//! What help says, and what is wrong with words that are no command.

use std::fmt::Write as _;

use shared::catalog::section_names;
use shared::cli::{self, Verb};
use shared::config::nearest;

use super::grammar::{MASTER, OWN, Switch};
use crate::{CreditPacer, filter};

/// What `decide` can be asked.
const EXAMPLE: &str = r#"{"now":1795608000,"settings":{"timezone":"UTC"},"snapshots":[{"at":1795607940,"seven_day":{"used_percent":90,"resets_at":1795996800}}]}"#;

/// What verbs are for.
const GROUPS: [(&str, &[&str]); 2] = [
    ("Look:", &["status", "history", "report"]),
    ("Switch:", &["on|off|auto", "weekly", "5-hour", "reminder", "tempo", "intent-validation"]),
];

/// What all others are for.
const OTHERS: &str = "For scripts:";

/// Verbs that need one of three words, as they can be written.
const SWITCHES: [&str; 7] =
    ["weekly", "weekly-limit", "5-hour", "5-hour-limit", "reminder", "tempo", "intent-validation"];

/// All verbs of this version, after the name that was typed.
pub(super) fn help(name: &str) -> String {
    let verbs: Vec<&Verb> = verbs().collect();
    let width = verbs.iter().map(|verb| verb.usage.len()).max().unwrap_or_default();
    let mut text = format!(
        "Makes your credits last by delaying Claude's tool calls; {name} status shows where you stand.\n"
    );
    for title in GROUPS.into_iter().map(|(title, _)| title).chain([OTHERS]) {
        let _ = write!(text, "\n{title}\n");
        for verb in verbs.iter().filter(|verb| group(verb) == title) {
            let line = format!("  {name} {:width$}  {}", verb.usage, verb.about);
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    let members = Switch::SINGLE.into_iter().filter(|switch| {
        let is_window = matches!(switch, Switch::Weekly | Switch::FiveHour);
        !is_window && is_section(switch.section().0)
    });
    let members: Vec<&str> = members.map(Switch::name).collect();
    let _ = write!(
        text,
        "\n{MASTER} and {OWN} have the same verbs; {MASTER} on|off is about {} together, {OWN} on|off about pacing alone.\n\
         In Claude Code the switches, status, history and help can be typed as a prompt. VERB --help says more.",
        members.join(", ")
    );
    text
}

/// The verbs of this version.
fn verbs() -> impl Iterator<Item = &'static Verb> {
    cli::verbs_of::<CreditPacer>().filter(|verb| match first(verb) {
        "tempo" => is_section(Switch::Tempo.section().0),
        "intent-validation" => is_section(Switch::IntentValidation.section().0),
        _ => true,
    })
}

fn is_section(name: &str) -> bool {
    section_names().any(|known| known == name)
}

fn first(verb: &Verb) -> &'static str {
    verb.usage.split_whitespace().next().unwrap_or_default()
}

fn group(verb: &Verb) -> &'static str {
    let is_in = |(_, firsts): &&(&str, &[&str])| firsts.contains(&first(verb));
    GROUPS.iter().find(is_in).map_or(OTHERS, |(title, _)| *title)
}

/// The verb's usage, for `VERB --help`; `None`: there is no such verb.
pub(super) fn usage(name: &str, verb: &str) -> Option<String> {
    let mut lines: Vec<String> = verbs()
        .filter(|known| first(known).split('|').any(|first| first == verb))
        .map(|known| format!("{name} {}: {}", known.usage, known.about))
        .collect();
    if lines.is_empty() {
        return None;
    }
    match verb {
        "decide" => {
            let mut answer = Vec::new();
            filter::run(EXAMPLE.as_bytes(), &mut answer);
            let answer = String::from_utf8_lossy(&answer);
            lines.push(format!("for example\n{EXAMPLE}\nis answered with\n{}", answer.trim_end()));
        }
        "statusline" => lines.push("req hooks statusline sets it in the client's settings".to_owned()),
        _ => {}
    }
    Some(lines.join("\n"))
}

/// Verbs that are answered in a shell only.
pub(super) fn is_for_a_shell(verb: &str) -> bool {
    matches!(verb, "report" | "decide" | "statusline")
}

/// What is wrong with these words after the name, in two lines.
pub(super) fn wrong(name: &str, words: &[&str]) -> String {
    format!("{name}: {}\n{name} help lists all", why(name, words))
}

fn why(name: &str, words: &[&str]) -> String {
    let word = words.first().copied().unwrap_or_default();
    let verb = word.to_ascii_lowercase();
    if SWITCHES.contains(&verb.as_str()) {
        let (verb, rest) = match words {
            [_, session, rest @ ..] if verb == "tempo" && session.eq_ignore_ascii_case("session") => {
                ("tempo session".to_owned(), rest)
            }
            _ => (verb, words.get(1..).unwrap_or_default()),
        };
        let not = if rest.is_empty() { String::new() } else { format!(", not {}", rest.join(" ")) };
        return format!("{verb} needs on, off or auto{not}");
    }
    if word.starts_with('-') {
        return format!("unknown option {word}");
    }
    let firsts: Vec<&str> = verbs().flat_map(|verb| first(verb).split('|')).chain(["help"]).collect();
    match nearest(&verb, &firsts) {
        Some(near) if near != verb => format!("unknown verb {word}; did you mean {near}?"),
        Some(_) => {
            let mut all = verbs();
            let known = all.find(|known| first(known).split('|').any(|first| first == verb));
            let usage = known.map_or("help", |known| known.usage);
            format!("{word} takes no such arguments: {name} {usage}")
        }
        None => format!("unknown verb {word}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{help, is_section, usage, wrong};

    #[test]
    fn help_lists_what_this_version_has_by_the_name_that_was_typed() {
        for name in ["pace-maker", "credit-pacer"] {
            let help = help(name);
            let first = help.lines().next().unwrap();
            assert!(first.ends_with(&format!("; {name} status shows where you stand.")), "{first}");
            for part in ["Look:\n", "Switch:\n", "For scripts:\n"] {
                assert!(help.contains(&format!("\n\n{part}  {name} ")), "{part} in {help}");
            }
            assert!(help.contains(&format!("  {name} weekly on|off|auto")), "{help}");
            for (verb, section) in [("tempo", "tempo-stop"), ("intent-validation", "intent-validator")] {
                assert_eq!(help.contains(&format!("{name} {verb}")), is_section(section), "{verb} in {help}");
            }
        }
    }

    #[test]
    fn two_lines_say_what_is_wrong() {
        for (words, why) in [
            (&["stauts"][..], "unknown verb stauts; did you mean status?"),
            (&["wekly", "off"], "unknown verb wekly; did you mean weekly?"),
            (&["weekly"], "weekly needs on, off or auto"),
            (&["5-hour", "maybe"], "5-hour needs on, off or auto, not maybe"),
            (&["tempo", "session"], "tempo session needs on, off or auto"),
            (&["status", "now"], "status takes no such arguments: pace-maker status [--json]"),
            (&["off", "now"], "off takes no such arguments: pace-maker on|off|auto [--session ID]"),
            (&["--frobnicate"], "unknown option --frobnicate"),
            (&["xyzzy"], "unknown verb xyzzy"),
        ] {
            let expected = format!("pace-maker: {why}\npace-maker help lists all");
            assert_eq!(wrong("pace-maker", words), expected);
        }
    }

    #[test]
    fn a_verb_says_more_of_itself() {
        for (verb, part) in [
            ("history", "credit-pacer history [--days N]: "),
            ("auto", "credit-pacer on|off|auto [--session ID]: "),
            ("report", "--html FILE"),
            ("statusline", "req hooks statusline"),
        ] {
            let usage = usage("credit-pacer", verb).unwrap();
            assert!(usage.contains(part), "{part} in {usage}");
        }
        assert_eq!(usage("credit-pacer", "frobnicate"), None);
        let decide = usage("credit-pacer", "decide").unwrap();
        assert!(
            decide.contains("\"used_percent\":90") && decide.contains("\"safe_percent\":47.5"),
            "{decide}"
        );
    }
}
