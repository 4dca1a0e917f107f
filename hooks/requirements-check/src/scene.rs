//! A session as the rules see it, for tests: requirements in YAML, what was looked at, one event after the other. What a
//! decision remembers and changes is carried out here in memory, so that a test tells a story.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use shared::blocks::BlockCount;
use shared::config::{self, Origin};
use shared::hook::{Input, Memory, Outcome, Verdict};
use shared::host::Timestamp;
use shared::protocol::{Call as Common, Event, Request, Stop as StopEvent, ToolCall};
use transcript::TurnWork;

use crate::call::Call;
use crate::change::Change;
use crate::decide::decide;
use crate::facts::{After, Answered, Before, Facts, Prompt, Start, Stop};
use crate::git::Worktree;
use crate::place::Here;
use crate::rule::Rule;
use crate::satisfactions::{By, Holder, Key, Mark, Metadata};
use crate::settings::{Scope, Settings};
use crate::state::{Run, State};
use crate::strategy::Standing;
use crate::view::{View, World};

/// The session.
pub(crate) const SESSION: &str = "5e55104e-0000-4000-8000-000000000001";

/// Another one.
pub(crate) const OTHER: &str = "0c4e7a11-0000-4000-8000-000000000002";

/// The root of the work tree.
pub(crate) const ROOT: &str = "/repo/tree";

/// When a scene begins.
const BEGIN: Timestamp = Timestamp::from_secs(1_795_300_000);

/// What an outcome is here.
pub(crate) type Answer = Outcome<State, Change>;

