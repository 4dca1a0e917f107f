//! The messages. None is built for a call that is within its limits.

use std::time::Duration;

use shared::config::Origin;

use crate::bucket::{Bucket, Rate};
use crate::settings::Mode;
use crate::skill::UNGATED;

const ADVICE: &str = include_str!("../../../config/messages/rate-awareness-advice.md");

/// More of a tool's name is not shown.
const MAX_TOOL_CHARS: usize = 100;

/// A call past a limit.
#[derive(Debug)]
pub(crate) struct Past<'a> {
    /// The number of the call, or of the round, among those past it; 1 is the first.
    pub(crate) number: u32,
    /// False in the middle of a round, which is reported at its end.
    pub(crate) is_complete: bool,
    /// Past which.
    pub(crate) sign: Sign<'a>,
}

/// Which limit a call is past.
#[derive(Debug)]
pub(crate) enum Sign<'a> {
    /// The bucket has no token.
    Empty(&'a Account<'a>),
    /// The same call so many times in a row.
    Repeat(u32),
    /// So many rounds of two calls in turn.
    PingPong(u32),
}

/// A bucket and whose it is.
#[derive(Debug)]
pub(crate) struct Account<'a> {
    /// The skill.
    pub(crate) skill: &'a str,
    /// The entry of `per_skill` that sets its limits.
    pub(crate) entry: Option<&'a str>,
    /// The limits.
    pub(crate) rate: Rate,
    /// The bucket after the call.
    pub(crate) bucket: Bucket,
}

/// The call that a message is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) tool: &'a str,
    pub(crate) in_subagent: bool,
}

impl Past<'_> {
    /// It is reported now: at 1, 2, 4, 8 ...
    pub(crate) const fn is_due(&self) -> bool {
        self.is_complete && self.number.is_power_of_two()
    }
}

impl Sign<'_> {
    /// The key path of the limit.
    pub(crate) fn rule(&self) -> String {
        match self {
            Self::Empty(Account { entry: Some(entry), .. }) => format!("per_skill.{entry}"),
            Self::Empty(_) => "global_default".to_owned(),
            Self::Repeat(_) => "repeat".to_owned(),
            Self::PingPong(_) => "ping_pong".to_owned(),
        }
    }

    /// The key path with which the limit is changed for this case alone.
    fn change(&self) -> String {
        match self {
            Self::Empty(Account { entry: None, skill, .. }) if *skill != UNGATED => {
                format!("per_skill.{skill}")
            }
            _ => self.rule(),
        }
    }

    /// What lets a call run again, as the lines before it say; nothing where no token comes back.
    fn instead(&self) -> &'static str {
        match self {
            Self::Empty(empty) if empty.bucket.token_back_after(empty.rate).is_none() => "",
            Self::Empty(_) => "wait until the token is back, or ",
            Self::Repeat(_) | Self::PingPong(_) => "make another call first, or ",
        }
    }
}

