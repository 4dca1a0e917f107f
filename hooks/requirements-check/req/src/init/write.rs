//! Writing the file: as a whole or not at all, over nothing, or with the old one kept beside it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use client_settings::FileError;
use shared::host::Timestamp;

use crate::machine::config::user_file::user_file;

/// So many old files of one second are kept.
const MAX_A_SECOND: u32 = 99;

/// What is to be written.
pub(super) struct Writing<'a> {
    pub(super) file: &'a Path,
    /// The project the file must really lie in; none for the user's own.
    pub(super) inside: Option<&'a Path>,
    pub(super) text: &'a str,
    /// The file that is there may be replaced.
    pub(super) replaces: bool,
    pub(super) now: Timestamp,
}

/// Why nothing was written.
struct Failed(String);

impl From<FileError> for Failed {
    fn from(error: FileError) -> Self {
        Self(format!("req: {error}"))
    }
}

impl Writing<'_> {
    /// Writes it. Returns where the old file is kept, if there was one.
    pub(super) fn write(&self) -> Result<Option<PathBuf>, String> {
        let file = user_file(self.file, self.inside).map_err(|why| format!("req: {why}"))?;
        let mut kept = None;
        file.change(|before| {
            if let Some(before) = before {
                if !self.replaces {
                    let shown = self.file.display();
                    return Err(Failed(format!(
                        "req: {shown} has just been written by somebody else; nothing was changed"
                    )));
                }
                let backup = self.keep(before, file.target());
                kept = Some(backup.map_err(|error| self.cannot_keep(&error))?);
            }
            Ok(Some(self.text.to_owned()))
        })
        .map_err(|Failed(why)| why)?;
        Ok(kept)
    }

    /// The old text beside the file, with the mode it had. One that is kept already is left as it is.
    fn keep(&self, before: &str, old: &Path) -> io::Result<PathBuf> {
        let mode = fs::metadata(old)?.permissions();
        for path in self.names() {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let kept = file
                        .write_all(before.as_bytes())
                        .and_then(|()| file.set_permissions(mode))
                        .and_then(|()| file.sync_all());
                    if kept.is_err() {
                        // Half of it would be taken for the old file.
                        let _ = fs::remove_file(&path);
                    }
                    return kept.map(|()| path);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// What the old file may be called, in the order in which they are tried.
    fn names(&self) -> impl Iterator<Item = PathBuf> {
        let time = self.now.micros().div_euclid(1_000_000);
        let first = [".before".to_owned(), format!(".before-{time}")];
        let more = (2..=MAX_A_SECOND).map(move |number| format!(".before-{time}-{number}"));
        first.into_iter().chain(more).map(|ending| {
            let mut name = self.file.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        })
    }

    fn cannot_keep(&self, error: &io::Error) -> Failed {
        let shown = self.file.display();
        Failed(format!("req: {shown}: the old file cannot be kept beside it ({error}); nothing was changed"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use shared::host::Timestamp;

    use super::Writing;

    fn now() -> Timestamp {
        Timestamp::from_micros(1_800_000_000_000_000)
    }

    #[test]
    fn a_new_file_is_written_with_its_folder_and_one_that_is_there_only_on_purpose() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let file = root.join(".claude/requirements.yaml");
        let writing = |text, replaces| {
            let writing = Writing { file: &file, inside: Some(&root), text, replaces, now: now() };
            writing.write()
        };
        assert_eq!(writing("a\n", false), Ok(None));
        assert!(writing("b\n", false).unwrap_err().contains("nothing was changed"));
        assert_eq!(fs::read_to_string(&file).unwrap(), "a\n");
        let first = root.join(".claude/requirements.yaml.before");
        assert_eq!(writing("b\n", true), Ok(Some(first.clone())));
        let second = root.join(".claude/requirements.yaml.before-1800000000");
        assert_eq!(writing("c\n", true), Ok(Some(second.clone())));
        let third = root.join(".claude/requirements.yaml.before-1800000000-2");
        assert_eq!(writing("d\n", true), Ok(Some(third.clone())), "in the same second");
        let kept = [first, second, third].map(|kept| fs::read_to_string(kept).unwrap());
        assert_eq!(kept, ["a\n", "b\n", "c\n"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), "d\n");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link_that_leads_out_of_the_project() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let (project, elsewhere) = (root.join("project"), root.join("elsewhere"));
        for folder in [&project, &elsewhere] {
            fs::create_dir_all(folder).unwrap();
        }
        std::os::unix::fs::symlink(&elsewhere, project.join(".claude")).unwrap();
        let file = project.join(".claude/requirements.yaml");
        let writing =
            Writing { file: &file, inside: Some(&project), text: "a\n", replaces: false, now: now() };
        assert!(writing.write().unwrap_err().contains("leads out of the project"));
        assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
    }
}
