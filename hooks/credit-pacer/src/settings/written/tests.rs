//! Days, hours, dates and zones: what is taken, what is refused, and that the schema says the same.

use serde::de::DeserializeOwned;
use shared::config::read_typed;

use super::{Day, DayRange, HoursOfDay, OneOrMore, Zone};

fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    read_typed(&format!("'{text}'")).ok()
}

#[test]
fn hours_are_read_over_midnight_and_to_the_days_end() {
    for (text, from, to) in [
        ("09:00-17:30", 540, 1050),
        ("9:00-17:30", 540, 1050),
        ("22:00-06:00", 1320, 360),
        ("00:00-24:00", 0, 1440),
        ("22:00-00:00", 1320, 0),
    ] {
        assert_eq!(read(text), Some(HoursOfDay { from, to }), "{text}");
    }
    for wrong in [
        "",
        "-",
        "9-17",
        "09:00",
        "09:00-",
        "-17:00",
        "09:00-09:00",
        "25:00-26:00",
        "09:60-10:00",
        "24:00-25:00",
        "24:00-06:00",
        "09:0-10:00",
        "009:00-10:00",
        "09:00-24:01",
        "+9:00-10:00",
        "09:00 - 10:00",
        "09:00-10:00-11:00",
        "９:00-10:00",
        "99999999:00-1:00",
    ] {
        assert_eq!(read::<HoursOfDay>(wrong), None, "{wrong}");
    }
}

#[test]
fn a_wrong_list_is_told_what_is_expected() {
    fn told<T: DeserializeOwned>(value: &str) -> String {
        serde_json::from_str::<T>(value).err().map(|error| error.to_string()).unwrap_or_default()
    }
    let (hours, day, days) = (
        r#"a time range as in "22:00-06:00", or a list of them"#,
        r#"a day of the week as in "mon", or a list of them"#,
        r#"a day as in "2026-12-24", or a list of them"#,
    );
    for wrong in ["22", "true", "null", "{}", r#""9-5""#, r#"["9-5"]"#, "[22]", r#"["09:00-10:00", {}]"#] {
        let told = told::<OneOrMore<HoursOfDay>>(wrong);
        assert!(told.contains(&format!("expected {hours}")), "{wrong}: {told}");
    }
    assert!(told::<OneOrMore<Day>>(r#""monday""#).contains(day));
    assert!(told::<OneOrMore<DayRange>>(r#""24.12.""#).contains(days));
    for right in [r#""09:00-17:00""#, "[]", r#"["09:00-12:00", "13:00-17:00"]"#] {
        assert_eq!(told::<OneOrMore<HoursOfDay>>(right), "", "{right}");
    }
}

#[test]
fn days_are_read_alone_and_from_one_to_another() {
    // 2026-12-24 is day 20811 since 1970-01-01.
    for (text, expected) in [("2026-12-24", (20_811, 20_811)), ("2026-12-24..2027-01-01", (20_811, 20_819))] {
        let range = read::<DayRange>(text).unwrap();
        assert_eq!((range.first, range.last), expected, "{text}");
    }
    for wrong in [
        "",
        "2026-13-01",
        "2026-02-29",
        "24.12.2026",
        "2026-12-24..",
        "..2026-12-24",
        "2026-12-24..2026-12-23",
        "2026-12-24 .. 2026-12-25",
        "2026-12-24T00:00",
        "20261224",
        "--------10",
    ] {
        assert_eq!(read::<DayRange>(wrong), None, "{wrong}");
    }
}

#[test]
fn a_zone_is_the_machines_or_a_known_one() {
    for right in [
        "system",
        "Europe/Berlin",
        "UTC",
        "Etc/GMT+12",
        "Pacific/Kiritimati",
        "America/Argentina/Buenos_Aires",
    ] {
        assert!(read::<Zone>(right).is_some(), "{right}");
    }
    for wrong in ["", "Europe/Berlim", "System", "../../etc/passwd", "+02:00", "CET-1CEST"] {
        assert_eq!(read::<Zone>(wrong), None, "{wrong}");
    }
}

#[test]
fn one_stands_for_a_list_of_one() {
    let nine = HoursOfDay { from: 540, to: 600 };
    for text in ["'09:00-10:00'", "['09:00-10:00']"] {
        assert_eq!(read_typed::<OneOrMore<HoursOfDay>>(text).unwrap().as_slice(), [nine], "{text}");
    }
    assert!(read_typed::<OneOrMore<HoursOfDay>>("[]").unwrap().as_slice().is_empty());
    for wrong in ["'09:00'", "['09:00-10:00', nine]", "9"] {
        assert!(read_typed::<OneOrMore<HoursOfDay>>(wrong).is_err(), "{wrong}");
    }
}
