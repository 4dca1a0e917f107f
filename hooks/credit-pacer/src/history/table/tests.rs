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
    check(Look { columns: 80, unicode: true, colours: false }, "X");
}

#[test]
fn a_narrow_terminal_in_ascii() {
    check(Look { columns: 40, unicode: false, colours: false }, "X");
}
