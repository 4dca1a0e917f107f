//! Writing the file: as a whole or not at all, over nothing, or with the old one kept beside it.

use std::fs;
use std::path::{Path, PathBuf};

use client_settings::FileError;
use shared::host::Timestamp;

use crate::machine::config::user_file::user_file;

/// Why nothing was written.
struct Failed(String);

impl From<FileError> for Failed {
    fn from(error: FileError) -> Self {
        Self(format!("req: {error}"))
    }
}

/// Writes the text. Returns where the old file is kept, if there was one; `inside` is the project the file must lie in.
pub(super) fn write(
    path: &Path,
    inside: Option<&Path>,
    text: &str,
    replaces: bool,
    now: Timestamp,
) -> Result<Option<PathBuf>, String> {
    let file = user_file(path, inside).map_err(|why| format!("req: {why}"))?;
    let mut kept = None;
    let changed = file.change(|before| {
        if before.is_some() {
            let shown = path.display();
            if !replaces {
                return Err(Failed(format!(
                    "req: {shown} was just written by another program; nothing was changed"
                )));
            }
            let old = name_of_old(path, now);
            // A copy keeps the mode; half of one would be taken for the old file.
            fs::copy(file.target(), &old).map_err(|error| {
                let _ = fs::remove_file(&old);
                Failed(format!(
                    "req: {shown}: the old file cannot be kept beside it ({error}); nothing was changed"
                ))
            })?;
            kept = Some(old);
        }
        Ok(Some(text.to_owned()))
    });
    changed.map_err(|Failed(why)| why)?;
    Ok(kept)
}

/// `.before`, or with the time where that is taken.
fn name_of_old(path: &Path, now: Timestamp) -> PathBuf {
    let with = |ending: String| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let first = with(".before".to_owned());
    if first.symlink_metadata().is_err() { first } else { with(format!(".before-{}", now.micros())) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use shared::host::Timestamp;

    use super::write;

    #[test]
    fn a_file_that_is_there_is_replaced_only_on_purpose_and_every_old_one_is_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let file = root.join(".claude/requirements.yaml");
        let now = Timestamp::from_micros(1_800_000_000_000_000);
        let written = |text, replaces| write(&file, Some(&root), text, replaces, now);
        assert_eq!(written("a\n", false), Ok(None));
        assert!(written("b\n", false).unwrap_err().contains("nothing was changed"));
        let first = root.join(".claude/requirements.yaml.before");
        assert_eq!(written("b\n", true), Ok(Some(first.clone())));
        let second = root.join(".claude/requirements.yaml.before-1800000000000000");
        assert_eq!(written("c\n", true), Ok(Some(second.clone())));
        let texts = [first, second, file.clone()].map(|file| fs::read_to_string(file).unwrap());
        assert_eq!(texts, ["a\n", "b\n", "c\n"]);
    }
}
