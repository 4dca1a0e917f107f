//! The state folder: it must be writable and private.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use shared::host::StateDirIgnored;
use shared::state::{ensure_private, write_private};

use super::finding::{Finding, Repair, Severity};
use super::world::World;

/// A full disk still takes an empty file.
const TRIAL: [u8; 4096] = [b'x'; 4096];

/// The folder before anything of ours ran: a hook closes it to others by itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// As a person reads it; `None`: there is no place for one.
    shown: Option<String>,
    /// Why others could interfere, and whether `--fix` mends that.
    open: Option<(Severity, &'static str, bool)>,
    unwritable: Option<String>,
    /// Why the folder that the environment names is not used.
    ignored: Option<StateDirIgnored>,
}

/// Looks at the folder, and writes a file to it.
pub(super) fn look(world: &World<'_>) -> Facts {
    let ignored = world.folders.state_dir_ignored;
    let Some(dir) = &world.folders.state_dir else { return Facts { ignored, ..Facts::default() } };
    let open = fs::metadata(dir).ok().and_then(|metadata| why_open(&metadata));
    let unwritable = try_to_write(dir).err().map(|error| error.to_string());
    Facts { shown: Some(world.user().show(dir)), open, unwritable, ignored }
}

/// Writes a file to it and removes the file again, with every folder that had to be made for it.
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
fn why_open(metadata: &fs::Metadata) -> Option<(Severity, &'static str, bool)> {
    use std::os::unix::fs::MetadataExt;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Some((Severity::Broken, "belongs to another user", false));
    }
    match metadata.mode() & 0o077 {
        0 => None,
        others if others & 0o022 != 0 => {
            Some((Severity::Broken, "others may write to it: they can make gates forget", true))
        }
        _ => Some((Severity::Warning, "others may read in it", true)),
    }
}

/// Access lists decide here; a profile folder is private by default.
#[cfg(not(unix))]
fn why_open(_metadata: &fs::Metadata) -> Option<(Severity, &'static str, bool)> {
    None
}

pub(super) fn findings(facts: &Facts) -> Vec<Finding> {
    let Some(shown) = &facts.shown else {
        return vec![Finding::broken("there is no place for the hooks' state").next("set HOME")];
    };
    let mut found = Vec::new();
    if let Some(why) = facts.ignored {
        let next = format!("the hooks use {shown}; unset the variable, or name a private folder of yours");
        found.push(Finding::warning(format!("CLAUDE_HOOK_STATE_DIR is not used, because {why}")).next(next));
    }
    if let Some(why) = &facts.unwritable {
        let what =
            format!("cannot be written to ({why}): gates that have to count or remember let everything pass");
        let next = "make it writable for you, or make room if the disk is full";
        found.push(Finding::broken(what).at(shown, None).next(next));
    }
    if let Some((severity, what, is_fixable)) = facts.open {
        let finding = Finding::new(severity, what).at(shown, None);
        let next = "move it away; a hook makes a new one";
        found.push(if is_fixable { finding.repair(Repair::CloseState) } else { finding.next(next) });
    }
    if found.is_empty() {
        found.push(Finding::ok(format!("{shown} is private and can be written to")));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Facts, findings, try_to_write};
    use crate::doctor::finding::Severity::{Broken, Ok};

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
        for (mode, found) in
            [(0o700, None), (0o755, Some("read")), (0o770, Some("write")), (0o702, Some("write"))]
        {
            fs::set_permissions(scratch.path(), fs::Permissions::from_mode(mode)).unwrap();
            let open = super::why_open(&fs::metadata(scratch.path()).unwrap());
            assert_eq!(open.is_some(), found.is_some(), "{mode:o}");
            assert!(open.is_none_or(|(_, what, is_fixable)| what.contains(found.unwrap()) && is_fixable));
        }
    }

    #[test]
    fn folder_must_be_writable_and_private() {
        let open = Some((Broken, "others may write to it", true));
        for (open, is_writable, severity, is_fixable) in
            [(None, true, Ok, false), (None, false, Broken, false), (open, true, Broken, true)]
        {
            let unwritable = (!is_writable).then(|| "no".to_owned());
            let facts = Facts { shown: Some("~/s".to_owned()), open, unwritable, ..Facts::default() };
            let found = &findings(&facts)[0];
            assert_eq!((found.severity, found.fixable), (severity, is_fixable), "{facts:?}");
        }
        assert_eq!(findings(&Facts::default())[0].severity, Broken);
    }
}
