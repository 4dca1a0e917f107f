//! The whole text on fixed inputs.

use super::super::{ApiReport, DelayReport, ProjectReport, StatusReport, SwitchReport, WindowReport};
use super::{minutes, number, text, time_to_go};

fn week() -> WindowReport {
    WindowReport {
        window: "seven_day",
        name: "week",
        status: "over",
        used_percent: Some(61.0),
        elapsed_percent: Some(52.0),
        allowance_percent: Some(52.0),
        safe_percent: Some(49.4),
        over_percent: Some(11.6),
        delay_secs: 42.04,
        resets_at: Some(1_000_000),
        resets: Some("Fri 16:00".to_owned()),
        resets_in_secs: Some(200_000),
        age_secs: Some(185),
    }
}

fn five_hours() -> WindowReport {
    WindowReport {
        window: "five_hour",
        name: "5 hours",
        status: "ok",
        used_percent: Some(12.5),
        elapsed_percent: Some(45.0),
        allowance_percent: Some(45.0),
        safe_percent: Some(42.75),
        over_percent: Some(-30.25),
        delay_secs: 0.0,
        resets: Some("14:00".to_owned()),
        resets_in_secs: Some(9_000),
        age_secs: Some(7),
        ..week()
    }
}

fn report() -> StatusReport {
    StatusReport {
        hook: "credit-pacer",
        enabled: true,
        switch: "auto",
        paused_until: None,
        set_by: Some("the defaults".to_owned()),
        overruled: false,
        still: None,
        delay_secs: 42.04,
        strategy: "gradual",
        reason: "the week is past its safe line".to_owned(),
        sessions: 2,
        windows: vec![five_hours(), week()],
        source: Some("the status line"),
        stale_after_secs: 900,
        usage_api: ApiReport::default(),
        plan: "mon-fri, all day, UTC (system)".to_owned(),
        standstill: None,
        last_delay: Some(DelayReport { secs: 41.5, ago_secs: 200 }),
        switches: Vec::new(),
        suggested_work_hours: Vec::new(),
        suggested_workdays: Vec::new(),
        by_project: Vec::new(),
        problems: Vec::new(),
    }
}

#[test]
fn over_the_safe_line() {
    assert_eq!(
        text(&report(), "pace-maker"),
        "pacing: on, set by the defaults; pace-maker off ends it\n\
         next delay: 42 s (gradual); the week is past its safe line; 2 sessions at work\n  \
         5 hours: 12.5 % used, 42.8 % planned by now (the safe line; 45 % with the reserve): 30.3 points \
         under; resets 14:00, in 2 h 30 min; read 7 s ago\n  \
         week: 61 % used, 49.4 % planned by now (the safe line; 52 % with the reserve): 11.6 points over; asks for 42 s; \
         resets Fri 16:00, in 2 days 7 h; read 3 min ago\n\
         plan: mon-fri, all day, UTC (system)\n\
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
            WindowReport { status: "stale", age_secs: Some(1_800), ..week() },
        ],
        last_delay: None,
        switches: vec![reminder],
        standstill: Some("Sunday is no working day".to_owned()),
        by_project: vec![
            ProjectReport { key: "max_delay_secs", place: ".claude/requirements.yaml:4".to_owned() },
            ProjectReport { key: "workdays", place: ".claude/requirements.local.yaml:2".to_owned() },
        ],
        suggested_workdays: vec!["mon", "sun"],
        suggested_work_hours: vec!["09:00-12:00".to_owned(), "13:00-17:00".to_owned()],
        problems: vec!["f:1: credit-pacer.x: no such key".to_owned()],
        ..report()
    };
    assert_eq!(
        text(&off, "pace-maker"),
        "pacing: off, set by its switch; pace-maker on begins again\n\
         alerts at 80 and 95 % go on\n\
         next delay: none while it is off; 1 session at work\n  \
         5 hours: 12.5 % used; not paced by; resets 14:00, in 2 h 30 min; read 7 s ago\n  \
         week: 61 % used, 30 min old (limit 15 min), so nothing is paced by it; readings come back with the next answer \
         in a terminal session; resets Fri 16:00, in 2 days 7 h\n\
         plan: mon-fri, all day, UTC (system)\n\
         Sunday is no working day\n\
         set for this project: max_delay_secs (.claude/requirements.yaml:4), workdays \
         (.claude/requirements.local.yaml:2)\n\
         readings: from the status line\n\
         switch: reminder off (as the files say: pace-maker reminder auto)\n\
         you seem to work 09:00-12:00 and 13:00-17:00; to plan the week by that: \
         req config set credit-pacer.work_hours '[\"09:00-12:00\", \"13:00-17:00\"]' --global\n\
         you seem to work on mon, sun; to plan the week by that: \
         req config set credit-pacer.workdays \"[mon, sun]\" --global\n\
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
        resets_in_secs: None,
        age_secs: None,
        elapsed_percent: None,
        allowance_percent: None,
        safe_percent: None,
        over_percent: None,
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
        text(&none, "pace-maker"),
        "pacing: on, set by the defaults; pace-maker off ends it\n\
         next delay: 0 s (none); nothing is known; no session at work\n  \
         5 hours: no reading\n  week: no reading\n\
         plan: mon-fri, all day, UTC (system)\n\
         readings: none yet; they come from the status line, in a terminal with a Pro or Max login \
         (req hooks statusline sets it), or from the usage API (usage_api.enabled, off by default)"
    );
}

