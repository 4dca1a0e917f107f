//! The facts of this moment, for the status, the status line and their JSON, and the lines of the status. It writes nothing.

use std::collections::BTreeSet;

use pacing::{Calendar, DAY_SECS, Pace, WindowPace, duration};
use serde_json::{Map, Value};
use shared::cli::{self, Asker, off_file};
use shared::config::Section;
use shared::digest;
use shared::host::Timestamp;
use shared::state::MACHINE;
use shared::usage::Source;

use crate::decide::{Change, Reply, allowed};
use crate::poll::Slot;
use crate::readings::{Scene, known};
use crate::settings::Settings;
use crate::state::{State, exact};
use crate::wording::SOURCES;
use crate::{CreditPacer, filter, rules};

/// The facts of this moment.
pub(crate) struct Now {
    pub(crate) time: Timestamp,
    pub(crate) scene: Scene,
    pub(crate) state: State,
    pub(crate) pace: Pace,
    /// Nothing is delayed, whatever the limits.
    pub(crate) is_off: bool,
    /// The delay of the next call, in seconds.
    pub(crate) delay_secs: f64,
}

impl Now {
    /// The answer of the controller for the session of the asker.
    pub(crate) fn of(asker: &Asker<'_>, section: &Section<Settings>) -> Self {
        let (settings, time) = (&section.settings, asker.host.now());
        let usage = known(asker.store, asker.session, settings, time.secs());
        let scene = Scene::of(usage, settings, time.secs());
        let scene = Scene { rules: rules::around(settings, time.secs()), ..scene };
        let state = asker.store.and_then(|store| store.read::<State>(MACHINE)).unwrap_or_default();
        let pace = state.pace(&scene, time);
        let is_off = !section.enabled || off_file(asker.host, asker.places).is_some();
        let session = asker.session.and_then(|session| state.sessions.get(&digest::number(session)));
        let headless = asker.host.environment.is_headless() && !section.headless;
        let delay = allowed(&pace, session, settings, headless, time).as_secs_f64();
        Self { time, pace, is_off, delay_secs: if is_off { 0.0 } else { delay }, scene, state }
    }

    fn source(&self) -> Option<&'static str> {
        self.scene.usage.as_ref().map(|usage| match usage.source {
            Source::StatusLine => "the status line",
            Source::UsageApi => "the usage API",
        })
    }

    fn next(&self) -> String {
        match self.delay_secs {
            _ if self.is_off => "next delay: none while it is off".to_owned(),
            delay if delay > 0.0 => {
                let (secs, strategy) = ((delay * 10.0).round() / 10.0, self.pace.strategy.word());
                format!("next delay: {secs} s ({strategy}); {}", self.pace.reason)
            }
            _ => "next delay: none".to_owned(),
        }
    }

    fn window(&self, window: &WindowPace) -> String {
        let (now, rules) = (self.time.secs(), &self.scene.rules);
        let place = window.place(exact(self.time), rules);
        let Some(reading) = window.reading.filter(|reading| reading.resets_at > now) else {
            return format!("  {place}");
        };
        let (left, age) = (duration(reading.resets_at - now), duration(now.saturating_sub(reading.at)));
        let resets = rules.calendar.said(reading.resets_at, now);
        format!("  {place}; resets {resets}, in {left}; read {age} ago")
    }

    fn readings(&self, settings: &Settings, asker: &Asker<'_>) -> String {
        let slot = asker.store.map(Slot::peek).unwrap_or_default();
        let from = match self.source() {
            Some(source) => format!("from {source}"),
            None if settings.usage_api.enabled => "none yet".to_owned(),
            None => format!("none yet; {SOURCES}"),
        };
        let api = match slot.asked_at {
            _ if !settings.usage_api.enabled => String::new(),
            0 => "; usage API on, asked with the next call of a session".to_owned(),
            asked_at => {
                let last = self.scene.rules.calendar.said(asked_at, self.time.secs());
                let failure = slot.trouble.map_or_else(String::new, |why| format!(": {why}"));
                format!("; usage API on, last asked {last}{failure}")
            }
        };
        format!("readings: {from}{api}")
    }

    fn suggested(&self) -> Option<String> {
        let busy = self.state.learned.habit.known().filter(|(_, calls)| *calls > 0.0).map(|(at, _)| at);
        let hours = work_hours(busy, &self.scene.rules.calendar)?;
        let set = "req config set credit-pacer.work_hours";
        Some(format!("you seem to work {hours}; to count those hours: {set} '[\"{hours}\"]' --global"))
    }
}

