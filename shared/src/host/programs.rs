//! Programs of the user, and how our own are called.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::places::outermost_root;
use super::{Host, Places, least_environment};
use crate::text::quoted;

/// The folders of `PATH` that a project cannot have filled: absolute, and outside of the outermost repository around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedPath(Vec<PathBuf>);

impl TrustedPath {
    /// Those of this `PATH`, for work in the folder `project`.
    pub fn new(search_path: Option<&OsStr>, project: &Path) -> Self {
        let top = outermost_root(project);
        let is_trusted = |entry: &PathBuf| {
            entry.is_absolute() && entry.canonicalize().is_ok_and(|entry| !entry.starts_with(&top))
        };
        Self(search_path.map(std::env::split_paths).into_iter().flatten().filter(is_trusted).collect())
    }

    /// The first program of this name.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        first_program(self.0.iter().cloned(), Path::new(name))
    }

    /// The least environment of a child that starts programs: these folders as its `PATH`, and what the system needs.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::join_paths(&self.0).ok().map(|path| ("PATH".into(), path));
        path.into_iter().chain(least_environment().map(|(name, value)| (name.into(), value))).collect()
    }
}

/// The first program of this name in these folders.
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
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::{Path, PathBuf};

    use super::{TrustedPath, spoken};

    fn program(file: &Path, mode: u32) -> PathBuf {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        file.to_path_buf()
    }

    #[test]
    fn a_program_is_never_taken_from_the_project() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |path: &str| scratch.path().join(path);
        fs::create_dir_all(at("outer/.git")).unwrap();
        fs::create_dir_all(at("outer/inner/.git")).unwrap();
        for (folder, mode) in
            [("outer/bin", 0o755), ("outer/inner/bin", 0o755), ("plain", 0o644), ("bin", 0o755)]
        {
            program(&at(folder).join("tool"), mode);
        }
        symlink(at("outer/bin"), at("link")).unwrap();
        for (folders, expected) in [
            (&["outer/inner/bin", "outer/bin", "link", "plain", "bin"][..], Some(at("bin/tool"))),
            (&["outer/inner/bin", "outer/bin", "link", "plain"], None),
            (&[], None),
        ] {
            let path = std::env::join_paths(folders.iter().map(|folder| at(folder))).unwrap();
            let trusted = TrustedPath::new(Some(&path), &at("outer/inner"));
            assert_eq!(trusted.find("tool"), expected, "{folders:?}");
        }
        let relative = TrustedPath::new(Some("bin:.:".as_ref()), &at("outer"));
        assert_eq!((relative.find("tool"), TrustedPath::new(None, &at("outer")).find("tool")), (None, None));
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
