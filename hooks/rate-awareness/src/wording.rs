//! The messages. None is built for a call that is within its limits.

use std::time::Duration;

use shared::config::Origin;

use crate::observe::UNGATED;
use crate::settings::Mode;
use crate::state::{Bucket, Loops, Rate};

const ADVICE: &str = include_str!("../../../config/messages/rate-awareness-advice.md");

/// More of a tool's name is not shown.
const MAX_TOOL_CHARS: usize = 100;

/// The first step that lets a call run again after a loop.
const ANOTHER_CALL: &str = "make another call first, or ";

/// A call past a limit.
#[derive(Debug)]
pub(crate) struct Past {
    /// It is reported now: at 1, 2, 4, 8 ...
    pub(crate) is_due: bool,
    /// The key path of the limit.
    pub(crate) rule: String,
    /// The key path that changes the limit for this case alone.
    change: String,
    /// The sentence about it.
    line: String,
    /// The first step that lets a call run again.
    instead: &'static str,
}

impl Past {
    /// The bucket has no token, for the `number`th time in this empty window. `entry` of `per_skill` sets the limits.
    pub(crate) fn empty(
        number: u32,
        bucket: &Bucket,
        (skill, entry, rate): (&str, Option<&str>, Rate),
        in_subagent: bool,
    ) -> Self {
        let rule = entry.map_or_else(|| "global_default".to_owned(), |entry| format!("per_skill.{entry}"));
        let is_general = entry.is_none() && skill != UNGATED;
        let change = if is_general { format!("per_skill.{skill}") } else { rule.clone() };
        let whose = if in_subagent { " of this subagent" } else { "" };
        let count = bucket.calls_in_last_minute();
        let calls = if count == 1 { "call" } else { "calls" };
        let (back, instead) = match bucket.token_back_after(rate) {
            None => ("No token comes back, because refill_per_sec is 0.".to_owned(), ""),
            Some(after) => {
                (format!("The next token is back in {}.", span(after)), "wait until the token is back, or ")
            }
        };
        let line = format!(
            "{rule}: the bucket `{skill}`{whose} is empty: {count} {calls} in the last minute; allowed are {} at once and {} a \
             minute in the long run. {back}",
            short(rate.capacity),
            short(60.0 * rate.refill_per_sec),
        );
        Self { is_due: number.is_power_of_two(), rule, change, line, instead }
    }

    /// The same call `count` times in a row, `number` of them past the limit.
    pub(crate) fn repeat(number: u32, count: u32, tool: &str, in_subagent: bool) -> Self {
        let did = format!(
            "called {} {count} times in a row with the same input. Any other call ends the row.",
            shown(tool)
        );
        Self::looping("repeat", number.is_power_of_two(), &did, in_subagent)
    }

    /// Two calls in turn, `number` rounds of them past the limit. A round is reported at its end.
    pub(crate) fn ping_pong(number: u32, loops: &Loops, tool: &str, in_subagent: bool) -> Self {
        let did = format!(
            "went back and forth between {} and one other call for {} rounds, with the same inputs each time. Any other call ends \
             it.",
            shown(tool),
            loops.rounds()
        );
        Self::looping("ping_pong", loops.ends_round() && number.is_power_of_two(), &did, in_subagent)
    }

    fn looping(rule: &str, is_due: bool, did: &str, in_subagent: bool) -> Self {
        let agent = if in_subagent { "this subagent" } else { "the main session" };
        let line = format!("{rule}: {agent} {did}");
        Self { is_due, rule: rule.to_owned(), change: rule.to_owned(), line, instead: ANOTHER_CALL }
    }
}

/// For the user: the limits, and how to change them.
pub(crate) fn notice(past: &[&Past], mode: Mode) -> String {
    let mut keys: Vec<&str> = past.iter().map(|past| past.change.as_str()).collect();
    let mut what = "Nothing was held up";
    if mode == Mode::Deny {
        what = "Such calls are denied";
        keys.push("mode");
    }
    let keys: Vec<String> = keys.iter().map(|key| format!("rate-awareness.{key}")).collect();
    format!(
        "{}\n{what}. To change the limit set {} in requirements.yaml; `rate-awareness off`, typed in a terminal of your own, ends these \
         messages.",
        lines(past.iter().copied()),
        keys.join(", ")
    )
}

/// For Claude: the limits, and what to consider.
pub(crate) fn advice(past: &[&Past]) -> String {
    format!("{}\n{}", lines(past.iter().copied()), ADVICE.trim())
}

/// For Claude: why the call did not run, where that is set, and what lets the next one run.
pub(crate) fn refusal(past: &[Past], mode: Option<&Origin>) -> String {
    let set_in = mode.map(|origin| format!(" (rate-awareness.mode: {origin})")).unwrap_or_default();
    let instead = past.first().map_or("", |first| first.instead);
    format!(
        "{}\nThis call was not run, because mode is deny{set_in}. Where calls like it bring nothing new, stop and say what is in the \
         way; otherwise {instead}tell the user that the limit stands in the way.",
        lines(past)
    )
}

fn lines<'a>(past: impl IntoIterator<Item = &'a Past>) -> String {
    let lines = past.into_iter().map(|past| format!("rate-awareness.{}", past.line));
    lines.collect::<Vec<_>>().join("\n")
}

fn shown(tool: &str) -> String {
    tool.chars().filter(|char| !char.is_control()).take(MAX_TOOL_CHARS).collect()
}

/// `60`, `2.5`, `0.06`.
fn short(number: f64) -> String {
    ((number * 100.0).round() / 100.0).to_string()
}

/// `45 s`, `12 min`, `3 h`; rounded up, so that it is never too early.
fn span(span: Duration) -> String {
    match span.as_secs_f64() {
        secs if secs <= 120.0 => format!("{} s", secs.ceil()),
        secs if secs <= 7200.0 => format!("{} min", (secs / 60.0).ceil()),
        secs => format!("{} h", (secs / 3600.0).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::span;

    #[test]
    fn spans_are_rounded_up() {
        for (millis, expected) in [(401, "1 s"), (120_001, "3 min"), (7_200_001, "3 h")] {
            assert_eq!(span(Duration::from_millis(millis)), expected);
        }
    }
}
