//! `status`: what would be done now, and why.

mod api;
mod plan;
mod text;

use pacing::{Pace, Rules, Status, Strategy, Window, WindowPace};
use schemars::JsonSchema;
use serde::Serialize;
use shared::cli::{Asker, off_file};
use shared::config::Section;
use shared::host::Timestamp;
use shared::state::{Off, Store};
use shared::switches::{Position, Switches};
use shared::usage::{self, Source};

use self::api::ApiReport;
use super::grammar::{OWN, Switch};
use super::habits::Habits;
use super::{Reply, turn};
use crate::CreditPacer;
use crate::decide::allowed;
use crate::observe::{Scene, digest, known};
use crate::rules;
use crate::settings::{Settings, by_project};
use crate::state::State;

/// What would be done now, and why.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct StatusReport {
    /// `credit-pacer`.
    hook: &'static str,
    /// It delays calls where need be.
    enabled: bool,
    /// Where its own switch stands: on, off, or auto.
    switch: &'static str,
    /// Until when every hook is paused, by the user's clock; none where no end is set.
    paused_until: Option<String>,
    /// What made it so: a file and line, the defaults, its switch, or the file that switches every hook off.
    set_by: Option<String>,
    /// Its switch counts for nothing, because the global file locks the section.
    overruled: bool,
    /// What goes on while it is switched off.
    still: Option<String>,
    /// The next request to the model would wait for so long, in seconds.
    delay_secs: f64,
    /// How hard that is: none, minimal, gradual, aggressive, emergency.
    strategy: &'static str,
    /// Why, in one sentence.
    reason: String,
    /// Sessions that made calls in the last half hour and have not ended.
    sessions: usize,
    /// Each window.
    windows: Vec<WindowReport>,
    /// Who saw the last reading: the status line, or the usage API. None: there is no reading.
    source: Option<&'static str>,
    /// A reading that is older says nothing about now, in seconds.
    stale_after_secs: u32,
    /// The usage API.
    usage_api: ApiReport,
    /// What the plan of the week is made of.
    plan: String,
    /// Why the plan of the week stands still now, and until when; none while it goes on.
    standstill: Option<String>,
    /// The last delay of all sessions, within an hour.
    last_delay: Option<DelayReport>,
    /// Switches that stand on or off, as people call them.
    switches: Vec<SwitchReport>,
    /// Hours that `work_hours` could be, by a week of calls; empty where it is set, and before there is enough to tell.
    suggested_work_hours: Vec<String>,
    /// Days that `workdays` could be, by a week of calls: its own and those on which there was work beside them. Empty where
    /// there was none, and before there is enough to tell.
    suggested_workdays: Vec<&'static str>,
    /// What the files of this project say about pacing: as the user's own say it, it would be paced otherwise.
    by_project: Vec<ProjectReport>,
    /// What is wrong in the configuration files.
    problems: Vec<String>,
}

/// One window of credits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
struct WindowReport {
    /// `five_hour` or `seven_day`.
    window: &'static str,
    /// As people call it.
    name: &'static str,
    /// ok, over, stale, unknown, or off.
    status: &'static str,
    /// What is used, in percent.
    used_percent: Option<f64>,
    /// The share of its time that is over, in percent; of the week it is working time. None: nothing is known.
    elapsed_percent: Option<f64>,
    /// What may be used by now, in percent. None: nothing is known.
    allowance_percent: Option<f64>,
    /// The same without the reserve: past it calls are delayed. None: nothing is known.
    safe_percent: Option<f64>,
    /// How far what is used is past that, in points; negative below. None: nothing is known.
    over_percent: Option<f64>,
    /// What this window alone asks for, in seconds.
    delay_secs: f64,
    /// When it begins anew, in seconds since the epoch.
    resets_at: Option<i64>,
    /// The same by the user's clock.
    resets: Option<String>,
    /// In so many seconds it begins anew; 0 or less: it has.
    resets_in_secs: Option<i64>,
    /// How old the reading is, in seconds.
    age_secs: Option<i64>,
}

/// A delay.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
struct DelayReport {
    /// For how long, in seconds.
    secs: f64,
    /// How long ago, in seconds.
    ago_secs: u64,
}