impl Scene<'_> {
    /// For the user: what happened, and how to change it.
    pub(crate) fn notice(&self, past: &[&Past<'_>], mode: Mode) -> String {
        let mut keys: Vec<String> = past.iter().map(|past| past.sign.change()).collect();
        let what = match mode {
            Mode::Advise => "Nothing was held up",
            Mode::Deny => "Such calls are refused",
        };
        if mode == Mode::Deny {
            keys.push("mode".to_owned());
        }
        let keys: Vec<String> = keys.iter().map(|key| format!("rate-awareness.{key}")).collect();
        format!(
            "{}\n{what}. To change that set {} in requirements.yaml; `rate-awareness off`, typed in a terminal of your own, ends \
             these messages.",
            self.lines(past),
            keys.join(", ")
        )
    }

    /// For the model: what happened, and what to think about.
    pub(crate) fn advice(&self, past: &[&Past<'_>]) -> String {
        format!("{}\n{}", self.lines(past), ADVICE.trim())
    }

    /// For the model: why the call did not run, where that is set, and what lets one run that is past the `first` limit.
    pub(crate) fn refusal(&self, first: &Past<'_>, past: &[&Past<'_>], mode: Option<&Origin>) -> String {
        let set_in = mode.map(|origin| format!(" (rate-awareness.mode: {origin})")).unwrap_or_default();
        format!(
            "{}\nThis call was not run, because mode is deny{set_in}. Where calls like it bring nothing new, stop and say what is in \
             the way; otherwise {}tell the user that the limit stands in the way.",
            self.lines(past),
            first.sign.instead()
        )
    }

    fn lines(&self, past: &[&Past<'_>]) -> String {
        let lines: Vec<String> =
            past.iter().map(|past| format!("rate-awareness.{}", self.line(&past.sign))).collect();
        lines.join("\n")
    }

    fn line(&self, sign: &Sign<'_>) -> String {
        let who = if self.in_subagent { "this subagent" } else { "the main session" };
        let tool: String = self.tool.chars().filter(|char| !char.is_control()).take(MAX_TOOL_CHARS).collect();
        match sign {
            Sign::Empty(empty) => self.empty(&sign.rule(), empty),
            Sign::Repeat(count) => format!(
                "repeat: {who} called {tool} {count} times in a row with the same input. Any other call ends the row."
            ),
            Sign::PingPong(count) => format!(
                "ping_pong: {who} went back and forth between {tool} and one other call for {count} rounds, with the same inputs \
                 each time. Any other call ends it."
            ),
        }
    }

    fn empty(&self, rule: &str, empty: &Account<'_>) -> String {
        let whose = if self.in_subagent { " of this subagent" } else { "" };
        let back = empty.bucket.token_back_after(empty.rate).map_or_else(
            || "No token comes back, because refill_per_sec is 0.".to_owned(),
            |after| format!("The next token is back in {}.", span(after)),
        );
        format!(
            "{rule}: the bucket `{}`{whose} is empty: {} in the last minute; allowed are {} at once and {} a minute in the long \
             run. {back}",
            empty.skill,
            calls(empty.bucket.calls_in_last_minute()),
            number(empty.rate.capacity),
            number(60.0 * empty.rate.refill_per_sec),
        )
    }
}

/// `1 call`, `61 calls`.
fn calls(count: u32) -> String {
    if count == 1 { "1 call".to_owned() } else { format!("{count} calls") }
}

/// `60`, `2.5`, `0.06`.
fn number(number: f64) -> String {
    if number > 0.0 && number < 0.01 {
        return "less than 0.01".to_owned();
    }
    ((number * 100.0).round() / 100.0).to_string()
}

/// `0.4 s`, `45 s`, `12 min`, `3 h`, `5 days`; rounded up, so that it is never too early.
fn span(span: Duration) -> String {
    let secs = span.as_secs_f64();
    match secs {
        _ if secs <= 10.0 => format!("{} s", (secs * 10.0).ceil() / 10.0),
        _ if secs <= 120.0 => format!("{} s", secs.ceil()),
        _ if secs <= 7200.0 => format!("{} min", (secs / 60.0).ceil()),
        _ if secs <= 172_800.0 => format!("{} h", (secs / 3600.0).ceil()),
        _ => format!("{} days", (secs / 86_400.0).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{number, span};

    #[test]
    fn numbers_are_short() {
        for (given, expected) in [
            (60.0, "60"),
            (2.5, "2.5"),
            (0.06, "0.06"),
            (0.0, "0"),
            (0.001, "less than 0.01"),
            (1e6, "1000000"),
            (19.999, "20"),
        ] {
            assert_eq!(number(given), expected);
        }
    }

    #[test]
    fn spans_are_rounded_up() {
        for (millis, expected) in [
            (1, "0.1 s"),
            (400, "0.4 s"),
            (401, "0.5 s"),
            (1000, "1 s"),
            (10_000, "10 s"),
            (10_001, "11 s"),
            (120_000, "120 s"),
            (121_000, "3 min"),
            (7_200_000, "120 min"),
            (7_200_001, "3 h"),
            (172_800_001, "3 days"),
        ] {
            assert_eq!(span(Duration::from_millis(millis)), expected, "{millis}");
        }
    }
}
