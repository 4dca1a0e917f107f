//! The location of a file: its real path, and its path from the root of its repository and of the project.

use std::path::{Path, PathBuf};

use shared::host::{Places, flat, real};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Links resolved as far as it exists.
    pub(crate) path: PathBuf,
    /// From the root of the repository that holds it, with `/`.
    pub(crate) file: String,
    /// From the project's root, with `/`.
    pub(crate) in_project: String,
}

impl Spot {
    /// The file of this name in a folder, or in the project's root; `None`: it is none of the project's.
    pub(crate) fn find(places: &Places, folder: Option<&Path>, file: &str) -> Option<Self> {
        let root = places.root.as_deref()?;
        let path = real(&flat(&folder.unwrap_or(root).join(file)));
        let root = real(root);
        let in_project = path.strip_prefix(&root).ok()?;
        let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&root));
        let repository = folders.into_iter().find(|folder| folder.join(".git").exists()).unwrap_or(&root);
        let file = path.strip_prefix(repository).ok()?;
        Some(Self { file: slashed(file), in_project: slashed(in_project), path: path.clone() })
    }

    /// The file that a command may mean: the one that is there, from its folder before the project's root, or else both.
    pub(crate) fn meant(places: &Places, folder: Option<&Path>, file: &str) -> Vec<Self> {
        let mut spots: Vec<Self> =
            [folder, None].into_iter().filter_map(|folder| Self::find(places, folder, file)).collect();
        spots.dedup();
        match spots.iter().position(|spot| spot.path.exists()) {
            Some(index) => vec![spots.swap_remove(index)],
            None => spots,
        }
    }
}

fn slashed(path: &Path) -> String {
    let parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use shared::host::Places;

    use super::Spot;

    fn found(places: &Places, folder: Option<&Path>, file: &str) -> Option<(String, String)> {
        Spot::find(places, folder, file).map(|spot| (spot.file, spot.in_project))
    }

    #[test]
    fn a_file_is_called_from_the_root_of_its_repository() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("project");
        for folder in ["project/.git", "project/sub/.git", "project/sub/src", "outside"] {
            std::fs::create_dir_all(scratch.path().join(folder)).unwrap();
        }
        let places = Places { root: Some(root.clone()), ..Places::default() };
        let is = |file: &str, project: &str| Some((file.to_owned(), project.to_owned()));
        assert_eq!(found(&places, None, "src/new.py"), is("src/new.py", "src/new.py"));
        assert_eq!(found(&places, None, "./a/../src/new.py"), is("src/new.py", "src/new.py"));
        assert_eq!(found(&places, Some(&root.join("sub")), "src/a.py"), is("src/a.py", "sub/src/a.py"));
        let absolute = root.join("src/a b.py");
        assert_eq!(found(&places, None, absolute.to_str().unwrap()), is("src/a b.py", "src/a b.py"));
        assert_eq!(found(&places, None, "../outside/a.py"), None);
        std::fs::write(root.join("sub/src/a.py"), "").unwrap();
        let meant = |file: &str| -> Vec<String> {
            let spots = Spot::meant(&places, Some(&root.join("sub")), file);
            spots.into_iter().map(|spot| spot.in_project).collect()
        };
        assert_eq!(meant("src/a.py"), ["sub/src/a.py"], "the file that is there");
        assert_eq!(meant("src/new.py"), ["sub/src/new.py", "src/new.py"], "each that could be");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(scratch.path().join("outside"), root.join("way-out")).unwrap();
            assert_eq!(found(&places, None, "way-out/a.py"), None);
        }
    }
}
