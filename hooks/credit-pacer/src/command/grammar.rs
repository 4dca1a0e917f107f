//! The words: what is typed after `pace-maker` or `credit-pacer`, in a shell or as a prompt.

use shared::cli::is_typed;
use shared::config::nearest;
use shared::operator::typed::words_after;
use shared::switches::Position;

use super::help::{is_for_a_shell, wrong};
use crate::CreditPacer;

/// The original tool's name. Under it, `on` and `off` are about all that it did.
pub(super) const MASTER: &str = "pace-maker";

/// The hook's own name.
pub(super) const OWN: &str = "credit-pacer";

/// What is asked for, beside what every hook answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// What would be done now.
    Status {
        /// For programs.
        json: bool,
    },
    /// The JSON Schema of the status.
    StatusSchema,
    /// A switch, to that position.
    Turn(Switch, Position),
}

/// What can be switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
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

/// A prompt that is one of our commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Prompted {
    /// Asked for here.
    Asked(Asked),
    /// What every hook answers, in these words.
    Common(String),
    /// Plainly meant as a command, and none that can be typed as a prompt: what is said of it.
    No(String),
}

/// Reads the words after the name; upper and lower case are the same. `None`: none of these.
pub(super) fn parse(name: &str, words: &[&str]) -> Option<Asked> {
    let words: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let all = if name == MASTER { Switch::Everything } else { Switch::Pacing };
    let (switch, position) = match words.as_slice() {
        ["status"] => return Some(Asked::Status { json: false }),
        ["status", "--json"] => return Some(Asked::Status { json: true }),
        ["schema", "status"] => return Some(Asked::StatusSchema),
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

/// What a prompt asks of us; `None`: it is for Claude.
///
/// A command is a single line whose first word is one of our names, in any case, and whose rest is a known verb with nothing
/// left over; `pace-maker` alone asks for the status. After `pace-maker` something that is none is answered where it can
/// hardly be meant for Claude: one word, or two of which the first is nearly a verb. Whatever is longer is prose, and
/// Claude's.
pub(super) fn prompted(prompt: &str) -> Option<Prompted> {
    let (name, words) = name_of(prompt)?;
    if let Some(asked) = parse(name, &words) {
        return Some(Prompted::Asked(asked));
    }
    if is_common(&words) {
        // The case of an id counts.
        let verb = words.first().map(|verb| verb.to_ascii_lowercase()).unwrap_or_default();
        let rest = words.get(1..).unwrap_or_default();
        return Some(Prompted::Common([&[verb.as_str()], rest].concat().join(" ")));
    }
    if let [verb, rest @ ..] = words.as_slice()
        && is_for_a_shell(&verb.to_ascii_lowercase())
        && rest.first().is_none_or(|option| option.starts_with("--"))
    {
        let line = [&[verb.to_ascii_lowercase().as_str()], rest].concat().join(" ");
        return Some(Prompted::No(format!("in a terminal: {OWN} {line}")));
    }
    if name == OWN {
        return None;
    }
    let is_nearly_a_verb = |word: &str| nearest(&word.to_ascii_lowercase(), &FIRST_WORDS).is_some();
    match words.as_slice() {
        [] => Some(Prompted::Asked(Asked::Status { json: false })),
        [_] => Some(Prompted::No(wrong(name, &words))),
        [verb, _] if is_nearly_a_verb(verb) => Some(Prompted::No(wrong(name, &words))),
        _ => None,
    }
}

/// The name that a prompt begins with, and the words after it; `None`: it is no line of ours.
pub(super) fn name_of(prompt: &str) -> Option<(&'static str, Vec<&str>)> {
    let first = prompt.split_whitespace().next()?;
    let name = [MASTER, OWN].into_iter().find(|name| first.eq_ignore_ascii_case(name))?;
    Some((name, words_after(first, prompt)?))
}

/// The words after the name are what every hook answers.
pub(super) fn is_common(words: &[&str]) -> bool {
    is_typed::<CreditPacer>(&format!("{OWN} {}", words.join(" ")))
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
    use shared::switches::Position::{Auto, Off, On};

    use super::{Asked, Prompted, Switch, prompted};

    #[test]
    fn the_words_and_what_they_mean() {
        use Switch::{Everything, FiveHour, IntentValidation, Pacing, Reminder, Tempo, TempoHere, Weekly};
        for (prompt, switch, position) in [
            ("pace-maker off", Everything, Off),
            ("pace-maker ON ", Everything, On),
            ("  pace-maker   Off\n", Everything, Off),
            ("pace-maker auto", Everything, Auto),
            ("Pace-Maker off", Everything, Off),
            ("credit-pacer off", Pacing, Off),
            ("credit-pacer auto", Pacing, Auto),
            ("pace-maker weekly off", Weekly, Off),
            ("credit-pacer weekly off", Weekly, Off),
            ("pace-maker weekly-limit on", Weekly, On),
            ("pace-maker 5-hour off", FiveHour, Off),
            ("pace-maker 5-HOUR-limit auto", FiveHour, Auto),
            ("pace-maker reminder off", Reminder, Off),
            ("pace-maker tempo on", Tempo, On),
            ("pace-maker tempo auto", Tempo, Auto),
            ("pace-maker tempo session off", TempoHere, Off),
            ("pace-maker intent-validation on", IntentValidation, On),
        ] {
            let asked = Asked::Turn(switch, position);
            assert_eq!(prompted(prompt), Some(Prompted::Asked(asked)), "{prompt}");
        }
        for (prompt, asked) in [
            ("pace-maker status", Asked::Status { json: false }),
            ("Pace-Maker Status", Asked::Status { json: false }),
            ("pace-maker", Asked::Status { json: false }),
            ("credit-pacer Status --json", Asked::Status { json: true }),
            ("pace-maker schema status", Asked::StatusSchema),
        ] {
            assert_eq!(prompted(prompt), Some(Prompted::Asked(asked)), "{prompt}");
        }
        for (prompt, words) in [
            ("pace-maker HELP", "help"),
            ("pace-maker version", "version"),
            ("credit-pacer schema", "schema"),
            ("credit-pacer OFF --session AbC", "off --session AbC"),
        ] {
            assert_eq!(prompted(prompt), Some(Prompted::Common(words.to_owned())), "{prompt}");
        }
    }

    #[test]
    fn what_is_plainly_meant_as_a_command_is_told_what_is_wrong() {
        for prompt in [
            "pace-maker statsu",
            "pace-maker frobnicate",
            "pace-maker weekly",
            "pace-maker weekly of",
            "pace-maker tempo session",
            "pace-maker status now",
            "pace-maker loglevel",
        ] {
            let Some(Prompted::No(told)) = prompted(prompt) else { panic!("{prompt} is answered") };
            assert!(told.ends_with("\npace-maker help lists all"), "{told}");
        }
        let told = |text: &str| Some(Prompted::No(text.to_owned()));
        for (prompt, expected) in [
            (
                "Pace-maker stauts",
                "pace-maker: unknown verb stauts; did you mean status?\npace-maker help lists all",
            ),
            ("pace-maker history", "in a terminal: credit-pacer history"),
            ("credit-pacer History --days 3", "in a terminal: credit-pacer history --days 3"),
        ] {
            assert_eq!(prompted(prompt), told(expected), "{prompt}");
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
            assert_eq!(prompted(prompt), None, "{prompt}");
        }
    }

    #[test]
    fn a_line_that_is_told_means_what_it_says() {
        let lines = Switch::SINGLE.into_iter().chain([Switch::Everything, Switch::TempoHere]);
        for switch in lines {
            for position in [On, Off, Auto] {
                let line = switch.line(position);
                assert_eq!(prompted(&line), Some(Prompted::Asked(Asked::Turn(switch, position))), "{line}");
            }
        }
    }
}
