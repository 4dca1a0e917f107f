//! The state folder: it must be there or makeable, writable, and nobody else's business.

use std::fs;
use std::path::Path;

use shared::host::StateDirIgnored;
use shared::state::write_private;

use super::finding::{Finding, Repair};
use super::world::World;

/// The folder as it was found, before anything of ours was run: a hook closes it to others by itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// As a person reads it; `None`: there is no place for one.
    shown: Option<String>,
    /// The user's own, closed to others; `None`: it is not there yet.
    privacy: Option<Privacy>,
    /// Why a file cannot be written there.
    unwritable: Option<String>,
    /// Why the folder that the environment names is not used.
    ignored: Option<StateDirIgnored>,
}

/// Who may do what in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Privacy {
    /// The user alone.
    Private,
    /// Others may read in it.
    Readable,
    /// Others may write to it.
    Writable,
    /// It belongs to somebody else.
    Foreign,
}

/// Looks at the folder, and writes a file to it.
pub(super) fn look(world: &World<'_>) -> Facts {
    let ignored = world.folders.state_dir_ignored;
    let Some(dir) = &world.folders.state_dir else { return Facts { ignored, ..Facts::default() } };
    let privacy = fs::metadata(dir).ok().map(|metadata| privacy(&metadata));
    Facts { shown: Some(world.user().show(dir)), privacy, unwritable: try_to_write(dir).err(), ignored }
}

/// A file of our own, which goes again, like every folder that had to be made for it.
fn try_to_write(dir: &Path) -> Result<(), String> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|above| above.symlink_metadata().is_err()).collect();
    let written = make(dir).map_err(|error| error.to_string()).and_then(|()| write_in(dir));
    for folder in missing {
        let _ = fs::remove_dir(folder);
    }
    written
}

fn write_in(dir: &Path) -> Result<(), String> {
    let file = dir.join(format!("doctor-{}", std::process::id()));
    let written = write_private(&file, b"").map_err(|error| error.to_string());
    let _ = fs::remove_file(file);
    written
}

/// A folder that is there stays as it is.
fn make(dir: &Path) -> std::io::Result<()> {
    if dir.is_dir() { Ok(()) } else { shared::state::ensure_private(dir) }
}

#[cfg(unix)]
fn privacy(metadata: &fs::Metadata) -> Privacy {
    use std::os::unix::fs::MetadataExt;
    // Who runs this owns what it has just made; without that, the owner is not known here.
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Privacy::Foreign;
    }
    match metadata.mode() & 0o077 {
        0 => Privacy::Private,
        others if others & 0o022 != 0 => Privacy::Writable,
        _ => Privacy::Readable,
    }
}

#[cfg(not(unix))]
fn privacy(_metadata: &fs::Metadata) -> Privacy {
    Privacy::Private // Access lists decide there; a profile folder is private by default.
}

/// What is said of it.
pub(super) fn findings(facts: &Facts) -> Vec<Finding> {
    let Some(shown) = &facts.shown else {
        return vec![Finding::broken("there is no place for the hooks' memory").next("set HOME")];
    };
    let mut found = Vec::new();
    if let Some(why) = facts.ignored {
        let what = format!("CLAUDE_HOOK_STATE_DIR is not used, because {why}");
        found.push(
            Finding::warning(what).next(format!(
                "the hooks use {shown}; unset the variable, or name a private folder of yours"
            )),
        );
    }
    if let Some(why) = &facts.unwritable {
        let what =
            format!("cannot be written to ({why}): gates that have to count or remember let everything pass");
        found.push(Finding::broken(what).at(shown, None).next("make that folder writable for you"));
    }
    let place = |finding: Finding| finding.at(shown, None);
    found.extend(match facts.privacy {
        Some(Privacy::Foreign) => Some(
            place(Finding::broken("belongs to another user")).next("move it away; a hook makes a new one"),
        ),
        Some(Privacy::Writable) => Some(
            place(Finding::broken("others may write to it: they can make gates forget"))
                .repair(Repair::CloseState),
        ),
        Some(Privacy::Readable) => {
            Some(place(Finding::warning("others may read in it")).repair(Repair::CloseState))
        }
        Some(Privacy::Private) | None => None,
    });
    if found.is_empty() {
        found.push(Finding::ok(format!("{shown} is private and can be written to")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Facts, Privacy, findings, try_to_write};
    use crate::doctor::finding::{Repair, Severity};

    #[test]
    fn trying_to_write_leaves_nothing_behind() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("new/state");
        assert_eq!(try_to_write(&dir), Ok(()));
        assert!(!scratch.path().join("new").exists());
        std::fs::create_dir_all(&dir).unwrap();
        assert_eq!(try_to_write(&dir), Ok(()));
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
        std::fs::write(scratch.path().join("file"), "").unwrap();
        assert!(try_to_write(&scratch.path().join("file")).is_err());
    }

    #[test]
    fn the_folder_must_be_writable_and_nobody_elses_business() {
        for (privacy, unwritable, severity, repair) in [
            (Some(Privacy::Private), None, Severity::Ok, None),
            (None, None, Severity::Ok, None),
            (None, Some("no"), Severity::Broken, None),
            (Some(Privacy::Private), Some("no"), Severity::Broken, None),
            (Some(Privacy::Readable), None, Severity::Warning, Some(Repair::CloseState)),
            (Some(Privacy::Writable), None, Severity::Broken, Some(Repair::CloseState)),
            (Some(Privacy::Foreign), None, Severity::Broken, None),
        ] {
            let facts = Facts {
                shown: Some("~/s".to_owned()),
                privacy,
                unwritable: unwritable.map(str::to_owned),
                ignored: None,
            };
            let found = findings(&facts);
            assert_eq!(found[0].severity, severity, "{facts:?}");
            assert_eq!(found[0].repair, repair, "{facts:?}");
        }
        assert_eq!(findings(&Facts::default())[0].severity, Severity::Broken);
    }
}
