//! `req list`, `req prune`, `req sessions`: whose marks there are, which nobody needs any more, and who is live here.

use std::collections::BTreeSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::Reply;
use requirements_check::change::{Change, Leftovers};
use requirements_check::registry::Entry;
use requirements_check::satisfactions::{Key, Listed};
use requirements_check::view::{View, short};
use requirements_check::words::age;

/// Whose marks are kept in this repository.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListReport {
    /// The form of this object: 1.
    version: u32,
    /// One entry per branch or commit with marks, and one for those of all branches.
    marks: Vec<Marks>,
}

/// The marks of one holder.
#[derive(Debug, Serialize, JsonSchema)]
struct Marks {
    /// Whose they are.
    kind: Holder,
    /// The branch or commit; null for `all_branches` and `no_git`.
    name: Option<String>,
    /// How many requirements are marked.
    requirements: usize,
    /// How many sessions have marks of their own.
    sessions: usize,
    /// When they were last changed, in seconds since the epoch.
    updated_at: i64,
    /// The branch is deleted, or no work tree has the commit out: `req prune` removes these marks.
    gone: bool,
}

/// Whose marks.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Holder {
    /// A branch's.
    Branch,
    /// Those of a commit that was checked out without a branch.
    Commit,
    /// The repository's, on every branch.
    AllBranches,
    /// A project's without git.
    NoGit,
}

/// The live sessions of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SessionsReport {
    /// The form of this object: 1.
    version: u32,
    /// The sessions.
    sessions: Vec<Live>,
}

/// A live session.
#[derive(Debug, Serialize, JsonSchema)]
struct Live {
    /// Its id.
    session: String,
    /// The branch that is checked out where it works; null without one.
    branch: Option<String>,
    /// How the client was started: `cli` in a terminal, `sdk-cli` for `claude -p`; null where that is not known.
    entrypoint: Option<String>,
    /// When it began, in seconds since the epoch.
    started_at: i64,
    /// Its last sign of life, in seconds since the epoch; it is noted once a minute.
    seen_at: i64,
    /// It is the one that asks.
    own: bool,
}

/// Whose marks are kept in this repository.
pub(super) fn list(json: bool, view: &View<'_>) -> Reply {
    let marked = &view.world.marked;
    if json {
        let marks = marked.iter().map(|listed| marks(listed, view)).collect();
        return as_json(&ListReport { version: 1, marks });
    }
    if marked.is_empty() {
        return Reply::yes("no marks are kept here");
    }
    let width = marked.iter().map(|listed| shown(&listed.key).chars().count()).max().unwrap_or(0);
    let lines = marked.iter().map(|listed| {
        let counts = [
            counted(listed.requirements, "requirement"),
            counted(listed.sessions, "session"),
            format!("changed {} ago", age(view.now_secs() - listed.updated_at)),
        ];
        let gone = if is_gone(&listed.key, view) { "; gone, see req prune" } else { "" };
        format!("{:width$}  {}{gone}", shown(&listed.key), counts.join(", "))
    });
    Reply::yes(lines.collect::<Vec<_>>().join("\n"))
}

fn marks(listed: &Listed, view: &View<'_>) -> Marks {
    let (kind, name) = match &listed.key {
        Key::Branch(name) => (Holder::Branch, Some(name)),
        Key::Detached(commit) => (Holder::Commit, Some(commit)),
        Key::Permanent => (Holder::AllBranches, None),
        Key::NoGit => (Holder::NoGit, None),
    };
    Marks {
        kind,
        name: name.cloned(),
        requirements: listed.requirements,
        sessions: listed.sessions,
        updated_at: listed.updated_at,
        gone: is_gone(&listed.key, view),
    }
}

fn as_json(report: &impl Serialize) -> Reply {
    Reply::yes(serde_json::to_string(report).unwrap_or_default())
}

/// Clears the marks of branches that are gone. Session marks that are a month old go with them.
pub(super) fn prune(view: &View<'_>) -> Reply {
    let world = &view.world;
    if world.here.worktree.is_some() && world.heads.is_none() {
        return Reply::no("req: which branches there are could not be read, so no marks were removed");
    }
    let gone: BTreeSet<Key> =
        world.marked.iter().map(|listed| &listed.key).filter(|key| is_gone(key, view)).cloned().collect();
    let text = if gone.is_empty() {
        "no branch with marks is gone; nothing was removed".to_owned()
    } else {
        format!("removed the marks of {}", gone.iter().map(shown).collect::<Vec<_>>().join(", "))
    };
    let leftovers = Leftovers { here: world.here.clone(), gone };
    Reply { changes: vec![Change::Prune(Box::new(leftovers))], ..Reply::yes(text) }
}

/// The live sessions of this project.
pub(super) fn sessions(json: bool, view: &View<'_>) -> Reply {
    let live = &view.world.live;
    let is_own = |entry: &Entry| view.session == Some(entry.session.as_str());
    if json {
        let one = |entry: &Entry| Live {
            session: entry.session.clone(),
            branch: entry.branch.clone(),
            entrypoint: entry.entrypoint.clone(),
            started_at: entry.started_at,
            seen_at: entry.touched.micros().div_euclid(1_000_000),
            own: is_own(entry),
        };
        return as_json(&SessionsReport { version: 1, sessions: live.iter().map(one).collect() });
    }
    if live.is_empty() {
        return Reply::yes("no session is live on this project");
    }
    let lines = live.iter().map(|entry| {
        let branch = entry.branch.as_deref().unwrap_or("no branch");
        let (begun, seen) = (view.now_secs() - entry.started_at, view.now.since(entry.touched));
        let own = if is_own(entry) { "; this one" } else { "" };
        let (id, begun) = (short(&entry.session, live), age(begun));
        format!("{id}  on {branch}, begun {begun} ago, {}{own}", seen_words(seen))
    });
    Reply::yes(lines.collect::<Vec<_>>().join("\n"))
}

/// When a session was seen: a sign of life is noted once a minute, so nothing more exact is known.
fn seen_words(ago: Duration) -> String {
    match ago.as_secs() {
        0..=60 => "active within the last minute".to_owned(),
        secs => format!("seen about {} min ago", secs / 60),
    }
}

/// A branch that is not there any more, or a commit that no work tree has out.
fn is_gone(key: &Key, view: &View<'_>) -> bool {
    let is_kept_for_good = matches!(key, Key::Permanent | Key::NoGit);
    !is_kept_for_good && view.world.heads.as_ref().is_some_and(|heads| !heads.contains(key))
}

fn shown(key: &Key) -> String {
    match key {
        Key::Permanent => "all branches".to_owned(),
        Key::Branch(name) => name.clone(),
        Key::Detached(commit) => format!("commit {}", commit.chars().take(8).collect::<String>()),
        Key::NoGit => "no git".to_owned(),
    }
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
