//! Reads what `git` prints. Pure. Fields end in NUL, because a name may hold anything else.

use shared::host::Timestamp;

use super::{Commit, Status};
use crate::record::shortened;

/// The names of a kind.
pub(super) const MAX_NAMES: usize = 500;

/// The characters of an author or a subject.
const MAX_CHARS: usize = 200;

/// Our own folder in git's names.
const OWN_FOLDER: &str = ".claude/sessions/";

const MAX_NAME_CHARS: usize = 1_000;

/// The fields of a commit, a NUL after each. The committer's time says when it was made here.
pub(super) const LOG_FORMAT: &str = "--format=%h%x00%an%x00%ct%x00%s";

/// The output of `status --porcelain=v2 --branch`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reported {
    /// None: detached.
    pub(super) branch: Option<String>,
    /// There is a commit.
    pub(super) has_commit: bool,
    pub(super) status: Status,
}

/// Reads the status. Where it was cut, the last name is left out.
pub(super) fn reported(said: &[u8]) -> Reported {
    let mut reported = Reported { has_commit: true, ..Reported::default() };
    let mut fields = whole_fields(said);
    let mut differs = false;
    while let Some(field) = fields.next() {
        let Some((kind, rest)) = field.split_once(' ') else { continue };
        let name = match kind {
            "#" => {
                header(&mut reported, rest);
                continue;
            }
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
        let Status { modified_files, untracked_files, .. } = &mut reported.status;
        let list = if kind == "?" { untracked_files } else { modified_files };
        if list.len() < MAX_NAMES {
            list.push(as_name(name));
        }
    }
    reported.status.clean = !differs;
    reported
}

fn header(reported: &mut Reported, header: &str) {
    match header.split_once(' ') {
        Some(("branch.oid", oid)) => reported.has_commit = oid != "(initial)",
        Some(("branch.head", head)) => {
            reported.branch = Some(head).filter(|head| *head != "(detached)").map(as_name);
        }
        _ => {}
    }
}

/// Reads the log.
pub(super) fn commits(said: &[u8]) -> Vec<Commit> {
    let fields: Vec<String> = whole_fields(said).collect();
    let of = |fields: &[String]| {
        let [sha, author, secs, message] = fields else { return None };
        let at = secs.parse().ok().map(Timestamp::from_secs)?;
        Some(Commit {
            sha: sha.clone(),
            author: in_a_line(author),
            timestamp: at.rfc3339(),
            message: in_a_line(message),
        })
    };
    fields.chunks(4).filter_map(of).collect()
}

fn whole_fields(said: &[u8]) -> impl Iterator<Item = String> {
    let whole = said.iter().rposition(|byte| *byte == 0).map_or(&[][..], |end| &said[..end]);
    let fields = whole.split(|byte| *byte == 0);
    fields.map(|field| String::from_utf8_lossy(field).into_owned())
}

/// A name without secrets, with all its other characters.
pub(super) fn as_name(name: &str) -> String {
    shortened(name, MAX_NAME_CHARS)
}

fn is_break(char: char) -> bool {
    char.is_control() || matches!(char, '\u{2028}' | '\u{2029}')
}

/// A text of others on one line, without secrets.
pub(super) fn in_a_line(text: &str) -> String {
    let line: String = text.chars().map(|char| if is_break(char) { ' ' } else { char }).collect();
    shortened(line.trim(), MAX_CHARS)
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAMES, Reported, commits, reported};

    const BEHIND: &str = "N... 100644 100644 100644 1 2";

    fn names(said: &str) -> (Vec<String>, Vec<String>) {
        let Reported { status, .. } = reported(said.as_bytes());
        assert_eq!(status.clean, status.modified_files.is_empty() && status.untracked_files.is_empty());
        (status.modified_files, status.untracked_files)
    }

    #[test]
    fn names_come_out_whole() {
        let said = format!(
            "# branch.oid 1\01 .M {BEHIND} a b\nc \0{two}R100 new -x\0old y\0u UU {BEHIND} 3 4 5\0? \"q\"\0? -r\0! i\0",
            two = format_args!("2 R. {BEHIND} "),
        );
        // The unmerged entry has three more fields than the others.
        let (modified, untracked) = names(&said);
        assert_eq!(modified, ["a b\nc ", "new -x", "5"]);
        assert_eq!(untracked, ["\"q\"", "-r"]);
    }

    #[test]
    fn what_was_cut_is_left_out_and_lists_are_bounded() {
        assert_eq!(names("? a\0? b").1, ["a"]);
        assert_eq!(names("? a").1, Vec::<String>::new());
        let many = "? a\0".repeat(MAX_NAMES + 1);
        assert_eq!(names(&many).1.len(), MAX_NAMES);
    }

    #[test]
    fn our_own_folder_is_left_out() {
        let said =
            format!("1 .M {BEHIND} .claude/sessions/a.json\0? .claude/sessions/b\0? .claude/sessionsx\0");
        assert_eq!(names(&said), (Vec::new(), vec![".claude/sessionsx".to_owned()]));
    }

    #[test]
    fn branches() {
        for (said, branch, has_commit) in [
            ("# branch.oid 1\0# branch.head main\0", Some("main"), true),
            ("# branch.oid 1\0# branch.head (detached)\0", None, true),
            ("# branch.oid (initial)\0# branch.head a/b\0# stash 2\0", Some("a/b"), false),
        ] {
            let reported = reported(said.as_bytes());
            assert_eq!((reported.branch.as_deref(), reported.has_commit), (branch, has_commit), "{said:?}");
        }
    }

    #[test]
    fn commits_are_on_one_line_without_secrets() {
        let said = b"a1\0A | B\x0060\0x\ty \xff|z\0b2\0A\0-1\0password=hunter2hunter2\0c3\0cut";
        let read = commits(said);
        let told: Vec<_> = read
            .iter()
            .map(|commit| (commit.sha.as_str(), commit.author.as_str(), &*commit.message))
            .collect();
        assert_eq!(told[0], ("a1", "A | B", "x y \u{fffd}|z"));
        assert!(!told[1].2.contains("hunter2"), "{told:?}");
        assert_eq!(told.len(), 2);
        assert_eq!(read[0].timestamp, "1970-01-01T00:01:00.000Z");
    }

    #[test]
    fn names_are_kept_without_secrets() {
        let token = ["gh", "p_"].concat() + &"Ab1".repeat(12);
        let said = format!(
            "# branch.head fix/{token}\0# branch.oid 1\x001 .M {BEHIND} a\n{token}.txt\0? https://me:hunter2hunter2@h/\u{1b}[1mx\u{2028}y\0"
        );
        let Reported { branch, status, .. } = reported(said.as_bytes());
        let told = format!("{branch:?}{status:?}");
        assert!(!told.contains("Ab1") && !told.contains("hunter2"), "{told}");
        assert_eq!(branch.as_deref(), Some("fix/[masked: GitHub token]"));
        assert_eq!(status.modified_files, ["a\n[masked: GitHub token].txt"]);
        assert_eq!(status.untracked_files, ["https://[masked]@h/\u{1b}[1mx\u{2028}y"]);
    }
}
