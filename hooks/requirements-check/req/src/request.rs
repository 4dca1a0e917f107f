//! A question about requirements: the view that the hook has too, and facts that commands alone ask for.
//!
//! Approvals, waivers and other sessions' satisfactions belong to the user: a person at a terminal of their own, or a prompt
//! that somebody typed. Claude's shell gets the line the user can type.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Error, anyhow, bail};
use git2::{BranchType, Repository};
use shared::hook::Effect as _;
use shared::host::real;
use shared::operator::{Caller, Standing};
use shared::protocol::Event;

use crate::location::Location;
use crate::reply::{Answer, Reply, short, unknown};
use requirements_check::change::Target;
use requirements_check::rule::Rule;
use requirements_check::satisfactions::{Folder, Key, Satisfactions};
use requirements_check::settings::{Kind, Requirement, Scope, Settings};
use requirements_check::state::{Entry, Registry, State};
use requirements_check::world::{View, World};

/// Fewer characters of a session's id are not looked up.
const MIN_PREFIX: usize = 8;

pub(crate) struct RequestContext<'a> {
    pub(crate) location: &'a Location,
    pub(crate) view: &'a View<'a>,
    pub(crate) known: &'a Known,
}

/// The sessions, branches and records of a project.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Sessions that a prefix may mean: those of the registry, and those with satisfactions here.
    pub(crate) sessions: Vec<String>,
    pub(crate) live: Vec<Entry>,
    /// The satisfactions of every branch, and of all branches.
    pub(crate) recorded: BTreeMap<Key, Satisfactions>,
    /// The local branches, and what is checked out here; none if unknown.
    pub(crate) heads: Option<BTreeSet<Key>>,
    /// Configuration files that could not be read, and why.
    pub(crate) skipped: Vec<String>,
    /// The branch that is asked about is not the one that is checked out.
    pub(crate) is_turned: bool,
}

