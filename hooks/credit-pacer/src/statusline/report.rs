//! The report of Claude Code to its status line. A part that is missing, or of another kind than expected, is left out.

use std::path::PathBuf;

use serde_json::Value;
use shared::usage::{ContextWindow, SessionUsage};

use crate::readings::reported;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Report {
    pub(super) session: Option<String>,
    /// The project's folder, else the working directory of the session.
    pub(super) project: Option<PathBuf>,
    /// The model's name for people, else its id.
    pub(super) model_name: Option<String>,
    /// The part that is kept.
    pub(super) usage: SessionUsage,
}

impl Report {
    /// Reads the object of Claude Code; `None`: it is no JSON.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let object: Value = serde_json::from_slice(bytes).ok()?;
        let text = |pointer: &str| {
            object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let natural = |pointer: &str| object.pointer(pointer).and_then(Value::as_u64);
        let model = text("/model/id").unwrap_or_default();
        let context = ContextWindow {
            size: natural("/context_window/context_window_size"),
            used_tokens: natural("/context_window/total_input_tokens"),
            used_percent: object.pointer("/context_window/used_percentage").and_then(Value::as_f64),
        };
        Some(Self {
            session: text("/session_id"),
            project: text("/workspace/project_dir").or_else(|| text("/cwd")).map(PathBuf::from),
            model_name: text("/model/display_name").or_else(|| Some(model.clone())),
            usage: SessionUsage {
                model,
                context,
                windows: reported(&object["rate_limits"]),
                total_api_duration_ms: natural("/cost/total_api_duration_ms").unwrap_or_default(),
                ..SessionUsage::default()
            },
        })
    }
}

#[cfg(test)]
mod tests {
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
        ] {
            let report = report(&object);
            assert_eq!(report.session.as_deref(), Some("s"), "{object}");
            assert!(report.usage.windows.is_empty() && report.usage.total_api_duration_ms == 0, "{object}");
        }
        assert_eq!(Report::read(b"garbage"), None);
    }

    #[test]
    fn keeps_sixteen_windows_with_plain_names() {
        let window = json!({"used_percentage": 1, "resets_at": 1_795_300_000});
        let mut limits: serde_json::Map<_, _> =
            (0..40).map(|number| (format!("a{number:02}"), window.clone())).collect();
        for name in ["seven_day", "\u{1b}[31m", "../x", ""] {
            limits.insert(name.to_owned(), window.clone());
        }
        let report = report(&json!({"session_id": "s", "rate_limits": limits}));
        let names: Vec<_> = report.usage.windows.keys().map(String::as_str).collect();
        assert_eq!((names.len(), names[0], names[14], names[15]), (16, "a00", "a14", "seven_day"));
    }
}
