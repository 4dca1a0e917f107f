//! The lines of the status: the next delay and why, both limits, and the source of the readings.

use pacing::{Pace, Rules, Status, Strategy, Window, WindowPace, percent};
use serde_json::{Value, json};
use shared::cli::{Asker, off_file};
use shared::config::Section;
use shared::host::Timestamp;
use shared::usage::Source;

use super::habits::work_hours;
use super::{Reply, UNREADABLE};
use crate::CreditPacer;
use crate::decide::allowed;
use crate::observe::{Scene, digest, known};
use crate::poll::{Slot, secs};
use crate::rules;
use crate::settings::{Day, HoursOfDay, Settings, by_project};
use crate::state::{State, exact};
use crate::wording::{SOURCES, duration};

struct Now {
    pace: Pace,
    /// The delay of the next call, in seconds.
    delay_secs: f64,
    rules: Rules,
    source: Option<Source>,
    state: State,
    time: Timestamp,
    /// Nothing is delayed, whatever the limits.
    is_off: bool,
}

impl Now {
    fn of(section: &Section<Settings>, asker: &Asker<'_>) -> Self {
        let (settings, time) = (&section.settings, asker.host.now());
        let state = asker.store.and_then(State::peek).unwrap_or_default();
        let usage = asker.store.and_then(|store| known(store, asker.session, settings, time));
        let source = usage.as_ref().map(|usage| usage.source);
        let rules = rules::around(settings, secs(time));
        let scene = Scene { rules, ..Scene::of(usage, settings, secs(time)) };
        let pace = state.pace(&scene, time);
        let headless = asker.host.environment.is_headless() && !section.headless;
        let session = asker.session.and_then(|session| state.sessions.get(&digest(session)));
        let is_off = !section.enabled || off_file(asker.host, asker.places).is_some();
        let delay = allowed(&pace, session, settings, headless, time).as_secs_f64();
        let delay_secs = if is_off { 0.0 } else { delay };
        Self { pace, delay_secs, rules: scene.rules, source, state, time, is_off }
    }

    fn next(&self) -> String {
        let reason = &self.pace.reason;
        match self.delay_secs {
            _ if self.is_off => "next delay: none while it is off".to_owned(),
            secs if secs > 0.0 => {
                format!("next delay: {} s ({}); {reason}", percent(secs, true), self.pace.strategy.word())
            }
            _ => format!("next delay: none; {reason}"),
        }
    }

    fn window(&self, pace: &WindowPace) -> String {
        let name = pace.window.name();
        let Some((at, reading)) = pace.reading else {
            let why = if pace.status == Status::Off { "off" } else { "no reading yet" };
            return format!("  {name}: {why}");
        };
        let now = secs(self.time);
        let resets = self.rules.calendar.said(reading.resets_at, now);
        if reading.resets_at <= now {
            return format!("  {name}: no reading since it reset {resets}");
        }
        let used = percent(reading.used_percent, false);
        let standing = match pace.status {
            Status::Off => format!("{used} % used; off"),
            Status::Stale => format!("{used} % used, too old to count"),
            _ => pace.standing(),
        };
        let fit = pace.fit.filter(|_| pace.status == Status::Over).map_or_else(String::new, |fit| {
            format!("; about {:.0} calls expected until the reset, {:.0} fit", fit.expected, fit.fitting)
        });
        let (left, age) = (duration(reading.resets_at - now), duration(now.saturating_sub(at).max(0)));
        format!("  {name}: {standing}{fit}; resets {resets}, in {left}; read {age} ago")
    }

    /// The last delay of all sessions, within an hour.
    fn last_delay(&self) -> Option<String> {
        let delays = self.state.sessions.values().flat_map(|session| &session.delays);
        let (at, millis) = delays.filter(|(at, _)| *at <= self.time).max_by_key(|(at, _)| *at)?;
        let waited = percent(f64::from(*millis) / 1000.0, true);
        Some(format!("last delay: {waited} s, {} ago", duration(secs(self.time) - secs(*at))))
    }

    /// The reason why the safe line of the week stands still now, and until when.
    fn standstill(&self) -> Option<String> {
        let mut weeks = self.pace.windows.iter().filter(|pace| pace.window == Window::SevenDay);
        let week = weeks.find(|pace| pace.status != Status::Off)?;
        let why = week.standstill(exact(self.time), &self.rules);
        (!why.is_empty()).then(|| why.trim_start_matches("; ").to_owned())
    }

    fn readings(&self, settings: &Settings, asker: &Asker<'_>) -> String {
        let slot = asker.store.map(Slot::peek).unwrap_or_default();
        let api = match slot.asked_at {
            _ if !settings.usage_api.enabled => String::new(),
            0 => "; usage API on, asked with the next call of a session".to_owned(),
            asked_at => {
                let last = self.rules.calendar.said(asked_at, secs(self.time));
                let failure = slot.trouble.map_or_else(String::new, |kind| format!(": {}", kind.words()));
                format!("; usage API on, last asked {last}{failure}")
            }
        };
        match self.source {
            Some(source) => format!("readings: from {}{api}", source_word(source)),
            None if api.is_empty() => format!("readings: none yet; {SOURCES}"),
            None => format!("readings: none yet{api}"),
        }
    }