/// Looks at everything that is required, of the session and branch that are named, else of the caller's; answers, and carries
/// out the changes of the answer.
pub(crate) fn about(
    location: &Location,
    (session, branch): (Option<&str>, Option<&str>),
    answer: impl FnOnce(&RequestContext<'_>) -> Answer,
) -> Answer {
    let (settings, now) = (&location.section.settings, location.host.now());
    let request = location.request(Event::Other("req".to_owned()));
    let context = location.context(&request);
    let mut world = World::new(&context);
    let mut known = Known::of(&world, location);
    known.recorded = world.folder.as_ref().map(Folder::list).unwrap_or_default();
    known.heads = heads(&world);
    world.is_user = !matches!(location.caller, Caller::Shell(Standing::InsideClaude) | Caller::Untyped);
    if let Some(branch) = branch {
        let key = Key::Branch(branch.to_owned());
        known.is_turned = key != world.key;
        world.key = key;
        world.read_satisfactions();
    }
    let session = known.session_or_own(session, location)?;
    let state = location.store.as_ref().zip(session.as_deref());
    let state: State = state.and_then(|(store, session)| store.read(session)).unwrap_or_default();
    world.session.clone_from(&session);
    // The files that are checked out say nothing of another branch.
    let is_measured =
        |rule: &Rule<'_>| !known.is_turned || !matches!(rule.kind(), Kind::Dynamic | Kind::Evidence);
    world.measure(&context, &Rule::all(settings).filter(is_measured).collect::<Vec<_>>());
    let (skipped, problems) = location.problems();
    known.skipped = skipped;
    world.notes.extend(problems);
    if !location.section.enabled {
        world.notes.push("requirements-check is switched off: nothing of this is enforced".to_owned());
    }
    let view = View { session: session.as_deref(), call: None, state: &state, world: &world, now };
    carry_out(answer(&RequestContext { location, view: &view, known: &known })?, location)
}

/// The local branches, and what is checked out here; none where they cannot be read.
fn heads(world: &World) -> Option<BTreeSet<Key>> {
    let repository = Repository::open(&world.worktree.as_ref()?.root).ok()?;
    let mut heads = BTreeSet::from([world.key.clone()]);
    for branch in repository.branches(Some(BranchType::Local)).ok()? {
        heads.extend(branch.ok()?.0.name().ok()?.map(|name| Key::Branch(name.to_owned())));
    }
    Some(heads)
}

fn carry_out(mut reply: Reply, location: &Location) -> Answer {
    for (number, change) in std::mem::take(&mut reply.changes).into_iter().enumerate() {
        let carried_out = change.carry_out(&location.places, location.host.now());
        let Err(why) = carried_out else { continue };
        if reply.is_recorded && location.caller == Caller::Shell(Standing::InsideClaude) {
            reply.text += " (not written from this shell; the hook records it when the command has ended)";
            return Ok(reply);
        }
        let what = if number == 0 { "Nothing" } else { "Not everything" };
        bail!("{}\n{what} was changed.", why.trim_start_matches("requirements-check: "));
    }
    reply.record.take().into_iter().for_each(|record| location.audit(true, record));
    Ok(reply)
}

impl Known {
    pub(crate) fn of(world: &World, location: &Location) -> Self {
        let root = world.places.root.as_deref();
        let registry = location.store.as_ref().map(|store| Registry::new(store.dir()));
        let registered = registry.as_ref().map(Registry::all).unwrap_or_default();
        let of_project = registered.into_iter().filter(|entry| Some(entry.project.as_path()) == root);
        let mut sessions: BTreeSet<String> = of_project.map(|entry| entry.session).collect();
        sessions.extend(world.branch.sessions().into_iter().map(ToOwned::to_owned));
        let live = registry.zip(root).map(|(registry, root)| registry.live(root, location.host.now()));
        let mut live = live.unwrap_or_default();
        // They are on the branch that is checked out now, whichever it was when they began.
        if root.is_some_and(|root| world.worktree_root() == Some(&real(root))) {
            for entry in &mut live {
                entry.branch = world.branch().map(ToOwned::to_owned);
            }
        }
        Self { sessions: sessions.into_iter().collect(), live, ..Self::default() }
    }

    /// The session that is named, else that of this shell, else the only live one here.
    pub(crate) fn session_or_own(
        &self,
        named: Option<&str>,
        location: &Location,
    ) -> anyhow::Result<Option<String>> {
        let only = if let [only] = self.live.as_slice() { Some(only.session.as_str()) } else { None };
        self.session(named, location.session().or(only))
    }

    /// The session that `named` begins, else `own`.
    fn session(&self, named: Option<&str>, own: Option<&str>) -> anyhow::Result<Option<String>> {
        let Some(prefix) = named else { return Ok(own.map(ToOwned::to_owned)) };
        resolved(prefix, self.sessions.iter().map(String::as_str).chain(own)).map(Some)
    }

    /// The live sessions, each with as much of its id as `--session` needs.
    pub(crate) fn live_names(&self) -> Vec<String> {
        self.live.iter().map(|entry| self.name(&entry.session)).collect()
    }

    /// As much of a live session's id as `--session` needs.
    pub(crate) fn name(&self, session: &str) -> String {
        let short = short(session);
        let alike = self.live.iter().filter(|entry| entry.session.starts_with(&short)).count();
        if alike > 1 { session.to_owned() } else { short }
    }
}

impl RequestContext<'_> {
    pub(crate) fn settings(&self) -> &Settings {
        &self.location.section.settings
    }

    pub(crate) fn session(&self, named: Option<&str>) -> anyhow::Result<Option<String>> {
        self.known.session(named, self.view.session)
    }

    /// The branch's key; without a name that of the one that is checked out. A branch that does not exist is a slip.
    pub(crate) fn branch(&self, named: Option<&str>) -> anyhow::Result<Key> {
        let Some(name) = named else { return Ok(self.view.world.key.clone()) };
        let (key, heads) = (Key::Branch(name.to_owned()), self.known.heads.as_ref());
        if self.known.recorded.contains_key(&key) || heads.is_none_or(|heads| heads.contains(&key)) {
            return Ok(key);
        }
        let branches = heads.into_iter().flatten().filter_map(|key| match key {
            Key::Branch(name) => Some(name.as_str()),
            _ => None,
        });
        let branches: Vec<&str> = branches.collect();
        Err(unknown("branch", name, &branches, " in this repository"))
    }

    pub(crate) fn in_force(&self, name: &str) -> anyhow::Result<Rule<'_>> {
        self.described(name)?;
        let off = || format!("{name} is switched off here; see req status --all");
        Rule::named(self.settings(), name).with_context(off)
    }

    /// A requirement that is described, in force or not.
    pub(crate) fn described(&self, name: &str) -> anyhow::Result<&Requirement> {
        let described = &self.settings().requirements;
        described.get(name).ok_or_else(|| {
            let known: Vec<&str> = described.keys().map(String::as_str).collect();
            let all = format!("; there are {}", known.join(", "));
            unknown("requirement", name, &known, if known.is_empty() { " here" } else { &all })
        })
    }

    /// The record of one requirement, or of all of them.
    pub(crate) fn target(&self, key: &Key, name: Option<&str>, session: Option<&str>) -> Target {
        Target {
            folder: self.view.world.folder.clone(),
            key: key.clone(),
            name: name.map(ToOwned::to_owned),
            session: session.map(ToOwned::to_owned),
        }
    }

    /// The record of a requirement in its scope, for this session.
    pub(crate) fn own_target(
        &self,
        name: &str,
        scope: Scope,
        session: Option<&str>,
    ) -> anyhow::Result<Target> {
        let here = self.view.world;
        if session.is_none() && here.scope(scope).is_own() {
            return Err(self.no_session());
        }
        Ok(Target::new(here, name, scope, session))
    }

    pub(crate) fn whose(&self, target: &Target) -> String {
        let here = self.view.world;
        let place = match &target.key {
            Key::Permanent => "of this repository".to_owned(),
            Key::Branch(name) => format!("on {name}"),
            _ => here.on(),
        };
        match &target.session {
            Some(session) => format!("session {} {place}", short(session)),
            None => format!("every session {place}"),
        }
    }

    pub(crate) fn is_of_others(&self, session: Option<&str>) -> bool {
        !self.location.caller.is_operator() && (session.is_none() || session != self.view.session)
    }

    pub(crate) fn no_session(&self) -> Error {
        let live = match self.known.live_names().as_slice() {
            [] => "none is live here".to_owned(),
            live => format!("live here: {}", live.join(", ")),
        };
        let place = if self.view.world.key == Key::NoGit { "of this project" } else { "on this branch" };
        anyhow!(
            "each session has satisfactions of its own; name one with --session ID ({live}), or add --branch for \
             every session {place}"
        )
    }
}

