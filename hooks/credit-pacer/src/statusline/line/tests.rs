//! The line as it is printed, at every width and for every kind of reading.

use super::Shown;
use crate::command::Now;
use crate::readings::Scene;
use crate::settings::Settings;
use crate::state::State;
use crate::statusline::Report;
use pacing::{Line, Pace, Reading, Status, Strategy, Window, WindowPace};
use shared::host::Timestamp;

const NOW: i64 = 1_000_000;

/// A window: its status, usage, points over the line, age of the reading and time until the reset.
type Row = Option<(Status, f64, f64, i64, i64)>;

fn window(window: Window, row: Row) -> WindowPace {
    let unknown = WindowPace {
        window,
        status: Status::Unknown,
        reading: None,
        line: Line::default(),
        over_percent: 0.0,
        delay_secs: 0.0,
        fit: None,
    };
    let Some((status, used_percent, over_percent, age, left)) = row else { return unknown };
    let reading = Some(Reading { at: NOW - age, used_percent, resets_at: NOW + left });
    WindowPace { status, reading, over_percent, ..unknown }
}

fn pace(five_hour: Row, seven_day: Row) -> Pace {
    Pace {
        delay_secs: 0.0,
        strategy: Strategy::None,
        constrained_window: None,
        reason: String::new(),
        windows: [window(Window::FiveHour, five_hour), window(Window::SevenDay, seven_day)],
    }
}

fn ordinary() -> Pace {
    pace(Some((Status::Over, 63.0, 2.4, 5, 600)), Some((Status::Ok, 48.0, -11.0, 5, 60_000)))
}

struct Case<'a> {
    model: Option<&'a str>,
    context_percent: Option<f64>,
    pace: &'a Pace,
    delay_secs: f64,
    is_off: bool,
    is_lost: bool,
    has_replied: bool,
}

fn shown(pace: &Pace) -> Case<'_> {
    Case {
        model: Some("Opus 4.8"),
        context_percent: Some(42.0),
        pace,
        delay_secs: 0.0,
        is_off: false,
        is_lost: false,
        has_replied: true,
    }
}

fn line(case: &Case<'_>, columns: usize, takes_colours: bool) -> String {
    let mut report = Report { model_name: case.model.map(str::to_owned), ..Report::default() };
    report.usage.context.used_percent = case.context_percent;
    report.usage.total_api_duration_ms = u64::from(case.has_replied);
    let settings = Settings::over_defaults(&serde_json::Map::new()).unwrap();
    let scene = Scene::of(None, &settings, NOW);
    let (time, state, pace) = (Timestamp::from_secs(NOW), State::default(), case.pace.clone());
    let now = Now { time, scene, state, pace, is_off: case.is_off, delay_secs: case.delay_secs };
    Shown { report: &report, now: &now, is_lost: case.is_lost }.line(columns, takes_colours)
}

/// Nothing but the windows.
fn bare(pace: &Pace) -> Case<'_> {
    Case { model: None, context_percent: None, ..shown(pace) }
}

#[test]
fn shows_model_context_windows_and_the_next_delay() {
    let (ordinary, unknown) = (ordinary(), pace(None, None));
    let all = "Opus 4.8 · ctx 42% · 5h 63% ▲2 · wk 48% ▼11";
    for (shown, expected) in [
        (Case { delay_secs: 41.7, ..shown(&ordinary) }, format!("{all} · next +42s")),
        (shown(&ordinary), all.to_owned()),
        (Case { is_off: true, delay_secs: 41.7, ..shown(&ordinary) }, format!("{all} · pacing off")),
        (Case { is_lost: true, ..shown(&ordinary) }, format!("{all} · not recorded")),
        (bare(&ordinary), "5h 63% ▲2 · wk 48% ▼11".to_owned()),
        (bare(&unknown), "no usage reported (needs a Pro or Max login)".to_owned()),
        (Case { has_replied: false, ..bare(&unknown) }, "no usage reported yet".to_owned()),
    ] {
        assert_eq!(line(&shown, 80, false), expected);
    }
}

#[test]
fn a_window_shows_its_place_against_the_safe_line() {
    for (row, expected) in [
        ((Status::Over, 63.0, 0.2, 5, 600), "5h 63% ▲1"),
        ((Status::Ok, 63.0, 0.0, 5, 600), "5h 63% ▼0"),
        ((Status::Ok, 62.6, -30.5, 5, 600), "5h 63% ▼30"),
        ((Status::Stale, 63.0, 0.0, 960, 600), "5h 63% 16 min old"),
        ((Status::Stale, 63.0, 0.0, 7300, 600), "5h 63% 2 h 1 min old"),
        ((Status::Stale, 63.0, 0.0, 5, 0), "5h reset"),
        ((Status::Off, 63.0, 0.0, 5, 600), "5h 63%"),
    ] {
        assert_eq!(line(&bare(&pace(Some(row), None)), 80, false), expected);
    }
}

#[test]
fn drops_the_least_important_first_where_there_is_little_room() {
    let ordinary = ordinary();
    let long = "A model with a name that goes on and on";
    let shown = Case { delay_secs: 42.0, model: Some(long), ..shown(&ordinary) };
    for (columns, expected) in [
        (90, "A model with a name that goes on and on · ctx 42% · 5h 63% ▲2 · wk 48% ▼11 · next +42s"),
        (50, "ctx 42% · 5h 63% ▲2 · wk 48% ▼11 · next +42s"),
        (36, "5h 63% ▲2 · wk 48% ▼11 · next +42s"),
        (22, "wk 48% ▼11 · next +42s"),
        (4, "next +42s"),
    ] {
        assert_eq!(line(&shown, columns, false), expected, "{columns}");
    }
}

#[test]
fn a_models_name_does_nothing_to_the_terminal() {
    let ordinary = ordinary();
    for (name, expected) in [
        ("Opus\u{1b}[2J\u{7}\r\n 4.8", "Opus[2J 4.8 · "),
        ("\u{9b}31mOpus\u{7f}", "31mOpus · "),
        ("a\u{202e}b\u{200b}c", "abc · "),
        ("   ", ""),
        ("模型", ""),
    ] {
        let shown = Case { model: Some(name), ..bare(&ordinary) };
        assert_eq!(line(&shown, 80, false), format!("{expected}5h 63% ▲2 · wk 48% ▼11"), "{name:?}");
    }
}

#[test]
fn colours_show_how_bad_it_is_and_take_no_room() {
    let (green, yellow, red) = ("\u{1b}[32m", "\u{1b}[33m", "\u{1b}[31m");
    for (row, expected) in [
        ((Status::Ok, 48.0, -3.0, 5, 600), green),
        ((Status::Over, 48.0, 3.0, 5, 600), yellow),
        ((Status::Over, 88.0, 20.0, 5, 600), red),
        ((Status::Ok, 95.0, -3.0, 5, 600), red),
        ((Status::Stale, 95.0, 3.0, 960, 600), ""),
    ] {
        let pace = pace(Some(row), None);
        let plain = line(&bare(&pace), 80, false);
        let expected = if expected.is_empty() { plain } else { format!("{expected}{plain}\u{1b}[0m") };
        assert_eq!(line(&bare(&pace), 80, true), expected, "{row:?}");
    }
    let emergency = pace(Some((Status::Over, 60.0, 3.0, 5, 600)), None);
    for (percent, colour) in [(74.0, green), (75.0, yellow), (90.0, red)] {
        let shown = Case { context_percent: Some(percent), ..bare(&emergency) };
        assert!(line(&shown, 80, true).starts_with(&format!("{colour}ctx {percent:.0}%\u{1b}[0m")));
    }
}
