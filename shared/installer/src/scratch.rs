//! A folder for a proof's scratch home and project. It must not lie in a repository: there the repository's own settings
//! would be what is proved.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use tempfile::TempDir;

/// Where temporary files may lie besides where the environment says.
#[cfg(unix)]
const ELSEWHERE: [&str; 2] = ["/tmp", "/var/tmp"];
#[cfg(not(unix))]
const ELSEWHERE: [&str; 0] = [];

/// Makes the folder where temporary files are kept, else where the system keeps them.
///
/// # Errors
/// None can be made outside of a repository; the words name the folder that the environment says.
pub(crate) fn folder() -> anyhow::Result<TempDir> {
    let named = std::env::temp_dir();
    in_one_of(std::iter::once(named).chain(ELSEWHERE.map(PathBuf::from)))
}

fn in_one_of(folders: impl IntoIterator<Item = PathBuf>) -> anyhow::Result<TempDir> {
    let mut first = None;
    for folder in folders {
        match make_in(&folder) {
            Ok(made) => return Ok(made),
            Err(why) => first = first.or(Some((folder, why))),
        }
    }
    let (folder, why) = first.unwrap_or_default();
    Err(anyhow!(
        "no scratch folder can be made in {}, where temporary files belong: {why}; set TMPDIR to another folder",
        folder.display()
    ))
}

fn make_in(folder: &Path) -> Result<TempDir, String> {
    let real = folder.canonicalize().map_err(|error| error.to_string())?;
    if real.ancestors().any(|above| above.join(".git").symlink_metadata().is_ok()) {
        return Err("it lies in a git repository".to_owned());
    }
    tempfile::tempdir_in(real).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::in_one_of;

    #[test]
    fn a_folder_that_is_missing_or_in_a_repository_is_passed_over() {
        let scratch = super::folder().unwrap();
        let path = |name: &str| scratch.path().join(name);
        fs::create_dir_all(path("repository/.git")).unwrap();
        fs::create_dir_all(path("repository/tmp")).unwrap();
        fs::create_dir(path("good")).unwrap();
        let wrong = [path("missing"), path("repository/tmp")];
        let made = in_one_of([&wrong[..], &[path("good")]].concat()).unwrap();
        assert!(made.path().starts_with(path("good").canonicalize().unwrap()), "{made:?}");
        for (folders, why) in [
            (&wrong[..], "missing, where temporary files belong: No such file"),
            (&wrong[1..], "git repository"),
        ] {
            let error = in_one_of(folders.to_vec()).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
            assert!(error.to_string().contains("TMPDIR"), "{error}");
            assert!(error.downcast_ref::<std::io::Error>().is_none(), "that would be said of the hook");
        }
    }
}
