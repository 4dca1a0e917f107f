//! The state folder: it must be writable and private.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use shared::host::StateDirIgnored;
use shared::state::{is_newer, write_private};

use super::finding::{Finding, Repair};
use super::world::World;

/// The folder as it was found, before anything of ours was run: a hook closes it to others by itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// As a person reads it; `None`: there is no place for one.
    shown: Option<String>,
    /// The user's own, closed to others; `None`: it is not there yet.
    privacy: Option<Privacy>,
    /// What of it cannot be written to, as a person reads it, and why.
    unwritable: Option<(String, String)>,
    /// The files in it that a newer version wrote, as a person reads them.
    newer: Vec<String>,
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
    let unwritable = try_to_write(dir).err();
    let unwritable = unwritable.map(|(path, error)| (world.user().show(&path), error.to_string()));
    let newer = newer_in(dir).iter().map(|path| world.user().show(path)).collect();
    Facts { shown: Some(world.user().show(dir)), privacy, unwritable, newer, ignored }
}

/// The files in it and in its folders that begin with the number of a newer version, in order.
fn newer_in(dir: &Path) -> Vec<PathBuf> {
    let files = |dir: &Path| {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten().take(MAX_ENTRIES);
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let there = files(dir);
    let below = there.iter().filter(|path| path.is_dir()).flat_map(|folder| files(folder));
    // What is left of a replaced file is nobody's memory.
    let is_left = |path: &&PathBuf| path.extension().is_some_and(|end| end == "tmp" || end == "corrupt");
    let mut newer: Vec<PathBuf> =
        there.iter().cloned().chain(below).filter(|path| !is_left(&path) && is_newer(path)).collect();
    newer.sort();
    newer
}

/// A full disk still takes an empty file.
const TRIAL: [u8; 4096] = [b'x'; 4096];

/// More entries of one folder are not looked at.
const MAX_ENTRIES: usize = 10_000;

/// Writes a file to it and to its folders, and removes the file again, like every folder that had to be made for it. The error
/// names what cannot be written to.
fn try_to_write(dir: &Path) -> Result<(), (PathBuf, io::Error)> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|above| above.symlink_metadata().is_err()).collect();
    let made = if dir.is_dir() { Ok(()) } else { shared::state::ensure_private(dir) };
    let below = fs::read_dir(dir).into_iter().flatten().flatten().take(MAX_ENTRIES).map(|entry| entry.path());
    let mut folders = [dir.to_owned()].into_iter().chain(below.filter(|path| path.is_dir()));
    let written = made
        .map_err(|error| (dir.to_owned(), error))
        .and_then(|()| folders.try_for_each(|folder| write_in(&folder).map_err(|error| (folder, error))));
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
    if let Some((shown, why)) = &facts.unwritable {
        let what =
            format!("cannot be written to ({why}): gates that have to count or remember let everything pass");
        let next = "make it writable for you, or make room if the disk is full";
        found.push(Finding::broken(what).at(shown, None).next(next));
    }
    found.extend(of_newer(&facts.newer));
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

/// One line for all of them: after a step back to an older version there are as many as sessions.
fn of_newer(newer: &[String]) -> Option<Finding> {
    let (first, others) = newer.split_first()?;
    let what = match others.len() {
        0 => "was written by a newer version of Barbless: it stays as it is, and what needs it passes"
            .to_owned(),
        more => format!(
            "this and {more} more were written by a newer version of Barbless: they stay as they are, and what needs them passes"
        ),
    };
    let next = "use that version again; or remove what it wrote, and this one begins anew";
    Some(Finding::warning(what).at(first, None).next(next))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Facts, Privacy, findings, newer_in, try_to_write};
    use crate::doctor::finding::Severity::{Broken, Ok, Warning};

    #[test]
    fn trial_leaves_nothing_behind_and_names_what_cannot_be_written_to() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("new/state");
        try_to_write(&dir).unwrap();
        assert!(!scratch.path().join("new").exists());
        fs::create_dir_all(dir.join("heartbeat")).unwrap();
        try_to_write(&dir).unwrap();
        assert_eq!(fs::read_dir(dir.join("heartbeat")).unwrap().count(), 0);
        // A folder stands where the trial of this process would be written, whoever runs it.
        let in_the_way = dir.join(format!("heartbeat/doctor-{}", std::process::id()));
        fs::create_dir_all(in_the_way.join("full")).unwrap();
        fs::create_dir_all(in_the_way.with_extension("tmp")).unwrap();
        assert_eq!(try_to_write(&dir).unwrap_err().0, dir.join("heartbeat"));
        fs::write(scratch.path().join("file"), "").unwrap();
        assert!(try_to_write(&scratch.path().join("file")).is_err());
    }

    #[test]
    fn files_of_a_newer_version_are_reported_in_one_line() {
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir(scratch.path().join("sessions")).unwrap();
        for (name, version, severity, said) in [
            ("old.json", 1, Ok, "is private"),
            ("usage.json.tmp", 2, Ok, "is private"),
            ("usage.json", 2, Warning, "was written by a newer version"),
            ("sessions/s.json", 3, Warning, "this and 1 more were written"),
        ] {
            let text = format!(r#"{{"version":{version},"session":"","state":0}}"#);
            fs::write(scratch.path().join(name), text).unwrap();
            let newer = newer_in(scratch.path()).iter().map(|path| path.display().to_string()).collect();
            let facts = Facts { shown: Some("~/s".to_owned()), newer, ..Facts::default() };
            let found = findings(&facts).remove(0);
            assert_eq!(found.severity, severity, "{name}");
            assert!(found.what.contains(said), "{found}");
        }
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
            let unwritable = (!is_writable).then(|| ("~/s/heartbeat".to_owned(), "no".to_owned()));
            let facts = Facts { shown: Some("~/s".to_owned()), privacy, unwritable, ..Facts::default() };
            let found = &findings(&facts)[0];
            assert_eq!((found.severity, found.fixable), (severity, is_fixable), "{facts:?}");
        }
        assert_eq!(findings(&Facts::default())[0].severity, Broken);
    }
}
