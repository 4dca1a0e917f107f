//! What `observe` found, event by event.

use shared::cli::Reply;
use transcript::TurnWork;

use crate::call::Call;
use crate::change::Change;
use crate::rails::Breach;
use crate::state::Run;
use crate::view::World;

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
    /// Where the call acts, then the other work trees in which commands of its line act.
    pub(crate) places: Vec<Place>,
    pub(crate) breach: Option<Breach>,
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
