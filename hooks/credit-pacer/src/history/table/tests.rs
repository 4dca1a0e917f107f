//! The table of days as it is printed.

use super::table;
use crate::history::chart::Look;
use crate::history::sample::two_weeks;

#[track_caller]
fn check(look: Look, expected: &str) {
    let drawn = table(&two_weeks().past(4, "2026-11-20 18:00"), &look);
    assert_eq!(drawn, expected.trim_matches('\n'), "\n{drawn}\n");
    assert!(drawn.lines().all(|line| line.chars().count() <= look.columns));
}

#[test]
fn days_in_numbers() {
    check(
        Look { columns: 80, unicode: true, colours: false },
        "
day        5 hours  7 days            delays alerts
Tue 17 Nov    90 %    60 %           1, 42 s      1
Wed 18 Nov    90 %    92 %           1, 42 s      2
Thu 19 Nov    90 %   100 %           1, 42 s      2
Fri 20 Nov       –   100 %                 –      –
",
    );
}

#[test]
fn a_narrow_terminal_in_ascii() {
    check(
        Look { columns: 40, unicode: false, colours: false },
        "
day    5 hours 7 days      delays alerts
Tue 17    90 %   60 %        42 s      1
Wed 18    90 %   92 %        42 s      2
Thu 19    90 %  100 %        42 s      2
Fri 20       -  100 %           -      -
",
    );
}