/// A key of the settings that a file of the project decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct ProjectReport {
    /// The key, as a path within the section.
    key: &'static str,
    /// The file and line.
    place: String,
}

/// A switch that stands on or off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct SwitchReport {
    /// As people call it.
    name: &'static str,
    /// on, off, or of stops auto.
    position: &'static str,
    /// What ends it; of a switch that keeps its word whatever the files say: what turns it on again, or off.
    ended_by: String,
}

/// The answer to `status`, typed after this name.
pub(super) fn answer(name: &str, json: bool, asker: &Asker<'_>) -> Reply {
    let Some(report) = report(asker) else {
        return Reply::no(format!("{OWN}: the built-in defaults cannot be read; this is a bug"));
    };
    if json {
        return Reply::yes(serde_json::to_string(&report).unwrap_or_default());
    }
    Reply::yes(text::text(&report, name))
}

/// The JSON Schema of what `status --json` prints.
pub(super) fn schema() -> String {
    serde_json::to_string_pretty(&schemars::schema_for!(StatusReport)).unwrap_or_default()
}

fn report(asker: &Asker<'_>) -> Option<StatusReport> {
    let switches = asker.switches();
    let section = asker.section::<CreditPacer>(&switches)?;
    let off_file = off_file(asker.host, asker.places);
    let state = asker.store.and_then(remembered).unwrap_or_default();
    let settings = &section.settings;
    let usage = asker.store.and_then(|store| known(store, asker.session, settings, asker.host.now()));
    let source = usage.as_ref().map(|usage| match usage.source {
        Source::StatusLine => "the status line",
        Source::UsageApi => "the usage API",
    });
    let now = asker.host.now();
    let scene = scene(usage, settings, now);
    let session = asker.session.map_or_else(|| latest(&state), digest);
    let pace = state.pace(&scene, now);
    let headless = asker.host.environment.is_headless() && !section.headless;
    let own = state.sessions.get(&session).cloned().unwrap_or_default();
    let acts = section.enabled && off_file.is_none();
    let delay = if acts { allowed(&pace, &own, settings, headless, now).as_secs_f64() } else { 0.0 };
    let secs = now.micros().div_euclid(1_000_000);
    let rules = &scene.rules;
    let habits = Habits::of(state.learned.habit.busy_slots(), &rules.calendar);
    Some(StatusReport {
        hook: OWN,
        enabled: acts,
        switch: switches.position(OWN, asker.session).word(),
        paused_until: paused_until(asker).map(|end| rules.calendar.said(end, secs)),
        set_by: off_file.or_else(|| section.origin("enabled").map(|origin| origin.to_string())),
        overruled: section.overruled_switch,
        still: turn::alerts_at(settings).filter(|_| section.is_switched_off()),
        delay_secs: delay,
        strategy: if delay > 0.0 { pace.strategy } else { Strategy::None }.word(),
        reason: pace.reason.clone(),
        sessions: state.learned.sessions(crate::state::exact(now)),
        windows: pace.windows.iter().map(|window| window_report(window, rules, secs)).collect(),
        source,
        stale_after_secs: settings.stale_after_secs.get(),
        usage_api: ApiReport::of(&settings.usage_api, asker.store, rules, now),
        plan: plan::plan(
            settings,
            rules::zone_name(settings).as_deref(),
            section.origin("timezone").map(|origin| origin.to_string()),
        ),
        standstill: standstill(&pace, rules, secs),
        last_delay: last_delay(&state, now),
        switches: turned(&switches, &section, asker),
        suggested_work_hours: if settings.work_hours.as_slice().is_empty() {
            habits.work_hours()
        } else {
            Vec::new()
        },
        suggested_workdays: habits.workdays(settings.workdays.as_slice()),
        by_project: by_project(&|key| section.origin(key))
            .map(|(key, origin)| ProjectReport { key, place: origin.to_string() })
            .collect(),
        problems: section.problems.iter().map(ToString::to_string).collect(),
    })
}

