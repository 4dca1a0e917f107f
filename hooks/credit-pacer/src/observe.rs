//! The facts of an event: the readings, and the settings as rules. Nothing is decided here.

mod account;

use std::collections::BTreeMap;

use pacing::{Reading, Rules, Snapshot, Window};
use sha2::{Digest, Sha256};
use shared::cli;
use shared::hook::Context;
use shared::protocol::{Event, ToolCall};
use shared::usage::Usage;

use crate::CreditPacer;
use crate::command::Reply;
use crate::poll::secs;
use crate::settings::Settings;
use crate::{books, poll, rules};

pub(crate) use account::known;

/// The facts of an event.
#[derive(Debug, Clone)]
pub enum Facts {
    /// A tool has run.
    Call {
        /// Usage and rules.
        scene: Box<Scene>,
        /// A hash of the prompt's id.
        prompt: u64,
        /// Nothing waits after this call.
        is_exempt: bool,
    },
    /// A prompt that is none of our commands.
    Prompt {
        /// The usage API is to be asked.
        poll: bool,
    },
    /// A prompt that is one of our commands, answered.
    Command(Reply),
    /// A session begins.
    Start(Box<Scene>),
    /// A session ends.
    End {
        /// A hash of its id.
        session: u64,
    },
}

/// Usage and rules for one session.
#[derive(Debug, Clone)]
pub struct Scene {
    /// A hash of the session's id.
    pub(crate) session: u64,
    /// The last reading, if there is one.
    pub(crate) usage: Option<Usage>,
    /// The same and those before it, for the arithmetic.
    pub(crate) snapshots: Vec<Snapshot>,
    /// The settings, ready for arithmetic.
    pub(crate) rules: Rules,
    /// The usage API is to be asked.
    pub(crate) poll: bool,
}

/// Tools after which nothing waits: they wait for the user, or do nothing but keep a list.
const NO_SLEEP_AFTER: [&str; 9] = [
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
];

pub(crate) fn observe(context: &Context<'_, Settings>) -> Option<Facts> {
    match &context.request.event {
        Event::PostToolUse(result) => after_call(context, &result.call, false),
        Event::PostToolUseFailure(failure) => after_call(context, &failure.call, failure.is_interrupt),
        Event::UserPromptSubmit { prompt, source } => {
            Some(match cli::prompted::<CreditPacer>(context, prompt, source.as_deref()) {
                Some(reply) => Facts::Command(reply),
                None => Facts::Prompt { poll: poll::is_due(context) },
            })
        }
        Event::SessionStart { .. } => {
            if let Some(store) = context.store {
                books::clean_up(store, context.settings, context.host.now());
            }
            Some(Facts::Start(Box::new(scene(context)?)))
        }
        Event::SessionEnd { .. } => {
            Some(Facts::End { session: digest(context.request.call.session_id.as_deref()?) })
        }
        _ => None,
    }
}

fn after_call(context: &Context<'_, Settings>, tool: &ToolCall, is_interrupted: bool) -> Option<Facts> {
    let prompt = digest(context.request.call.prompt_id.as_deref().unwrap_or_default());
    let is_exempt = is_interrupted || NO_SLEEP_AFTER.contains(&tool.tool_name.as_str());
    Some(Facts::Call { scene: Box::new(scene(context)?), prompt, is_exempt })
}

/// `None`: the event names no session.
fn scene(context: &Context<'_, Settings>) -> Option<Scene> {
    let (id, now) = (context.request.call.session_id.as_deref()?, context.host.now());
    let usage = context.store.and_then(|store| known(store, Some(id), context.settings, now));
    let scene = Scene::of(usage, context.settings, secs(now));
    Some(Scene { session: digest(id), poll: poll::is_due(context), ..scene })
}

