//! Eight users, and how they work.

use pacing::{Calendar, Limit, Rules};

pub(crate) struct Profile {
    pub(crate) name: &'static str,
    /// The days that are worked on, Monday first.
    pub(crate) days: [bool; 7],
    /// Spans of work on such a day, in hours since midnight; past 24: on the next day.
    pub(crate) hours: &'static [(f64, f64)],
    /// Only so many days in a row are worked in full; on the others a sixth of the time.
    pub(crate) burst_days: Option<i32>,
    /// Sessions side by side; the first is always there, another one for part of the time.
    pub(crate) sessions: u64,
    /// Subagents of each session, at work for part of the time, beside the session itself.
    pub(crate) subagents: u64,
    /// From one batch of tool calls to the next, in seconds, in the mean.
    pub(crate) gap_secs: f64,
    /// Batches until the user has to say something, and how long that takes, in seconds: means.
    pub(crate) prompt: (f64, f64),
    /// The usage of a week without delays, in percent: the mean, and the standard deviation of its logarithm from week to week.
    pub(crate) week_percent: (f64, f64),
    /// Machines that share the account; sessions take turns on them.
    pub(crate) machines: u64,
    /// How likely another device, which nobody paces, uses 30 %.
    pub(crate) elsewhere: f64,
    /// The setting `workdays`, Monday first.
    pub(crate) workdays: [bool; 7],
}

const MONDAY_TO_FRIDAY: [bool; 7] = [true, true, true, true, true, false, false];

const FRIDAY_TO_SUNDAY: [bool; 7] = [false, false, false, false, true, true, true];

const TYPICAL: Profile = Profile {
    name: "",
    days: MONDAY_TO_FRIDAY,
    hours: &[(9.0, 12.0), (13.0, 17.0)],
    burst_days: None,
    sessions: 1,
    subagents: 0,
    gap_secs: 25.0,
    prompt: (12.0, 180.0),
    week_percent: (90.0, 0.25),
    machines: 1,
    elsewhere: 0.25,
    workdays: MONDAY_TO_FRIDAY,
};

const ON_WEEKENDS: Profile = Profile { days: FRIDAY_TO_SUNDAY, workdays: FRIDAY_TO_SUNDAY, ..TYPICAL };

pub(crate) const PROFILES: [Profile; 8] = [
    // Far too much in both windows.
    Profile {
        name: "heavy",
        hours: &[(8.0, 12.5), (13.0, 19.0)],
        sessions: 3,
        subagents: 2,
        prompt: (30.0, 180.0),
        week_percent: (200.0, 0.25),
        ..TYPICAL
    },
    // Too much in many 5-hour windows; enough for a week, mostly.
    Profile {
        name: "sprint",
        hours: &[(8.0, 12.0), (12.5, 18.5)],
        burst_days: Some(3),
        sessions: 2,
        gap_secs: 20.0,
        prompt: (25.0, 120.0),
        week_percent: (95.0, 0.3),
        ..TYPICAL
    },
    // Around the limit, in the evening and past midnight.
    Profile {
        name: "night-owl",
        days: [true, true, true, true, true, false, true],
        hours: &[(20.0, 26.0)],
        sessions: 2,
        week_percent: (85.0, 0.3),
        ..TYPICAL
    },
    Profile { name: "office", ..TYPICAL },
    // All of it in three days, with the days set.
    Profile {
        name: "weekend",
        hours: &[(10.0, 13.0), (14.0, 19.0)],
        prompt: (12.0, 240.0),
        week_percent: (60.0, 0.3),
        ..ON_WEEKENDS
    },
    // A quarter of a week, so that no limit is hit; a busy day may still pass the safe line of a 5-hour window.
    Profile {
        name: "light",
        hours: &[(10.0, 12.0), (14.0, 16.0)],
        gap_secs: 40.0,
        prompt: (8.0, 300.0),
        week_percent: (25.0, 0.2),
        ..TYPICAL
    },
    // Around the limit; a telephone or a colleague uses 30 % of it.
    Profile { name: "second-device", sessions: 2, elsewhere: 1.0, week_percent: (100.0, 0.25), ..TYPICAL },
    // Bursts on some days of the weekend, from two machines that know nothing of each other.
    Profile {
        name: "bursts",
        hours: &[(9.0, 12.0), (15.0, 18.0), (20.0, 24.0)],
        burst_days: Some(2),
        sessions: 4,
        gap_secs: 20.0,
        prompt: (20.0, 120.0),
        week_percent: (75.0, 0.4),
        machines: 2,
        ..ON_WEEKENDS
    },
];

impl Profile {
    /// The defaults, with the user's working days. The zone is UTC.
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            safety: 0.95,
            threshold: 0.0,
            shortest_delay: 5.0,
            longest_delay: 350.0,
            stale_after: 900.0,
            limits: [45.0, 10.0].map(|preload| Limit { is_enabled: true, preload }),
            calendar: Calendar { workdays: self.workdays, ..Calendar::default() },
        }
    }
}
