//! Names of keys; days, hours, dates and zones as they are written.

use pacing::Hours;
use serde::de::DeserializeOwned;
use shared::config::{known_keys, read_typed, schema_of};

use super::{DayRange, HoursOfDay, OneOrMore, Settings, Zone};

#[test]
fn names_of_the_original_tool_lead_to_known_keys() {
    let schema = schema_of::<Settings>();
    let known = known_keys(schema.as_value());
    for (_, new) in <crate::CreditPacer as shared::hook::Hook>::RENAMED {
        let key = new.split('.').next().unwrap();
        assert!(known.contains(&key), "{new}");
    }
}

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
        assert_eq!(read(text), Some(HoursOfDay(Hours { from, to })), "{text}");
    }
    let wrong = "|-|9-17|09:00|09:00-|-17:00|09:00-09:00|25:00-26:00|09:60-10:00|24:00-25:00|24:00-06:00|\
                 09:00-24:01|09:00 - 10:00|09:00-10:00-11:00|９:00-10:00|:00-10:00";
    for wrong in wrong.split('|') {
        assert_eq!(read::<HoursOfDay>(wrong), None, "{wrong}");
    }
}

#[test]
fn days_are_read_alone_and_from_one_to_another() {
    // 2026-12-24 is day 20811 since 1970-01-01.
    for (text, expected) in [("2026-12-24", (20_811, 20_811)), ("2026-12-24..2027-01-01", (20_811, 20_819))] {
        let range = read::<DayRange>(text).unwrap();
        assert_eq!(range.0, expected, "{text}");
    }
    let wrong =
        "|2026-13-01|2026-02-29|24.12.2026|2026-12-24..|..2026-12-24|2026-12-24..2026-12-23|2026-12-24T00:00";
    for wrong in wrong.split('|') {
        assert_eq!(read::<DayRange>(wrong), None, "{wrong}");
    }
}

#[test]
fn a_zone_is_the_machines_or_a_known_one() {
    for right in ["system", "Europe/Berlin", "UTC", "Etc/GMT+12", "America/Argentina/Buenos_Aires"] {
        assert!(read::<Zone>(right).is_some(), "{right}");
    }
    for wrong in ["", "Europe/Berlim", "System", "../../etc/passwd", "+02:00", "CET-1CEST"] {
        assert_eq!(read::<Zone>(wrong), None, "{wrong}");
    }
}

#[test]
fn one_value_stands_for_a_list_of_one() {
    let nine = HoursOfDay(Hours { from: 540, to: 600 });
    for text in ["'09:00-10:00'", "['09:00-10:00']"] {
        assert_eq!(read_typed::<OneOrMore<HoursOfDay>>(text).unwrap().as_slice(), [nine], "{text}");
    }
    assert!(read_typed::<OneOrMore<HoursOfDay>>("[]").unwrap().as_slice().is_empty());
    for wrong in ["'09:00'", "['09:00-10:00', nine]", "9", "{}"] {
        let why = read_typed::<OneOrMore<HoursOfDay>>(wrong).unwrap_err();
        assert!(why.contains("or a list of them"), "{wrong}: {why}");
    }
}
