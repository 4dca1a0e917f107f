//! A session on a branch, for tests of the hook and of `req`: settings from YAML, satisfactions kept in memory.
#![allow(dead_code, reason = "the hook and `req` share this file, and each uses a part of it")]

use std::path::PathBuf;
use std::time::Duration;

use requirements_check::change::Change;
use requirements_check::git::{Size, Worktree};
use requirements_check::rule::Rule;
use requirements_check::satisfactions::{By, Key, Satisfaction};
use requirements_check::settings::{Scope, Settings};
use requirements_check::state::State;
use requirements_check::strategy::Standing;
use requirements_check::world::{View, World};
use shared::blocks::BlockCount;
use shared::config::{self, Origin};
use shared::host::Timestamp;

use super::{Known, known};

pub(crate) const SESSION: &str = "5e55104e-0000-4000-8000-000000000001";
pub(crate) const OTHER: &str = "0c4e7a11-0000-4000-8000-000000000002";
pub(crate) const OWN: Option<&str> = Some(SESSION);
pub(crate) const ROOT: &str = "/repo/tree";
const BEGIN: Timestamp = Timestamp::from_secs(1_795_300_000);

/// A session on `feature` of a repository whose satisfactions can be kept.
pub(crate) struct Scene {
    pub(crate) settings: Settings,
    pub(crate) world: World,
    pub(crate) known: Known,
    pub(crate) state: State,
    pub(crate) state_is_usable: bool,
    pub(crate) now: Timestamp,
    pub(crate) session: Option<String>,
    pub(crate) blocks: BlockCount,
    pub(crate) headless: bool,
}

impl Scene {
    /// With these requirements: the YAML below `requirements:`, `enabled` left out.
    #[track_caller]
    pub(crate) fn new(requirements: &str) -> Self {
        let root = PathBuf::from(ROOT);
        let worktree = Worktree { root: root.clone(), common_dir: root.join(".git") };
        let mut world = World::default();
        (world.key, world.worktree) = (Key::Branch("feature".to_owned()), Some(worktree));
        (world.can_satisfy, world.can_prove) = (true, true);
        world.cwd.clone_from(&root);
        world.places.root = Some(root);
        Self {
            settings: settings(requirements),
            world,
            known: known(),
            state: State::default(),
            state_is_usable: true,
            now: BEGIN,
            session: Some(SESSION.to_owned()),
            blocks: BlockCount::default(),
            headless: false,
        }
    }

    pub(crate) fn on(mut self, branch: &str) -> Self {
        self.world.key = Key::Branch(branch.to_owned());
        self
    }

    pub(crate) fn wait(&mut self, time: Duration) {
        self.now = self.now.plus(time);
    }

    /// Sets the size of the branch for a requirement.
    pub(crate) fn measures(&mut self, name: &str, lines: u64) {
        let size = Size { lines, base: "main".to_owned(), is_complete: true };
        self.world.sizes.insert(name.to_owned(), Ok(size));
    }

    /// Sets and clears satisfactions as in a file; those of another branch are not looked at here.
    pub(crate) fn carry_out(&mut self, changes: &[Change]) {
        for change in changes {
            let (Change::Set(target, _) | Change::Clear(target)) = change else { continue };
            let kept = match &target.key {
                Key::Permanent => &mut self.world.permanent,
                key if *key == self.world.key => &mut self.world.branch,
                _ => continue,
            };
            let holder = target.session.as_deref();
            let name = target.name.as_deref();
            match change {
                Change::Set(_, satisfaction) => {
                    let satisfaction = Satisfaction::clone(satisfaction);
                    kept.set(name.unwrap_or_default(), holder, satisfaction);
                }
                _ => kept.clear(name, holder),
            }
        }
    }

    pub(crate) fn view(&self) -> View<'_> {
        let session = self.session.as_deref();
        View { session, call: None, state: &self.state, world: &self.world, now: self.now }
    }

    #[track_caller]
    pub(crate) fn rule(&self, name: &str) -> Rule<'_> {
        Rule::named(&self.settings, name).unwrap_or_else(|| panic!("{name} is in force"))
    }

    #[track_caller]
    pub(crate) fn standing(&self, name: &str) -> Standing {
        self.rule(name).standing(&self.view())
    }

    #[track_caller]
    pub(crate) fn is_met(&self, name: &str) -> bool {
        self.standing(name).is_ok()
    }

    /// Satisfies a requirement for a holder, as of now.
    pub(crate) fn satisfy(&mut self, name: &str, holder: Option<&str>, by: By) {
        let satisfaction = Satisfaction::new(by, self.now);
        let scope = self.settings.requirements.get(name).map_or(Scope::Session, |set| set.scope);
        let is_permanent = scope == Scope::Permanent;
        let kept = if is_permanent { &mut self.world.permanent } else { &mut self.world.branch };
        kept.set(name, holder, satisfaction);
    }

    /// Approves or waives a requirement for so many seconds.
    pub(crate) fn except(&mut self, name: &str, holder: Option<&str>, by: By, secs: u64) {
        let exception = Satisfaction::new(by, self.now).for_secs(secs);
        self.world.permanent.set(name, holder, exception);
    }
}

/// Settings with these requirements, each switched on.
#[track_caller]
pub(crate) fn settings(requirements: &str) -> Settings {
    let stop = "stop: {verify_requirements: true, verify_scopes: [session, branch, permanent, single_use]}";
    let rest = "session_start: {inject_context: true}, session_end: {clear_session_state: false}";
    let mut settings: Settings =
        config::read_typed(&format!("requirements: {{}}\nhooks: {{{stop}, {rest}}}\n")).unwrap();
    let mut written: serde_json::Value =
        config::read_typed(requirements).unwrap_or_else(|error| panic!("{requirements}: {error}"));
    for set in written.as_object_mut().unwrap().values_mut() {
        set["enabled"] = true.into();
    }
    settings.requirements =
        serde_json::from_value(written).unwrap_or_else(|error| panic!("{requirements}: {error}"));
    settings
}

/// Every setting stands in one file, at the line that its key's length gives.
#[expect(clippy::unnecessary_wraps, reason = "it stands for a function that may find nothing")]
pub(crate) fn origin(key: &str) -> Option<Origin> {
    let file = "/repo/tree/.claude/requirements.yaml".to_owned();
    Some(Origin { layer: config::LayerKind::Project, file, line: Some(key.len()) })
}
