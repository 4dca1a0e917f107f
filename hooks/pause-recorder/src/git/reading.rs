//! Reads what `git` prints. Pure. Fields end in NUL, because a name may hold anything else.

use shared::host::Timestamp;

use super::{Commit, GitContext};
use crate::text::{MAX_CHARS, one_line, shortened};

/// The names of a kind.
const MAX_NAMES: usize = 500;

const MAX_NAME_CHARS: usize = 1_000;

/// Our own folder in git's names.
const OWN_FOLDER: &str = ".claude/sessions/";

pub(super) const STATUS: [&str; 8] = [
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",
    "--untracked-files=normal",
    "--ignore-submodules=dirty",
    "--no-renames",
];

/// The fields of a commit, a NUL after each. The committer's time says when it was made here.
pub(super) const LOG: [&str; 8] = [
    "log",
    "-z",
    "-n",
    "5",
    "--no-show-signature",
    "--no-color",
    "--encoding=UTF-8",
    "--format=%h%x00%an%x00%ct%x00%s",
];

/// Reads the status, and whether there is a commit. Where the output was cut, the last name is left out.
pub(super) fn context(said: &[u8]) -> (GitContext, bool) {
    let mut context = GitContext { is_git_repo: true, ..GitContext::default() };
    let (mut has_commit, mut differs) = (true, false);
    let mut fields = whole_fields(said);
    while let Some(field) = fields.next() {
        let Some((kind, rest)) = field.split_once(' ') else { continue };
        let name = match kind {
            "#" => match rest.split_once(' ') {
                Some(("branch.oid", oid)) => {
                    has_commit = oid != "(initial)";
                    None
                }
                Some(("branch.head", head)) => {
                    context.branch = Some(head).filter(|head| *head != "(detached)").map(as_name);
                    None
                }
                _ => None,
            },
            "1" => rest.splitn(8, ' ').nth(7),
            "2" => {
                // The name it had before.
                let _ = fields.next();
                rest.splitn(9, ' ').nth(8)
            }
            "u" => rest.splitn(10, ' ').nth(9),
            "?" => Some(rest),
            _ => None,
        };
        let Some(name) = name.filter(|name| !name.starts_with(OWN_FOLDER)) else { continue };
        differs = true;
        let status = &mut context.status;
        let list = if kind == "?" { &mut status.untracked_files } else { &mut status.modified_files };
        if list.len() < MAX_NAMES {
            list.push(as_name(name));
        }
    }
    context.status.clean = !differs;
    (context, has_commit)
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
    shortened(name, MAX_NAME_CHARS)
}

#[cfg(test)]
mod tests {
    use super::{GitContext, MAX_NAMES, commits, context};

    const BEHIND: &str = "N... 100644 100644 100644 1 2";

    fn read(said: &str) -> GitContext {
        context(said.as_bytes()).0
    }

    fn names(said: &str) -> (Vec<String>, Vec<String>) {
        let status = read(said).status;
        assert_eq!(status.clean, status.modified_files.is_empty() && status.untracked_files.is_empty());
        (status.modified_files, status.untracked_files)
    }

    #[test]
    fn names_come_out_whole_and_bounded() {
        let said = format!(
            "# branch.oid 1\01 .M {BEHIND} a b\nc \0{two}R100 new -x\0old y\0u UU {BEHIND} 3 4 5\0? \"q\"\0? -r\0! i\0",
            two = format_args!("2 R. {BEHIND} "),
        );
        // The unmerged entry has three more fields than the others.
        let (modified, untracked) = names(&said);
        assert_eq!(modified, ["a b\nc ", "new -x", "5"]);
        assert_eq!(untracked, ["\"q\"", "-r"]);
        assert_eq!(names("? a\0? b").1, ["a"], "what was cut is left out");
        assert_eq!(names("? a").1, Vec::<String>::new());
        assert_eq!(names(&"? a\0".repeat(MAX_NAMES + 1)).1.len(), MAX_NAMES);
        let own =
            format!("1 .M {BEHIND} .claude/sessions/a.json\0? .claude/sessions/b\0? .claude/sessionsx\0");
        assert_eq!(names(&own), (Vec::new(), vec![".claude/sessionsx".to_owned()]));
    }

    #[test]
    fn branch_is_read_and_whether_there_is_a_commit() {
        for (said, branch, has_commit) in [
            ("# branch.oid 1\0# branch.head main\0", Some("main"), true),
            ("# branch.oid 1\0# branch.head (detached)\0", None, true),
            ("# branch.oid (initial)\0# branch.head a/b\0# stash 2\0", Some("a/b"), false),
        ] {
            let (context, commits) = context(said.as_bytes());
            assert_eq!((context.branch.as_deref(), commits), (branch, has_commit), "{said:?}");
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

    #[test]
    fn names_are_kept_without_secrets() {
        let token = ["gh", "p_"].concat() + &"Ab1".repeat(12);
        let said = format!(
            "# branch.head fix/{token}\0# branch.oid 1\x001 .M {BEHIND} a\n{token}.txt\0? https://me:hunter2hunter2@h/\u{1b}[1mx\u{2028}y\0"
        );
        let GitContext { branch, status, .. } = read(&said);
        assert_eq!(branch.as_deref(), Some("fix/[masked: GitHub token]"));
        assert_eq!(status.modified_files, ["a\n[masked: GitHub token].txt"]);
        assert_eq!(status.untracked_files, ["https://[masked]@h/\u{1b}[1mx\u{2028}y"]);
    }
}
