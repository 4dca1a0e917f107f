//! Working seconds by zone, day, hour and holiday, across changes of the clock.

use crate::pacing::tests::{at, rules};

#[test]
fn a_moment_is_said_in_the_users_zone_with_a_date_where_the_day_comes_again() {
    let now = at("2026-11-25 12:00");
    for (zone, moment, said) in [
        ("UTC", "2026-11-27 16:00", "Fri 16:00"),
        ("America/New_York", "2026-11-27 16:00", "Fri 11:00"),
        ("Pacific/Kiritimati", "2026-11-27 16:00", "Sat 06:00"),
        ("UTC", "2026-12-01 11:00", "Tue 11:00"),
        ("UTC", "2026-12-02 11:00", "Wed 2 Dec 11:00"),
        ("UTC", "2026-11-18 11:00", "Wed 18 Nov 11:00"),
    ] {
        assert_eq!(rules(&format!("timezone: {zone}")).local(at(moment), now), said);
    }
    assert!(!rules("{}").local(i64::MAX, now).is_empty(), "no calendar reaches so far");
}
