//! The shape of a hook: `observe` looks at the world, `decide` is pure and total.
//!
//! `decide` knows no clock, no environment, no file and no `Result`: each rule is a row in a table test.
//! It answers in our words ([`Verdict`]); only [`crate::protocol`] turns them into the wire format.

use std::borrow::Cow;
use std::process::ExitCode;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::config::{
    self, HEADLESS_MEANS, Origin, Section, SectionSpec, SectionSwitches, SettingFault, Sources,
};
use crate::host::{Host, Places, Timestamp};
use crate::operator::Caller;
use crate::protocol::Request;
use crate::state::Store;

pub use crate::protocol::Verdict;
pub use crate::state::Remembered;

/// One hook. The type itself is empty; everything is in its associated items.
pub trait Hook {
    /// Folder, crate, binary and section of the configuration.
    const NAME: &'static str;

    /// Behaviour in an unattended session (`claude -p`), unless its section says `headless: true`.
    const HEADLESS: Headless;

    /// Keys of the section that only the global file may set: whatever starts a process, names a host or a path
    /// outside the project, chooses a model, spends money or writes commits.
    const GLOBAL_ONLY: &'static [&'static str];

    /// Older names of keys and the names that hold now, as dotted paths of the section.
    const RENAMED: &'static [(&'static str, &'static str)] = &[];

    /// It asks a model, which costs money: only the global file can switch it on; other files and a switch only off.
    const COSTS_MONEY: bool = false;

    /// Meaning of its key `headless`, a sentence for the manual.
    const HEADLESS_MEANS: &'static str = HEADLESS_MEANS;

    /// Keys of its settings that stand at the top of the file instead of in its section.
    const ROOT_KEYS: &'static [&'static str] = &[];

    /// Switched off by a switch (not by the files), it still looks and decides, and [`Input::switched_off`] tells it.
    const ACTS_WHILE_SWITCHED_OFF: bool = false;

    /// The verbs of its command line beside those every hook has, for the help.
    const VERBS: &'static [Verb] = &[];

    /// The section's typed settings; every field has its default in config/defaults.yaml.
    type Settings: DeserializeOwned + JsonSchema;

    type State: Remembered;

    type Facts;

    /// Effects beside answer and state; [`NoEffect`] for none.
    type Effect: Effect;

    /// The prompt is one of the hook's own commands: it is answered even while the hook is switched off.
    fn is_command(_prompt: &str) -> bool {
        false
    }

    /// Runs one of [`Self::VERBS`]; `None` if the words are none.
    fn run_verb(_host: &Host, _words: &[&str]) -> Option<ExitCode> {
        None
    }

    /// Lines of its status beside those of every hook.
    fn status_lines(_section: &Section<Self::Settings>, _asker: &Asker<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Looks at the world, outside of any lock. `None`: this event is none of the hook's business.
    fn observe(context: &Context<'_, Self::Settings>) -> Option<Self::Facts>;

    /// Finds settings that can be read and cannot work. The user sees them like wrong values. Pure and total.
    fn faults(_settings: &Self::Settings) -> Vec<SettingFault> {
        Vec::new()
    }

    fn section() -> SectionSpec {
        SectionSpec {
            name: Self::NAME,
            root_keys: Self::ROOT_KEYS,
            global_only: Self::GLOBAL_ONLY,
            renamed: Self::RENAMED,
            costs_money: Self::COSTS_MONEY,
        }
    }

    /// A sleep has ended, at its time or before, and no lock is held: the place to book what was slept.
    fn slept(_places: &Places, _session: Option<&str>, _now: Timestamp) {}

    /// Pure and total.
    fn decide(input: &Input<'_, Self>) -> Outcome<Self::State, Self::Effect>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headless {
    /// Nothing: a script's result must not depend on us.
    Silent,
    /// It decides; [`Input::headless`] tells it.
    Decides,
}

/// Everything that `observe` may look at.
pub struct Context<'a, S> {
    pub request: &'a Request,
    pub settings: &'a S,
    pub places: &'a Places,
    pub host: &'a Host,
    /// The keys of the section that the global file locks, as paths within it; an empty one is the whole section.
    pub locked: &'a [String],
    /// A project's file has a say in `settings`.
    pub set_in_project: bool,
    pub store: Option<&'a Store>,
}

impl<S> Context<'_, S> {
    /// The settings by the user's own file alone, where a project's file has a say in `settings`: for what no project decides.
    pub fn own_settings<H: Hook<Settings = S>>(&self, switches: impl Into<SectionSwitches>) -> Option<S> {
        let sources = || self.places.sources(self.host.environment.home.as_deref()).without_project();
        let own = self.set_in_project.then(|| configure::<H>(&sources(), switches));
        own.flatten().map(|section| section.settings)
    }

    /// State of this session as it is now, without the lock. Use it for looking only.
    pub fn peek<T: Remembered>(&self) -> T {
        let session = self.request.call.session_id.as_deref();
        self.store.zip(session).and_then(|(store, session)| store.read(session)).unwrap_or_default()
    }
}

