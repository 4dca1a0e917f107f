//! A session on a branch, for tests of commands: settings from YAML, and satisfactions kept in memory.

use std::path::{Path, PathBuf};
use std::time::Duration;

use requirements_check::change::Change;
use requirements_check::git::Worktree;
use requirements_check::place::Here;
use requirements_check::registry::Entry;
use requirements_check::rule::Rule;
use requirements_check::satisfactions::{By, Holder, Key, Mark, Metadata};
use requirements_check::settings::{Scope, Settings};
use requirements_check::state::State;
use requirements_check::strategy::Standing;
use requirements_check::view::{View, World};
use shared::config::{self, Origin};
use shared::host::Timestamp;
use shared::operator::Caller;

use crate::command::{Reply, answer, parse_words};

/// The session.
pub(crate) const SESSION: &str = "5e55104e-0000-4000-8000-000000000001";

/// Another one.
pub(crate) const OTHER: &str = "0c4e7a11-0000-4000-8000-000000000002";

/// The root of the work tree.
pub(crate) const ROOT: &str = "/repo/tree";

/// When a scene begins.
const BEGIN: Timestamp = Timestamp::from_secs(1_795_300_000);

/// A session on a branch of a repository whose marks can be kept.
pub(crate) struct Scene {
    pub(crate) settings: Settings,
    pub(crate) world: World,
    pub(crate) state: State,
    pub(crate) now: Timestamp,
    pub(crate) session: Option<String>,
}

impl Scene {
    /// With these requirements: the YAML below `requirements:`, `enabled` left out.
    #[track_caller]
    pub(crate) fn new(requirements: &str) -> Self {
        let here = Here {
            key: Key::Branch("feature".to_owned()),
            worktree: Some(Worktree {
                root: PathBuf::from(ROOT),
                git_dir: Path::new(ROOT).join(".git"),
                common_dir: Path::new(ROOT).join(".git"),
            }),
            ..Here::default()
        };
        let mut world = World {
            here,
            can_mark: true,
            can_prove: true,
            cwd: PathBuf::from(ROOT),
            root: Some(PathBuf::from(ROOT)),
            entrypoint: Some("cli".to_owned()),
            known_sessions: vec![OTHER.to_owned(), SESSION.to_owned()],
            heads: Some(["feature", "main"].map(|name| Key::Branch(name.to_owned())).into()),
            ..World::default()
        };
        world.reader.req = "req".to_owned();
        Self {
            settings: settings(requirements),
            world,
            state: State::default(),
            now: BEGIN,
            session: Some(SESSION.to_owned()),
        }
    }

    /// A session that is live here since a minute, and was seen so many seconds ago.
    pub(crate) fn live(&mut self, session: &str, seen_secs: i64) {
        let ago = |secs: i64| Timestamp::from_micros(self.now.micros() - secs * 1_000_000);
        self.world.live.push(Entry {
            session: session.to_owned(),
            project: PathBuf::from(ROOT),
            common_dir: None,
            branch: Some("feature".to_owned()),
            entrypoint: Some("cli".to_owned()),
            started_at: ago(60).micros() / 1_000_000,
            touched: ago(seen_secs),
        });
    }

    /// On another branch.
    pub(crate) fn on(mut self, branch: &str) -> Self {
        self.world.here.key = Key::Branch(branch.to_owned());
        self
    }

    /// Later.
    pub(crate) fn wait(&mut self, time: Duration) {
        self.now = self.now.plus(time);
    }

    /// Marks are set and cleared as in a file.
    pub(crate) fn carry_out(&mut self, changes: &[Change]) {
        for change in changes {
            let (Change::Set(target, _) | Change::Clear(target)) = change else { continue };
            let marks = match &target.key {
                Key::Permanent => &mut self.world.permanent,
                key if *key == self.world.here.key => &mut self.world.branch,
                // Those of another branch are not looked at here.
                _ => continue,
            };
            let holder = target.session.as_deref().map_or(Holder::Everyone, Holder::Session);
            match (change, &target.name) {
                (Change::Set(_, mark), Some(name)) => {
                    marks.set(name, target.scope, holder, Mark::clone(mark));
                }
                (_, Some(name)) => {
                    let _ = marks.clear(name, holder);
                }
                (_, None) => {
                    let _ = marks.clear_all(holder);
                }
            }
        }
    }

    /// A command line of `req`, its changes carried out.
    #[track_caller]
    pub(crate) fn req(&mut self, words: &str, caller: Caller) -> Reply {
        let line = requirements_check::command_line::parse(&format!("req {words}")).commands.unwrap();
        let asked = parse_words(&line[0].words[1..]).unwrap_or_else(|error| panic!("{words}: {error}"));
        let reply = answer(&asked, &self.settings, &self.view(), caller, &origin);
        self.carry_out(&reply.changes);
        reply
    }

    /// What requirements are judged by now.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            session: self.session.as_deref(),
            call: None,
            state: &self.state,
            world: &self.world,
            now: self.now,
        }
    }

    /// A requirement in force.
    #[track_caller]
    pub(crate) fn rule(&self, name: &str) -> Rule<'_> {
        Rule::named(&self.settings, name).unwrap_or_else(|| panic!("{name} is in force"))
    }

    /// How a requirement stands.
    #[track_caller]
    pub(crate) fn standing(&self, name: &str) -> Standing {
        let rule = self.rule(name);
        rule.standing(&self.view())
    }

    /// A requirement is met.
    #[track_caller]
    pub(crate) fn is_met(&self, name: &str) -> bool {
        self.standing(name).is_met()
    }

    /// Marks a requirement for a holder, as of now.
    pub(crate) fn mark(&mut self, name: &str, holder: Holder<'_>, by: By) {
        let mark = Mark { metadata: Metadata::default().at(self.now), ..Mark::new(by, self.now) };
        let set = self.settings.requirements.get(name);
        let scope = set.map_or(Scope::Session, |set| set.scope);
        let marks =
            if scope == Scope::Permanent { &mut self.world.permanent } else { &mut self.world.branch };
        marks.set(name, scope, holder, mark);
    }

    /// The user excepts a requirement for so long.
    pub(crate) fn except(&mut self, name: &str, holder: Holder<'_>, by: By, secs: u64) {
        let mark = Mark::new(by, self.now).for_secs(secs);
        self.world.permanent.set(name, Scope::Session, holder, mark);
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

/// Every setting stands in one file, a line for each letter of its path.
#[expect(clippy::unnecessary_wraps, reason = "it stands for a function that may find nothing")]
fn origin(key: &str) -> Option<Origin> {
    let file = "/repo/tree/.claude/requirements.yaml".to_owned();
    Some(Origin { layer: config::LayerKind::Project, file, line: Some(key.len()) })
}
