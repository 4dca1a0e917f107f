//! The words: what is typed after `pace-maker` or `credit-pacer`, in a shell or as a prompt.

use shared::cli::Line;
use shared::config::nearest;
use shared::switches::Position;

use super::help::{is_for_a_shell, wrong};

/// The original tool's name. Under it, `on` and `off` are about all that it did.
pub(super) const MASTER: &str = "pace-maker";

/// The hook's own name.
pub(super) const OWN: &str = "credit-pacer";

/// What is asked for, beside what every hook answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// What would be done now.
    Status {
        /// The name that was typed.
        name: &'static str,
        /// For programs.
        json: bool,
    },
    /// The JSON Schema of the status.
    StatusSchema,
    /// The chart of the last days, as a prompt.
    History(Option<u32>),
    /// All verbs, after the name that was typed.
    Help(&'static str),
    /// A switch, to that position.
    Turn(Switch, Position),
}

/// What can be switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// All that the original tool did.
    Everything,
    /// Delays.
    Pacing,
    /// Delays by the window of seven days.
    Weekly,
    /// Delays by the window of five hours.
    FiveHour,
    /// The line that reminds Claude of subagents.
    Reminder,
    /// When stops are checked: always, never, or while the user is away.
    Tempo,
    /// The same, in this session alone.
    TempoHere,
    /// The hook that checks stops, whenever it does: what the original tool's name switches.
    TempoStop,
    /// The check of declared intents.
    IntentValidation,
}

impl Switch {
    /// Each by itself.
    pub(super) const SINGLE: [Self; 6] =
        [Self::Pacing, Self::Weekly, Self::FiveHour, Self::Reminder, Self::Tempo, Self::IntentValidation];

    /// As people read it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::Pacing => "pacing",
            Self::Weekly => "weekly limit",
            Self::FiveHour => "5-hour limit",
            Self::Reminder => "reminder",
            Self::Tempo | Self::TempoHere | Self::TempoStop => "tempo",
            Self::IntentValidation => "intent validation",
        }
    }

    /// The section it is in, and the key there that it turns, if it is not the section's own `enabled`.
    pub(super) const fn section(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Everything | Self::Pacing => (OWN, None),
            Self::Weekly => (OWN, Some("seven_day")),
            Self::FiveHour => (OWN, Some("five_hour")),
            Self::Reminder => ("delegation-guard", Some("reminder")),
            Self::Tempo | Self::TempoHere => ("tempo-stop", Some("mode")),
            Self::TempoStop => ("tempo-stop", None),
            Self::IntentValidation => ("intent-validator", None),
        }
    }

    /// The line that turns it there.
    pub(super) fn line(self, position: Position) -> String {
        let (name, verb) = match self {
            Self::Everything => (MASTER, ""),
            Self::Pacing => (OWN, ""),
            Self::Weekly => (MASTER, "weekly "),
            Self::FiveHour => (MASTER, "5-hour "),
            Self::Reminder => (MASTER, "reminder "),
            Self::Tempo => (MASTER, "tempo "),
            Self::TempoHere => (MASTER, "tempo session "),
            Self::TempoStop => ("tempo-stop", ""),
            Self::IntentValidation => (MASTER, "intent-validation "),
        };
        format!("{name} {verb}{}", position.word())
    }
}

/// Reads the words after the name; upper and lower case are the same. `None`: none of these. `pace-maker` alone asks for the
/// status, in a shell either name does.
pub(super) fn asked(line: &Line<'_>) -> Option<Asked> {
    let Line { name, words, is_prompt } = *line;
    let words: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => (name == MASTER || !is_prompt).then_some(Asked::Status { name, json: false }),
        ["status"] => Some(Asked::Status { name, json: false }),
        ["status", "--json"] => Some(Asked::Status { name, json: true }),
        ["schema", "status"] => Some(Asked::StatusSchema),
        ["history"] if is_prompt => Some(Asked::History(None)),
        ["history", "--days", days] if is_prompt => Some(Asked::History(Some(days.parse().ok()?))),
        ["help" | "--help" | "-h"] => Some(Asked::Help(name)),
        words => turn(name, words),
    }
}

fn turn(name: &str, words: &[&str]) -> Option<Asked> {
    let all = if name == MASTER { Switch::Everything } else { Switch::Pacing };
    let (switch, position) = match words {
        [position] => (all, position),
        ["weekly" | "weekly-limit", position] => (Switch::Weekly, position),
        ["5-hour" | "5-hour-limit", position] => (Switch::FiveHour, position),
        ["reminder", position] => (Switch::Reminder, position),
        ["tempo", position] => (Switch::Tempo, position),
        ["tempo", "session", position] => (Switch::TempoHere, position),
        ["intent-validation", position] => (Switch::IntentValidation, position),
        _ => return None,
    };
    Some(Asked::Turn(switch, Position::of_word(position)?))
}

/// What is said to a prompt that begins with one of our names and asks for nothing that is answered there; `None`: it is for
/// Claude.
///
/// Verbs of a shell are told where they belong. After `pace-maker` something that is no command is answered where it can hardly
/// be meant for Claude: one word, or two of which the first is nearly a verb. Whatever is longer is prose, and Claude's.
pub(super) fn misused(line: &Line<'_>) -> Option<String> {
    let Line { name, words, .. } = *line;
    if let [verb, rest @ ..] = words
        && is_for_a_shell(verb)
        && rest.first().is_none_or(|option| option.starts_with("--"))
    {
        return Some(format!("in a terminal: {OWN} {}", words.join(" ")));
    }
    let is_nearly_a_verb = |word: &str| nearest(word, &FIRST_WORDS).is_some();
    let is_meant = match words {
        [_] => true,
        [verb, _] => is_nearly_a_verb(verb),
        _ => false,
    };
    (name == MASTER && is_meant).then(|| wrong(name, words))
}