impl Scene {
    /// The readings, and the rules. The time zone is looked up only if there may be something to decide or to report.
    pub(crate) fn of(usage: Option<Usage>, settings: &Settings, now: i64) -> Self {
        let snapshots = usage.as_ref().map(snapshots).unwrap_or_default();
        let rules = rules::without_zone(settings);
        let least =
            settings.alerts.iter().map(|percent| percent.get()).min().map_or(f64::INFINITY, f64::from);
        let alerts =
            usage.iter().flat_map(|usage| usage.windows.values()).any(|window| window.used_percent >= least);
        let is_quiet = pacing::is_clearly_within(&snapshots, &rules) && !alerts;
        let rules = if is_quiet { rules } else { rules::around(settings, now) };
        Self { session: 0, usage, snapshots, rules, poll: false }
    }

    /// No window can be over its line, whatever the calendar says.
    pub(crate) fn is_clearly_within(&self) -> bool {
        pacing::is_clearly_within(&self.snapshots, &self.rules)
    }
}

/// The readings, oldest first, as the arithmetic takes them: each window at the time of its report.
pub(crate) fn snapshots(usage: &Usage) -> Vec<Snapshot> {
    let earlier = usage.earlier.iter().map(|earlier| (earlier.at, &earlier.windows));
    let mut by_time: BTreeMap<i64, Snapshot> = BTreeMap::new();
    for (at, windows) in earlier.chain([(usage.observed_at, &usage.windows)]) {
        for window in Window::ALL {
            let Some(told) = windows.get(window.key()) else { continue };
            let at = if told.observed_at == 0 { at } else { told.observed_at };
            let snapshot = by_time.entry(at).or_insert(Snapshot { at, ..Snapshot::default() });
            let reading = Some(Reading { used_percent: told.used_percent, resets_at: told.resets_at });
            match window {
                Window::FiveHour => snapshot.five_hour = reading,
                Window::SevenDay => snapshot.seven_day = reading,
            }
        }
    }
    by_time.into_values().collect()
}

/// The beginning of a hash: enough to tell sessions apart.
pub(crate) fn digest(id: &str) -> u64 {
    let bytes = Sha256::digest(id);
    bytes.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use shared::usage::{Observed, Sight, Source, Usage, Window, merge};

    use super::snapshots;

    const FIVE: &str = "five_hour";
    const SEVEN: &str = "seven_day";

    fn context(at: i64, told: &[(&str, f64)]) -> Observed {
        let window = |used_percent| Window { used_percent, resets_at: 20_000, observed_at: 0 };
        let windows = told.iter().map(|(name, used)| ((*name).to_owned(), window(*used))).collect();
        Observed { at, source: Source::StatusLine, sight: Sight::Found, windows }
    }

    #[test]
    fn each_window_stands_at_the_time_at_which_it_was_told() {
        let sights = [
            context(100, &[(FIVE, 40.0), (SEVEN, 10.0)]),
            context(200, &[(FIVE, 40.0), (SEVEN, 10.0)]),
            context(300, &[(FIVE, 41.0)]),
            context(400, &[(FIVE, 41.0), ("seven_day_opus", 3.0)]),
        ];
        let usage = sights.iter().fold(Usage::default(), merge);
        let used = |reading: Option<pacing::Reading>| reading.map(|reading| reading.used_percent);
        let found: Vec<_> =
            snapshots(&usage).iter().map(|at| (at.at, used(at.five_hour), used(at.seven_day))).collect();
        let expected = [
            (100, Some(40.0), Some(10.0)),
            (200, None, Some(10.0)),
            (300, Some(41.0), None),
            (400, Some(41.0), None),
        ];
        assert_eq!(found, expected);
        assert!(snapshots(&Usage::default()).is_empty());
    }

    #[test]
    fn a_window_without_a_time_of_its_own_has_the_readings() {
        let windows =
            [(SEVEN.to_owned(), Window { used_percent: 1.0, resets_at: 20_000, observed_at: 0 })].into();
        let usage = Usage { observed_at: 100, windows, ..Usage::default() };
        assert_eq!(snapshots(&usage).iter().map(|at| at.at).collect::<Vec<_>>(), [100]);
    }
}
