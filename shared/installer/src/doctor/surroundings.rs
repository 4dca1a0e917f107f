//! What hooks rely on beside their registration: the state folder, the variables that a project's settings define, and the version of
//! Claude Code.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde_json::Value;
use shared::host::first_program;
use shared::project_env::Variable;
use shared::proved::{self, Proved, is_version, version_of_agent};
use shared::state::{ensure_private, write_private};

use super::report::{Finding, Repair};
use super::world::{Level, World};
use crate::places::Scope;

/// A full disk still takes an empty file.
const TRIAL: [u8; 4096] = [b'x'; 4096];

/// A program lies at most so many folders below its package.
const MAX_ABOVE: usize = 4;

/// The state folder: it must be writable and private.
pub(super) fn state(world: &World<'_>) -> Vec<Finding> {
    let Some(dir) = &world.folders.state_dir else {
        return vec![Finding::broken("there is no place for the hooks' state").next("set HOME")];
    };
    let shown = world.user().show(dir);
    let mut found = Vec::new();
    if let Some(why) = world.folders.state_dir_ignored {
        let next = format!("the hooks use {shown}; unset the variable, or name a private folder of yours");
        found.push(Finding::warning(format!("CLAUDE_HOOK_STATE_DIR is not used, because {why}")).next(next));
    }
    let open = fs::metadata(dir).ok().and_then(|metadata| why_open(&metadata));
    if let Err(why) = try_to_write(dir) {
        let what =
            format!("cannot be written to ({why}): gates that have to count or remember let everything pass");
        let next = "make it writable for you, or make room if the disk is full";
        found.push(Finding::broken(what).at(&shown, None).next(next));
    }
    found.extend(open.map(|finding| finding.at(&shown, None)));
    if found.is_empty() {
        found.push(Finding::ok(format!("{shown} is private and can be written to")));
    }
    found
}

/// Writes a file to the folder and removes the file again, with every folder that had to be made for it.
fn try_to_write(dir: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|above| above.symlink_metadata().is_err()).collect();
    let made = if dir.is_dir() { Ok(()) } else { ensure_private(dir) };
    let file = dir.join(format!("doctor-{}", std::process::id()));
    // Some file systems find out that they are full when they really write.
    let written =
        made.and_then(|()| write_private(&file, &TRIAL)).and_then(|()| File::open(&file)?.sync_all());
    let _ = fs::remove_file(file);
    for folder in missing {
        let _ = fs::remove_dir(folder);
    }
    written
}

#[cfg(unix)]
fn why_open(metadata: &fs::Metadata) -> Option<Finding> {
    use std::os::unix::fs::MetadataExt;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        let found = Finding::broken("belongs to another user");
        return Some(found.next("move it away; a hook makes a new one"));
    }
    match metadata.mode() & 0o077 {
        0 => None,
        others if others & 0o022 != 0 => {
            Some(Finding::broken("others may write to it: they can make gates forget"))
        }
        _ => Some(Finding::warning("others may read in it")),
    }
    .map(|found| found.repair(Repair::CloseState))
}

/// Access lists decide here; a profile folder is private by default.
#[cfg(not(unix))]
fn why_open(_metadata: &fs::Metadata) -> Option<Finding> {
    None
}

/// Variables that a project's settings define in `env`: every hook of ours sees them. A value is never shown.
pub(super) fn environment(levels: &[Level]) -> Vec<Finding> {
    let of_project = levels.iter().filter(|level| matches!(level.scope, Some(Scope::Project | Scope::Local)));
    let named = of_project.flat_map(|level| level.contents.env.iter().map(move |named| (level, named)));
    named.filter_map(|(level, (name, line))| variable(level, name, *line)).collect()
}

fn variable(level: &Level, name: &str, line: usize) -> Option<Finding> {
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

/// The version of Claude Code, found without running it, and whether the proofs ever passed under it. Remembers a version under which
/// all proofs passed.
pub(super) fn claude_code(world: &World<'_>, all_passed: bool) -> Finding {
    let store = world.store();
    let before = store.as_ref().map(proved::read).unwrap_or_default();
    let version = version(world);
    if let (Some(version), Some(store), true) = (&version, &store, all_passed) {
        // A folder that cannot be written to is reported with the state.
        let _ = proved::passed(store, version, world.now());
    }
    of_version(version.as_deref(), &before, all_passed)
}

fn of_version(version: Option<&str>, proved: &Proved, all_passed: bool) -> Finding {
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

/// The version that the user's shell would start, else the one that runs this command.
fn version(world: &World<'_>) -> Option<String> {
    let environment = &world.host.environment;
    let folders = std::env::split_paths(environment.search_path.as_deref().unwrap_or_default());
    let program = first_program(folders.collect::<Vec<_>>().into_iter(), Path::new("claude"));
    let installed = program.and_then(|program| of_program(&program.canonicalize().ok()?));
    installed.or_else(|| version_of_agent(environment.agent.as_deref()?))
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use shared::proved::Proved;

    use super::{environment, of_package, of_program, of_version, try_to_write};
    use crate::doctor::Severity::{self, Broken, Warning};
    use crate::doctor::world::Level;
    use crate::places::Scope;

    #[test]
    fn trial_leaves_nothing_behind() {
        let scratch = tempfile::tempdir().unwrap();
        try_to_write(&scratch.path().join("new/state")).unwrap();
        assert!(!scratch.path().join("new").exists());
        fs::write(scratch.path().join("file"), "").unwrap();
        assert!(try_to_write(&scratch.path().join("file")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn folder_that_others_may_enter_is_reported() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        for (mode, severity) in
            [(0o700, None), (0o755, Some(Warning)), (0o770, Some(Broken)), (0o702, Some(Broken))]
        {
            fs::set_permissions(scratch.path(), fs::Permissions::from_mode(mode)).unwrap();
            let open = super::why_open(&fs::metadata(scratch.path()).unwrap());
            assert_eq!(open.as_ref().map(|found| found.severity), severity, "{mode:o}");
            assert!(open.is_none_or(|found| found.fixable));
        }
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
            let text = format!("{{\"env\":{{\n\"{name}\":\"a secret\"}}}}");
            for (scope, expected) in
                [(Scope::Project, expected), (Scope::Local, expected), (Scope::User, None)]
            {
                let found = environment(&[Level::owned(Some(scope), &text, &[])]);
                assert_eq!(found.first().map(|found| found.severity), expected, "{name} {scope:?}");
                let is_told = |text: String| text.contains("secret");
                assert!(found.iter().all(|found| found.line == Some(2) && !is_told(found.to_string())));
            }
        }
    }

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
            (Some("2.1.2"), Some("2.1.1"), true, Warning, "2.1.2 now, and was 2.1.1"),
            (Some("2.1.2"), Some("2.1.1"), false, Warning, "not all proofs passed"),
        ] {
            let found = of_version(version, &proved(before), passed);
            assert_eq!(found.severity, severity, "{found}");
            assert!(found.what.contains(said), "{found}");
        }
    }
}