/// The full id that `prefix` stands for among those `known`, or why none is meant. A full id stands for itself though others
/// begin with it.
fn resolved<'a>(prefix: &str, known: impl Iterator<Item = &'a str>) -> anyhow::Result<String> {
    const HOW: &str = "list the sessions with `req sessions`";
    let matching: BTreeSet<&str> = known.filter(|id| id.starts_with(prefix)).collect();
    if matching.contains(prefix) {
        return Ok(prefix.to_owned());
    }
    if prefix.chars().count() < MIN_PREFIX {
        bail!("a session is named by at least {MIN_PREFIX} characters of its id; {HOW}");
    }
    let matching: Vec<&str> = matching.into_iter().collect();
    match matching.as_slice() {
        [only] => Ok((*only).to_owned()),
        [] => bail!("no session's id begins with {prefix}; {HOW}"),
        several => bail!("several sessions begin with {prefix}: {}; give more of the id", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::resolved;

    #[test]
    fn session_is_named_by_enough_of_its_id() {
        const KNOWN: [&str; 5] = ["bf41c52e-72c4", "bf41c52e-9999", "0a41c52e-72c4", "0a41c52e", "s1"];
        for (prefix, expected) in [
            ("0a41c52e", "0a41c52e"),
            ("0a41c52e-7", "0a41c52e-72c4"),
            ("bf41c52e-7", "bf41c52e-72c4"),
            ("s1", "s1"),
            ("bf41c52e", "several sessions begin with bf41c52e: bf41c52e-72c4, bf41c52e-9999"),
            ("bf41c52e-0", "no session's id begins with bf41c52e-0"),
            ("", "a session is named by at least 8 characters of its id"),
            ("0a41c52", "a session is named by at least 8 characters of its id"),
        ] {
            let found =
                resolved(prefix, KNOWN.into_iter().chain(KNOWN)).unwrap_or_else(|why| why.to_string());
            assert_eq!(found.split(';').next(), Some(expected), "{prefix}");
        }
    }
}
