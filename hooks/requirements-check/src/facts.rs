//! The facts of an event: `observe` finds them, `decide` judges by them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use shared::cli::Reply;
use shared::hook::Verdict;
use transcript::TurnWork;

use crate::call::Call;
use crate::change::Change;
use crate::state::Run;
use crate::world::World;

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
    pub(crate) worlds: Vec<World>,
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
    /// Per evidence requirement the files that differ from those at the call's beginning, as far as they are known.
    pub(crate) changed: BTreeMap<String, Vec<String>>,
    /// Evidence requirements whose `min_output` the call's output lacks.
    pub(crate) without_output: Vec<String>,
    /// Requirements that a `req satisfy` in the line names.
    pub(crate) satisfied: Vec<String>,
}
