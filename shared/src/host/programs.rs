//! Programs of the user, and how our own are called.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::{Host, Places};
use crate::text::quoted;

pub fn first_program(folders: impl Iterator<Item = PathBuf>, name: &Path) -> Option<PathBuf> {
    let endings: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd"] } else { &[""] };
    let mut files = folders.flat_map(|folder| {
        let file = folder.join(name);
        endings.iter().map(move |ending| {
            let mut file = file.clone().into_os_string();
            file.push(ending);
            PathBuf::from(file)
        })
    });
    files.find(|file| is_program(file))
}

/// The file is one that may be executed; on Windows it has an ending, as programs have there.
pub fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    let may_run = |metadata: &Metadata| {
        use std::os::unix::fs::PermissionsExt;
        metadata.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let may_run = |_: &Metadata| file.extension().is_some();
    file.metadata().is_ok_and(|metadata| metadata.is_file() && may_run(&metadata))
}

impl Host {
    /// How `name` is called: what a text may tell somebody to type in a shell.
    pub fn own_command(&self, name: &str, places: &Places) -> String {
        let files = places.program_folders().into_iter().map(|folder| folder.join(name));
        let ours: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
        spoken(name, &ours, self.environment.search_path.as_deref())
    }
}

/// The bare name where the first program of that name on the search path is one of `ours`; else the first of ours.
fn spoken(name: &str, ours: &[PathBuf], search_path: Option<&OsStr>) -> String {
    let folders = search_path.map(std::env::split_paths).into_iter().flatten();
    let found = first_program(folders, Path::new(name)).and_then(|file| file.canonicalize().ok());
    let is_ours = |file: &PathBuf| file.canonicalize().ok() == found;
    match ours.first() {
        Some(first) if found.is_none() || !ours.iter().any(is_ours) => quoted(&first.display().to_string()),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::{Path, PathBuf};

    use super::spoken;

    fn program(file: &Path, mode: u32) -> PathBuf {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        file.to_path_buf()
    }

    #[test]
    fn the_bare_name_only_where_it_leads_to_ours() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |path: &str| scratch.path().join(path);
        let ours = program(&at("my hooks/req"), 0o700);
        program(&at("other/req"), 0o700);
        fs::create_dir(at("bin")).unwrap();
        symlink(&ours, at("bin/req")).unwrap();
        let quoted = format!("'{}'", ours.display());
        for (folders, expected) in [
            (&["nowhere"][..], quoted.as_str()),
            (&["nowhere", "my hooks"], "req"),
            (&["other", "my hooks"], &quoted),
            (&["bin", "other"], "req"),
        ] {
            let path = std::env::join_paths(folders.iter().map(|folder| at(folder))).unwrap();
            assert_eq!(spoken("req", std::slice::from_ref(&ours), Some(&path)), expected, "{folders:?}");
        }
        assert_eq!(spoken("req", &[], None), "req");
    }
}
