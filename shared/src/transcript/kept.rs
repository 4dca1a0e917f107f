//! Where the client keeps transcripts: `<config dir>/projects/<folder>/<session>.jsonl`, where the folder is the project's path
//! with a hyphen for whatever is no letter and no digit (fact: tests/client-facts.md).

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of all projects' transcripts.
#[must_use]
pub fn projects_dir(config_dir: &Path) -> PathBuf {
    config_dir.join("projects")
}

/// The transcripts of sessions that were begun in the project, in no order.
pub fn of_project(projects: &Path, project: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    transcripts(&projects.join(folder_of(project)))
}

/// The transcripts of all projects, in no order.
pub fn of_all(projects: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    folders(projects).flat_map(|folder| transcripts(&folder))
}

/// The session's transcript, in whichever project it was begun.
#[must_use]
pub fn of_session(projects: &Path, session: &str) -> Option<PathBuf> {
    let name = format!("{session}.jsonl");
    // An id is no path.
    (Path::new(&name).file_name()?.to_str()? == name).then_some(())?;
    folders(projects).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// The session that a transcript is of, by its name.
#[must_use]
pub fn session_of(file: &Path) -> Option<&str> {
    file.file_stem()?.to_str()
}

/// The name of a project's folder.
fn folder_of(project: &Path) -> String {
    let is_kept = |char: char| char.is_ascii_alphanumeric();
    project.to_string_lossy().chars().map(|char| if is_kept(char) { char } else { '-' }).collect()
}

fn folders(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path.is_dir())
}

fn transcripts(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|file| file.extension().is_some_and(|extension| extension == "jsonl") && file.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{folder_of, of_all, of_project, of_session, session_of};

    #[test]
    fn a_projects_folder_has_its_path_for_a_name() {
        for (project, folder) in [
            ("/home/user/project", "-home-user-project"),
            ("/srv/my.app_2", "-srv-my-app-2"),
            ("/srv/grün", "-srv-gr-n"),
        ] {
            assert_eq!(folder_of(Path::new(project)), folder);
        }
    }

    #[test]
    fn a_session_is_found_by_its_id_and_by_nothing_else() {
        let projects = tempfile::tempdir().expect("a folder");
        for (folder, file) in
            [("-srv-app", "one.jsonl"), ("-srv-other", "two.jsonl"), ("-srv-other", "note.txt")]
        {
            let folder = projects.path().join(folder);
            fs::create_dir_all(&folder).expect("it can be made");
            fs::write(folder.join(file), "").expect("it can be written");
        }
        let of = |session| of_session(projects.path(), session);
        let named =
            |path: Option<std::path::PathBuf>| path.and_then(|path| session_of(&path).map(ToOwned::to_owned));
        assert_eq!(named(of("two")).as_deref(), Some("two"));
        for none in ["three", "", "../-srv-app/one", "-srv-app/one", "note"] {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(of_project(projects.path(), Path::new("/srv/other")).count(), 1);
        assert_eq!(of_all(projects.path()).count(), 2);
    }
}
