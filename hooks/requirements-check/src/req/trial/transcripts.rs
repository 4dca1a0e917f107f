//! Which transcript is meant.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use shared::host::{Host, Places, display_path};
use shared::transcript::kept;

use crate::marks::{SessionError, resolve_session};
use crate::words::cut;

/// The file, or the session's transcript; without one the newest of the project at hand.
pub(super) fn find(named: Option<&str>, host: &Host, places: &Places) -> Result<PathBuf, String> {
    let projects = places.config_dir.as_deref().map(kept::projects_dir);
    let Some(named) = named else {
        let projects = projects.ok_or("req: it is not known where transcripts are kept; set HOME")?;
        let folders = [places.root.clone(), host.cwd()].into_iter().flatten();
        let newest = folders.filter_map(|folder| newest(kept::of_project(&projects, &folder))).max();
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
    let all: Vec<PathBuf> = projects.iter().flat_map(|dir| kept::of_all(dir)).collect();
    let id = resolve_session(named, all.iter().filter_map(|file| kept::session_of(file)))
        .map_err(|error| unknown(&error, &projects.unwrap_or_default(), host))?;
    all.into_iter()
        .find(|file| kept::session_of(file) == Some(id.as_str()))
        .ok_or_else(|| format!("req: session {id} has no transcript"))
}

/// `req sessions` lists those that are live, which is no help with a past one.
fn unknown(error: &SessionError, projects: &Path, host: &Host) -> String {
    let projects = display_path(projects, host.environment.home.as_deref());
    match error {
        SessionError::Ambiguous(..) => format!("req: {error}"),
        SessionError::TooShort | SessionError::Unknown(_) => format!(
            "req: no transcript below {projects} has that name; --session takes eight or more characters of a session's id, or a \
             file, and without it the newest session of this project is replayed"
        ),
    }
}

fn newest(files: impl Iterator<Item = PathBuf>) -> Option<(SystemTime, PathBuf)> {
    let changed = |file: PathBuf| Some((fs::metadata(&file).ok()?.modified().ok()?, file));
    files.filter_map(changed).max()
}
