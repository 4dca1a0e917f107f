//! Everything a requirement is judged by, found beforehand: where the call acts, what is satisfied, what was measured, what
//! this session has done. The hook and the command line `req` judge by the same view.

use std::collections::BTreeMap;
use std::path::PathBuf;

use shared::cli::Reply;
use shared::hook::Verdict;
use shared::host::{Host, Places, Timestamp};
use shared::protocol::Mode;
pub use shared::text::quoted;
use transcript::TurnWork;

use crate::call::Call;
use crate::change::Change;
pub use crate::git::Size;
use crate::place::Here;
use crate::registry::is_headless;
use crate::rule::Rule;
use crate::satisfactions::{By, Satisfaction, Satisfactions};
use crate::settings::Scope;
use crate::state::{Run, State};
use crate::words::age;

pub struct View<'a> {
    /// None on a command line outside of any session.
    pub session: Option<&'a str>,
    pub call: Option<&'a str>,
    pub state: &'a State,
    pub world: &'a World,
    pub now: Timestamp,
}

#[derive(Debug, Default)]
pub struct World {
    pub here: Here,
    pub branch: Satisfactions,
    /// Satisfactions on all branches, approvals and waivers.
    pub permanent: Satisfactions,
    /// Per dynamic requirement the size, or why it is not known.
    pub sizes: BTreeMap<String, Result<Size, String>>,
    /// Per evidence requirement whether the files are those the command passed on.
    pub evidence: BTreeMap<String, Freshness>,
    /// Per evidence requirement the files of which the index holds another version than the work tree.
    pub staged_otherwise: BTreeMap<String, Vec<String>>,
    /// Per evidence requirement whether its file is as it must be, else what it lacks.
    pub files: BTreeMap<String, Result<(), String>>,
    /// Other live sessions on this project, as people read them.
    pub others: Vec<String>,
    pub mode: Option<Mode>,
    /// The user reads, not Claude.
    pub is_user: bool,
    /// The work tree in which a command must run, if that is not the session's.
    pub elsewhere: Option<PathBuf>,
    /// The place where `req` is looked up.
    pub programs: Option<Box<(Host, Places)>>,
    /// A satisfaction can be kept.
    pub can_satisfy: bool,
    /// Evidence can be kept, which needs the state folder as well.
    pub can_prove: bool,
    pub cwd: PathBuf,
    pub root: Option<PathBuf>,
    pub entrypoint: Option<String>,
    pub notes: Vec<String>,
    /// Notices for the user that no later session repeats, each with the change that remembers it.
    pub once: Vec<(String, Change)>,
}

impl World {
    /// Root of the work tree, else of the project.
    pub(crate) fn top(&self) -> Option<&std::path::Path> {
        self.here.root().or(self.root.as_deref())
    }

    pub fn find(&self, rule: &Rule<'_>, session: Option<&str>, now: Timestamp) -> Option<&Satisfaction> {
        let scope = self.here.scope(rule.set.scope);
        let kept = if scope == Scope::Permanent { &self.permanent } else { &self.branch };
        kept.find(rule.name, scope, session.unwrap_or_default(), now)
    }

    pub(crate) fn is_headless(&self) -> bool {
        is_headless(self.entrypoint.as_deref())
    }

    /// How `req` is called in a shell here: the bare name, or the quoted path. It is looked up when a text needs it: that takes
    /// more system calls than a call that is allowed may cost.
    pub fn req(&self) -> String {
        let programs = self.programs.as_deref();
        programs.map_or_else(|| "req".to_owned(), |(host, places)| host.own_command("req", places))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    Same,
    /// The files that differ, as far as they are known.
    Different(Vec<String>),
    Unknown(String),
}

impl View<'_> {
    pub fn scope(&self, rule: &Rule<'_>) -> Scope {
        self.world.here.scope(rule.set.scope)
    }

    /// The satisfaction of the requirement, too old or not.
    pub fn satisfaction(&self, rule: &Rule<'_>) -> Option<&Satisfaction> {
        self.world.find(rule, self.session, self.now)
    }

    /// An approval or waiver that holds, in words.
    pub fn exception(&self, rule: &Rule<'_>) -> Option<String> {
        let session = self.session.unwrap_or_default();
        let found = self.world.permanent.find(rule.name, Scope::Session, session, self.now)?;
        let word = match found.satisfied_by {
            By::Approval => "approved",
            By::Waiver => "waived",
            _ => return None,
        };
        let note = found.metadata.note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
        Some(format!("{word} for {} more{note}", age(found.expires_at? - self.now.secs())))
    }

    /// The sentence that asks the user for something only the user can do.
    pub(crate) fn asks_user(&self, verb: &str, why: &str) -> String {
        let (world, there) = (self.world, self.change_directory());
        match (&world.elsewhere, world.is_headless()) {
            _ if world.is_user => format!("type ({why}): {there}req {verb}"),
            (None, false) => format!("ask the user to type this as a prompt ({why}): req {verb}"),
            _ => format!("a person can type this in a terminal of their own ({why}): {there}req {verb}"),
        }
    }

    /// `cd <there> && `, if a command must run in another work tree.
    pub(crate) fn change_directory(&self) -> String {
        let elsewhere = self.world.elsewhere.as_ref();
        elsewhere.map(|root| format!("cd {} && ", quoted(&root.display().to_string()))).unwrap_or_default()
    }
}

/// The findings of `observe`, event by event.
#[derive(Debug)]
pub enum Facts {
    Before(Box<Before>),
    After(Box<After>),
    /// A prompt, and the answer if it is a command of ours.
    Prompt(Box<World>, Option<Reply<Change>>),
    /// The turn is about to end, and what it did.
    Stop(Box<World>, TurnWork),
    Start(Box<World>),
    End(Box<World>),
}

#[derive(Debug)]
pub struct Before {
    pub(crate) call: Call,
    /// The work tree the call acts in, then the other work trees in which commands of its line act.
    pub(crate) places: Vec<Place>,
    /// It would go around the user.
    pub(crate) breach: Option<Verdict>,
    /// Commands of the call that may become evidence.
    pub(crate) runs: Vec<Run>,
    /// The session has given no sign of life for a while.
    pub(crate) registers: bool,
}

/// A work tree, and the names of the requirements that are judged there.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) world: World,
    pub(crate) judged: Vec<String>,
}

#[derive(Debug)]
pub struct After {
    pub(crate) call: Call,
    pub(crate) world: World,
    /// The call ran to its end without an error.
    pub(crate) succeeded: bool,
    /// The call was interrupted, or goes on in the background.
    pub(crate) is_unfinished: bool,
    /// Evidence requirements whose files differ from those at the call's beginning.
    pub(crate) changed: Vec<String>,
    /// Evidence requirements whose `min_output` the call's output lacks.
    pub(crate) without_output: Vec<String>,
    /// Requirements that a `req satisfy` in the line names.
    pub(crate) satisfied: Vec<String>,
}
