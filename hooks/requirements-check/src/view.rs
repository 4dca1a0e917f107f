//! Everything a requirement is judged by, looked at beforehand: where we are, what is marked, what was measured, what this
//! session has done. The hook and the command line `req` look at the same view.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use shared::host::Timestamp;
use shared::protocol::Mode;

use crate::place::Here;
use crate::registry::Entry;
use crate::rule::Rule;
use crate::satisfactions::{BranchMarks, By, Key, Listed, Mark, is_fresh};
use crate::settings::Scope;
use crate::state::State;
use crate::words::age;

/// What a standing is judged by.
pub struct View<'a> {
    /// The session; none on a command line outside of any.
    pub session: Option<&'a str>,
    /// The tool call that asks, by its id.
    pub call: Option<&'a str>,
    /// What this session has done.
    pub state: &'a State,
    /// What was looked at.
    pub world: &'a World,
    /// Now.
    pub now: Timestamp,
}

/// A version of the client that nothing has been proved under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClient {
    /// The version that runs.
    pub(crate) running: String,
    /// The version the proofs passed under.
    pub(crate) proved: String,
}

/// What was looked at.
#[derive(Debug, Default)]
pub struct World {
    /// Where the call acts.
    pub here: Here,
    /// The marks of the branch.
    pub branch: BranchMarks,
    /// The marks of the repository, exceptions among them.
    pub permanent: BranchMarks,
    /// Per dynamic requirement its size.
    pub sizes: BTreeMap<String, Size>,
    /// Per dynamic requirement why its size is not known.
    pub unmeasured: BTreeMap<String, String>,
    /// Per evidence requirement whether the files are those the command passed on.
    pub evidence: BTreeMap<String, Freshness>,
    /// Per evidence requirement the files of which a commit would take another version than the one that lies there.
    pub staged_otherwise: BTreeMap<String, Vec<String>>,
    /// Per evidence requirement its file.
    pub files: BTreeMap<String, FileFound>,
    /// Other live sessions on this project, as people read them.
    pub others: Vec<String>,
    /// Who reads the answer, and how they call us.
    pub reader: Reader,
    /// A mark could be kept if it were set.
    pub can_mark: bool,
    /// Evidence could be kept if a command passed: that needs the state folder, too.
    pub can_prove: bool,
    /// The session's directory.
    pub cwd: PathBuf,
    /// The project's root.
    pub root: Option<PathBuf>,
    /// `CLAUDE_CODE_ENTRYPOINT`.
    pub entrypoint: Option<String>,
    /// The marks are those of a branch that is not checked out here.
    pub is_turned: bool,
    /// The sessions a prefix may mean; only for commands, like all that follows but the notes.
    pub known_sessions: Vec<String>,
    /// The live sessions of this project.
    pub live: Vec<Entry>,
    /// Whose marks are kept here.
    pub marked: Vec<Listed>,
    /// The branches there are, and what is checked out; none where that is not known.
    pub heads: Option<BTreeSet<Key>>,
    /// What the user should know of what was looked at.
    pub notes: Vec<String>,
    /// Configuration files that could not be read, and why: what they require is not known. Only for commands in a shell.
    pub skipped: Vec<String>,
    /// The repository, where it has a remote and no file of ours, and its user has not been told of `req init`; looked for at
    /// a session's start alone.
    pub newcomer: Option<PathBuf>,
    /// The client is another version than the hooks were proved under, and the user has not been told; looked for at a
    /// session's start alone.
    pub new_client: Option<NewClient>,
}

impl World {
    /// The live sessions of this project, each with as much of its id as `--session` needs.
    pub fn live_names(&self) -> Vec<String> {
        self.live.iter().map(|entry| short(&entry.session, &self.live)).collect()
    }
}

/// As much of a session's id as `--session` needs to tell it from the live ones.
pub fn short(session: &str, live: &[Entry]) -> String {
    let short: String = session.chars().take(8).collect();
    let alike = live.iter().filter(|entry| entry.session.starts_with(&short)).count();
    if alike > 1 { session.to_owned() } else { short }
}

/// A branch's size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Size {
    /// Lines inserted and deleted.
    pub lines: u64,
    /// What it is compared with, for people.
    pub base: String,
    /// Everything was counted in time.
    pub is_complete: bool,
}

/// Whether files are as they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    /// They are.
    Same,
    /// They are not; which ones, as far as it is known.
    Different(Vec<String>),
    /// It could not be told; why.
    Unknown(String),
}

/// A file asked for as evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFound {
    /// Which one, as it is set.
    pub(crate) glob: String,
    /// What it must be like: `is newer than the last commit and contains /…/`.
    pub(crate) must_be: String,
    /// What it lacks.
    pub(crate) lacks: Option<String>,
}

/// Who reads the answer.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    /// How `req` is called in a shell here: the bare name, or the quoted path.
    pub req: String,
    /// The permission mode of the call.
    pub(crate) mode: Option<Mode>,
    /// Nobody is at the session.
    pub(crate) is_headless: bool,
    /// The user reads it, not Claude.
    pub is_user: bool,
    /// The call acts in another work tree than the one a command would run in.
    pub(crate) elsewhere: Option<PathBuf>,
}

impl View<'_> {
    /// Now, in whole seconds since the epoch.
    pub fn now_secs(&self) -> i64 {
        self.now.micros().div_euclid(1_000_000)
    }

    /// The requirement's scope here.
    pub fn scope(&self, rule: &Rule<'_>) -> Scope {
        self.world.here.scope(rule.set.scope)
    }

    /// The mark that counts for the requirement, too old or not.
    pub fn mark(&self, rule: &Rule<'_>) -> Option<&Mark> {
        let scope = self.scope(rule);
        let marks = if scope == Scope::Permanent { &self.world.permanent } else { &self.world.branch };
        marks.mark(rule.name, scope, self.session.unwrap_or_default(), self.now)
    }

    /// The mark is young enough.
    pub(crate) fn is_fresh(&self, rule: &Rule<'_>, mark: &Mark) -> bool {
        is_fresh(mark, rule.set.ttl_secs, self.now)
    }

    /// An approval or waiver that holds, in words.
    pub fn exception(&self, rule: &Rule<'_>) -> Option<String> {
        let mark = self.world.permanent.mark(
            rule.name,
            Scope::Session,
            self.session.unwrap_or_default(),
            self.now,
        )?;
        let end = mark.expires_at?;
        let word = match mark.satisfied_by {
            By::Approval => "approved",
            By::Waiver => "waived",
            _ => return None,
        };
        let note = mark.metadata.note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
        Some(format!("{word} for {} more{note}", age(end - self.now_secs())))
    }

    /// Words with which the user is asked for something only they can do.
    pub(crate) fn asks_user(&self, verb: &str, why: &str) -> String {
        let reader = &self.world.reader;
        match (&reader.elsewhere, reader.is_headless) {
            _ if reader.is_user => format!("type ({why}): {}req {verb}", self.change_directory()),
            (None, false) => format!("ask the user to type this as a prompt ({why}): req {verb}"),
            _ => format!(
                "a person can type this in a terminal of their own ({why}): {}req {verb}",
                self.change_directory()
            ),
        }
    }

    /// `cd <there> && `, where a command must run elsewhere.
    pub(crate) fn change_directory(&self) -> String {
        let elsewhere = self.world.reader.elsewhere.as_ref();
        elsewhere.map(|root| format!("cd {} && ", quoted(&root.display().to_string()))).unwrap_or_default()
    }
}

/// A word as a shell reads it.
pub fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "_-./:@%+=,".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
