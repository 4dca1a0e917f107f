//! Reads what `git` prints. Pure. Fields end in NUL, because a name may hold anything else.

use shared::host::Timestamp;

use super::{Commit, GitContext};
use crate::text::{MAX_CHARS, MAX_PATH_CHARS, one_line, shortened};

/// The names of a kind.
const MAX_NAMES: usize = 500;

/// Our own folder in git's names.
const OWN_FOLDER: &str = ".claude/sessions/";

#[rustfmt::skip]
pub(super) const STATUS: [&str; 8] = [
    "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--untracked-files=normal",
    "--ignore-submodules=dirty", "--no-renames",
];

/// The fields of a commit, a NUL after each. The committer's time says when it was made here.
#[rustfmt::skip]
pub(super) const LOG: [&str; 8] = [
    "log", "-z", "-n", "5", "--no-show-signature", "--no-color", "--encoding=UTF-8",
    "--format=%h%x00%an%x00%ct%x00%s",
];

/// Reads the status. Where the output was cut, the last name is left out.
pub(super) fn context(said: &[u8]) -> GitContext {
    let mut context = GitContext { is_git_repo: true, ..GitContext::default() };
    context.status.clean = true;
    for field in whole_fields(said) {
        if let Some(head) = field.strip_prefix("# branch.head ") {
            context.branch = (head != "(detached)").then(|| as_name(head));
        }
        // The name stands behind seven fields, behind nine where it is unmerged.
        let (list, name) = match field.split_once(' ') {
            Some(("1", rest)) => (&mut context.status.modified_files, rest.splitn(8, ' ').nth(7)),
            Some(("u", rest)) => (&mut context.status.modified_files, rest.splitn(10, ' ').nth(9)),
            Some(("?", rest)) => (&mut context.status.untracked_files, Some(rest)),
            _ => continue,
        };
        let Some(name) = name.filter(|name| !name.starts_with(OWN_FOLDER)) else { continue };
        if list.len() < MAX_NAMES {
            list.push(as_name(name));
        }
        context.status.clean = false;
    }
    context
}

/// Reads the log.
pub(super) fn commits(said: &[u8]) -> Vec<Commit> {
    let fields: Vec<String> = whole_fields(said).collect();
    let commit = |fields: &[String]| {
        let [sha, author, secs, message] = fields else { return None };
        let at = secs.parse().ok().map(Timestamp::from_secs)?;
        let [author, message] = [author, message].map(|text| one_line(text, MAX_CHARS));
        Some(Commit { sha: sha.clone(), author, timestamp: at.rfc3339(), message })
    };
    fields.chunks(4).filter_map(commit).collect()
}

fn whole_fields(said: &[u8]) -> impl Iterator<Item = String> {
    let whole = said.iter().rposition(|byte| *byte == 0).map_or(&[][..], |end| &said[..end]);
    let fields = whole.split(|byte| *byte == 0);
    fields.map(|field| String::from_utf8_lossy(field).into_owned())
}

/// A name without secrets, with all its other characters.
fn as_name(name: &str) -> String {
    shortened(name, MAX_PATH_CHARS)
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAMES, commits, context};

    const BEHIND: &str = "N... 100644 100644 100644 1 2";

    fn names(said: &str) -> (Vec<String>, Vec<String>) {
        let status = context(said.as_bytes()).status;
        assert_eq!(status.clean, status.modified_files.is_empty() && status.untracked_files.is_empty());
        (status.modified_files, status.untracked_files)
    }

    #[test]
    fn names_come_out_whole_bounded_and_without_secrets() {
        let token = ["gh", "p_"].concat() + &"Ab1".repeat(12);
        let said = format!(
            "# branch.oid 1\01 .M {BEHIND} a b\nc {token}\0u UU {BEHIND} 3 4 5\0? \"q\"\0? -r\0! i\0\
             1 .M {BEHIND} .claude/sessions/a.json\0? .claude/sessions/b\0? .claude/sessionsx\0? cut",
        );
        let (modified, untracked) = names(&said);
        assert_eq!(modified, ["a b\nc [masked: GitHub token]", "5"]);
        assert_eq!(untracked, ["\"q\"", "-r", ".claude/sessionsx"]);
        assert_eq!(names("? a"), Default::default());
        assert_eq!(names(&"? a\0".repeat(MAX_NAMES + 1)).1.len(), MAX_NAMES);
        for (head, branch) in [("a/b", Some("a/b")), ("(detached)", None)] {
            assert_eq!(context(format!("# branch.head {head}\0").as_bytes()).branch.as_deref(), branch);
        }
    }

    #[test]
    fn commits_are_on_one_line_without_secrets() {
        let said = b"a1\0A | B\x0060\0x\ty \xff|z\0b2\0A\0-1\0password=hunter2hunter2\0c3\0cut";
        let read = commits(said);
        assert_eq!((read.len(), read[0].sha.as_str(), read[0].author.as_str()), (2, "a1", "A | B"));
        assert_eq!((&*read[0].message, &*read[0].timestamp), ("x y \u{fffd}|z", "1970-01-01T00:01:00.000Z"));
        assert!(!read[1].message.contains("hunter2"), "{read:?}");
    }
}
