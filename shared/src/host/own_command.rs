//! How one of our own commands is called in a shell here: by its bare name, if that leads to ours, else by its path.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Host, Places, first_program};
use crate::text::quoted;

impl Host {
    /// How `name` is called: what a text may tell somebody to type in a shell.
    pub fn own_command(&self, name: &str, places: &Places) -> String {
        let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join(name)));
        let deployed = places.config_dir.as_ref().map(|dir| dir.join("hooks").join(name));
        let ours: Vec<PathBuf> =
            [deployed, beside].into_iter().flatten().filter(|file| file.is_file()).collect();
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
    use std::path::{Path, PathBuf};

    use super::spoken;

    fn program(folder: &Path, name: &str) -> PathBuf {
        std::fs::create_dir_all(folder).unwrap();
        let file = folder.join(name);
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        file
    }

    #[cfg(unix)]
    #[test]
    fn the_bare_name_only_where_it_leads_to_ours() {
        let scratch = tempfile::tempdir().unwrap();
        let ours = program(&scratch.path().join("my hooks"), "req");
        program(&scratch.path().join("other"), "req");
        std::fs::create_dir(scratch.path().join("bin")).unwrap();
        std::os::unix::fs::symlink(&ours, scratch.path().join("bin/req")).unwrap();
        let quoted = format!("'{}'", ours.display());
        for (folders, expected) in [
            (&["nowhere"][..], quoted.as_str()),
            (&["nowhere", "my hooks"], "req"),
            (&["other", "my hooks"], &quoted),
            (&["bin", "other"], "req"),
        ] {
            let path =
                std::env::join_paths(folders.iter().map(|folder| scratch.path().join(folder))).unwrap();
            assert_eq!(spoken("req", std::slice::from_ref(&ours), Some(&path)), expected, "{folders:?}");
        }
        assert_eq!(spoken("req", &[], None), "req");
    }
}
