//! Variables that a project's settings define in `env`: every hook of ours sees them. A value is never shown.

use shared::project_env::Variable;

use super::finding::Finding;
use super::level::{Kind, Level};

pub(super) fn findings(levels: &[Level]) -> Vec<Finding> {
    let of_a_project = levels.iter().filter(|level| matches!(level.kind, Kind::Project | Kind::Local));
    let named = of_a_project.flat_map(|level| level.contents.env.iter().map(move |named| (level, named)));
    named.filter_map(|(level, (name, line))| finding(level, name, *line)).collect()
}

fn finding(level: &Level, name: &str, line: usize) -> Option<Finding> {
    let found = if name == "CLAUDE_HOOK_STATE_DIR" {
        Finding::broken("a project says where the hooks keep their state, so it can make gates forget")
    } else {
        let known = Variable::of(name)?;
        let login = if known.misleads_requests { "; no hook uses your login in this project" } else { "" };
        Finding::warning(format!("{}{login}", known.follows))
    };
    let next = "remove it from this file; what you need yourself belongs in your own shell";
    Some(found.at(&level.shown, Some(line)).key(format!("env.{name}")).next(next))
}

#[cfg(test)]
mod tests {
    use super::findings;
    use crate::doctor::finding::Severity::{self, Broken, Warning};
    use crate::doctor::level::{Kind, Level};

    fn severity(kind: Kind, name: &str) -> Option<Severity> {
        let text = format!("{{\"env\":{{\n\"{name}\":\"a secret\"}}}}");
        let found = findings(&[Level::foreign(kind, "f", &text)]);
        let is_told = |text: String| text.contains("secret");
        assert!(found.iter().all(|finding| finding.line == Some(2) && !is_told(finding.to_string())));
        found.first().map(|finding| finding.severity)
    }

    #[test]
    fn variable_of_a_project_is_judged_by_what_it_can_do() {
        for (name, expected) in [
            ("CLAUDE_HOOK_STATE_DIR", Some(Broken)),
            ("ANTHROPIC_BASE_URL", Some(Warning)),
            ("CLAUDE_CONFIG_DIR", Some(Warning)),
            ("PATH", Some(Warning)),
            ("GIT_DIR", Some(Warning)),
            ("RUST_LOG", None),
        ] {
            assert_eq!(severity(Kind::Project, name), expected, "{name}");
            assert_eq!(severity(Kind::Local, name), expected, "{name}");
            assert_eq!(severity(Kind::User, name), None, "{name}: the user's own");
        }
    }
}
