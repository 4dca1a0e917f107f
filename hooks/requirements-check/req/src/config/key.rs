//! A key as it is typed (`requirements.commit_plan.enabled`, a name that holds dots in quotes), and which file is meant.

use shared::config::{LayerKind, describe_in_full, dotted, nearest, schema_at, section_by_schema};
use shared::host::Places;

use super::outlook::Outlook;
use requirements_check::words::cut;

/// The path that a typed key names.
///
/// # Errors
/// If it has an empty part, an open quote, or something behind a closed one.
pub(super) fn path_of(typed: &str) -> Result<Vec<String>, String> {
    parts_of(typed).ok_or_else(|| {
        format!("req: {} is no key; keys have dots between them: stop-momentum.enabled", cut(typed, 60))
    })
}

fn parts_of(typed: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = typed;
    loop {
        let quote = rest.chars().next().filter(|char| matches!(char, '"' | '\''));
        let (part, behind) = match quote {
            Some(quote) => rest[1..].split_once(quote)?,
            None => rest.split_at(rest.find('.').unwrap_or(rest.len())),
        };
        if part.is_empty() {
            return None;
        }
        parts.push(part.to_owned());
        if behind.is_empty() {
            return Some(parts);
        }
        rest = behind.strip_prefix('.')?;
    }
}

/// What to say of a key that there is not, with the one that was probably meant.
pub(super) fn unknown(path: &[String], outlook: &Outlook) -> String {
    let (shown, schema) = (cut(&dotted(path), 120), schema_at(path));
    let meant = (0..path.len()).find_map(|at| {
        let standing = outlook.below(&path[..at]).filter_map(|entry| entry.path.get(at));
        let possible = schema.as_ref().err().filter(|stranger| stranger.at == at);
        let possible = possible.into_iter().flat_map(|stranger| stranger.known.iter().copied());
        let known: Vec<&str> = standing.map(String::as_str).chain(possible).collect();
        let near = nearest(&path[at], &known).filter(|near| *near != path[at])?;
        Some([&path[..at], &[near], &path[at + 1..]].concat())
    });
    match (meant, schema) {
        (Some(meant), _) => format!("req: there is no key {shown}; did you mean {}?", dotted(&meant)),
        (None, Ok(schema)) => {
            format!("req: {shown} is not set in any file; it would be {}", describe_in_full(schema))
        }
        (None, Err(_)) => format!("req: there is no key {shown}; req config lists them"),
    }
}

/// Where a key goes that no level was typed for: the local file in a project, the global one outside of any; a key that
/// counts in one file only goes there.
pub(super) fn usual_level(path: &[String], places: &Places) -> LayerKind {
    match only_in(path) {
        Some(level) => level,
        None if is_global_only(path) || !is_project(places) => LayerKind::Global,
        None => LayerKind::Local,
    }
}

/// The key counts in the user's own file only, so that no project can set it.
pub(super) fn is_global_only(path: &[String]) -> bool {
    let Some((section, rest)) = path.split_first() else { return false };
    let keys = section_by_schema(section).map(|(spec, _)| spec.global_only).unwrap_or_default();
    let own = rest.join(".");
    let is_below = |key: &str| own.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
    // The empty key is the whole section.
    keys.iter().any(|key| key.is_empty() || own == *key || is_below(key))
}

/// The one file in which a key above all sections counts.
pub(super) fn only_in(path: &[String]) -> Option<LayerKind> {
    match path.first().map(String::as_str) {
        Some("locked") => Some(LayerKind::Global),
        Some("inherit" | "requires") => Some(LayerKind::Project),
        _ => None,
    }
}

/// The folder is a repository, or holds a configuration of its own.
fn is_project(places: &Places) -> bool {
    let has_git = places.root.as_ref().is_some_and(|root| root.join(".git").exists());
    places.project_claude_dir.as_ref().is_some_and(|claude| has_git || claude.is_dir())
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn name_with_dots_stands_in_quotes() {
        for (typed, path) in [
            ("enabled", &["enabled"][..]),
            ("requirements.plan.enabled", &["requirements", "plan", "enabled"]),
            ("requirements.\"a.b\".enabled", &["requirements", "a.b", "enabled"]),
            ("requirements.'a \"b'", &["requirements", "a \"b"]),
        ] {
            assert_eq!(path_of(typed).unwrap(), path, "{typed}");
        }
        for typed in ["", ".", "a.", ".a", "a..b", "a.\"b", "\"a\"b", "a.\"\"", "''"] {
            assert!(path_of(typed).is_err(), "{typed}");
        }
    }
}