pub struct Input<'a, H: Hook + ?Sized> {
    pub request: &'a Request,
    pub facts: &'a H::Facts,
    pub state: &'a H::State,
    /// `state` was read, and a change of it will be kept. Else `state` is empty: a gate must not ask for what only state can show.
    pub state_is_usable: bool,
    pub settings: &'a H::Settings,
    pub blocks: BlockCount,
    pub started: Timestamp,
    /// Now, inside the lock.
    pub now: Timestamp,
    /// The session is unattended, and the section does not opt in.
    pub headless: bool,
    /// The hook is switched off by a switch, see [`Hook::ACTS_WHILE_SWITCHED_OFF`].
    pub switched_off: bool,
    /// Provenance of a setting by its key path within the settings.
    pub origin: &'a dyn Fn(&str) -> Option<Origin>,
}

/// How often the stop of one prompt was blocked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockCount {
    /// By this hook.
    pub own: u32,
    pub together: u32,
    pub own_last: Option<Timestamp>,
    /// A later stop of the prompt did what this hook's blocks had asked for.
    pub is_followed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<S, E = NoEffect> {
    pub verdict: Verdict,
    /// Notice for the user beside it, in the terminal; never for the model.
    pub notice: Option<String>,
    pub memory: Memory<S>,
    pub audit_event: Option<AuditEvent>,
    pub effects: Vec<E>,
    pub audit: Audit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditEvent {
    /// A gate held nothing; why.
    Allowed(&'static str),
    /// The notice is advice, for the user alone, by this setting's key path.
    Advised(String),
}

/// Details for `req why` and `req log`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// Next steps of a denial or block, each a command to type or a sentence.
    pub next: Vec<String>,
    /// The key paths of the settings behind it, beside the verdict's own: a call may lack several things.
    pub also: Vec<String>,
    /// Claude's reactions to earlier blocks and advice, each once.
    pub reactions: Vec<Reaction>,
}

impl Audit {
    pub fn to(step: impl Into<String>) -> Self {
        Self { next: vec![step.into()], ..Self::default() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// The rule of the block, or the setting behind an advice.
    pub rule: Cow<'static, str>,
    pub how: ReactionKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReactionKind {
    Followed,
    /// Something else was done, or the user has excepted it.
    Overridden,
}

impl ReactionKind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Followed => "followed",
            Self::Overridden => "overridden",
        }
    }

    pub fn of(self, rule: impl Into<Cow<'static, str>>) -> Reaction {
        Reaction { rule: rule.into(), how: self }
    }
}

impl<S, E> Outcome<S, E> {
    /// Says nothing and leaves the state as it is.
    pub fn pass() -> Self {
        let (verdict, memory, audit) = (Verdict::Pass, Memory::Keep, Audit::default());
        Self { verdict, notice: None, memory, audit_event: None, effects: Vec::new(), audit }
    }

    /// Says nothing, for a reason the journal keeps.
    pub fn allow(reason: &'static str) -> Self {
        Self { audit_event: Some(AuditEvent::Allowed(reason)), ..Self::pass() }
    }

    #[must_use]
    pub fn remembering(self, memory: Memory<S>) -> Self {
        Self { memory, ..self }
    }

    #[must_use]
    pub fn with_reactions(mut self, reaction: impl IntoIterator<Item = Reaction>) -> Self {
        self.audit.reactions.extend(reaction);
        self
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Memory<S> {
    Keep,
    /// If the new state cannot be written, the verdict is not spoken: a gate that cannot count must not block.
    Save(S),
    /// The new state is written if it can be; the verdict does not depend on it.
    Note(S),
    Drop,
}

/// Change in the world beside the session's own state: a satisfaction in a repository, a file of a registry.
pub trait Effect: Sized {
    /// Does it, under the session's lock and before anything is said.
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String>;
}

/// There is nothing to do: this cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoEffect {}

impl Effect for NoEffect {
    fn carry_out(self, _places: &Places, _now: Timestamp) -> Result<(), String> {
        match self {}
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Verb {
    pub usage: &'static str,
    pub about: &'static str,
}

/// Caller of a command, and the context of its answer.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    pub host: &'a Host,
    pub places: &'a Places,
    /// The state folder; none where there can be none.
    pub store: Option<&'a Store>,
    pub session: Option<&'a str>,
    pub caller: Caller,
}

/// A hook's section as it is in force, with what the hook itself finds wrong in it.
pub fn configure<H: Hook>(
    sources: &Sources,
    switches: impl Into<SectionSwitches>,
) -> Option<Section<H::Settings>> {
    config::load(H::section(), sources, switches).map(with_faults::<H>)
}

pub(crate) fn with_faults<H: Hook>(mut section: Section<H::Settings>) -> Section<H::Settings> {
    section.add_faults(H::faults(&section.settings));
    section
}
