//! The facts of an event, found beforehand, and the view that requirements have of them. The hook and the command line `req`
//! judge by the same view.

use std::path::PathBuf;

use shared::cli::Reply;
use shared::hook::Verdict;
use shared::host::Timestamp;
use shared::text::{age, quoted};
use transcript::TurnWork;

use crate::call::Call;
use crate::change::Change;
use crate::place::World;
use crate::rule::Rule;
use crate::satisfactions::{By, Satisfaction};
use crate::settings::Scope;
use crate::state::{Run, State};

pub struct View<'a> {
    /// None on a command line outside of any session.
    pub session: Option<&'a str>,
    pub call: Option<&'a str>,
    pub state: &'a State,
    pub world: &'a World,
    pub now: Timestamp,
}

impl View<'_> {
    pub fn scope(&self, rule: &Rule<'_>) -> Scope {
        self.world.scope(rule.set.scope)
    }

    /// The satisfaction of the requirement, too old or not.
    pub fn satisfaction(&self, rule: &Rule<'_>) -> Option<&Satisfaction> {
        self.world.satisfaction(rule, self.session.unwrap_or_default(), self.now)
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
        match (&world.elsewhere, world.environment.is_headless()) {
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

#[derive(Debug)]
pub enum Facts {
    Before(Box<Before>),
    After(Box<After>),
    /// A prompt, and the answer if it is a command of ours.
    Prompt(Box<World>, Option<Reply<Change>>),
    /// The turn is about to end, and what it did.
    Stop(Box<World>, TurnWork),
    /// A session begins. Notices that no later one repeats, each with the file that remembers it.
    Start(Box<World>, Vec<(String, PathBuf)>),
    End(Box<World>),
}

#[derive(Debug)]
pub struct Before {
    pub(crate) call: Call,
    /// The work tree the call acts in, then the other work trees in which commands of its line act.
    pub(crate) places: Vec<World>,
    /// It would go around the user.
    pub(crate) breach: Option<Verdict>,
    /// Commands of the call that may become evidence.
    pub(crate) runs: Vec<Run>,
    /// The session has given no sign of life for a while.
    pub(crate) registers: bool,
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
