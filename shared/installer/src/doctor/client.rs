//! The version of Claude Code, found without running it, and whether the proofs ever passed under it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;
use shared::host::first_program;
use shared::proved::{self, Proved, is_version, version_of_agent};

use super::finding::Finding;
use super::world::World;

/// A program lies at most so many folders below its package.
const MAX_ABOVE: usize = 4;

/// The finding. Remembers a version under which all proofs passed.
pub(super) fn look(world: &World<'_>, all_passed: bool) -> Finding {
    let store = world.store();
    let before = store.as_ref().map(proved::read).unwrap_or_default();
    let version = version(world);
    if let (Some(version), Some(store), true) = (&version, &store, all_passed) {
        // A folder that cannot be written to is reported with the state.
        let _ = proved::passed(store, version, world.now());
    }
    finding(version.as_deref(), &before, all_passed)
}

/// The version that the user's shell would start, else the one that runs this command.
fn version(world: &World<'_>) -> Option<String> {
    let environment = &world.host.environment;
    let folders = std::env::split_paths(environment.search_path.as_deref().unwrap_or_default());
    let program = first_program(folders.collect::<Vec<_>>().into_iter(), Path::new("claude"));
    let installed = program.and_then(|program| of_program(&program.canonicalize().ok()?));
    installed.or_else(|| version_of_agent(environment.agent.as_deref()?))
}

fn finding(version: Option<&str>, proved: &Proved, all_passed: bool) -> Finding {
    let Some(version) = version else {
        return Finding::note("the version of Claude Code is not known: no `claude` in your PATH");
    };
    let proofs = if all_passed { "all proofs passed again" } else { "not all proofs passed" };
    match proved.client.as_deref() {
        Some(before) if before != version => Finding::warning(format!(
            "Claude Code is {version} now, and was {before} when the hooks were last proved; {proofs} just now"
        )),
        _ if all_passed => Finding::ok(format!("Claude Code {version}; all proofs passed under it just now")),
        _ => Finding::note(format!("Claude Code {version}; nothing is proved under it")),
    }
}

/// `.../claude/versions/2.1.329`, or a program of the npm package.
fn of_program(program: &Path) -> Option<String> {
    let names: Vec<&str> = program.iter().filter_map(|part| part.to_str()).collect();
    let versioned = names.windows(2).find(|pair| pair[0] == "versions" && is_version(pair[1]));
    versioned.map(|pair| pair[1].to_owned()).or_else(|| {
        let above = program.ancestors().skip(1).take(MAX_ABOVE);
        above
            .filter_map(|folder| fs::read(folder.join("package.json")).ok())
            .find_map(|text| of_package(&text))
    })
}

fn of_package(text: &[u8]) -> Option<String> {
    let package: Value = serde_json::from_slice(text).ok()?;
    package["name"].as_str().filter(|name| name.starts_with("@anthropic-ai/claude-code"))?;
    package["version"].as_str().filter(|version| is_version(version)).map(str::to_owned)
}

/// When any session last wrote to its transcript.
pub(super) fn last_session(config: &Path) -> Option<SystemTime> {
    let entries = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let files = entries(config.join("projects")).flat_map(|project| entries(project.path()));
    let is_transcript = |path: &Path| path.extension().is_some_and(|extension| extension == "jsonl");
    files
        .filter(|file| is_transcript(&file.path()))
        .filter_map(|file| file.metadata().ok()?.modified().ok())
        .max()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use shared::proved::Proved;

    use super::{finding, of_package, of_program};
    use crate::doctor::finding::Severity;

    #[test]
    fn version_is_read_off_where_the_program_lies() {
        let native = Path::new("/home/me/.local/share/claude/versions/2.1.329");
        assert_eq!(of_program(native).as_deref(), Some("2.1.329"));
        assert_eq!(of_program(Path::new("/usr/bin/claude")), None);
        for (text, version) in [
            (r#"{"name":"@anthropic-ai/claude-code","version":"2.1.300"}"#, Some("2.1.300")),
            (r#"{"name":"@anthropic-ai/claude-code","version":"next"}"#, None),
            (r#"{"name":"something-else","version":"2.1.300"}"#, None),
        ] {
            assert_eq!(of_package(text.as_bytes()).as_deref(), version, "{text}");
        }
    }

    #[test]
    fn changed_version_is_a_warning() {
        let proved = |client: Option<&str>| Proved { client: client.map(str::to_owned), ..Proved::default() };
        for (version, before, passed, severity, said) in [
            (None, None, true, Severity::Note, "not known"),
            (Some("2.1.2"), None, true, Severity::Ok, "Claude Code 2.1.2; all proofs passed"),
            (Some("2.1.2"), Some("2.1.2"), true, Severity::Ok, "2.1.2"),
            (Some("2.1.2"), None, false, Severity::Note, "nothing is proved"),
            (Some("2.1.2"), Some("2.1.1"), true, Severity::Warning, "2.1.2 now, and was 2.1.1"),
            (Some("2.1.2"), Some("2.1.1"), false, Severity::Warning, "not all proofs passed"),
        ] {
            let found = finding(version, &proved(before), passed);
            assert_eq!(found.severity, severity, "{found}");
            assert!(found.what.contains(said), "{found}");
        }
    }
}
