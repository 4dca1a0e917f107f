//! Our YAML files, as commands change them: the user's own, or a project's, out of which no link may lead, because what is
//! behind it is somebody else's.

use std::path::{Component, Path, PathBuf};

use client_settings::{FileError, UserFile};
use config_edit::Refused;
use shared::config::LayerKind;
use shared::host::Places;

use super::ignore::{LOCAL, ignore};
use super::schema_file::SchemaFile;

/// The file of a level; none where there is no folder for it.
pub(crate) fn path_of(level: LayerKind, places: &Places) -> Option<PathBuf> {
    let (folder, name) = match level {
        LayerKind::Global => (&places.config_dir, "requirements.yaml"),
        LayerKind::Local => (&places.project_claude_dir, "requirements.local.yaml"),
        _ => (&places.project_claude_dir, "requirements.yaml"),
    };
    folder.as_ref().map(|folder| folder.join(name))
}

pub(crate) fn no_such_file(level: LayerKind) -> String {
    let why = match level {
        LayerKind::Global => "HOME is not set, so there is no folder for a file of yours; set HOME",
        _ => "there is no project here: this folder holds your own configuration; use --global",
    };
    format!("req: {why}")
}

/// The file at `path`; `inside` is the project it belongs to, none for the user's own.
pub(crate) fn user_file(path: &Path, inside: Option<&Path>) -> Result<UserFile, String> {
    let file = UserFile::at(path).map_err(|error| error.to_string())?;
    let Some(root) = inside else { return Ok(file) };
    let is_inside = real(file.target()).zip(real(root)).is_some_and(|(file, root)| file.starts_with(root));
    if !is_inside {
        return Err(format!("{} leads out of the project; it is not changed", path.display()));
    }
    // No backup is kept beside a project's file, where it would end up in somebody's commit.
    Ok(file.of_a_project(path.parent().unwrap_or(root)))
}

/// Where a path really leads, whether something is there or not; `None` where that depends on what is made on the way.
fn real(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|above| above.symlink_metadata().is_ok())?;
    let rest = path.strip_prefix(there).ok()?;
    let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    let there = is_plain.then(|| there.canonicalize().ok()).flatten()?;
    Some(if rest.as_os_str().is_empty() { there } else { there.join(rest) })
}

/// The text with the key set to this YAML, or without it; a file that is not there yet begins with its head.
pub(super) fn edited(
    text: Option<&str>,
    path: &[String],
    value: Option<&str>,
    head: &str,
) -> Result<Option<String>, Refused> {
    match (value, text) {
        (None, text) => text.map(|text| config_edit::unset_at(text, path)).transpose(),
        (Some(value), text) => config_edit::set_at(text.unwrap_or(head), path, value).map(Some),
    }
}

/// Changes one key of a level's file, as it is now under its lock, so that nothing that was written in between is lost.
pub(super) fn write(
    level: LayerKind,
    path: &[String],
    value: Option<&str>,
    places: &Places,
) -> Result<(), String> {
    let root = places.root.as_deref().filter(|_| level != LayerKind::Global);
    let file = user_file(&path_of(level, places).ok_or_else(|| no_such_file(level))?, root)
        .map_err(|why| format!("req: {why}"))?;
    let is_new = !file.target().exists();
    if let (LayerKind::Local, Some(root), true) = (level, root, is_new) {
        // Before the file, which somebody might commit otherwise.
        ignore(root, LOCAL, LOCAL).map_err(|why| format!("req: {why}"))?;
    }
    let head = head(level, places);
    let change =
        |text: Option<&str>| edited(text, path, value, &head).map_err(|refused| file.refused(refused));
    file.change::<FileError>(change).map_err(|error| format!("req: {error}"))?;
    if let (true, Some(schema)) = (is_new, SchemaFile::of(level, places)) {
        // Editors complete without it, too, only less; it is not worth failing for.
        let _ = schema.write();
    }
    Ok(())
}

/// The first lines of a new file.
pub(super) fn head(level: LayerKind, places: &Places) -> String {
    let schema = SchemaFile::of(level, places);
    let schema = schema.map(|schema| format!("# yaml-language-server: $schema={}\n", schema.named));
    let whose = match level {
        LayerKind::Project => "<project>/.claude/requirements.yaml: the team's, in git",
        LayerKind::Local => "<project>/.claude/requirements.local.yaml: yours, for this project, not in git",
        _ => "~/.claude/requirements.yaml: yours, for every project",
    };
    format!("{}# {whose}.\nversion: \"1.0\"\n\n", schema.unwrap_or_default())
}
