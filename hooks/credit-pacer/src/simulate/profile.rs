//! Six users, and how they work.

/// How somebody works.
#[derive(Debug)]
pub(super) struct Profile {
    /// What it is called.
    pub(super) name: &'static str,
    /// The days that are worked on, Monday first.
    pub(super) days: [bool; 7],
    /// Spans of work on such a day, in hours since midnight; past 24: on the next day.
    pub(super) hours: &'static [(f64, f64)],
    /// Only so many days in a row are worked in full; on the others a sixth of the time.
    pub(super) burst_days: Option<i32>,
    /// Sessions side by side; the first is always there, another one for part of the time.
    pub(super) sessions: u64,
    /// Subagents of each session, at work for part of the time, beside the session itself.
    pub(super) subagents: u64,
    /// From one batch of tool calls to the next, in seconds, in the mean.
    pub(super) gap_secs: f64,
    /// Batches until the user has to say something, in the mean.
    pub(super) batches_per_prompt: f64,
    /// How long that takes, in seconds, in the mean.
    pub(super) pause_secs: f64,
    /// What would be used of a week's credits if nothing was delayed, in percent, in the mean.
    pub(super) week_percent: f64,
    /// How much that differs from week to week: the standard deviation of its logarithm.
    pub(super) week_spread: f64,
    /// What the user has set, as YAML.
    pub(super) settings: &'static str,
}

const MONDAY_TO_FRIDAY: [bool; 7] = [true, true, true, true, true, false, false];

const TYPICAL: Profile = Profile {
    name: "",
    days: MONDAY_TO_FRIDAY,
    hours: &[(9.0, 12.0), (13.0, 17.0)],
    burst_days: None,
    sessions: 1,
    subagents: 0,
    gap_secs: 25.0,
    batches_per_prompt: 12.0,
    pause_secs: 180.0,
    week_percent: 90.0,
    week_spread: 0.25,
    settings: "{}",
};

/// From far too much to far less than there is.
pub(super) const PROFILES: [Profile; 6] = [
    // Far too much in both windows.
    Profile {
        name: "heavy",
        hours: &[(8.0, 12.5), (13.0, 19.0)],
        sessions: 3,
        subagents: 2,
        batches_per_prompt: 30.0,
        week_percent: 200.0,
        ..TYPICAL
    },
    // Too much in many 5-hour windows; enough for a week, mostly.
    Profile {
        name: "sprint",
        hours: &[(8.0, 12.0), (12.5, 18.5)],
        burst_days: Some(3),
        sessions: 2,
        gap_secs: 20.0,
        batches_per_prompt: 25.0,
        pause_secs: 120.0,
        week_percent: 95.0,
        week_spread: 0.3,
        ..TYPICAL
    },
    // Around the limit, in the evening and past midnight.
    Profile {
        name: "night-owl",
        days: [true, true, true, true, true, false, true],
        hours: &[(20.0, 26.0)],
        sessions: 2,
        week_percent: 85.0,
        week_spread: 0.3,
        ..TYPICAL
    },
    // Around the limit.
    Profile { name: "office", ..TYPICAL },
    // All of it in three days, with the days set.
    Profile {
        name: "weekend",
        days: [false, false, false, false, true, true, true],
        hours: &[(10.0, 13.0), (14.0, 19.0)],
        pause_secs: 240.0,
        week_percent: 60.0,
        week_spread: 0.3,
        settings: "{ workdays: [fri, sat, sun] }",
        ..TYPICAL
    },
    // Never near it.
    Profile {
        name: "light",
        hours: &[(10.0, 12.0), (14.0, 16.0)],
        gap_secs: 40.0,
        batches_per_prompt: 8.0,
        pause_secs: 300.0,
        week_percent: 25.0,
        week_spread: 0.2,
        ..TYPICAL
    },
];

/// The one of this name.
pub(super) fn named(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}
