//! A change of one key of one file, carried out: the file is read again under its lock, so that nothing that was written in
//! between is lost.

use std::time::Duration;

use client_settings::FileError;
use config_edit::Refused;
use shared::config::{LayerKind, dotted};
use shared::host::{Places, Timestamp};

use super::ignore::ignore_local_file;
use super::schema_file::SchemaFile;
use super::user_file::user_file;
use requirements_check::change::{Deed, audit};

/// A key of a file gets a value, or goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    /// Which file.
    pub(super) level: LayerKind,
    /// Which key.
    pub(super) path: Vec<String>,
    /// What it is set to, in YAML; none: it goes.
    pub(super) value: Option<String>,
}

impl FileChange {
    /// The text with the change; a file that is not there yet begins with its head.
    pub(super) fn apply(&self, text: Option<&str>, places: &Places) -> Result<Option<String>, Refused> {
        match (&self.value, text) {
            (None, None) => Ok(None),
            (None, Some(text)) => config_edit::unset_at(text, &self.path).map(Some),
            (Some(value), Some(text)) => config_edit::set_at(text, &self.path, value).map(Some),
            (Some(value), None) => {
                config_edit::set_at(&new_file_head(self.level, places), &self.path, value).map(Some)
            }
        }
    }

    fn write(&self, places: &Places) -> Result<(), String> {
        let is_own = self.level == LayerKind::Global;
        let root = places.root.as_deref().filter(|_| !is_own);
        let folder = if is_own { &places.config_dir } else { &places.project_claude_dir };
        let name =
            if self.level == LayerKind::Local { "requirements.local.yaml" } else { "requirements.yaml" };
        let path = folder.as_ref().ok_or("req: there is no folder for this file")?.join(name);
        let file = user_file(&path, root).map_err(|why| format!("req: {why}"))?;
        let is_new = !file.target().exists();
        if let (LayerKind::Local, Some(root), true) = (self.level, root, is_new) {
            // Before the file, which somebody might commit otherwise.
            ignore_local_file(root).map_err(|why| format!("req: {why}"))?;
        }
        let change = |text: Option<&str>| self.apply(text, places).map_err(|refused| file.refused(refused));
        file.change::<FileError>(change).map_err(|error| format!("req: {error}"))?;
        if let (true, Some(schema)) = (is_new, SchemaFile::of(self.level, places)) {
            // Editors complete without it, too, only less; it is not worth failing for.
            let _ = schema.write();
        }
        Ok(())
    }

    /// For the journal: never the value.
    fn in_words(&self) -> String {
        let verb = if self.value.is_some() { "set" } else { "unset" };
        format!("{verb} {} in the {} file", dotted(&self.path), self.level.word())
    }
}

impl Deed for FileChange {
    fn carry_out(&self, _patience: Duration, places: &Places, now: Timestamp) -> Result<(), String> {
        self.write(places)?;
        let tell = if self.level == LayerKind::Global { audit::everywhere } else { audit::here };
        tell("config", self.in_words()).write(places, now);
        Ok(())
    }
}

/// What a file begins with that a change of one key makes.
pub(crate) fn new_file_head(level: LayerKind, places: &Places) -> String {
    let schema = SchemaFile::of(level, places);
    let schema = schema.map(|schema| format!("# yaml-language-server: $schema={}\n", schema.named));
    let whose = match level {
        LayerKind::Project => "<project>/.claude/requirements.yaml: the team's, in git",
        LayerKind::Local => "<project>/.claude/requirements.local.yaml: yours, for this project, not in git",
        _ => "~/.claude/requirements.yaml: yours, for every project",
    };
    format!("{}# {whose}.\nversion: \"1.0\"\n\n", schema.unwrap_or_default())
}
