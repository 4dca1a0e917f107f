//! `req schema`: the forms of what the reading commands print with `--json`. Each is a file of config/req, written by hand: it is a
//! promise to programs, and process tests hold what is printed to it.

use crate::reply::{Answer, Reply, unknown};

macro_rules! forms {
    ($($command:literal: $name:literal),* $(,)?) => {
        &[$(($command, $name, include_str!(concat!("../../../../config/req/", $name, ".schema.json")))),*]
    };
}

/// A command's words after `req`, the name of its form, and the form.
const FORMS: &[(&str, &str, &str)] = forms! {
    "status": "status", "check": "check", "why": "why", "log": "log", "log --stats": "log-stats", "config": "config",
    "list": "list", "sessions": "sessions", "hooks status": "hooks-status", "doctor": "doctor", "ci": "ci", "docs": "docs",
};

/// The form of what that command prints; without one, which commands there are.
pub(crate) fn schema(command: Option<&str>) -> Answer {
    let Some(wanted) = command else {
        return Ok(Reply::lines(
            FORMS.iter().map(|(command, name, _)| format!("{name:14}req {command} --json")),
        ));
    };
    let name = wanted.trim().replace(" --", "-").replace(' ', "-");
    if let Some((_, _, form)) = FORMS.iter().find(|(_, known, _)| *known == name) {
        return Ok(Reply::yes(form.trim_end()));
    }
    let names: Vec<&str> = FORMS.iter().map(|(_, name, _)| *name).collect();
    Err(unknown("schema of", wanted, &names, &format!("; there are {}", names.join(", "))))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{FORMS, schema};

    #[test]
    fn form_describes_every_key_and_allows_no_other() {
        for (command, name, form) in FORMS {
            let document: Value = serde_json::from_str(form).unwrap();
            assert_eq!(document["title"], format!("req {command} --json"));
            assert!(!form.contains("$ref"), "whoever reads {name} should not have to follow references");
            all_described(&document, name);
        }
        assert_eq!(schema(Some(" log --stats ")).unwrap().text, schema(Some("log-stats")).unwrap().text);
        assert!(schema(Some("stauts")).unwrap_err().to_string().contains("did you mean status?"));
        assert!(schema(Some("zzz")).unwrap_err().to_string().contains("there are status, check"));
    }

    #[track_caller]
    fn all_described(schema: &Value, place: &str) {
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            assert_eq!(schema["additionalProperties"], false, "{place}");
            let place = format!("{place}.{key}");
            assert!(property["description"].is_string(), "{place} is not described");
            all_described(property, &place);
            all_described(&property["items"], &place);
        }
    }
}
