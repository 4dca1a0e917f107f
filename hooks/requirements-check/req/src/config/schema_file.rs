//! The schema that editors check a requirements.yaml against, as a copy beside the file that names it, so that it works without
//! a network and without Barbless. The local file is one person's and names the copy in that person's own folder.

use std::path::{Path, PathBuf};

use client_settings::FileError;
use shared::config::{
    LayerKind, Refused, SCHEMA_FILE as NAME, SCHEMA_TEXT as SCHEMA, SCHEMA_TITLE as TITLE, read_text,
};
use shared::host::Places;

use super::file::user_file;

const MAX_BYTES: u64 = 1024 * 1024;

/// A copy of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaFile {
    pub(crate) path: PathBuf,
    /// How the first line of the file names it.
    pub(crate) named: String,
    /// The project it must lie in; none for the user's own.
    inside: Option<PathBuf>,
}

impl SchemaFile {
    /// The one that a file of this level names; `None` where there is no folder for such a file.
    pub(crate) fn of(level: LayerKind, places: &Places) -> Option<Self> {
        let beside = |folder: &Path, inside: Option<&PathBuf>| Self {
            path: folder.join(NAME),
            named: format!("./{NAME}"),
            inside: inside.cloned(),
        };
        let own = places.config_dir.as_deref().map(|folder| beside(folder, None));
        let project = places.project_claude_dir.as_deref().map(|dir| beside(dir, places.root.as_ref()));
        match level {
            LayerKind::Global => own,
            LayerKind::Local => own.map(|own| Self { named: url(&own.path), ..own }).or(project),
            _ => project,
        }
    }

    /// Puts the schema there, or brings it up to date. Returns whether anything was written.
    ///
    /// # Errors
    /// Why it could not be written.
    pub(crate) fn write(&self) -> Result<bool, String> {
        let told = |why: &str| Err(format!("{}: {why}", self.path.display()));
        match read_text(&self.path, self.inside.as_deref(), MAX_BYTES) {
            Ok(there) if !there.contains(TITLE) => return told("not ours, so it was left as it is"),
            Err(Refused::Because(why)) => return told(why),
            Ok(_) | Err(Refused::NotThere) => {}
        }
        let file = user_file(&self.path, self.inside.as_deref())?;
        file.change(|_| Ok::<_, FileError>(Some(text()))).map_err(|error| error.to_string())
    }
}

/// On one line: where a branch's size is counted, it is one line of it.
fn text() -> String {
    let compact = serde_json::from_str::<serde_json::Value>(SCHEMA).map(|schema| schema.to_string());
    compact.unwrap_or_else(|_| SCHEMA.trim_end().to_owned()) + "\n"
}

/// A `file:` URL: a path with blanks would end the comment that names it.
fn url(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/").replace('%', "%25").replace(' ', "%20");
    let root = if path.starts_with('/') { "" } else { "/" };
    format!("file://{root}{path}")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use shared::config::LayerKind;
    use shared::host::Places;

    use super::{NAME, SchemaFile, TITLE, text, url};

    fn places(root: &Path) -> Places {
        Places {
            config_dir: Some(root.join("my home")),
            root: Some(root.join("project")),
            project_claude_dir: Some(root.join("project/.claude")),
            ..Places::default()
        }
    }

    #[test]
    fn the_projects_and_the_global_one_lie_beside_their_file_and_the_local_one_names_the_users_own() {
        let places = places(Path::new("/x"));
        for (level, path, named) in [
            (LayerKind::Global, "/x/my home/requirements.schema.json", "./requirements.schema.json"),
            (LayerKind::Project, "/x/project/.claude/requirements.schema.json", "./requirements.schema.json"),
            (
                LayerKind::Local,
                "/x/my home/requirements.schema.json",
                "file:///x/my%20home/requirements.schema.json",
            ),
        ] {
            let file = SchemaFile::of(level, &places).unwrap();
            assert_eq!((file.path.as_path(), file.named.as_str()), (Path::new(path), named), "{level:?}");
        }
        let homeless = Places { config_dir: None, ..places };
        assert_eq!(SchemaFile::of(LayerKind::Global, &homeless), None);
        let local = SchemaFile::of(LayerKind::Local, &homeless).unwrap();
        assert_eq!(local.named, "./requirements.schema.json");
        assert_eq!(url(Path::new("C:\\me\\my 5%")), "file:///C:/me/my%205%25");
    }

    #[test]
    fn copy_is_kept_up_to_date_never_over_somebody_elses_and_never_outside_the_project() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("project")).unwrap();
        let file = SchemaFile::of(LayerKind::Project, &places(&root)).unwrap();
        assert_eq!((file.write(), file.write()), (Ok(true), Ok(false)));
        let there = || fs::read_to_string(&file.path).unwrap();
        assert_eq!(there().lines().count(), 1);
        fs::write(&file.path, format!("{{\"title\": \"{TITLE}\"}}")).unwrap();
        assert_eq!((file.write(), there()), (Ok(true), text()));
        fs::write(&file.path, "{}").unwrap();
        assert!(file.write().unwrap_err().contains("not ours"));
        assert_eq!(there(), "{}");
        #[cfg(unix)]
        {
            fs::remove_dir_all(root.join("project/.claude")).unwrap();
            fs::create_dir_all(root.join("elsewhere")).unwrap();
            std::os::unix::fs::symlink(root.join("elsewhere"), root.join("project/.claude")).unwrap();
            assert!(file.write().unwrap_err().contains("leads out of the project"));
            assert!(!root.join("elsewhere").join(NAME).exists());
        }
    }
}
