//! The state folder: it must be there or makeable, writable in all its parts, and nobody else's business.

use std::fs::{self, File, OpenOptions};
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
    /// What of it cannot be written to.
    unwritable: Option<Unwritable>,
    /// The files in it that a newer version wrote, as a person reads them.
    newer: Vec<String>,
    /// Why the folder that the environment names is not used.
    ignored: Option<StateDirIgnored>,
}

/// A folder or file that cannot be written to, as a person reads it, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Unwritable {
    shown: String,
    why: String,
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
    let told = |(path, error): (PathBuf, io::Error)| Unwritable {
        shown: world.user().show(&path),
        why: error.to_string(),
    };
    let unwritable = try_to_write(dir).err().map(told);
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

/// What a hook writes is as large: a full disk still takes an empty file.
const TRIAL: [u8; 4096] = [b'x'; 4096];

/// More entries are not looked at: a folder with so many is in use.
const MAX_ENTRIES: usize = 10_000;

/// A file of our own in it and in its folders, which goes again, like every folder that had to be made for it; and every
/// file there is opened. What cannot be written to.
fn try_to_write(dir: &Path) -> Result<(), (PathBuf, io::Error)> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|above| above.symlink_metadata().is_err()).collect();
    let written = make(dir).map_err(|error| (dir.to_owned(), error)).and_then(|()| write_everywhere(dir));
    for folder in missing {
        let _ = fs::remove_dir(folder);
    }
    written
}

fn write_everywhere(dir: &Path) -> Result<(), (PathBuf, io::Error)> {
    write_in(dir).map_err(|error| (dir.to_owned(), error))?;
    for entry in fs::read_dir(dir).into_iter().flatten().flatten().take(MAX_ENTRIES) {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        // Whether the user may write to their OFF file is theirs to say.
        let tried = match entry.file_name().to_str() {
            Some("OFF") => Ok(()),
            Some("journal.jsonl") if !kind.is_file() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            _ if kind.is_dir() => write_in(&path),
            _ if kind.is_file() => OpenOptions::new().append(true).open(&path).map(drop),
            _ => Ok(()),
        };
        match tried {
            // A session that ended in this moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            tried => tried.map_err(|error| (path, error))?,
        }
    }
    Ok(())
}

fn write_in(dir: &Path) -> io::Result<()> {
    let file = dir.join(format!("doctor-{}", std::process::id()));
    // Some file systems find out that they are full when they really write.
    let written = write_private(&file, &TRIAL).and_then(|()| File::open(&file)?.sync_all());
    let _ = fs::remove_file(file);
    written
}

/// A folder that is there stays as it is.
fn make(dir: &Path) -> io::Result<()> {
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
    if let Some(Unwritable { shown, why }) = &facts.unwritable {
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
    use super::{Facts, Privacy, Unwritable, findings, newer_in, try_to_write};
    use crate::doctor::finding::{Repair, Severity};

    #[test]
    fn trying_to_write_leaves_nothing_behind() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("new/state");
        try_to_write(&dir).unwrap();
        assert!(!scratch.path().join("new").exists());
        std::fs::create_dir_all(&dir).unwrap();
        try_to_write(&dir).unwrap();
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
        std::fs::write(scratch.path().join("file"), "").unwrap();
        assert!(try_to_write(&scratch.path().join("file")).is_err());
    }

    #[test]
    fn what_cannot_be_written_in_it_is_named() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("state");
        std::fs::create_dir_all(dir.join("heartbeat")).unwrap();
        std::fs::write(dir.join("journal.jsonl"), "a line\n").unwrap();
        try_to_write(&dir).unwrap();
        assert_eq!(std::fs::read(dir.join("journal.jsonl")).unwrap(), b"a line\n");
        assert_eq!(std::fs::read_dir(dir.join("heartbeat")).unwrap().count(), 0);
        // A folder stands where the trial of this process would be written: for whoever may do everything, too.
        let in_the_way = dir.join(format!("heartbeat/doctor-{}", std::process::id()));
        std::fs::create_dir_all(in_the_way.join("full")).unwrap();
        std::fs::create_dir_all(dir.join(format!("heartbeat/doctor-{}.tmp", std::process::id()))).unwrap();
        assert_eq!(try_to_write(&dir).unwrap_err().0, dir.join("heartbeat"));
        std::fs::remove_dir_all(dir.join("heartbeat")).unwrap();
        std::fs::remove_file(dir.join("journal.jsonl")).unwrap();
        std::fs::create_dir(dir.join("journal.jsonl")).unwrap();
        assert_eq!(try_to_write(&dir).unwrap_err().0, dir.join("journal.jsonl"));
    }

    #[test]
    fn what_a_newer_version_wrote_is_told_in_one_line() {
        let scratch = tempfile::tempdir().unwrap();
        let write = |name: &str, version: u32| {
            let path = scratch.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!(r#"{{"version":{version},"session":"","state":0}}"#)).unwrap();
        };
        let told = || {
            let newer = newer_in(scratch.path()).iter().map(|path| path.display().to_string()).collect();
            let facts = Facts { shown: Some("~/s".to_owned()), newer, ..Facts::default() };
            findings(&facts).remove(0)
        };
        write("old.json", 1);
        write("usage.json.tmp", 2);
        assert_eq!(told().severity, Severity::Ok);
        write("usage.json", 2);
        let one = told();
        assert_eq!(one.severity, Severity::Warning);
        assert!(one.what.starts_with("was written by a newer version"), "{one}");
        assert!(one.file.is_some_and(|file| file.ends_with("usage.json")));
        write("sessions/s.json", 3);
        assert!(told().what.starts_with("this and 1 more were written"), "{}", told());
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
                unwritable: unwritable
                    .map(|why: &str| Unwritable { shown: "~/s/heartbeat".to_owned(), why: why.to_owned() }),
                newer: Vec::new(),
                ignored: None,
            };
            let found = findings(&facts);
            assert_eq!(found[0].severity, severity, "{facts:?}");
            assert_eq!(found[0].repair, repair, "{facts:?}");
        }
        assert_eq!(findings(&Facts::default())[0].severity, Severity::Broken);
    }
}
