//! Our YAML files, as commands change them: the user's own, or a project's, out of which no link may lead, because the file behind
//! it is somebody else's. Beside such a file lies a copy of the schema, so that editors check it without a network.

use std::path::{Path, PathBuf};

use client_settings::{FileError, UserFile};
use config_edit::Refused;
use shared::cli::Asker;
use shared::config::{self, LayerKind, SCHEMA_FILE, SCHEMA_TEXT, SCHEMA_TITLE, Sources, read_text};
use shared::host::end_of_links;

use super::ignore::{LOCAL, ignore};

const MAX_BYTES: u64 = 1024 * 1024;

pub(crate) struct OurFile {
    pub(crate) level: LayerKind,
    pub(crate) path: PathBuf,
    /// The project it lies in; none for the user's own.
    pub(crate) root: Option<PathBuf>,
    /// The copy of the schema. The local file is one person's, so it names the copy in that person's own folder.
    pub(crate) schema: PathBuf,
    sources: Sources,
}

impl OurFile {
    pub(crate) fn of(level: LayerKind, asker: &Asker<'_>) -> Result<Self, String> {
        let sources = asker.sources();
        let Some(path) = sources.file(level).map(Path::to_owned) else {
            return Err(match level {
                LayerKind::Global => {
                    "req: HOME is not set, so there is no folder for a file of yours; set HOME"
                }
                _ => "req: there is no project here: this folder holds your own configuration; use --global",
            }
            .to_owned());
        };
        let root = sources.root.clone().filter(|_| level != LayerKind::Global);
        let own = asker.places.config_dir.as_ref().filter(|_| level == LayerKind::Local);
        let schema = own.map_or_else(|| path.with_file_name(SCHEMA_FILE), |folder| folder.join(SCHEMA_FILE));
        Ok(Self { level, path, root, schema, sources })
    }

    /// A file as people read it: from the project's top, or from the home directory.
    pub(crate) fn shown(&self, path: &Path) -> String {
        self.sources.shown(self.level, path)
    }

    /// The text; `None` without a file.
    pub(super) fn text(&self) -> Result<Option<String>, String> {
        match self.sources.text(self.level) {
            Ok(text) => Ok(Some(text)),
            Err(config::Refused::NotThere) => Ok(None),
            Err(config::Refused::Because(why)) => {
                Err(format!("req: {}: {why}; nothing was changed", self.shown(&self.path)))
            }
        }
    }

    /// The configuration with this text in place of the file's.
    pub(super) fn sources_with(&self, text: &str) -> Sources {
        Sources { instead: Some((self.level, text.to_owned())), ..self.sources.clone() }
    }

    /// The text with the key set to this YAML, or without it; a file that is not there yet begins with its head.
    pub(super) fn edited(
        &self,
        text: Option<&str>,
        path: &[String],
        value: Option<&str>,
    ) -> Result<Option<String>, Refused> {
        match (text, value) {
            (None, None) => Ok(None),
            (Some(text), None) => config_edit::unset_at(text, path).map(Some),
            (Some(text), Some(value)) => config_edit::set_at(text, path, value).map(Some),
            (None, Some(value)) => config_edit::set_at(&self.head(), path, value).map(Some),
        }
    }

    /// Changes one key of the file, as it is now under its lock, so that nothing that was written in between is lost.
    pub(super) fn write(&self, path: &[String], value: Option<&str>) -> Result<(), String> {
        let file = user_file(&self.path, self.root.as_deref()).map_err(|why| format!("req: {why}"))?;
        let is_new = !file.target().exists();
        if let (LayerKind::Local, Some(root), true) = (self.level, &self.root, is_new) {
            // Before the file, which somebody might commit otherwise.
            ignore(root, LOCAL).map_err(|why| format!("req: {why}"))?;
        }
        let change =
            |text: Option<&str>| self.edited(text, path, value).map_err(|refused| file.refused(refused));
        file.change::<FileError>(change).map_err(|error| format!("req: {error}"))?;
        if is_new {
            // Editors complete without it, too, only less; it is not worth failing for.
            let _ = self.write_schema();
        }
        Ok(())
    }

    fn head(&self) -> String {
        let whose = match self.level {
            LayerKind::Project => "<project>/.claude/requirements.yaml: the team's, in git",
            LayerKind::Local => {
                "<project>/.claude/requirements.local.yaml: yours, for this project, not in git"
            }
            _ => "~/.claude/requirements.yaml: yours, for every project",
        };
        let schema = self.schema_url();
        format!("# yaml-language-server: $schema={schema}\n# {whose}.\nversion: \"1.0\"\n\n")
    }

    /// The schema as the first line of the file names it. A path with blanks would end the comment.
    pub(crate) fn schema_url(&self) -> String {
        if self.schema.parent() == self.path.parent() {
            return format!("./{SCHEMA_FILE}");
        }
        let path = self.schema.to_string_lossy().replace('\\', "/").replace('%', "%25").replace(' ', "%20");
        let root = if path.starts_with('/') { "" } else { "/" };
        format!("file://{root}{path}")
    }

    /// Puts the schema there, or brings it up to date.
    pub(crate) fn write_schema(&self) -> Result<(), String> {
        let inside = self.root.as_deref().filter(|root| self.schema.starts_with(root));
        let there = read_text(&self.schema, inside, MAX_BYTES);
        if there.is_ok_and(|text| !text.contains(SCHEMA_TITLE)) {
            return Err(format!("{}: not ours, so it was left as it is", self.schema.display()));
        }
        // On one line: where a branch's size is counted, it is one line of it.
        let compact = serde_json::from_str::<serde_json::Value>(SCHEMA_TEXT).unwrap_or_default();
        let text = format!("{compact}\n");
        let written = user_file(&self.schema, inside)?.change(|_| Ok::<_, FileError>(Some(text)));
        written.map(drop).map_err(|error| error.to_string())
    }
}

/// The file at `path`; `inside` is the project it belongs to, none for the user's own.
pub(crate) fn user_file(path: &Path, inside: Option<&Path>) -> Result<UserFile, String> {
    let file = UserFile::at(path).map_err(|error| error.to_string())?;
    let Some(root) = inside else { return Ok(file) };
    let is_inside = end_of_links(file.target())
        .zip(end_of_links(root))
        .is_some_and(|(file, root)| file.starts_with(root));
    if !is_inside {
        return Err(format!("{} leads out of the project; it is not changed", path.display()));
    }
    // No backup is kept beside a project's file, where it would end up in somebody's commit.
    Ok(file.of_a_project(path.parent().unwrap_or(root)))
}
