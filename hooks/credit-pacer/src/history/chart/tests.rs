//! Charts as they are printed, for readings made by hand.

use proptest::prelude::*;

use super::{Look, chart};
use crate::history::sample::{Sample, even, reading, two_weeks};
use crate::history::span::Span;
use crate::pacing::Window;

const PLAIN: Look = Look { columns: 60, unicode: true, colours: false };

#[track_caller]
fn check(sample: &Sample, days: u32, now: &str, window: usize, look: Look, expected: &str) {
    let past = sample.past(days, now);
    let drawn = chart(&past.courses[window], &past.span, &even, &look);
    assert_eq!(drawn, expected.trim_matches('\n'), "\n{drawn}\n");
}

#[test]
fn a_week_that_is_used_up_too_early() {
    check(
        &two_weeks(),
        7,
        "2026-11-20 18:00",
        1,
        PLAIN,
        "
week: at most 100 % used
100 │                                    ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
    │                                    ▒▒▒▒▒▒▒╌╌╌╌╌╌████
    │                                   ▒▒╌╌╌╌╌╌██████████
    │                                ╌╌▒╌╌████████████████
    │                          ╌╌▒▒▒▒█████████████████████
 50 │                    ╌╌╌╌╌╌ ▆█████████████████████████
    │                  ╌╌      ▅██████████████████████████
    │                    ▆▆▆▆▆▆███████████████████████████
    │                   ▅█████████████████████████████████
    │                  ▃██████████████████████████████████
  0 ┼┬──────┬───────┬───────┬───────┬───────┬───────┬────┴──
     Sat 14 Sun 15  Mon 16  Tue 17  Wed 18  Thu 19  Fri 20
     █ ▁ used  ▒ past the line  ╌ safe line  ┴ reset
",
    );
}

#[test]
fn the_same_in_ascii() {
    check(
        &two_weeks(),
        7,
        "2026-11-20 18:00",
        1,
        Look { unicode: false, columns: 40, ..PLAIN },
        "
week: at most 100 % used
100 |                       @@@@@@@@@@@
    |                      @@@@@----###
    |                      @@---#######
    |                    ----##########
    |                --@@##############
 50 |             --- #################
    |           --   _#################
    |             #####################
    |            ######################
    |            ######################
  0 ++---------+---------+---------+--^-
     14 Nov    16 Nov    18 Nov
     # _ used  @ past the line  - safe line  ^ reset
",
    );
}

#[test]
fn one_reading_alone() {
    let sample = Sample::of("UTC").read(Window::FiveHour, "2026-11-22 13:00", &[("2026-11-22 08:00", 40.0)]);
    check(
        &sample,
        1,
        "2026-11-22 08:00",
        0,
        PLAIN,
        "
5 hours: 40 % used, resets Sun 22 Nov 13:00; at most 40 %
100 │
    │
    │
    │
    │
 50 │
    │                  ▒
    │                  ▒
    │                  ▒
    │                  ▒
  0 ┼┬────────────┬─────────────┬─┴───────────┬─────────────
     00:00        06:00         12:00         18:00
     █ ▁ used  ▒ past the line  ╌ safe line  ┴ reset
",
    );
}

#[test]
fn a_reset_in_the_middle_and_more_than_all() {
    let sample = Sample::of("UTC")
        .read(
            Window::FiveHour,
            "2026-11-22 12:00",
            &[("2026-11-22 07:00", 20.0), ("2026-11-22 09:00", 130.0)],
        )
        .read(Window::FiveHour, "2026-11-22 17:00", &[("2026-11-22 12:30", 5.0)]);
    check(
        &sample,
        1,
        "2026-11-22 20:00",
        0,
        PLAIN,
        "
5 hours: at most 130 % used
130 │                    ▒▒▒▒▒▒▒▒
    │                    ▒▒▒▒▒▒▒▒
    │                    ▒▒▒▒▒▒▒╌          ╌
    │                    ▒▒▒▒▒╌╌█        ╌╌
    │                    ▒▒▒╌╌███       ╌
 65 │                    ▒▒╌█████     ╌╌
    │                    ╌╌██████    ╌
    │                   ╌████████  ╌╌
    │                ▒▒╌▄████████ ╌
    │                ╌███████████╌▃▃▃▃▃▃▃▃▃▃
  0 ┼┬────────────┬─────────────┼──────────┴──┬─────────────
     00:00        06:00         12:00         18:00
     █ ▁ used  ▒ past the line  ╌ safe line  ┴ reset
",
    );
}

#[test]
fn nothing_seen() {
    let sample = Sample::of("UTC").read(Window::FiveHour, "2026-11-22 12:00", &[("2026-11-22 07:00", 20.0)]);
    let past = sample.past(1, "2026-11-22 20:00");
    let drawn = chart(&past.courses[1], &past.span, &even, &PLAIN);
    assert!(drawn.starts_with("week: nothing recorded\n"), "{drawn}");
}

#[test]
fn colours_come_and_go_in_every_line() {
    let past = two_weeks().past(7, "2026-11-20 18:00");
    let drawn = chart(&past.courses[1], &past.span, &even, &Look { colours: true, ..PLAIN });
    for line in drawn.lines() {
        let last = line.rmatch_indices("\u{1b}[").next();
        assert!(last.is_none_or(|(at, _)| line[at..].starts_with("\u{1b}[0m")), "{line:?}");
    }
    assert!(["\u{1b}[36m", "\u{1b}[33m", "\u{1b}[2m"].iter().all(|code| drawn.contains(code)));
    let mut plain = drawn;
    for code in ["\u{1b}[0m", "\u{1b}[36m", "\u{1b}[33m", "\u{1b}[2m"] {
        plain = plain.replace(code, "");
    }
    assert_eq!(plain, chart(&past.courses[1], &past.span, &even, &PLAIN));
}

proptest! {
    #[test]
    fn it_fits_the_terminal(
        columns in 0_usize..300,
        days in 1_u32..400,
        unicode in any::<bool>(),
        rows in prop::collection::vec((0..40_000_000_i64, 0.0..2000.0, 0..700_000_i64), 0..40),
    ) {
        let now = 1_800_000_000;
        let rows: Vec<_> = rows.into_iter()
            .map(|(back, used, ahead)| reading(Window::SevenDay, now - back, used, now - back + ahead)).collect();
        let span = Span::last_days(days, now, jiff::tz::TimeZone::get("America/New_York").unwrap());
        let past = crate::history::past::Past::of(span, &rows, &[], &[]);
        let drawn = chart(&past.courses[1], &past.span, &even, &Look { columns, unicode, colours: false });
        prop_assert_eq!(drawn.lines().count(), 14);
        // The heading and the legend are sentences; the plot and its axis must fit.
        let plot: Vec<&str> = drawn.lines().skip(1).take(12).collect();
        prop_assert!(plot.iter().all(|line| line.chars().count() <= columns.max(40)), "{}", drawn);
        prop_assert!(unicode || drawn.is_ascii());
    }
}
