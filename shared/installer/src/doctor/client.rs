//! Which version of the client is here, found without running it, and whether the proofs ever passed under it.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;
use shared::proved::{Proved, is_version, version_of_agent};

use super::finding::Finding;
use super::level::json_of;
use super::world::World;
use crate::places::executable;

/// How much of a transcript's end is read: the newest lines are in it, in bytes.
const TAIL: u64 = 64 * 1024;

/// How far above a program its package may lie: `bin/`, and what a package manager puts in between.
const MAX_ABOVE: usize = 4;

/// The version that runs here, as far as it can be told.
pub(super) fn version(world: &World<'_>) -> Option<String> {
    let installed = on_path(world).and_then(|program| of_program(&program));
    let agent = || version_of_agent(world.host.environment.agent.as_deref()?);
    let seen = || newest_transcript(world.config()).and_then(|(_, file)| of_transcript(&file));
    installed.or_else(agent).or_else(seen)
}

/// What the version comes to, `all_passed` telling of the proofs just made.
pub(super) fn finding(version: Option<&str>, proved: &Proved, all_passed: bool) -> Finding {
    let Some(version) = version else {
        return Finding::note(
            "the version of Claude Code is not known: no `claude` in your PATH, and no session yet",
        );
    };
    let proofs =
        if all_passed { "all proofs passed again just now" } else { "not all proofs passed just now" };
    match proved.client.as_deref() {
        Some(before) if before != version => Finding::warning(format!(
            "Claude Code is {version} now, and was {before} when the hooks were last proved; {proofs}"
        )),
        _ if all_passed => Finding::ok(format!("Claude Code {version}; all proofs passed under it just now")),
        _ => Finding::note(format!("Claude Code {version}; nothing is proved under it")),
    }
}

/// What the user's shell would start.
fn on_path(world: &World<'_>) -> Option<PathBuf> {
    let path = world.host.environment.search_path.as_deref()?;
    let program = std::env::split_paths(path).map(|folder| folder.join(executable("claude")));
    program.filter(|program| program.is_file()).find_map(|program| program.canonicalize().ok())
}

/// `.../claude/versions/2.1.329`, or a program of the npm package.
fn of_program(program: &Path) -> Option<String> {
    let names: Vec<&str> = program.iter().filter_map(|part| part.to_str()).collect();
    let versioned = names.windows(2).find(|pair| pair[0] == "versions" && is_version(pair[1]));
    versioned.map(|pair| pair[1].to_owned()).or_else(|| {
        let above = program.ancestors().skip(1).take(MAX_ABOVE);
        above.map(|folder| json_of(&folder.join("package.json"))).find_map(|package| of_package(&package))
    })
}

fn of_package(package: &Value) -> Option<String> {
    package["name"].as_str().filter(|name| name.starts_with("@anthropic-ai/claude-code"))?;
    package["version"].as_str().filter(|version| is_version(version)).map(str::to_owned)
}

/// The transcript that was written to last, and when.
pub(super) fn newest_transcript(config: &Path) -> Option<(SystemTime, PathBuf)> {
    let entries = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let files = entries(config.join("projects")).flat_map(|project| entries(project.path()));
    files
        .filter(|file| file.path().extension().is_some_and(|extension| extension == "jsonl"))
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())))
        .max()
}

/// The newest line that names a version.
fn of_transcript(file: &Path) -> Option<String> {
    let mut file = File::open(file).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail).ok()?;
    let tail = String::from_utf8_lossy(&tail);
    let version = |line: &str| {
        let line: Value = serde_json::from_str(line).ok()?;
        line["version"].as_str().filter(|version| is_version(version)).map(str::to_owned)
    };
    tail.lines().rev().find_map(version)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use shared::proved::Proved;

    use super::{finding, newest_transcript, of_program, of_transcript};
    use crate::doctor::finding::Severity;

    #[test]
    fn the_version_is_read_off_where_the_program_lies() {
        assert_eq!(
            of_program(Path::new("/home/me/.local/share/claude/versions/2.1.329")).as_deref(),
            Some("2.1.329")
        );
        assert_eq!(of_program(Path::new("/usr/bin/claude")), None);
        let scratch = tempfile::tempdir().unwrap();
        let package = scratch.path().join("claude-code");
        fs::create_dir_all(package.join("bin")).unwrap();
        for (text, version) in [
            (r#"{"name":"@anthropic-ai/claude-code","version":"2.1.300"}"#, Some("2.1.300")),
            (r#"{"name":"@anthropic-ai/claude-code","version":"next"}"#, None),
            (r#"{"name":"something-else","version":"2.1.300"}"#, None),
        ] {
            fs::write(package.join("package.json"), text).unwrap();
            assert_eq!(of_program(&package.join("bin/claude.exe")).as_deref(), version, "{text}");
            assert_eq!(of_program(&package.join("cli.js")).as_deref(), version, "{text}");
        }
    }

    #[test]
    fn the_version_is_read_off_the_newest_line_of_the_newest_session() {
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(newest_transcript(scratch.path()), None);
        let project = scratch.path().join("projects/-code-x");
        fs::create_dir_all(&project).unwrap();
        fs::write(project.join("notes.txt"), "").unwrap();
        let file = project.join("s.jsonl");
        let lines = "{\"version\":\"2.1.1\"}\n{\"version\":\"2.1.2\"}\n{\"type\":\"x\"}\n{\"vers";
        fs::write(&file, lines).unwrap();
        assert_eq!(newest_transcript(scratch.path()).map(|(_, file)| file).as_ref(), Some(&file));
        assert_eq!(of_transcript(&file).as_deref(), Some("2.1.2"));
    }

    #[test]
    fn a_changed_version_is_a_warning_whatever_the_proofs_say() {
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
