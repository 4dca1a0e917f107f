//! The picture of the manual: the page's drawing of two weeks, as a file of its own.

use serde_json::Map;

use super::page;
use crate::history::sample::{Sample, decision, reading};
use crate::pacing::{Rules, Window, seconds, whole_seconds};
use crate::settings::Settings;

const QUARTER: i64 = 900;

const HOUR: i64 = 3600;

/// The drawing of the week out of the page, as a file of its own.
fn picture(html: &str) -> String {
    let drawing = html.rsplit("<svg ").next().unwrap().split("</svg>").next().unwrap();
    let (attributes, inside) = drawing.split_once('>').unwrap();
    let (_, measures) = attributes.split_once("viewBox=\"0 0 ").unwrap();
    let (width, height) = measures.split('"').next().unwrap().split_once(' ').unwrap();
    let colours = include_str!("../../style.css").split("* {").next().unwrap();
    let shapes =
        include_str!("../../style.css").split("svg text {").nth(1).unwrap().split("table {").next().unwrap();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-8 -8 {:.0} {:.0}\" role=\"img\">\n<title>A report of two weeks: what was used of \
         the week, the safe line, and delays</title>\n<style>{}\nsvg {{ font-family: system-ui, sans-serif; }}\nsvg text {{{}</style>\n<rect x=\"-8\" \
         y=\"-8\" width=\"100%\" height=\"100%\" rx=\"8\" fill=\"var(--card)\"/>\n{inside}</svg>\n",
        width.parse::<f64>().unwrap() + 16.0,
        height.parse::<f64>().unwrap() + 16.0,
        colours.trim(),
        shapes.trim(),
    )
}

/// Two weeks of somebody who works from Monday to Friday, a call every quarter of an hour: much is done in the
/// second, and paced.
fn fortnight(rules: &Rules) -> Sample {
    let mut sample = Sample::of("Europe/Berlin");
    for (end, points_per_call) in [("2026-11-13 16:00", 0.45), ("2026-11-20 16:00", 0.9)] {
        let end = sample.at(end);
        let (mut at, mut used) = (end - Window::SevenDay.length_secs(), 0.0_f64);
        while at < end {
            let hour = (at - sample.at("2026-11-02 00:00")) / HOUR;
            let is_work = hour / 24 % 7 < 5 && (9..18).contains(&(hour % 24)) && hour % 24 != 12;
            if !is_work {
                at += HOUR;
                continue;
            }
            used += points_per_call;
            sample.snapshots.push(reading(Window::SevenDay, at, used.floor(), end));
            let over = used - rules.safe_at(Window::SevenDay, end, seconds(at));
            let delay = whole_seconds((over * 40.0).clamp(0.0, 350.0));
            if delay >= 5 {
                sample.decisions.push(decision("one", at, delay));
            }
            // A delay costs all the calls of that quarter their time.
            at += QUARTER + delay * 4;
        }
    }
    sample
}

#[test]
fn the_picture_of_the_manual_is_drawn_from_two_weeks_of_work() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../config/manual/pictures/pacing-report.svg");
    let zone = Map::from_iter([("timezone".to_owned(), "Europe/Berlin".into())]);
    let rules = Rules::of(&Settings::over_defaults(&zone).unwrap());
    let safe = |window, resets_at, at| rules.safe_at(window, resets_at, seconds(at));
    let drawn = picture(&page(&fortnight(&rules).past(14, "2026-11-20 18:00"), &safe, false));
    if std::env::var_os("BARBLESS_DRAW").is_some() {
        std::fs::write(&file, &drawn).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(there == drawn, "pacing-report.svg is not what is drawn now: run this test with BARBLESS_DRAW=1");
}