/// Words our commands begin with. `on` and `off` are missing, because sentences begin like that as well.
const FIRST_WORDS: [&str; 11] = [
    "status",
    "auto",
    "help",
    "version",
    "weekly",
    "weekly-limit",
    "5-hour",
    "5-hour-limit",
    "reminder",
    "tempo",
    "intent-validation",
];

#[cfg(test)]
mod tests {
    use shared::cli::{Commands, Line, is_command};
    use shared::hook::Hook;
    use shared::switches::Position::{Auto, Off, On};

    use super::{Asked, MASTER, OWN, Switch};
    use crate::CreditPacer;

    /// What a prompt of these words asks for.
    fn asked(name: &'static str, words: &str) -> Option<Asked> {
        let words: Vec<&str> = words.split_whitespace().collect();
        CreditPacer::asked(&Line { name, words: &words, is_prompt: true })
    }

    fn misused(name: &'static str, words: &str) -> Option<String> {
        let words: Vec<&str> = words.split_whitespace().collect();
        CreditPacer::misused(&Line { name, words: &words, is_prompt: true })
    }

    #[test]
    fn the_words_and_what_they_mean() {
        use Switch::{Everything, FiveHour, IntentValidation, Pacing, Reminder, Tempo, TempoHere, Weekly};
        for (name, words, switch, position) in [
            (MASTER, "off", Everything, Off),
            (MASTER, "ON", Everything, On),
            (MASTER, "auto", Everything, Auto),
            (OWN, "off", Pacing, Off),
            (OWN, "auto", Pacing, Auto),
            (MASTER, "weekly off", Weekly, Off),
            (OWN, "weekly off", Weekly, Off),
            (MASTER, "weekly-limit on", Weekly, On),
            (MASTER, "5-hour off", FiveHour, Off),
            (MASTER, "5-HOUR-limit auto", FiveHour, Auto),
            (MASTER, "reminder off", Reminder, Off),
            (MASTER, "tempo on", Tempo, On),
            (MASTER, "tempo auto", Tempo, Auto),
            (MASTER, "tempo Session off", TempoHere, Off),
            (MASTER, "intent-validation on", IntentValidation, On),
        ] {
            assert_eq!(asked(name, words), Some(Asked::Turn(switch, position)), "{name} {words}");
        }
        for (name, words, expected) in [
            (MASTER, "Status", Asked::Status { name: MASTER, json: false }),
            (MASTER, "", Asked::Status { name: MASTER, json: false }),
            (OWN, "Status --json", Asked::Status { name: OWN, json: true }),
            (MASTER, "schema status", Asked::StatusSchema),
            (MASTER, "HELP", Asked::Help(MASTER)),
            (OWN, "history", Asked::History(None)),
            (MASTER, "history --days 3", Asked::History(Some(3))),
        ] {
            assert_eq!(asked(name, words), Some(expected), "{name} {words}");
        }
        for words in ["version", "schema", "off --session AbC"] {
            assert_eq!(
                (asked(OWN, words), is_command::<CreditPacer>(&format!("{OWN} {words}"))),
                (None, true)
            );
        }
    }

    #[test]
    fn either_name_in_any_case_begins_a_command() {
        for prompt in
            ["  pace-maker   Off\n", "Pace-Maker off", "CREDIT-PACER off", "credit-pacer OFF --session AbC"]
        {
            assert!(CreditPacer::is_command(prompt), "{prompt}");
        }
    }

    #[test]
    fn what_is_plainly_meant_as_a_command_is_told_what_is_wrong() {
        for words in
            ["statsu", "frobnicate", "weekly", "weekly of", "tempo session", "status now", "loglevel"]
        {
            let told = misused(MASTER, words).unwrap();
            assert!(told.ends_with("\npace-maker help lists all"), "{told}");
            assert_eq!(asked(MASTER, words), None, "{words}");
        }
        for (name, words, expected) in [
            (
                MASTER,
                "stauts",
                "pace-maker: unknown verb stauts; did you mean status?\npace-maker help lists all",
            ),
            (OWN, "report", "in a terminal: credit-pacer report"),
        ] {
            assert_eq!(misused(name, words).as_deref(), Some(expected), "{name} {words}");
        }
    }

    #[test]
    fn everything_else_is_claudes() {
        for prompt in [
            "pause the video when the tab is hidden",
            "pace-maker sounds nice",
            "pace-maker sounds nice, what does it do?",
            "pace-maker on Fridays",
            "pace-maker on and off?",
            "pace-maker status of the build please",
            "pace-maker off\nand then go on",
            "pace-maker? never heard of it",
            "pace-maker: off",
            "Pace-maker on Fridays",
            "pace-maker report the bug to them",
            "credit-pacer history is short",
            "turn pace-maker off",
            "credit-pacer",
            "credit-pacer statsu",
            "credit-pacer weekly",
            "credit-pacer is what I mean",
            "",
            "req status",
        ] {
            assert!(!CreditPacer::is_command(prompt), "{prompt}");
        }
    }

    #[test]
    fn a_line_that_is_told_means_what_it_says() {
        let lines = Switch::SINGLE.into_iter().chain([Switch::Everything, Switch::TempoHere]);
        for switch in lines {
            for position in [On, Off, Auto] {
                let line = switch.line(position);
                let (first, words) = line.split_once(' ').unwrap();
                let name = CreditPacer::name_of(first).unwrap();
                assert_eq!(asked(name, words), Some(Asked::Turn(switch, position)), "{line}");
            }
        }
    }
}
