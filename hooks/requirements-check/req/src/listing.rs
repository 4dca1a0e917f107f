//! `req list`, `req prune`, `req sessions`: whose satisfactions there are, which nobody needs any more, and who is live here.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::reply::{Reply, counted, json};
use crate::verb::Listing;
use requirements_check::change::{Change, Leftovers};
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
    let marks: Vec<Kept> = view.world.recorded.iter().map(|listed| Kept::of(listed, view)).collect();
    if wanted.json {
        return Reply::yes(json(&ListReport { version: 1, marks }));
    }
    if marks.is_empty() {
        return Reply::yes("no satisfactions are kept here");
    }
    let width = marks.iter().map(|kept| kept.shown().chars().count()).max().unwrap_or(0);
    let lines = marks.iter().map(|kept| {
        let requirements = counted(kept.requirements, "requirement");
        let sessions = counted(kept.sessions, "session");
        let changed = age(view.now_secs() - kept.updated_at);
        let gone = if kept.gone { "; gone, see req prune" } else { "" };
        format!("{:width$}  {requirements}, {sessions}, changed {changed} ago{gone}", kept.shown())
    });
    Reply::yes(lines.collect::<Vec<_>>().join("\n"))
}

impl Kept {
    fn of(listed: &Listed, view: &View<'_>) -> Self {
        let (kind, name) = match &listed.key {
            Key::Branch(name) => (Holder::Branch, Some(name)),
            Key::Detached(commit) => (Holder::Commit, Some(commit)),
            Key::Permanent => (Holder::AllBranches, None),
            Key::NoGit => (Holder::NoGit, None),
        };
        let is_gone = || view.world.heads.as_ref().is_some_and(|heads| !heads.contains(&listed.key));
        let gone = name.is_some() && is_gone();
        let Listed { requirements, sessions, updated_at, .. } = *listed;
        Self { kind, name: name.cloned(), requirements, sessions, updated_at, gone }
    }

    fn shown(&self) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        match self.kind {
            Holder::AllBranches => "all branches".to_owned(),
            Holder::Branch => name.to_owned(),
            Holder::Commit => format!("commit {}", name.chars().take(8).collect::<String>()),
            Holder::NoGit => "no git".to_owned(),
        }
    }
}

pub(crate) fn prune(view: &View<'_>) -> Result<Reply, String> {
    let world = &view.world;
    if world.here.worktree.is_some() && world.heads.is_none() {
        return Err(
            "req: which branches there are could not be read, so no satisfactions were removed".into()
        );
    }
    let gone: BTreeMap<Key, String> = world
        .recorded
        .iter()
        .map(|listed| (listed, Kept::of(listed, view)))
        .filter(|(_, kept)| kept.gone)
        .map(|(listed, kept)| (listed.key.clone(), kept.shown()))
        .collect();
    let text = if gone.is_empty() {
        "no branch with satisfactions is gone; nothing was removed".to_owned()
    } else {
        let names: Vec<&str> = gone.values().map(String::as_str).collect();
        format!("removed the satisfactions of {}", names.join(", "))
    };
    let leftovers = Leftovers { here: world.here.clone(), gone: gone.into_keys().collect() };
    Ok(Reply { changes: vec![Change::Prune(Box::new(leftovers))], ..Reply::yes(text) })
}

pub(crate) fn sessions(wanted: &Listing, view: &View<'_>) -> Reply {
    let live = &view.world.live;
    if wanted.json {
        let sessions = live.iter().map(|entry| Live {
            session: entry.session.clone(),
            branch: entry.branch.clone(),
            entrypoint: entry.entrypoint.clone(),
            started_at: entry.started_at,
            seen_at: entry.touched.micros().div_euclid(1_000_000),
            own: view.session == Some(&entry.session),
        });
        return Reply::yes(json(&SessionsReport { version: 1, sessions: sessions.collect() }));
    }
    if live.is_empty() {
        return Reply::yes("no session is live on this project");
    }
    let lines = live.iter().map(|entry| {
        let id = short(&entry.session, live);
        let branch = entry.branch.as_deref().unwrap_or("no branch");
        let begun = age(view.now_secs() - entry.started_at);
        // A sign of life is noted once a minute, so nothing more exact is known.
        let seen = match view.now.since(entry.touched).as_secs() {
            0..=60 => "active within the last minute".to_owned(),
            secs => format!("seen about {} min ago", secs / 60),
        };
        let own = if view.session == Some(&entry.session) { "; this one" } else { "" };
        format!("{id}  on {branch}, begun {begun} ago, {seen}{own}")
    });
    Reply::yes(lines.collect::<Vec<_>>().join("\n"))
}
