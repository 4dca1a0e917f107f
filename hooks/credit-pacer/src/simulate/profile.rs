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
    // A quarter of a week, so that no limit is hit; a busy day may still pass the safe line of a 5-hour window.
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

impl Profile {
    /// When the user works and what is set, in a line.
    pub(super) fn habits(&self) -> String {
        let hours: Vec<String> =
            self.hours.iter().map(|(from, to)| format!("{}-{}", clock(*from), clock(*to))).collect();
        let full = self.burst_days.map_or_else(String::new, |days| {
            format!("; in full on {days} days in a row, a sixth of it on the others")
        });
        let set = self.settings.trim_matches(['{', '}', ' ']);
        let set = if set.is_empty() { String::new() } else { format!("; sets {set}") };
        format!("{:<10} {} {}{full}{set}", self.name, weekdays(self.days), hours.join(", "))
    }
}

/// `Mon-Fri, Sun`.
fn weekdays(worked: [bool; 7]) -> String {
    const NAMES: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let days: Vec<(&str, bool)> = NAMES.into_iter().zip(worked).collect();
    let spans = days.split(|(_, is_worked)| !is_worked).filter_map(|span| match span {
        [] => None,
        [(day, _)] => Some((*day).to_owned()),
        [(first, _), .., (last, _)] => Some(format!("{first}-{last}")),
    });
    spans.collect::<Vec<_>>().join(", ")
}

/// Hours since midnight as a time of day.
fn clock(hours: f64) -> String {
    let minutes = hours.rem_euclid(24.0) * 60.0;
    format!("{:02.0}:{:02.0}", (minutes / 60.0).floor(), minutes % 60.0)
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn habits_in_a_line() {
        for (name, expected) in [
            ("heavy", "heavy      Mon-Fri 08:00-12:30, 13:00-19:00"),
            (
                "sprint",
                "sprint     Mon-Fri 08:00-12:00, 12:30-18:30; in full on 3 days in a row, a sixth of it on the others",
            ),
            ("night-owl", "night-owl  Mon-Fri, Sun 20:00-02:00"),
            ("weekend", "weekend    Fri-Sun 10:00-13:00, 14:00-19:00; sets workdays: [fri, sat, sun]"),
        ] {
            assert_eq!(named(name).unwrap().habits(), expected);
        }
    }
}
