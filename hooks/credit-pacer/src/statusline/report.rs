//! What the client tells its status line. Whatever is missing, or of another kind than expected, is not told.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use shared::usage::session::{ContextWindow, SessionUsage};
use shared::usage::{MAX_WINDOWS, Window, is_paced, is_window_name};

/// What was told.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Told {
    /// The session's id.
    pub(super) session: Option<String>,
    /// The project's folder, else where the session works.
    pub(super) project: Option<PathBuf>,
    /// The model's name for people, else its id.
    pub(super) model_name: Option<String>,
    /// What is kept of it.
    pub(super) usage: SessionUsage,
}

impl Told {
    /// Of the client's object.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let object: Value = serde_json::from_slice(bytes).ok()?;
        let text = |pointer: &str| {
            object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let model = text("/model/id").unwrap_or_default();
        let folder = text("/workspace/project_dir").or_else(|| text("/cwd"));
        let usage = SessionUsage {
            model: model.clone(),
            context: context(&object),
            windows: windows(&object),
            total_api_duration_ms: natural(&object, "/cost/total_api_duration_ms").unwrap_or_default(),
            ..SessionUsage::default()
        };
        Some(Self {
            session: text("/session_id"),
            project: folder.map(PathBuf::from),
            model_name: text("/model/display_name").or(Some(model)),
            usage,
        })
    }

    /// The client has had a reply in this session.
    pub(super) const fn has_replied(&self) -> bool {
        self.usage.total_api_duration_ms > 0
    }
}

fn context(object: &Value) -> ContextWindow {
    ContextWindow {
        size: natural(object, "/context_window/context_window_size"),
        used_tokens: natural(object, "/context_window/total_input_tokens"),
        used_percent: object.pointer("/context_window/used_percentage").and_then(Value::as_f64),
    }
}

fn natural(object: &Value, pointer: &str) -> Option<u64> {
    object.pointer(pointer).and_then(Value::as_u64)
}

/// Those that are paced by first: however many are told, they are among them.
fn windows(object: &Value) -> BTreeMap<String, Window> {
    let told = object.pointer("/rate_limits").and_then(Value::as_object).into_iter().flatten();
    let named = told.filter(|(name, _)| is_window_name(name));
    let windows = named.filter_map(|(name, window)| Some((name.clone(), read_window(window)?)));
    let (paced, others): (Vec<_>, Vec<_>) = windows.partition(|(name, _)| is_paced(name));
    paced.into_iter().chain(others).take(MAX_WINDOWS).collect()
}

/// One that is not running has no end, and is no reading.
fn read_window(window: &Value) -> Option<Window> {
    let used_percent = window.get("used_percentage")?.as_f64()?;
    let resets_at = window.get("resets_at")?;
    let resets_at = resets_at.as_i64().or_else(|| resets_at.as_f64().map(pacing::whole_seconds))?;
    Some(Window { used_percent, resets_at, observed_at: 0 })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Told;

    fn told(object: &serde_json::Value) -> Told {
        Told::read(object.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn what_the_client_tells() {
        let told = told(&json!({
            "session_id": "s", "cwd": "/c", "model": {"id": "claude-sonnet-5", "display_name": "Sonnet 5"},
            "workspace": {"current_dir": "/c", "project_dir": "/p"}, "cost": {"total_api_duration_ms": 70},
            "context_window": {"total_input_tokens": 5000, "context_window_size": 200_000, "used_percentage": 3},
            "rate_limits": {"five_hour": {"used_percentage": 42, "resets_at": 1_795_300_000},
                            "seven_day": {"used_percentage": 17.5, "resets_at": 1_795_900_000.0}},
        }));
        assert_eq!(told.session.as_deref(), Some("s"));
        assert_eq!(told.project.as_deref(), Some(std::path::Path::new("/p")));
        assert_eq!(told.model_name.as_deref(), Some("Sonnet 5"));
        assert_eq!(told.usage.model, "claude-sonnet-5");
        let context = told.usage.context;
        assert_eq!(
            (context.size, context.used_tokens, context.used_percent),
            (Some(200_000), Some(5000), Some(3.0))
        );
        let windows: Vec<_> = told
            .usage
            .windows
            .iter()
            .map(|(name, at)| (name.as_str(), at.used_percent, at.resets_at))
            .collect();
        assert_eq!(windows, [("five_hour", 42.0, 1_795_300_000), ("seven_day", 17.5, 1_795_900_000)]);
        assert!(told.has_replied());
    }

    #[test]
    fn what_is_missing_or_of_another_kind_is_not_told_and_spoils_nothing_else() {
        for object in [
            json!({"session_id": "s"}),
            json!({"session_id": "s", "model": null, "context_window": {"used_percentage": null}}),
            json!({"session_id": "s", "model": "a", "cost": [], "rate_limits": 3, "cwd": 1, "workspace": {}}),
            json!({"session_id": "s", "rate_limits": {"five_hour": null, "seven_day": {"used_percentage": "1"}}}),
            json!({"session_id": "s", "rate_limits": {"five_hour": {"used_percentage": 1, "resets_at": null}}}),
            json!({"session_id": "s", "cost": {"total_api_duration_ms": -1}}),
        ] {
            let told = told(&object);
            assert_eq!(told.session.as_deref(), Some("s"), "{object}");
            assert!(
                told.usage.windows.is_empty() && !told.has_replied() && told.project.is_none(),
                "{object}"
            );
        }
    }

    #[test]
    fn names_that_are_none_and_windows_without_end_are_not_told() {
        let window = json!({"used_percentage": 1, "resets_at": 1_795_300_000});
        let mut limits: serde_json::Map<_, _> =
            (0..40).map(|number| (format!("a{number:02}"), window.clone())).collect();
        for name in ["seven_day", "\u{1b}[31m", "../x", "With Space", ""] {
            limits.insert(name.to_owned(), window.clone());
        }
        let told = told(&json!({"session_id": "s", "rate_limits": limits}));
        let names: Vec<_> = told.usage.windows.keys().map(String::as_str).collect();
        assert_eq!((names.len(), names[0], names[14], names[15]), (16, "a00", "a14", "seven_day"));
    }

    #[test]
    fn what_is_no_object_is_nothing() {
        for bytes in ["", "garbage", "{", "\u{1b}[31m"] {
            assert_eq!(Told::read(bytes.as_bytes()), None, "{bytes}");
        }
        assert_eq!(told(&json!([1])).session, None);
    }
}
