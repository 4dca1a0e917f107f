//! A key as it is typed (`requirements.commit_plan.enabled`, a name that holds dots in quotes), and which file is meant.

use shared::config::{
    Entry, LayerKind, Stranger, describe_in_full, dotted, nearest, schema_at, section_by_schema,
};
use shared::host::Places;

use super::outlook::Outlook;
use requirements_check::words::cut;

/// A part of a typed key.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    text: String,
    is_quoted: bool,
}

/// The path that a typed key names. A name of the user's own that holds dots need not be quoted where it is known.
///
/// # Errors
/// If it cannot be read.
pub(super) fn path_of(typed: &str, known: &[Entry]) -> Result<Vec<String>, String> {
    let parts = parts_of(typed).ok_or_else(|| {
        format!("req: {} is no key; keys have dots between them: stop-momentum.enabled", cut(typed, 60))
    })?;
    let mut path: Vec<String> = Vec::new();
    let mut rest = parts.as_slice();
    while let Some(first) = rest.first() {
        let (name, count) = longest_known(rest, &path, known).unwrap_or((first.text.clone(), 1));
        path.push(name);
        rest = &rest[count..];
    }
    Ok(path)
}

/// `None` for an empty part, an open quote, or something behind a closed one.
fn parts_of(typed: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = typed;
    loop {
        let quote = rest.chars().next().filter(|char| matches!(char, '"' | '\''));
        let (text, behind) = match quote {
            Some(quote) => rest[1..].split_once(quote)?,
            None => rest.split_at(rest.find('.').unwrap_or(rest.len())),
        };
        if text.is_empty() {
            return None;
        }
        parts.push(Part { text: text.to_owned(), is_quoted: quote.is_some() });
        if behind.is_empty() {
            return Some(parts);
        }
        rest = behind.strip_prefix('.')?;
    }
}

/// The longest name with dots that stands there, and how many parts it takes.
fn longest_known(rest: &[Part], above: &[String], known: &[Entry]) -> Option<(String, usize)> {
    let plain = rest.iter().take_while(|part| !part.is_quoted).count();
    (2..=plain).rev().find_map(|count| {
        let name = rest[..count].iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(".");
        let stands =
            |entry: &Entry| entry.path.starts_with(above) && entry.path.get(above.len()) == Some(&name);
        known.iter().any(stands).then_some((name, count))
    })
}

/// What to say of a key that there is not, with the one that was probably meant.
pub(super) fn unknown(path: &[String], outlook: &Outlook) -> String {
    let shown = cut(&dotted(path), 120);
    let meant = match schema_at(path) {
        Err(Stranger { at, known }) => {
            let standing = names_at(outlook, path, at);
            nearest_at(path, at, &[known, standing].concat())
        }
        Ok(_) => (0..path.len()).find_map(|at| {
            let standing = names_at(outlook, path, at);
            let is_there = standing.contains(&path[at].as_str());
            if is_there { None } else { nearest_at(path, at, &standing) }
        }),
    };
    match (meant, schema_at(path)) {
        (Some(meant), _) => format!("req: there is no key {shown}; did you mean {}?", dotted(&meant)),
        (None, Ok(schema)) => {
            format!("req: {shown} is not set in any file; it would be {}", describe_in_full(schema))
        }
        (None, Err(_)) => format!("req: there is no key {shown}; req config lists them"),
    }
}

/// What stands in the maps above the key of that number.
fn names_at<'o>(outlook: &'o Outlook, path: &[String], at: usize) -> Vec<&'o str> {
    let below = outlook.entries.iter().filter(|entry| entry.path.starts_with(&path[..at]));
    below.filter_map(|entry| entry.path.get(at).map(String::as_str)).collect()
}

fn nearest_at(path: &[String], at: usize, known: &[&str]) -> Option<Vec<String>> {
    let meant = nearest(path.get(at)?, known)?;
    Some(path[..at].iter().cloned().chain([meant]).chain(path[at + 1..].iter().cloned()).collect())
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
    use shared::config::{Entry, LayerKind, Origin};

    use super::path_of;

    fn known(path: &[&str]) -> Entry {
        Entry {
            path: path.iter().map(|key| (*key).to_owned()).collect(),
            value: true.into(),
            origin: Origin { layer: LayerKind::Project, file: "f".to_owned(), line: None },
            overridden: Vec::new(),
            locked: false,
            global_only: false,
        }
    }

    #[test]
    fn a_name_with_dots_is_quoted_or_known() {
        let known = [known(&["requirements", "v1.2", "enabled"]), known(&["requirements", "v1", "2"])];
        for (typed, path) in [
            ("enabled", &["enabled"][..]),
            ("requirements.plan.enabled", &["requirements", "plan", "enabled"]),
            ("requirements.\"a.b\".enabled", &["requirements", "a.b", "enabled"]),
            ("requirements.'a \"b'", &["requirements", "a \"b"]),
            ("requirements.v1.2.scope", &["requirements", "v1.2", "scope"]),
            ("requirements.\"v1\".2", &["requirements", "v1", "2"]),
            ("requirements.v1.3", &["requirements", "v1", "3"]),
        ] {
            assert_eq!(path_of(typed, &known).unwrap(), path, "{typed}");
        }
    }

    #[test]
    fn what_is_no_key_is_told() {
        for typed in ["", ".", "a.", ".a", "a..b", "a.\"b", "\"a\"b", "a.\"\"", "''"] {
            assert!(path_of(typed, &[]).is_err(), "{typed}");
        }
    }
}
