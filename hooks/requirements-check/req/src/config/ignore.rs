//! Keeping the local file out of git: it is one person's, and a commit would make it the team's.

use std::fs;
use std::path::Path;

use client_settings::{FileError, UserFile};
use requirements_check::git::Worktree;

/// The local file, as git spells its path.
pub(crate) const LOCAL: &str = ".claude/requirements.local.yaml";

/// The old files that `req init --force` keeps, as git spells them: an earlier one of the local file would be as much the
/// team's in a commit.
pub(crate) const KEPT: &str = ".claude/requirements*.before*";

/// Adds the pattern to the `.gitignore` of the repository at `root`, unless git ignores such files already; the rest of that
/// file stays as it is. Returns whether it was added; without a repository there is nothing to do.
pub(crate) fn ignore(root: &Path, line: &str) -> Result<bool, String> {
    if !root.join(".git").exists() || is_ignored(root, line) {
        return Ok(false);
    }
    let file = root.join(".gitignore");
    let by_hand = |why: &str| format!("{why}; add this line yourself: {line}");
    // Git does not read a linked one, and it may lead anywhere.
    if fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(by_hand(&format!("{}: a link, which git does not read", file.display())));
    }
    let with_line = |text: Option<&str>| Ok::<_, FileError>(Some(with_line(text.unwrap_or_default(), line)));
    UserFile::at(&file)
        .and_then(|user_file| user_file.of_a_project(root).change(with_line))
        .map_err(|error| by_hand(&error.to_string()))
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
            assert_eq!(ignore(folder.path(), LOCAL), Ok(is_added), "{already}");
            assert!(is_ignored(folder.path(), LOCAL));
            assert_eq!(ignore(folder.path(), LOCAL), Ok(false), "{already}");
        }
        let folder = repository();
        assert_eq!(ignore(folder.path(), KEPT), Ok(true));
        for kept in [".claude/requirements.local.yaml.before", ".claude/requirements.yaml.before-180"] {
            assert!(is_ignored(folder.path(), kept), "{kept}");
        }
        assert!(!is_ignored(folder.path(), ".claude/requirements.yaml"));
    }

    #[cfg(unix)]
    #[test]
    fn link_and_unreadable_file_are_left_alone_with_the_line_to_add() {
        let (folder, elsewhere) = (repository(), tempfile::tempdir().unwrap());
        let (file, target) = (folder.path().join(".gitignore"), elsewhere.path().join("list"));
        fs::write(&target, "x\n").unwrap();
        std::os::unix::fs::symlink(&target, &file).unwrap();
        assert!(ignore(folder.path(), LOCAL).unwrap_err().contains(LOCAL));
        assert_eq!(fs::read_to_string(target).unwrap(), "x\n");
        fs::remove_file(&file).unwrap();
        fs::write(&file, b"\xff\n").unwrap();
        let why = ignore(folder.path(), LOCAL).unwrap_err();
        assert!(why.ends_with("add this line yourself: .claude/requirements.local.yaml"), "{why}");
    }
}