/// When the pause of every hook ends, in seconds since the epoch; `None`: there is none, or it has no end.
fn paused_until(asker: &Asker<'_>) -> Option<i64> {
    let folders = [&asker.places.state_dir, &asker.places.default_state_dir];
    let off = folders.into_iter().flatten().find_map(|folder| Off::read(folder, asker.host.now()))?;
    match off {
        Off::Until(end) => Some(end.micros().div_euclid(1_000_000)),
        Off::ForGood => None,
    }
}

/// Why the safe line of the week stands still now, and until when, if the week is paced by.
fn standstill(pace: &Pace, rules: &Rules, now: i64) -> Option<String> {
    let is_paced = |window: &&WindowPace| {
        window.window == Window::SevenDay && matches!(window.status, Status::Ok | Status::Over)
    };
    let why = pace.windows.iter().find(is_paced)?.standstill(pacing::seconds(now), rules);
    (!why.is_empty()).then(|| why.trim_start_matches("; ").to_owned())
}

fn remembered(store: &Store) -> Option<State> {
    let file = store.session_file::<State>("")?;
    store.peek(&file, "")
}

fn scene(usage: Option<usage::Usage>, settings: &Settings, now: Timestamp) -> Scene {
    let rules = rules::around(settings, now.micros().div_euclid(1_000_000));
    Scene { rules, ..Scene::of(usage, settings, 0) }
}

/// The session that made the last call: outside of any, it is the one that is meant.
fn latest(state: &State) -> u64 {
    let latest = state.sessions.iter().max_by_key(|(_, session)| session.last);
    latest.map_or_else(|| digest(""), |(id, _)| *id)
}

fn last_delay(state: &State, now: Timestamp) -> Option<DelayReport> {
    let delays = state.sessions.values().flat_map(|session| &session.delays);
    let (at, millis) = delays.filter(|(at, _)| *at <= now).max_by_key(|(at, _)| *at)?;
    Some(DelayReport { secs: f64::from(*millis) / 1000.0, ago_secs: now.since(*at).as_secs() })
}

fn window_report(window: &WindowPace, rules: &Rules, now: i64) -> WindowReport {
    let is_known = window.reading.is_some_and(|(_, reading)| reading.resets_at > now);
    let known = |percent: f64| is_known.then_some(percent);
    WindowReport {
        window: window.window.key(),
        name: window.window.name(),
        status: match window.status {
            Status::Ok => "ok",
            Status::Over => "over",
            Status::Stale => "stale",
            Status::Unknown => "unknown",
            Status::Off => "off",
        },
        used_percent: window.reading.map(|(_, reading)| reading.used_percent),
        elapsed_percent: known(window.elapsed_percent),
        allowance_percent: known(window.allowance_percent),
        safe_percent: known(window.safe_percent),
        over_percent: known(window.over_percent),
        delay_secs: window.delay_secs,
        resets_at: window.reading.map(|(_, reading)| reading.resets_at),
        resets: window.reading.map(|(_, reading)| rules.calendar.said(reading.resets_at, now)),
        resets_in_secs: window.reading.map(|(_, reading)| reading.resets_at.saturating_sub(now)),
        age_secs: window.reading.map(|(at, _)| now.saturating_sub(at).max(0)),
    }
}

/// The switches that stand on or off, those that a lock makes void among them.
fn turned(switches: &Switches, section: &Section<Settings>, asker: &Asker<'_>) -> Vec<SwitchReport> {
    let report = |switch: Switch| {
        let stands = turn::stands(switch, switches, asker.session)?;
        let (name, key) = switch.section();
        let is_word = turn::is_word(switch);
        let is_void = name == OWN
            && key.map_or(section.overruled_switch, |key| {
                section.overruled_keys.iter().any(|void| void == key)
            });
        let position = match stands {
            Position::Auto if !is_word => return None,
            // When stops are checked is the word's to say.
            Position::On if switch == Switch::TempoStop => return None,
            _ if is_void => "void, for it is locked by your global requirements.yaml",
            turned => turn::told(turned),
        };
        let end = match stands {
            Position::Off if is_word => Position::On,
            _ if is_word => Position::Off,
            _ => Position::Auto,
        };
        Some(SwitchReport { name: switch.name(), position, ended_by: switch.line(end) })
    };
    Switch::SINGLE.into_iter().chain([Switch::TempoStop]).filter_map(report).collect()
}
