//! Our YAML files, as commands change them: the user's own, or a project's, out of which no link may lead, because the file behind
//! it is somebody else's. Beside such a file lies a copy of the schema, so that editors check it without a network. Git ignores
//! the local file: it is one person's, and a commit would make it the team's.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use client_settings::{FileError, UserFile};
use installer::files::file_of_project;
use requirements_check::git::Worktree;
use shared::config::{LayerKind, SCHEMA_FILE, SCHEMA_TEXT, SCHEMA_TITLE, Sources, read_text};

use crate::location::Location;

/// The local file, in git's spelling of its path.
pub(crate) const LOCAL: &str = ".claude/requirements.local.yaml";

/// The old files that `req init --force` keeps, as git spells them: an earlier one of the local file would be as much the
/// team's in a commit.
pub(crate) const KEPT: &str = ".claude/requirements*.before*";

/// A larger file is not read.
pub(crate) const MAX_BYTES: u64 = 1024 * 1024;

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
    pub(crate) fn of(level: LayerKind, location: &Location) -> anyhow::Result<Self> {
        let sources = location.sources();
        let path = sources.file(level).map(Path::to_owned).with_context(|| match level {
            LayerKind::Global => "HOME is not set, so there is no folder for a file of yours; set HOME",
            _ => "there is no project here: this folder holds your own configuration; use --global",
        })?;
        let root = sources.root.clone().filter(|_| level != LayerKind::Global);
        let own = location.places.config_dir.as_ref().filter(|_| level == LayerKind::Local);
        let schema = own.map_or_else(|| path.with_file_name(SCHEMA_FILE), |folder| folder.join(SCHEMA_FILE));
        Ok(Self { level, path, root, schema, sources })
    }

    /// A file as people read it: from the project's top, or from the home directory.
    pub(crate) fn shown(&self, path: &Path) -> String {
        self.sources.shown(self.level, path)
    }

    /// The configuration with this text in place of the file's.
    pub(super) fn sources_with(&self, text: &str) -> Sources {
        Sources { instead: Some((self.level, text.to_owned())), ..self.sources.clone() }
    }

    /// Sets the key to this YAML, or takes it out, in the file as it is now under its lock, if its new text passes the check. A
    /// file that is not there yet begins with its head.
    pub(super) fn change(
        &self,
        key: &[String],
        value: Option<&str>,
        mut check: impl FnMut(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let file = user_file(&self.path, self.root.as_deref())?;
        let is_new = !file.target().exists();
        if is_new && value.is_none() {
            return Ok(());
        }
        let head = self.head();
        let mut edit = |text: Option<&str>| {
            let there = text.unwrap_or(&head);
            let edited = match value {
                Some(value) => config_edit::set_at(there, key, value),
                None => config_edit::unset_at(there, key),
            };
            let place = self.shown(&self.path);
            let edited = edited.map_err(|refused| anyhow!("{place}, {refused}; nothing was changed"))?;
            if text != Some(&edited) {
                check(&edited)?;
            }
            anyhow::Ok(Some(edited))
        };
        if is_new {
            // A change that is wrong leaves no folder behind.
            edit(None)?;
            if let (LayerKind::Local, Some(root)) = (self.level, &self.root) {
                // Before the file, which somebody might commit otherwise.
                ignore(root, LOCAL)?;
            }
        }
        file.change(edit)?;
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
    pub(crate) fn write_schema(&self) -> anyhow::Result<()> {
        let inside = self.root.as_deref().filter(|root| self.schema.starts_with(root));
        let there = read_text(&self.schema, inside, MAX_BYTES);
        if there.is_ok_and(|text| !text.contains(SCHEMA_TITLE)) {
            bail!("{}: not ours, so it was left as it is", self.schema.display());
        }
        // On one line: where a branch's size is counted, it is one line of it.
        let compact = serde_json::from_str::<serde_json::Value>(SCHEMA_TEXT)?;
        user_file(&self.schema, inside)?.change(|_| Ok::<_, FileError>(Some(format!("{compact}\n"))))?;
        Ok(())
    }
}

/// The file at `path`; `inside` is the project it belongs to, none for the user's own.
pub(crate) fn user_file(path: &Path, inside: Option<&Path>) -> anyhow::Result<UserFile> {
    let Some(root) = inside else { return Ok(UserFile::at(path)?) };
    // No backup is kept beside a project's file, where it would end up in somebody's commit.
    file_of_project(path, root, path.parent().unwrap_or(root))
}

/// Adds the pattern to the `.gitignore` of the repository at `root`, unless git ignores such files already; the rest of that
/// file stays as it is. Returns whether it was added; without a repository there is nothing to do.
pub(crate) fn ignore(root: &Path, line: &str) -> anyhow::Result<bool> {
    if !root.join(".git").exists() || is_ignored(root, line) {
        return Ok(false);
    }
    let with_line = |text: Option<&str>| Ok::<_, FileError>(Some(with_line(text.unwrap_or_default(), line)));
    let file = user_file(&root.join(".gitignore"), Some(root));
    let changed = file.and_then(|file| Ok(file.change(with_line)?));
    changed.map_err(|why| anyhow!("{why:#}; add this line yourself: {line}"))
}

/// Git ignores the files of this pattern, as far as that can be told.
fn is_ignored(root: &Path, line: &str) -> bool {
    let path = line.replace('*', "");
    Worktree::find(root).is_ok()
        && git2::Repository::open(root)
            .is_ok_and(|repository| repository.is_path_ignored(path).unwrap_or(false))
}

/// The text with the line at its end, in the line ends it has; the same text where the line stands in it.
fn with_line(text: &str, line: &str) -> String {
    if text.lines().any(|there| there.trim().trim_start_matches('/') == line) {
        return text.to_owned();
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let joint = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
    format!("{text}{joint}{line}{line_end}")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{KEPT, LOCAL, ignore, is_ignored, with_line};

    #[test]
    fn the_line_is_added_once_and_in_the_files_own_line_ends() {
        for (text, expected) in [
            ("", ".claude/requirements.local.yaml\n"),
            ("target", "target\n.claude/requirements.local.yaml\n"),
            ("a\r\nb", "a\r\nb\r\n.claude/requirements.local.yaml\r\n"),
            ("/.claude/requirements.local.yaml\nx", "/.claude/requirements.local.yaml\nx"),
        ] {
            assert_eq!(with_line(text, LOCAL), expected, "{text:?}");
            assert_eq!(with_line(expected, LOCAL), expected, "{text:?}");
        }
    }

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        git2::Repository::init(folder.path()).unwrap();
        folder
    }

    #[test]
    fn line_is_added_where_git_does_not_ignore_the_file_already() {
        for (file, already, is_added) in [
            (".gitignore", "target\n", true),
            (".gitignore", ".claude/\n", false),
            (".git/info/exclude", "*.local.yaml\n", false),
        ] {
            let folder = repository();
            fs::write(folder.path().join(file), already).unwrap();
            assert_eq!(ignore(folder.path(), LOCAL).unwrap(), is_added, "{already}");
            assert!(is_ignored(folder.path(), LOCAL));
            assert!(!ignore(folder.path(), LOCAL).unwrap(), "{already}");
        }
        let folder = repository();
        assert!(ignore(folder.path(), KEPT).unwrap());
        for (file, kept) in [("local.yaml.before", true), ("yaml.before-180", true), ("yaml", false)] {
            assert_eq!(is_ignored(folder.path(), &format!(".claude/requirements.{file}")), kept, "{file}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn link_that_leads_elsewhere_is_left_alone_with_the_line_to_add() {
        let (folder, elsewhere) = (repository(), tempfile::tempdir().unwrap());
        let target = elsewhere.path().join("list");
        fs::write(&target, "x\n").unwrap();
        std::os::unix::fs::symlink(&target, folder.path().join(".gitignore")).unwrap();
        let why = ignore(folder.path(), LOCAL).unwrap_err().to_string();
        assert!(why.ends_with("add this line yourself: .claude/requirements.local.yaml"), "{why}");
        assert_eq!(fs::read_to_string(target).unwrap(), "x\n");
    }
}
