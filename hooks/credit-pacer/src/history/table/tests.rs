//! The table of days as it is printed.

use super::table;
use crate::history::chart::Look;
use crate::history::sample::{Sample, two_weeks};

#[track_caller]
fn check(sample: &Sample, look: Look, expected: &str) {
    let drawn = table(&sample.past(4, "2026-11-20 18:00"), &look);
    assert_eq!(drawn, expected.trim_matches('\n'), "\n{drawn}\n");
    assert!(drawn.lines().all(|line| line.chars().count() <= look.columns));
}

#[test]
fn days_in_numbers() {
    let sample = two_weeks().delay("one", "2026-11-18 12:00", 1900);
    check(
        &sample,
        Look { columns: 80, unicode: true },
        "
day         5-hour  weekly                 delays alerts
Tue 17 Nov    90 %    60 %          1 delay, 42 s      1
Wed 18 Nov    90 %    92 %       2 delays, 32 min      1
Thu 19 Nov    90 %   100 %          1 delay, 42 s      2
Fri 20 Nov       –   100 %                      –      –
",
    );
}

#[test]
fn a_narrow_terminal_in_ascii() {
    check(
        &two_weeks(),
        Look { columns: 40, unicode: false },
        "
day     5-hour weekly      delays alerts
Tue 17    90 %   60 %        42 s      1
Wed 18    90 %   92 %        42 s      1
Thu 19    90 %  100 %        42 s      2
Fri 20       -  100 %           -      -
",
    );
}
