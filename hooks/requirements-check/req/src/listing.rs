//! `req list`, `req prune`, `req sessions`: kept satisfactions, those nobody needs any more, and live sessions.

use anyhow::{anyhow, bail};
use serde::Serialize;
use serde_json::json;

use crate::reply::{Answer, Reply, counted, short};
use crate::request::RequestContext;
use requirements_check::satisfactions::{Folder, Key, Satisfactions};
use shared::text::age;

/// The satisfactions of a branch or commit, or those of all branches.
#[derive(Serialize)]
struct Kept {
    name: String,
    requirements: usize,
    sessions: usize,
    updated_at: i64,
    /// `req prune` removes them.
    gone: bool,
}

#[derive(Serialize)]
struct Live<'a> {
    session: &'a str,
    branch: Option<&'a str>,
    started_at: i64,
    seen_at: i64,
    own: bool,
}

impl RequestContext<'_> {
    pub(crate) fn list(&self, is_json: bool) -> Reply {
        let kept = |(key, of): (&Key, &Satisfactions)| Kept {
            name: shown(key),
            requirements: of.requirements.len(),
            sessions: of.sessions().len(),
            updated_at: of.updated_at,
            gone: self.is_gone(key),
        };
        let marks: Vec<Kept> = self.known.recorded.iter().map(kept).collect();
        if is_json {
            return Reply::json(&json!({ "marks": marks }));
        }
        let width = marks.iter().map(|kept| kept.name.chars().count()).max().unwrap_or(0);
        let line = |kept: &Kept| {
            let requirements = counted(kept.requirements, "requirement");
            let sessions = counted(kept.sessions, "session");
            let changed = age(self.view.now.secs() - kept.updated_at);
            let gone = if kept.gone { "; gone, see req prune" } else { "" };
            format!("{:width$}  {requirements}, {sessions}, changed {changed} ago{gone}", kept.name)
        };
        lines_or(marks.iter().map(line), "no satisfactions are kept here")
    }

    fn is_gone(&self, key: &Key) -> bool {
        let heads = self.known.heads.as_ref();
        matches!(key, Key::Branch(_)) && heads.is_some_and(|heads| !heads.contains(key))
    }

    pub(crate) fn sessions(&self, is_json: bool) -> Reply {
        let live = self.known.live.iter().map(|entry| Live {
            session: &entry.session,
            branch: entry.branch.as_deref(),
            started_at: entry.started_at,
            seen_at: entry.touched.secs(),
            own: self.location.session() == Some(&entry.session),
        });
        if is_json {
            return Reply::json(&json!({ "sessions": live.collect::<Vec<_>>() }));
        }
        let now = self.view.now.secs();
        let lines = live.map(|entry| {
            let branch = entry.branch.unwrap_or("no branch");
            let seen = (now - entry.seen_at) / 60;
            let seen = if seen < 1 { "active now".to_owned() } else { format!("seen {seen} min ago") };
            let own = if entry.own { "; this one" } else { "" };
            let (name, begun) = (self.known.name(entry.session), age(now - entry.started_at));
            format!("{name}  on {branch}, begun {begun} ago, {seen}{own}")
        });
        lines_or(lines, "no session is live on this project")
    }
}

pub(crate) fn prune(asked: &RequestContext<'_>) -> Answer {
    let (here, known) = (asked.view.world, asked.known);
    if here.worktree.is_some() && known.heads.is_none() {
        bail!("the branches could not be read, so no satisfactions were removed");
    }
    let prune = |(folder, key): (&Folder, &Key)| {
        // Each change forgets old sessions.
        folder.change(key, asked.view.now, |kept| kept.requirements.retain(|_, _| !asked.is_gone(key)))
    };
    // All files are tried; the first error counts.
    let pruned = here.folder.iter().flat_map(|folder| known.recorded.keys().map(move |key| (folder, key)));
    let pruned = pruned.map(prune).fold(Ok(()), Result::and);
    pruned.map_err(|error| anyhow!("{error}\nNothing was changed."))?;
    let gone = known.recorded.keys().filter(|key| asked.is_gone(key)).map(shown);
    Ok(Reply::yes(match gone.collect::<Vec<_>>().as_slice() {
        [] => "no branch with satisfactions is gone; nothing was removed".to_owned(),
        names => format!("removed the satisfactions of {}", names.join(", ")),
    }))
}

fn lines_or(lines: impl Iterator<Item = String>, none: &str) -> Reply {
    let reply = Reply::lines(lines);
    if reply.text.is_empty() { Reply::yes(none) } else { reply }
}

fn shown(key: &Key) -> String {
    match key {
        Key::Branch(name) => name.clone(),
        Key::Detached(commit) => format!("commit {}", short(commit)),
        Key::Permanent => "all branches".to_owned(),
        Key::NoGit => "no git".to_owned(),
    }
}