/// The lines below the one about the switch.
pub(crate) fn lines(section: &Section<Settings>, asker: &Asker<'_>) -> Vec<String> {
    let (now, settings) = (Now::of(asker, section), &section.settings);
    let percents: Vec<String> = settings.alerts.iter().map(|percent| percent.get().to_string()).collect();
    let has_alerts = section.is_switched_off() && !percents.is_empty();
    let has_no_hours = settings.work_hours.as_slice().is_empty();
    let before = has_alerts.then(|| format!("alerts at {} % go on", percents.join(" and ")));
    let windows = now.pace.windows.iter().map(|pace| now.window(pace));
    let after = [Some(now.readings(settings, asker)), now.suggested().filter(|_| has_no_hours)];
    before.into_iter().chain([now.next()]).chain(windows).chain(after.into_iter().flatten()).collect()
}

/// The first and the last hour of the day with work on at least a third of the days, as `work_hours` are written. `None` before
/// there are five days, and if these hours are most of the day. `busy` are moments with calls, in seconds since the epoch.
fn work_hours(busy: impl Iterator<Item = i64>, calendar: &Calendar) -> Option<String> {
    let hours_of_days: BTreeSet<(i64, i64)> = busy
        .map(|at| calendar.zone.local(at))
        .map(|local| (local.div_euclid(DAY_SECS), local.rem_euclid(DAY_SECS) / 3600))
        .collect();
    let days = hours_of_days.iter().map(|(day, _)| day).collect::<BTreeSet<_>>().len();
    let is_usual = |hour: &i64| 3 * hours_of_days.iter().filter(|(_, busy)| busy == hour).count() >= days;
    let usual: Vec<i64> = (0..24).filter(is_usual).collect();
    let (first, last) = (*usual.first()?, usual.last()? + 1);
    (days >= 5 && last - first <= 16).then(|| format!("{first:02}:00-{last:02}:00"))
}

/// The common status with the answer of the controller, see [`filter`].
pub(super) fn json(asker: &Asker<'_>) -> Reply {
    let common: Reply = cli::status::<CreditPacer, Change>(asker, true);
    let Ok(section) = asker.section_in_force::<CreditPacer>() else { return common };
    let mut status: Map<String, Value> = serde_json::from_str(&common.text).unwrap_or_default();
    let now = Now::of(asker, &section);
    if let Value::Object(paced) = filter::paced(&now.pace, exact(now.time)) {
        status.extend(paced);
    }
    status.insert("delay_secs".to_owned(), now.delay_secs.into());
    status.insert("source".to_owned(), now.source().into());
    Reply::yes(Value::Object(status).to_string())
}

#[cfg(test)]
mod tests {
    use pacing::{Calendar, Zone};

    use super::work_hours;

    /// Monday the 2nd of November 2026, 00:00 UTC.
    const MONDAY: i64 = 1_793_577_600;

    #[test]
    fn suggests_hours_with_work_on_a_third_of_the_days() {
        let all: Vec<i64> = (0..24).collect();
        for (days, hours, offset, expected) in [
            (5, &[9, 10, 11, 13, 14, 15, 16][..], 0, Some("09:00-17:00")),
            (7, &[20, 21, 22, 23], 0, Some("20:00-24:00")),
            (5, &[1, 2], 9, Some("10:00-12:00")),
            (4, &[9, 10, 11], 0, None),
            (0, &[], 0, None),
            (6, &all, 0, None),
        ] {
            let slots = (0..days).flat_map(|day| hours.iter().map(move |hour| day * 24 + hour));
            let slots: Vec<i64> = slots.map(|hour| MONDAY + hour * 3600 + 900).collect();
            // Once in the night: no habit.
            let slots = slots.into_iter().chain((days > 4).then_some(MONDAY + 3 * 3600));
            let calendar = Calendar { zone: Zone(vec![(0, offset * 3600)]), ..Calendar::default() };
            assert_eq!(work_hours(slots, &calendar).as_deref(), expected, "{days} {hours:?}");
        }
    }
}
