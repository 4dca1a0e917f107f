//! What settings define in `env`: every hook of ours and its children see it, and this program does not.

use std::path::Path;

use client_settings::Named;
use shared::project_env::Variable;

use super::finding::Finding;
use super::level::{Kind, Level, json_of};
use super::world::World;

/// Everything of the project's levels, and what of the user's own takes the hooks elsewhere than this program.
pub(super) fn look(world: &World<'_>) -> Vec<Finding> {
    let own =
        Own { home: &world.user().home, config: world.config(), state: world.folders.state_dir.as_deref() };
    let of_the_user = world.levels.iter().filter(|level| level.kind == Kind::User).flat_map(|level| {
        let text = level.place.as_ref().map(|place| json_of(&place.settings)).unwrap_or_default();
        let finding = |named: &Named| own_finding(level, named, text["env"][&named.name].as_str(), own);
        level.survey.env.iter().filter_map(finding).collect::<Vec<_>>()
    });
    findings(&world.levels).into_iter().chain(of_the_user).collect()
}

/// Where this program looks.
#[derive(Clone, Copy)]
struct Own<'a> {
    home: &'a Path,
    config: &'a Path,
    state: Option<&'a Path>,
}

/// What the user defines for the client alone. A value is compared and never told; one that cannot be read is another.
fn own_finding(level: &Level, named: &Named, value: Option<&str>, own: Own<'_>) -> Option<Finding> {
    let elsewhere = |path: &Path| value.is_none_or(|value| Path::new(value) != path);
    let found = match named.name.as_str() {
        "HOME" if elsewhere(own.home) => Finding::broken(
            "the hooks take another folder for your home: your own requirements.yaml is not read",
        ),
        "CLAUDE_CONFIG_DIR" if elsewhere(own.config) => Finding::broken(
            "the hooks look for your requirements.yaml elsewhere than req does: what you set here counts for nothing",
        ),
        "CLAUDE_HOOK_STATE_DIR" if own.state.is_none_or(elsewhere) => Finding::warning(
            "the hooks keep their memory elsewhere than req: neither sees what the other remembers",
        ),
        "CLAUDE_CODE_ENTRYPOINT" if value.is_none_or(|value| value.starts_with("sdk")) => Finding::warning(
            "the hooks take every session for one that nobody watches, and some of them are silent there",
        ),
        _ => return None,
    };
    let next =
        "remove it from this file; what you need belongs in your shell's profile, where req sees it too";
    Some(found.at(&level.shown, Some(named.line)).key(format!("env.{}", named.name)).next(next))
}

/// Everything of the project's levels. Pure.
fn findings(levels: &[Level]) -> Vec<Finding> {
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
    let known = Variable::of(&named.name)?;
    let login = if known.misleads_requests { "; no hook uses your login in this project" } else { "" };
    Some(place(Finding::warning(format!("{}{login}", known.follows))))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Own, findings, own_finding};
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

    #[test]
    fn what_the_user_defines_for_the_client_alone_must_not_lead_the_hooks_elsewhere() {
        let own = Own {
            home: Path::new("/users/u"),
            config: Path::new("/users/u/.claude"),
            state: Some(Path::new("/users/u/.claude/hook-state")),
        };
        for (name, value, expected) in [
            ("HOME", "/users/u", None),
            ("HOME", "/tmp/secret", Some(Severity::Broken)),
            ("CLAUDE_CONFIG_DIR", "/users/u/.claude/", None),
            ("CLAUDE_CONFIG_DIR", "/tmp/secret", Some(Severity::Broken)),
            ("CLAUDE_HOOK_STATE_DIR", "/users/u/.claude/hook-state", None),
            ("CLAUDE_HOOK_STATE_DIR", "/proc/secret", Some(Severity::Warning)),
            ("CLAUDE_CODE_ENTRYPOINT", "cli", None),
            ("CLAUDE_CODE_ENTRYPOINT", "sdk-secret", Some(Severity::Warning)),
            ("ANTHROPIC_BASE_URL", "secret", None),
            ("PATH", "secret", None),
        ] {
            let level = Level::of_text(Kind::User, "f", &format!("{{\"env\":{{\n\"{name}\":\"{value}\"}}}}"));
            let found = own_finding(&level, &level.survey.env[0], Some(value), own);
            assert_eq!(found.as_ref().map(|found| found.severity), expected, "{name}: {value}");
            assert!(found.is_none_or(|found| found.line == Some(2) && !found.to_string().contains("secret")));
        }
    }
}
