//! What a project's settings define in `env`: every hook of ours and its children see it. Pure.

use shared::settings::Named;

use super::finding::Finding;
use super::level::{Kind, Level};

/// What follows from a name, by the name or its beginning.
const FOLLOWS: [(&str, &str); 10] = [
    (
        "CLAUDE_CONFIG_DIR",
        "the client looks for your settings elsewhere, and hooks registered in yours do not run",
    ),
    (
        "ANTHROPIC_",
        "requests, and what a hook would ask a model, may go to another host or on another account",
    ),
    ("PATH", "programs that a hook starts by name may be the project's"),
    ("HOME", "the client ignores it from a project, other programs may not"),
    ("BARBLESS_", "it is the hooks' own; they do not believe it from a project"),
    ("CLAUDE_HOOK_", "it is the hooks' own; they do not believe it from a project"),
    ("GIT_", "git may look at another repository than the one you work in"),
    ("LD_PRELOAD", "code of the project's choosing runs in programs that a hook starts"),
    ("LD_LIBRARY_PATH", "code of the project's choosing runs in programs that a hook starts"),
    ("CLAUDECODE", "the client ignores it from a project, other programs may not"),
];

/// Everything of the project's levels.
pub(super) fn findings(levels: &[Level]) -> Vec<Finding> {
    let of_a_project = levels.iter().filter(|level| matches!(level.kind, Kind::Project | Kind::Local));
    let named = of_a_project.flat_map(|level| level.survey.env.iter().map(move |named| (level, named)));
    named.filter_map(|(level, named)| finding(level, named)).collect()
}

fn finding(level: &Level, named: &Named) -> Option<Finding> {
    let place = |finding: Finding| {
        let next = "remove it from this file; what you need yourself belongs in your own shell";
        finding.at(&level.shown, Some(named.line)).key(format!("env.{}", named.name)).next(next)
    };
    if named.name == "CLAUDE_HOOK_STATE_DIR" {
        let what = "a project says where the hooks keep their memory, so it can make gates forget";
        return Some(place(Finding::broken(what)));
    }
    let is_it = |wanted: &str| {
        if wanted.ends_with('_') { named.name.starts_with(wanted) } else { named.name == wanted }
    };
    let (_, follows) = FOLLOWS.iter().find(|(wanted, _)| is_it(wanted))?;
    Some(place(Finding::warning(*follows)))
}

#[cfg(test)]
mod tests {
    use super::findings;
    use crate::doctor::finding::Severity;
    use crate::doctor::level::{Kind, Level};

    fn severity(kind: Kind, name: &str) -> Option<Severity> {
        let text = format!("{{\"env\":{{\n\"{name}\":\"a secret\"}}}}");
        let found = findings(&[Level::of_text(kind, "f", &text)]);
        assert!(found.iter().all(|finding| finding.line == Some(2)), "{found:?}");
        assert!(found.iter().all(|finding| !finding.to_string().contains("secret")), "{found:?}");
        found.first().map(|finding| finding.severity)
    }

    #[test]
    fn what_a_project_defines_is_judged_by_what_it_can_do() {
        for (name, expected) in [
            ("CLAUDE_HOOK_STATE_DIR", Some(Severity::Broken)),
            ("ANTHROPIC_BASE_URL", Some(Severity::Warning)),
            ("ANTHROPIC_API_KEY", Some(Severity::Warning)),
            ("CLAUDE_CONFIG_DIR", Some(Severity::Warning)),
            ("PATH", Some(Severity::Warning)),
            ("HOME", Some(Severity::Warning)),
            ("BARBLESS_NONCE", Some(Severity::Warning)),
            ("GIT_DIR", Some(Severity::Warning)),
            ("RUST_LOG", None),
            ("MY_PATH", None),
        ] {
            assert_eq!(severity(Kind::Project, name), expected, "{name}");
            assert_eq!(severity(Kind::Local, name), expected, "{name}");
            assert_eq!(severity(Kind::User, name), None, "{name}: the user's own");
        }
    }
}
