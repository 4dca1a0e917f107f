//! The whole text on fixed inputs.

use super::super::{DelayReport, StatusReport, SwitchReport, WindowReport};
use super::{minutes, number, text};

fn week() -> WindowReport {
    WindowReport {
        window: "seven_day",
        name: "week",
        status: "over",
        used_percent: Some(61.0),
        allowance_percent: 52.0,
        safe_percent: 49.4,
        over_percent: 11.6,
        delay_secs: 42.04,
        resets_at: Some(1_000_000),
        resets: Some("Fri 16:00".to_owned()),
        age_secs: Some(185),
    }
}

fn five_hours() -> WindowReport {
    WindowReport {
        window: "five_hour",
        name: "5 hours",
        status: "ok",
        used_percent: Some(12.5),
        allowance_percent: 45.0,
        safe_percent: 42.75,
        over_percent: -30.25,
        delay_secs: 0.0,
        resets: Some("14:00".to_owned()),
        age_secs: Some(7),
        ..week()
    }
}

fn report() -> StatusReport {
    StatusReport {
        hook: "credit-pacer",
        enabled: true,
        switch: "auto",
        set_by: Some("the defaults".to_owned()),
        overruled: false,
        still: None,
        delay_secs: 42.04,
        strategy: "gradual",
        reason: "the week is past its safe line".to_owned(),
        sessions: 2,
        windows: vec![five_hours(), week()],
        source: Some("the status line"),
        last_delay: Some(DelayReport { secs: 41.5, ago_secs: 200 }),
        switches: Vec::new(),
        suggested_work_hours: Vec::new(),
        problems: Vec::new(),
    }
}

#[test]
fn over_the_safe_line() {
    assert_eq!(
        text(&report()),
        "pacing: on, set by the defaults; pace-maker off ends it\n\
         next delay: 42 s (gradual); the week is past its safe line; 2 sessions at work\n  \
         5 hours: 12.5 % used, 45 % planned by now, safe line 42.8 %: 30.3 points under; resets 14:00; read 7 s ago\n  \
         week: 61 % used, 52 % planned by now, safe line 49.4 %: 11.6 points over; asks for 42 s; resets Fri 16:00; \
         read 3 min ago\n\
         readings: from the status line\n\
         last delay: 41.5 s, 3 min ago"
    );
}

#[test]
fn switched_off_with_all_that_can_be_said() {
    let reminder =
        SwitchReport { name: "reminder", position: "off", ended_by: "pace-maker reminder auto".to_owned() };
    let off = StatusReport {
        enabled: false,
        switch: "off",
        set_by: Some("its switch".to_owned()),
        still: Some("alerts at 80 and 95 % go on".to_owned()),
        delay_secs: 0.0,
        sessions: 1,
        windows: vec![
            WindowReport { status: "off", ..five_hours() },
            WindowReport { status: "stale", age_secs: Some(10_000), ..week() },
        ],
        last_delay: None,
        switches: vec![reminder],
        suggested_work_hours: vec!["09:00-12:00".to_owned(), "13:00-17:00".to_owned()],
        problems: vec!["f:1: credit-pacer.x: no such key".to_owned()],
        ..report()
    };
    assert_eq!(
        text(&off),
        "pacing: off, set by its switch; pace-maker on begins again\n\
         alerts at 80 and 95 % go on\n\
         next delay: none while it is off; 1 session at work\n  \
         5 hours: 12.5 % used; not paced by; resets 14:00; read 7 s ago\n  \
         week: 61 % used, but that says nothing about now: read 2 h ago; resets Fri 16:00\n\
         readings: from the status line\n\
         switch: reminder off (as the files say: pace-maker reminder auto)\n\
         you seem to work 09:00-12:00 and 13:00-17:00; to plan the week by that: \
         req config set credit-pacer.work_hours '[\"09:00-12:00\", \"13:00-17:00\"]' --global\n\
         problem: f:1: credit-pacer.x: no such key"
    );
}

#[test]
fn without_any_reading() {
    let unknown = |window: WindowReport| WindowReport {
        status: "unknown",
        used_percent: None,
        resets: None,
        resets_at: None,
        age_secs: None,
        ..window
    };
    let none = StatusReport {
        delay_secs: 0.0,
        strategy: "none",
        reason: "nothing is known".to_owned(),
        sessions: 0,
        windows: vec![unknown(five_hours()), unknown(week())],
        source: None,
        last_delay: None,
        ..report()
    };
    assert_eq!(
        text(&none),
        "pacing: on, set by the defaults; pace-maker off ends it\n\
         next delay: 0 s (none); nothing is known; no session at work\n  \
         5 hours: no reading\n  week: no reading\n\
         readings: none yet; they come from the status line, in a terminal with a Pro or Max login \
         (req hooks statusline sets it), or from the usage API (usage_api.enabled, off by default)"
    );
}

#[test]
fn a_switch_that_a_lock_makes_void_is_told() {
    let void = text(&StatusReport { overruled: true, ..report() });
    assert!(void.lines().nth(1).unwrap().contains("counts for nothing"), "{void}");
}

#[test]
fn numbers_and_times() {
    for (value, expected) in [(0.0, "0"), (-0.01, "0"), (41.96, "42"), (41.94, "41.9"), (100.0, "100")] {
        assert_eq!(number(value), expected);
    }
    for (secs, expected) in [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (7199, "119 min"), (7200, "2 h")] {
        assert_eq!(minutes(secs), expected);
    }
}