/// A session on a branch of a repository whose marks can be kept.
pub(crate) struct Scene {
    pub(crate) settings: Settings,
    pub(crate) world: World,
    pub(crate) state: State,
    pub(crate) state_is_usable: bool,
    pub(crate) now: Timestamp,
    pub(crate) session: Option<String>,
    pub(crate) blocks: BlockCount,
    pub(crate) headless: bool,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Succeeded,
    Failed,
    /// Interrupted, or gone into the background.
    Unfinished,
    /// Without the output that is asked for.
    WithoutOutput,
    /// Well, and files are others than before.
    ChangedFiles,
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
            state_is_usable: true,
            now: BEGIN,
            session: Some(SESSION.to_owned()),
            blocks: BlockCount::default(),
            headless: false,
        }
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

    /// What is decided about an event, carried out.
    pub(crate) fn decide(&mut self, event: Event, facts: impl FnOnce(World) -> Facts) -> Answer {
        let facts = facts(std::mem::take(&mut self.world));
        let common = Common {
            session_id: self.session.clone(),
            prompt_id: Some("p1".to_owned()),
            cwd: Some(PathBuf::from(ROOT)),
            ..Common::default()
        };
        let outcome = decide(&Input {
            request: &Request { call: common, event },
            facts: &facts,
            state: &self.state,
            state_is_usable: self.state_is_usable,
            settings: &self.settings,
            blocks: self.blocks,
            started: self.now,
            now: self.now,
            headless: self.headless,
            switched_off: false,
            origin: &origin,
        });
        self.world = match facts {
            Facts::Before(facts) => facts.world,
            Facts::After(facts) => facts.world,
            Facts::Prompt(facts) => facts.world,
            Facts::Stop(facts) => facts.world,
            Facts::Start(facts) => facts.world,
            Facts::End(world) => *world,
            Facts::Scheduled(_) => std::mem::take(&mut self.world),
        };
        self.carry_out(&outcome.effects);
        match &outcome.memory {
            Memory::Keep => {}
            Memory::Save(state) | Memory::Note(state) => self.state = state.clone(),
            Memory::Drop => self.state = State::default(),
        }
        outcome
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

    /// Before a call.
    pub(crate) fn before(&mut self, id: &str, tool: &str, input: &Value) -> Answer {
        self.before_with(id, tool, input, Vec::new())
    }

    /// Before a call whose commands may become evidence for these requirements.
    pub(crate) fn before_with(&mut self, id: &str, tool: &str, input: &Value, runs: Vec<Run>) -> Answer {
        let tool = tool_call(id, tool, input);
        let call = Call::read(&tool, true);
        self.decide(Event::PreToolUse(tool), |world| {
            Facts::Before(Box::new(Before {
                call,
                world,
                judged: None,
                elsewhere: Vec::new(),
                breach: None,
                runs,
                scheduled: None,
                registers: false,
            }))
        })
    }

    /// After a call.
    pub(crate) fn after(&mut self, id: &str, tool: &str, input: &Value, end: End) -> Answer {
        let tool = tool_call(id, tool, input);
        let call = Call::read(&tool, true);
        let all = |wanted: End| {
            let is_wanted = end == wanted;
            self.settings.requirements.keys().filter(|_| is_wanted).cloned().collect::<Vec<_>>()
        };
        let (without_output, changed) = (all(End::WithoutOutput), all(End::ChangedFiles));
        let satisfied = satisfied(&call);
        self.decide(Event::Other("PostToolUse".to_owned()), |world| {
            Facts::After(Box::new(After {
                call,
                world,
                succeeded: end != End::Failed,
                is_unfinished: end == End::Unfinished,
                changed,
                without_output,
                satisfied,
            }))
        })
    }

    /// Before an edit of a file of the work tree.
    pub(crate) fn edit(&mut self, id: &str) -> Answer {
        self.before(id, "Edit", &edit_of("src/a.rs"))
    }

    /// After an edit that went well.
    pub(crate) fn edited(&mut self, id: &str) -> Answer {
        self.after(id, "Edit", &edit_of("src/a.rs"), End::Succeeded)
    }

    /// Before a line of Bash.
    pub(crate) fn bash(&mut self, id: &str, line: &str) -> Answer {
        self.before(id, "Bash", &json!({ "command": line }))
    }

    /// Before a line of Bash whose command may become evidence for `name`; `files` is what the files are like.
    pub(crate) fn bash_for(&mut self, id: &str, line: &str, name: &str, files: &str) -> Answer {
        let run = Run {
            call: id.to_owned(),
            name: name.to_owned(),
            command: line.to_owned(),
            files: files.to_owned(),
        };
        self.before_with(id, "Bash", &json!({ "command": line }), vec![run])
    }

    /// After a line of Bash.
    pub(crate) fn bash_ended(&mut self, id: &str, line: &str, end: End) -> Answer {
        self.after(id, "Bash", &json!({ "command": line }), end)
    }

    /// At the end of a turn.
    pub(crate) fn stop(&mut self, message: &str, work: TurnWork) -> Answer {
        let stop = StopEvent { last_assistant_message: Some(message.to_owned()), ..StopEvent::default() };
        self.decide(Event::Stop(stop), |world| Facts::Stop(Box::new(Stop { world, work })))
    }

    /// At a session's start.
    pub(crate) fn start(&mut self, source: &str) -> Answer {
        let event = Event::SessionStart { source: source.to_owned(), model: None };
        self.decide(event, |world| Facts::Start(Box::new(Start { world })))
    }

    /// At a session's end.
    pub(crate) fn end(&mut self, reason: &str) -> Answer {
        let event = Event::SessionEnd { reason: reason.to_owned() };
        self.decide(event, |world| Facts::End(Box::new(world)))
    }

    /// A prompt, and what `req` answers to it.
    pub(crate) fn prompt(&mut self, prompt: &str, answer: Option<&str>) -> Answer {
        let answered = answer.map(|text| Answered { text: text.to_owned(), changes: Vec::new() });
        let event = Event::UserPromptSubmit { prompt: prompt.to_owned(), source: None };
        self.decide(event, |world| Facts::Prompt(Box::new(Prompt { answered, world })))
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

pub(crate) fn tool_call(id: &str, tool: &str, input: &Value) -> ToolCall {
    ToolCall {
        tool_name: tool.to_owned(),
        tool_use_id: Some(id.to_owned()),
        tool_input: Some(to_raw_value(input).unwrap()),
    }
}

/// A call as the rules see it.
pub(crate) fn call(tool: &str, input: &Value) -> Call {
    Call::read(&tool_call("t", tool, input), true)
}

pub(crate) fn edit_of(file: &str) -> Value {
    json!({ "file_path": format!("{ROOT}/{file}") })
}

/// The requirements that the call's `req satisfy` names.
fn satisfied(call: &Call) -> Vec<String> {
    crate::observe::satisfied_by_line(call)
}

/// The reason with which a call is refused; fails if it is not.
#[track_caller]
pub(crate) fn denied(answer: &Answer) -> &str {
    match &answer.verdict {
        Verdict::Deny { reason, .. } => reason,
        other => panic!("not denied: {other:?}"),
    }
}

/// Nothing is said, to nobody.
pub(crate) fn is_silent(answer: &Answer) -> bool {
    answer.verdict == Verdict::Pass && answer.notice.is_none()
}
