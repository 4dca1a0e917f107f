//! A hook that a plugin has started leaves the call to the copy of it that settings start: the client runs both, and what
//! counts would count twice (ARCHITECTURE.md, "Decisions").

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::config::{Refused, read_text};
use crate::host::{Host, Places};
use crate::protocol::Input;
use crate::settings::{Started, Texts, is_started_by_settings};

/// With this argument a plugin starts a hook. The environment would not do: a project's settings may define it.
pub const BY_PLUGIN: &str = "--plugin";

/// Larger files are no settings, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// What the installer keeps of the programs beside it, as far as it is asked for here.
#[derive(Deserialize)]
struct Manifest {
    files: BTreeMap<String, Deployed>,
}

#[derive(Deserialize)]
struct Deployed {
    /// In bytes.
    size: u64,
}

/// The settings the client reads have it start this hook for this call.
pub(super) fn is_left_to_settings(hook: &str, host: &Host, places: &Places, input: &Input) -> bool {
    let Some(config) = &places.config_dir else { return false };
    let programs = config.join("hooks");
    let installed = programs.join(format!("{hook}{}", std::env::consts::EXE_SUFFIX));
    let started = Started {
        hook,
        event: input.event.name(),
        tool: input.event.tool_call().map(|call| &*call.tool_name),
    };
    let is_installed = |command: &str| is_same_program(Path::new(command), &installed);
    // Where only the plugin is used there is no such program, and no file has to be read to know it.
    can_be_started(&installed).is_some_and(|found| {
        is_started_by_settings(&texts(host, places, config, input), &started, &is_installed)
            && is_whole(hook, &found, &programs)
    })
}

/// As the client adds them up (tests/client-facts.md, 16): the team's of the folder it was started in, the user's own of the
/// project's top.
fn texts(host: &Host, places: &Places, config: &Path, input: &Input) -> Texts {
    let mut is_unread = false;
    let mut read = |file: PathBuf| match read_text(&file, None, MAX_BYTES) {
        Ok(text) => Some(text),
        Err(Refused::NotThere) => None,
        Err(_) => {
            is_unread = true;
            None
        }
    };
    let start = host.environment.project_dir.as_deref().or(input.call.cwd.as_deref());
    let top = places.root.as_deref();
    let own = |folder: &Path| folder.join(".claude/settings.local.json");
    Texts {
        user: read(config.join("settings.json")),
        local: top.map(own).and_then(&mut read),
        team: start.map(|start| start.join(".claude/settings.json")).and_then(&mut read),
        beside: start.filter(|start| top != Some(*start)).map(own).and_then(&mut read).into_iter().collect(),
        is_unread,
    }
}

/// A relative path is taken from where the client starts it, which is not known for certain.
fn is_same_program(command: &Path, installed: &Path) -> bool {
    let is_link_to = || {
        let real = command.canonicalize();
        real.is_ok_and(|command| installed.canonicalize().is_ok_and(|installed| command == installed))
    };
    command.is_absolute() && (command == installed || is_link_to())
}

/// The installed program, if there is one that may be executed.
fn can_be_started(installed: &Path) -> Option<Metadata> {
    let found = fs::metadata(installed).ok()?;
    (found.is_file() && found.len() > 0 && may_be_executed(installed)).then_some(found)
}

/// It is there whole, as far as its size tells. One that was put there by hand stands in no manifest, and is taken as it is.
fn is_whole(hook: &str, found: &Metadata, programs: &Path) -> bool {
    match read_text(&programs.join("manifest.json"), None, MAX_BYTES) {
        Ok(text) => serde_json::from_str::<Manifest>(&text)
            .is_ok_and(|manifest| manifest.files.get(hook).is_none_or(|file| file.size == found.len())),
        Err(refused) => matches!(refused, Refused::NotThere),
    }
}

#[cfg(unix)]
fn may_be_executed(program: &Path) -> bool {
    rustix::fs::access(program, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn may_be_executed(_program: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{can_be_started, is_same_program, is_whole};

    #[test]
    fn a_program_that_cannot_be_started_is_none() {
        let place = tempfile::tempdir().unwrap();
        let (programs, installed) = (place.path(), place.path().join("a-gate"));
        let manifest = |text: &str| fs::write(programs.join("manifest.json"), text).unwrap();
        let check = |expected: bool| {
            let found = can_be_started(&installed);
            assert_eq!(found.is_some_and(|found| is_whole("a-gate", &found, programs)), expected);
        };
        check(false);
        fs::write(&installed, "program").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&installed, fs::Permissions::from_mode(0o644)).unwrap();
            check(false);
            fs::set_permissions(&installed, fs::Permissions::from_mode(0o755)).unwrap();
        }
        check(true);
        manifest(r#"{"files":{"b-watch":{"size":1}}}"#);
        check(true);
        manifest(r#"{"product":"x","files":{"a-gate":{"sha256":"","size":7,"version":""}}}"#);
        check(true);
        manifest(r#"{"files":{"a-gate":{"size":9000}}}"#);
        check(false);
        manifest("torn");
        check(false);
        fs::remove_file(programs.join("manifest.json")).unwrap();
        fs::write(&installed, "").unwrap();
        check(false);
        fs::remove_file(&installed).unwrap();
        fs::create_dir(&installed).unwrap();
        check(false);
    }

    #[test]
    fn a_relative_path_is_no_certain_program() {
        let place = tempfile::tempdir().unwrap();
        let installed = place.path().join("a-gate");
        fs::write(&installed, "program").unwrap();
        assert!(is_same_program(&installed, &installed));
        assert!(is_same_program(&place.path().join("./a-gate"), &installed));
        assert!(!is_same_program("a-gate".as_ref(), "a-gate".as_ref()));
    }
}