#[test]
fn a_switch_that_a_lock_makes_void_is_told() {
    let void = text(&StatusReport { overruled: true, ..report() }, "pace-maker");
    assert!(void.lines().nth(1).unwrap().contains("counts for nothing"), "{void}");
}

#[test]
fn the_first_line_says_what_changes_it_by_the_name_that_was_typed() {
    let off = StatusReport { enabled: false, switch: "off", set_by: None, ..report() };
    let paused = StatusReport { paused_until: Some("Sun 12:27".to_owned()), ..off.clone() };
    for (report, name, expected) in [
        (report(), "credit-pacer", "pacing: on, set by the defaults; credit-pacer off ends it"),
        (off.clone(), "credit-pacer", "pacing: off; credit-pacer on begins again"),
        (off, "pace-maker", "pacing: off; pace-maker on begins again"),
        (paused, "pace-maker", "pacing: off, paused until Sun 12:27 (every hook); req resume ends it"),
    ] {
        assert_eq!(text(&report, name).lines().next(), Some(expected));
    }
}

#[test]
fn while_it_is_off_a_window_would_ask_for_a_delay() {
    let off = text(&StatusReport { enabled: false, ..report() }, "pace-maker");
    assert!(off.contains("11.6 points over; would ask for 42 s;"), "{off}");
}

#[test]
fn a_window_that_began_anew_has_no_reading() {
    let past = WindowReport { status: "stale", resets_in_secs: Some(-60), ..week() };
    let told = text(&StatusReport { windows: vec![past], ..report() }, "pace-maker");
    let line = "  week: no reading since it began anew Fri 16:00; before that 61 % used, read 3 min ago";
    assert!(told.lines().any(|found| found == line), "{told}");
}

#[test]
fn numbers_and_times() {
    for (value, expected) in [(0.0, "0"), (-0.01, "0"), (41.96, "42"), (41.94, "41.9"), (100.0, "100")] {
        assert_eq!(number(value), expected);
    }
    for (secs, expected) in [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (7199, "119 min"), (7200, "2 h")] {
        assert_eq!(minutes(secs), expected);
    }
    for (secs, expected) in [
        (59, "59 s"),
        (3599, "59 min"),
        (9000, "2 h 30 min"),
        (7200, "2 h"),
        (172_799, "47 h 59 min"),
        (356_400, "4 days 3 h"),
    ] {
        assert_eq!(time_to_go(secs), expected);
    }
}
