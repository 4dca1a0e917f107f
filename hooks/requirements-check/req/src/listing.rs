//! `req list`, `req prune`, `req sessions`: whose satisfactions there are, which nobody needs any more, and who is live here.

use std::collections::BTreeSet;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::reply::{Reply, counted, json};
use crate::verb::Listing;
use requirements_check::change::{Change, Leftovers};
use requirements_check::registry::Entry;
use requirements_check::satisfactions::{Key, Listed};
use requirements_check::view::{View, short};
use requirements_check::words::age;

/// Whose satisfactions are kept in this repository.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListReport {
    /// The form of this object: 1.
    version: u32,
    /// One entry per branch or commit with satisfactions, and one for those of all branches.
    marks: Vec<Kept>,
}

/// The satisfactions of one holder.
#[derive(Debug, Serialize, JsonSchema)]
struct Kept {
    /// Whose they are.
    kind: Holder,
    /// The branch or commit; null for `all_branches` and `no_git`.
    name: Option<String>,
    /// How many requirements are satisfied.
    requirements: usize,
    /// How many sessions have satisfactions of their own.
    sessions: usize,
    /// When they were last changed, in seconds since the epoch.
    updated_at: i64,
    /// The branch is deleted, or no work tree has the commit out: `req prune` removes these satisfactions.
    gone: bool,
}

/// Whose satisfactions.
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
    /// How Claude Code was started: `cli` in a terminal, `sdk-cli` for `claude -p`; null where that is not known.
    entrypoint: Option<String>,
    /// When it began, in seconds since the epoch.
    started_at: i64,
    /// Its last sign of life, in seconds since the epoch; it is noted once a minute.
    seen_at: i64,
    /// It is the one that asks.
    own: bool,
}

pub(crate) fn list(wanted: &Listing, view: &View<'_>) -> Reply {
    let all = &view.world.marked;
    if wanted.json {
        let marks = all.iter().map(|listed| kept(listed, view)).collect();
        return Reply::yes(json(&ListReport { version: 1, marks }));
    }
    if all.is_empty() {
        return Reply::yes("no satisfactions are kept here");
    }
    let width = all.iter().map(|listed| shown(&listed.key).chars().count()).max().unwrap_or(0);
    let lines = all.iter().map(|listed| {
        let requirements = counted(listed.requirements, "requirement");
        let sessions = counted(listed.sessions, "session");
        let changed = age(view.now_secs() - listed.updated_at);
        let gone = if is_gone(&listed.key, view) { "; gone, see req prune" } else { "" };
        let name = shown(&listed.key);
        format!("{name:width$}  {requirements}, {sessions}, changed {changed} ago{gone}")
    });
    Reply::yes(lines.collect::<Vec<_>>().join("\n"))
}

fn kept(listed: &Listed, view: &View<'_>) -> Kept {
    let (kind, name) = match &listed.key {
        Key::Branch(name) => (Holder::Branch, Some(name)),
        Key::Detached(commit) => (Holder::Commit, Some(commit)),
        Key::Permanent => (Holder::AllBranches, None),
        Key::NoGit => (Holder::NoGit, None),
    };
    let Listed { requirements, sessions, updated_at, .. } = *listed;
    Kept { kind, name: name.cloned(), requirements, sessions, updated_at, gone: is_gone(&listed.key, view) }
}

pub(crate) fn prune(view: &View<'_>) -> Result<Reply, String> {
    let world = &view.world;
    if world.here.worktree.is_some() && world.heads.is_none() {
        return Err(
            "req: which branches there are could not be read, so no satisfactions were removed".into()
        );
    }
    let keys = world.marked.iter().map(|listed| &listed.key);
    let gone: BTreeSet<Key> = keys.filter(|key| is_gone(key, view)).cloned().collect();
    let text = if gone.is_empty() {
        "no branch with satisfactions is gone; nothing was removed".to_owned()
    } else {
        let names: Vec<String> = gone.iter().map(shown).collect();
        format!("removed the satisfactions of {}", names.join(", "))
    };
    let leftovers = Leftovers { here: world.here.clone(), gone };
    Ok(Reply { changes: vec![Change::Prune(Box::new(leftovers))], ..Reply::yes(text) })
}

pub(crate) fn sessions(wanted: &Listing, view: &View<'_>) -> Reply {
    let live = &view.world.live;
    let is_own = |entry: &Entry| view.session == Some(entry.session.as_str());
    if wanted.json {
        let one = |entry: &Entry| Live {
            session: entry.session.clone(),
            branch: entry.branch.clone(),
            entrypoint: entry.entrypoint.clone(),
            started_at: entry.started_at,
            seen_at: entry.touched.micros().div_euclid(1_000_000),
            own: is_own(entry),
        };
        let sessions = live.iter().map(one).collect();
        return Reply::yes(json(&SessionsReport { version: 1, sessions }));
    }
    if live.is_empty() {
        return Reply::yes("no session is live on this project");
    }
    let lines = live.iter().map(|entry| {
        let id = short(&entry.session, live);
        let branch = entry.branch.as_deref().unwrap_or("no branch");
        let begun = age(view.now_secs() - entry.started_at);
        let seen = seen_words(view.now.since(entry.touched));
        let own = if is_own(entry) { "; this one" } else { "" };
        format!("{id}  on {branch}, begun {begun} ago, {seen}{own}")
    });
    Reply::yes(lines.collect::<Vec<_>>().join("\n"))
}

/// A sign of life is noted once a minute, so nothing more exact is known.
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
