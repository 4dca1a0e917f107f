//! The reports of Claude Code, and the command that runs below.

use serde_json::json;

use super::Report;

fn report(object: &serde_json::Value) -> Report {
    Report::read(object.to_string().as_bytes()).unwrap()
}

#[test]
fn reads_every_part() {
    let report = report(&json!({
        "session_id": "s", "cwd": "/c", "model": {"id": "claude-sonnet-5", "display_name": "Sonnet 5"},
        "workspace": {"current_dir": "/c", "project_dir": "/p"}, "cost": {"total_api_duration_ms": 70},
        "context_window": {"total_input_tokens": 5000, "context_window_size": 200_000, "used_percentage": 3},
        "rate_limits": {"five_hour": {"used_percentage": 42, "resets_at": 1_795_300_000},
                        "seven_day": {"used_percentage": 17.5, "resets_at": 1_795_900_000.0}},
    }));
    assert_eq!(report.session.as_deref(), Some("s"));
    assert_eq!(report.project.as_deref(), Some(std::path::Path::new("/p")));
    assert_eq!(report.model_name.as_deref(), Some("Sonnet 5"));
    assert_eq!(report.usage.model, "claude-sonnet-5");
    let context = report.usage.context;
    assert_eq!(
        (context.size, context.used_tokens, context.used_percent),
        (Some(200_000), Some(5000), Some(3.0))
    );
    let windows: Vec<_> = report
        .usage
        .windows
        .iter()
        .map(|(name, at)| (name.as_str(), at.used_percent, at.resets_at))
        .collect();
    assert_eq!(windows, [("five_hour", 42.0, 1_795_300_000), ("seven_day", 17.5, 1_795_900_000)]);
    assert_eq!(report.usage.total_api_duration_ms, 70);
}

#[test]
fn leaves_out_what_is_missing_or_of_another_kind() {
    for object in [
        json!({"session_id": "s", "model": null, "context_window": {"used_percentage": null}}),
        json!({"session_id": "s", "model": "a", "cost": [], "rate_limits": 3, "cwd": 1, "workspace": {}}),
        json!({"session_id": "s", "rate_limits": {"five_hour": null, "seven_day": {"used_percentage": "1"}}}),
        json!({"session_id": "s", "rate_limits": {"five_hour": {"used_percentage": 1, "resets_at": null}}}),
        json!({"session_id": "s", "rate_limits": {"five_hour": {"used_percentage": 5000, "resets_at": 1_795_300_000}}}),
    ] {
        let report = report(&object);
        assert_eq!(report.session.as_deref(), Some("s"), "{object}");
        assert!(report.usage.windows.is_empty() && report.usage.total_api_duration_ms == 0, "{object}");
    }
    assert_eq!(Report::read(b"garbage"), None);
}

#[test]
fn keeps_windows_with_plain_names() {
    let window = json!({"used_percentage": 1, "resets_at": 1_795_300_000});
    let names = ["opus-4_1", "seven_day", "\u{1b}[31m", "../x", ""];
    let limits: serde_json::Map<_, _> =
        names.map(|name| (name.to_owned(), window.clone())).into_iter().collect();
    let report = report(&json!({"session_id": "s", "rate_limits": limits}));
    assert!(report.usage.windows.keys().eq(["opus-4_1", "seven_day"]), "{report:?}");
}

#[cfg(unix)]
#[test]
fn ends_the_command_with_all_it_has_started() {
    use std::time::{Duration, Instant};
    let patience = Duration::from_secs(20);
    let began = Instant::now();
    assert_eq!(super::chained("sleep 600 & echo begun; wait", b"{}", Duration::from_millis(50)), None);
    let printed = super::chained("cat; sleep 600 & echo; printf '\\033[31m'; exit 3", b"{}", patience);
    assert_eq!(printed.as_deref(), Some(&b"{}\n\x1b[31m"[..]));
    assert!(began.elapsed() < patience);
}
