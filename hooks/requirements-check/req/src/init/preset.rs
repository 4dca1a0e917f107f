//! A preset of config/presets with its blanks filled in. An entry that cannot work here becomes a comment that says why.

use shared::config::{LayerKind, read_map};

use crate::verb::Preset;

#[derive(Clone)]
pub(super) struct Blanks<'a> {
    pub(super) level: LayerKind,
    /// The path or URL of the schema that editors use.
    pub(super) schema: &'a str,
    pub(super) test_command: Option<Vec<&'static str>>,
    pub(super) has_git: bool,
    pub(super) default_branch: Option<String>,
}

/// A line before an entry that names what the entry needs.
const NEEDS_GIT: &str = "  #@ git";
const NEEDS_TESTS: &str = "  #@ tests";

/// Branches that others build on, as a rule.
const USUAL_BRANCHES: [&str; 3] = ["main", "master", "release/*"];

impl Preset {
    const fn text(self) -> &'static str {
        match self {
            Self::Relaxed => include_str!("../../../../../config/presets/relaxed.yaml"),
            Self::Strict => include_str!("../../../../../config/presets/strict.yaml"),
            Self::Minimal => include_str!("../../../../../config/presets/minimal.yaml"),
            Self::Advanced => include_str!("../../../../../config/presets/advanced.yaml"),
            Self::Inherit => include_str!("../../../../../config/presets/inherit.yaml"),
        }
    }
}

pub(super) fn filled(preset: Preset, blanks: &Blanks<'_>) -> String {
    let parts = preset.text().trim_end().split("\n\n").map(|part| entry(part, blanks));
    let branches = blanks.default_branch.iter().map(String::as_str);
    let branches = branches
        .chain(USUAL_BRANCHES.into_iter().filter(|name| Some(*name) != blanks.default_branch.as_deref()));
    let command = match blanks.test_command.as_deref() {
        None => "the command that runs your tests".to_owned(),
        Some([one]) => (*one).to_owned(),
        Some(forms) => format!("[{}]", forms.join(", ")),
    };
    let text = parts.collect::<Vec<_>>().join("\n\n") + "\n";
    text.replace("{{schema}}", blanks.schema)
        .replace("{{whose}}", whose(blanks.level))
        .replace("{{test_command}}", &command)
        // JSON's lists are YAML's, whatever a branch is called.
        .replace("{{protected_branches}}", &branches.collect::<serde_json::Value>().to_string())
}

/// The filled preset, and below it a file that only switches hooks on; `None` for any other file.
pub(super) fn joined(filled: &str, there: &str) -> Option<String> {
    if read_map(there).ok()?.keys().all(|key| key == "version") {
        return None;
    }
    let is_head = |line: &&str| line.starts_with("# yaml-language-server:") || line.starts_with("version:");
    let rest: Vec<&str> = there.lines().filter(|line| !is_head(line)).collect();
    let text = format!("{}\n\n{}\n", filled.trim_end(), rest.join("\n").trim());
    // A key that stands in both cannot be read.
    read_map(&text).is_ok().then_some(text)
}

/// The entry as it stands, or as a comment under the reason.
fn entry(part: &str, blanks: &Blanks<'_>) -> String {
    let (key, body) = match part.strip_prefix("requirements:\n") {
        Some(body) => ("requirements:\n", body),
        None => ("", part),
    };
    let Some((need, rest)) = body.split_once('\n').filter(|(first, _)| first.starts_with("  #@")) else {
        return part.to_owned();
    };
    let lacks = match need {
        NEEDS_GIT if !blanks.has_git => "there is no git repository here",
        NEEDS_TESTS if blanks.test_command.is_none() => {
            "no command that runs the tests was found; write yours as its `command`"
        }
        _ => return format!("{key}{rest}"),
    };
    let name = rest.lines().filter(|line| !line.contains('#')).find_map(|line| line.trim().strip_suffix(':'));
    let lines = rest.lines().map(|line| format!("\n  # {}", line.strip_prefix("  ").unwrap_or(line)));
    format!(
        "{key}  # Left out: {}, because {lacks}.\n  # To have it, remove the first `# ` of each line below.{}",
        name.unwrap_or_default(),
        lines.collect::<String>()
    )
}

const fn whose(level: LayerKind) -> &'static str {
    match level {
        LayerKind::Local => {
            "What is required of Claude's work in this project, for you alone: this file is not in git."
        }
        LayerKind::Project => "What is required of Claude's work in this project: the team's file, in git.",
        _ => "What is required of Claude's work in every project of yours.",
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use requirements_check::RequirementsCheck;
    use shared::config::{LayerKind, Sources};
    use shared::run::configure;
    use shared::switches::Position;

    use super::{Blanks, Preset, filled, joined};

    fn blanks() -> Blanks<'static> {
        Blanks {
            level: LayerKind::Project,
            schema: "./requirements.schema.json",
            test_command: Some(vec!["go test ./...", "go test"]),
            has_git: true,
            default_branch: Some("a: [b]".to_owned()),
        }
    }

    #[test]
    fn each_preset_loads_without_a_problem_whatever_was_found() {
        let nothing = Blanks { test_command: None, has_git: false, default_branch: None, ..blanks() };
        let one = Blanks { test_command: Some(vec!["./mvnw test"]), level: LayerKind::Local, ..blanks() };
        for preset in Preset::value_variants() {
            for blanks in [&blanks(), &nothing, &one] {
                let text = filled(*preset, blanks);
                assert!(!text.contains("{{") && !text.contains("#@"), "{text}");
                let instead = Some((LayerKind::Project, text.clone()));
                let sources = Sources { instead, ..Sources::default() };
                let section = configure::<RequirementsCheck>(&sources, Position::default()).unwrap();
                assert_eq!(section.problems, [], "{text}");
            }
        }
    }

    #[test]
    fn an_entry_that_cannot_work_is_a_comment_with_the_reason() {
        let without = Blanks { test_command: None, has_git: false, ..blanks() };
        let text = filled(Preset::Strict, &without);
        assert!(text.contains("  # Left out: protected_branch, because there is no git"), "{text}");
        assert!(text.contains("  # Left out: tests_green, because no command"), "{text}");
        assert!(text.contains("\n  #   type: guard") && text.contains("\n  commit_plan:"), "{text}");
        let text = filled(Preset::Strict, &blanks());
        assert!(text.contains("command: [go test ./..., go test]   #"), "{text}");
        assert!(text.contains(r#"["a: [b]","main","master","release/*"]"#), "{text}");
    }

    #[test]
    fn a_file_that_requires_nothing_stays_below_the_preset() {
        let text = filled(Preset::Relaxed, &blanks());
        let there = "# mine\nversion: \"1.0\"\n\n# why\nstop-momentum:\n  enabled: true   # now\n";
        let both = joined(&text, there).unwrap();
        let added = "\n\n# mine\n\n# why\nstop-momentum:\n  enabled: true   # now\n";
        assert_eq!(both, format!("{}{added}", text.trim_end()));
        for there in ["requirements: {}\n", "version: 1\n", "", "- a\n", "a: [\n"] {
            assert_eq!(joined(&text, there), None, "{there}");
        }
    }
}