    fn suggested(&self) -> Option<String> {
        let hours = work_hours(self.state.learned.habit.busy_slots(), &self.rules.calendar);
        let list: Vec<String> = hours.iter().map(|hours| format!("\"{hours}\"")).collect();
        (!hours.is_empty()).then(|| {
            format!(
                "you seem to work {}; to count those hours: req config set credit-pacer.work_hours '[{}]' --global",
                hours.join(" and "),
                list.join(", ")
            )
        })
    }
}

/// The lines below the one about the switch.
pub(crate) fn lines(section: &Section<Settings>, asker: &Asker<'_>) -> Vec<String> {
    let (now, settings) = (Now::of(section, asker), &section.settings);
    let percents: Vec<String> = settings.alerts.iter().map(|percent| percent.get().to_string()).collect();
    let has_alerts = section.is_switched_off() && !percents.is_empty();
    let has_no_hours = settings.work_hours.as_slice().is_empty();
    let before = has_alerts.then(|| format!("alerts at {} % go on", percents.join(" and ")));
    let windows = now.pace.windows.iter().map(|pace| now.window(pace));
    let after = [
        Some(week(section)),
        now.standstill(),
        by_project(&|key| section.origin(key)),
        Some(now.readings(settings, asker)),
        now.last_delay(),
        now.suggested().filter(|_| has_no_hours),
    ];
    before.into_iter().chain([now.next()]).chain(windows).chain(after.into_iter().flatten()).collect()
}

/// "working time: mon, tue, 09:00-17:00, Europe/Berlin (~/.claude/requirements.yaml:3)".
fn week(section: &Section<Settings>) -> String {
    let settings = &section.settings;
    let workdays = Day::WEEK.iter().filter(|(day, _)| settings.workdays.as_slice().contains(day));
    let days: Vec<&str> = workdays.map(|(_, name)| *name).collect();
    let days = if days.is_empty() { "every day and night".to_owned() } else { days.join(", ") };
    let time = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    let span = |hours: &HoursOfDay| format!("{}-{}", time(hours.from), time(hours.to));
    let hours: Vec<String> = settings.work_hours.as_slice().iter().map(span).collect();
    let hours = if hours.is_empty() { "all day".to_owned() } else { hours.join(" and ") };
    let off = if settings.holidays.as_slice().is_empty() { "" } else { ", without holidays" };
    let zone = rules::zone_name(settings).unwrap_or_else(|| "the time of this machine".to_owned());
    let by = section.origin("timezone").filter(|_| settings.timezone.named().is_some());
    let by = by.map_or_else(|| "system".to_owned(), |by| by.to_string());
    format!("working time: {days}, {hours}{off}, {zone} ({by})")
}

pub(super) fn json(asker: &Asker<'_>) -> Reply {
    let switches = asker.switches();
    let Some(section) = asker.section::<CreditPacer>(&switches) else { return Reply::no(UNREADABLE) };
    let now = Now::of(&section, asker);
    let set_by = off_file(asker.host, asker.places)
        .or_else(|| section.origin("enabled").map(|origin| origin.to_string()));
    let strategy = if now.delay_secs > 0.0 { now.pace.strategy } else { Strategy::None };
    let problems: Vec<String> = section.problems.iter().map(ToString::to_string).collect();
    let status = json!({
        "hook": "credit-pacer",
        "enabled": !now.is_off,
        "switch": switches.position("credit-pacer", asker.session).word(),
        "set_by": set_by,
        "delay_secs": now.delay_secs,
        "strategy": strategy,
        "reason": now.pace.reason,
        "windows": now.pace.windows.iter().map(|pace| window_json(pace, secs(now.time))).collect::<Vec<Value>>(),
        "source": now.source.map(source_word),
        "problems": problems,
    });
    Reply::yes(status.to_string())
}

fn window_json(pace: &WindowPace, now: i64) -> Value {
    let current = pace.reading.filter(|(_, reading)| reading.resets_at > now);
    let known = |number: f64| current.map(|_| number);
    json!({
        "window": pace.window,
        "name": pace.window.name(),
        "status": pace.status,
        "used_percent": pace.reading.map(|(_, reading)| reading.used_percent),
        "safe_percent": known(pace.safe_percent),
        "over_percent": known(pace.over_percent),
        "delay_secs": pace.delay_secs,
        "resets_at": pace.reading.map(|(_, reading)| reading.resets_at),
        "age_secs": pace.reading.map(|(at, _)| now.saturating_sub(at).max(0)),
    })
}

const fn source_word(source: Source) -> &'static str {
    match source {
        Source::StatusLine => "the status line",
        Source::UsageApi => "the usage API",
    }
}
