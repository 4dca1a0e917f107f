//! Which transcript is meant. The client keeps them as `<config dir>/projects/<folder>/<session>.jsonl`, where the folder
//! is the project's path with a hyphen for whatever is no letter and no digit.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use shared::host::{Host, Places, display_path};

use crate::marks::resolve_session;
use crate::words::cut;

/// The file, or the session's transcript; without one the newest of the project at hand.
pub(super) fn find(named: Option<&str>, host: &Host, places: &Places) -> Result<PathBuf, String> {
    let projects = places.config_dir.as_ref().map(|dir| dir.join("projects"));
    let Some(named) = named else {
        let projects = projects.ok_or("req: it is not known where transcripts are kept; set HOME")?;
        let folders = [places.root.clone(), host.cwd()].into_iter().flatten();
        let newest = folders.filter_map(|folder| newest(&projects.join(folder_of(&folder)))).max();
        return newest.map(|(_, file)| file).ok_or_else(|| {
            let projects = display_path(&projects, host.environment.home.as_deref());
            format!("req: this project has no transcript in {projects}; --session names a session or a file")
        });
    };
    let file = Path::new(named);
    if file.is_file() {
        return file.canonicalize().map_err(|error| format!("req: {named}: {error}"));
    }
    if named.contains(['/', '\\']) || file.extension().is_some() {
        return Err(format!("req: there is no file {}", cut(named, 200)));
    }
    let all: Vec<PathBuf> =
        projects.iter().flat_map(|dir| folders(dir)).flat_map(|dir| transcripts(&dir)).collect();
    let id = resolve_session(named, all.iter().filter_map(|file| id_of(file)))
        .map_err(|error| format!("req: {error}"))?;
    all.into_iter()
        .find(|file| id_of(file) == Some(id.as_str()))
        .ok_or_else(|| format!("req: session {id} has no transcript"))
}

/// The name of a project's folder.
fn folder_of(project: &Path) -> String {
    let is_kept = |char: char| char.is_ascii_alphanumeric();
    project.to_string_lossy().chars().map(|char| if is_kept(char) { char } else { '-' }).collect()
}

fn newest(folder: &Path) -> Option<(SystemTime, PathBuf)> {
    let changed = |file: PathBuf| Some((fs::metadata(&file).ok()?.modified().ok()?, file));
    transcripts(folder).filter_map(changed).max()
}

fn folders(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path.is_dir())
}

fn transcripts(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|file| file.extension().is_some_and(|extension| extension == "jsonl") && file.is_file())
}

fn id_of(file: &Path) -> Option<&str> {
    file.file_stem()?.to_str()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::folder_of;

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
}
