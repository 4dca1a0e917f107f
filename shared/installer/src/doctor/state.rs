//! The state folder: it must be writable and private.

use std::fs::{self, File};
use std::io;
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
    /// Why it cannot be written to.
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
    let unwritable = try_to_write(dir).err().map(|error| error.to_string());
    Facts { shown: Some(world.user().show(dir)), privacy, unwritable, ignored }
}

/// A full disk still takes an empty file.
const TRIAL: [u8; 4096] = [b'x'; 4096];

/// Writes a file to it and removes the file again, like every folder that had to be made for it.
fn try_to_write(dir: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|above| above.symlink_metadata().is_err()).collect();
    let made = if dir.is_dir() { Ok(()) } else { shared::state::ensure_private(dir) };
    let written = made.and_then(|()| write_in(dir));
    for folder in missing {
        let _ = fs::remove_dir(folder);
    }
    written
}

fn write_in(dir: &Path) -> io::Result<()> {
    let file = dir.join(format!("doctor-{}", std::process::id()));
    // Some file systems find out that they are full when they really write.
    let written = write_private(&file, &TRIAL).and_then(|()| File::open(&file)?.sync_all());
    let _ = fs::remove_file(file);
    written
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

pub(super) fn findings(facts: &Facts) -> Vec<Finding> {
    let Some(shown) = &facts.shown else {
        return vec![Finding::broken("there is no place for the hooks' state").next("set HOME")];
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
        let next = "make it writable for you, or make room if the disk is full";
        found.push(Finding::broken(what).at(shown, None).next(next));
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
    use std::fs;

    use super::{Facts, Privacy, findings, try_to_write};
    use crate::doctor::finding::Severity::{Broken, Ok, Warning};

    #[test]
    fn trial_leaves_nothing_behind() {
        let scratch = tempfile::tempdir().unwrap();
        try_to_write(&scratch.path().join("new/state")).unwrap();
        assert!(!scratch.path().join("new").exists());
        fs::write(scratch.path().join("file"), "").unwrap();
        assert!(try_to_write(&scratch.path().join("file")).is_err());
    }

    #[test]
    fn folder_must_be_writable_and_private() {
        for (privacy, is_writable, severity, is_fixable) in [
            (Some(Privacy::Private), true, Ok, false),
            (None, true, Ok, false),
            (None, false, Broken, false),
            (Some(Privacy::Private), false, Broken, false),
            (Some(Privacy::Readable), true, Warning, true),
            (Some(Privacy::Writable), true, Broken, true),
            (Some(Privacy::Foreign), true, Broken, false),
        ] {
            let unwritable = (!is_writable).then(|| "no".to_owned());
            let facts = Facts { shown: Some("~/s".to_owned()), privacy, unwritable, ..Facts::default() };
            let found = &findings(&facts)[0];
            assert_eq!((found.severity, found.fixable), (severity, is_fixable), "{facts:?}");
        }
        assert_eq!(findings(&Facts::default())[0].severity, Broken);
    }
}
