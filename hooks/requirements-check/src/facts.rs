//! What `observe` found, event by event.

use crate::call::Call;
use crate::change::Change;
use crate::rails::Breach;
use crate::state::Run;
use crate::view::World;

/// What was found.
#[derive(Debug)]
pub enum Facts {
    /// Before a tool call.
    Before(Box<Before>),
    /// After a tool call that ran.
    After(Box<After>),
    /// A prompt was submitted.
    Prompt(Box<Prompt>),
    /// The turn is about to end.
    Stop(Box<Stop>),
    /// Prompts are scheduled that read like our commands, by hash; a stop with wake-ups in flight is not held.
    Scheduled(Vec<u64>),
    /// A session begins.
    Start(Box<Start>),
    /// A session ends.
    End(Box<World>),
}

/// Before a tool call.
#[derive(Debug)]
pub struct Before {
    pub(crate) call: Call,
    pub(crate) world: World,
    /// The requirements that are judged by it; none: all that the call triggers.
    pub(crate) judged: Option<Vec<String>>,
    /// What commands of the line that act in other work trees are judged by.
    pub(crate) elsewhere: Vec<Visit>,
    /// The call would go around the user.
    pub(crate) breach: Option<Breach>,
    /// Commands of the call that may become evidence.
    pub(crate) runs: Vec<Run>,
    /// The hash of a prompt the call schedules and that reads like one of our commands.
    pub(crate) scheduled: Option<u64>,
    /// The session has given no sign of life for a while.
    pub(crate) registers: bool,
}

/// Another work tree in which a command of a line acts.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) world: World,
    /// The requirements that are judged there.
    pub(crate) judged: Vec<String>,
}

/// After a tool call that ran.
#[derive(Debug)]
pub struct After {
    pub(crate) call: Call,
    pub(crate) world: World,
    /// It ran to its end without an error.
    pub(crate) succeeded: bool,
    /// It was interrupted, or goes on in the background.
    pub(crate) is_unfinished: bool,
    /// Evidence requirements whose files are others than when the call began.
    pub(crate) changed: Vec<String>,
    /// Evidence requirements whose `min_output` the call's output lacks.
    pub(crate) without_output: Vec<String>,
    /// Requirements that a `req satisfy` in its line names.
    pub(crate) satisfied: Vec<String>,
}

/// A prompt was submitted.
#[derive(Debug)]
pub struct Prompt {
    /// The answer, where it is a command; none for a prompt to Claude.
    pub(crate) answered: Option<Answered>,
    pub(crate) world: World,
}

/// An answer to a command.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) text: String,
    /// What is to be done; `req` has done its own.
    pub(crate) changes: Vec<Change>,
}

/// The turn is about to end.
#[derive(Debug)]
pub struct Stop {
    pub(crate) world: World,
    /// What the turn did.
    pub(crate) work: transcript::TurnWork,
}

/// A session begins.
#[derive(Debug)]
pub struct Start {
    pub(crate) world: World,
}
