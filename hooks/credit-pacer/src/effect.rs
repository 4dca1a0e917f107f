//! Effects beside messages and memory.

use shared::hook::Effect;
use shared::host::{Places, Timestamp};
use shared::switches::Turn;
use shared::usage::line::{self, Line};

use crate::poll;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A process is started that asks the usage API.
    Poll,
    /// The windows over their safe line are written down for other hooks.
    Line(Line),
    /// A switch is turned.
    Turn(Turn),
}

impl From<Turn> for Change {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

impl Effect for Change {
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        match self {
            Self::Poll => poll::start(),
            Self::Line(found) => {
                let Some(store) = places.open_store() else { return Ok(()) };
                line::write(&store, &found).map_err(|error| error.to_string())
            }
            Self::Turn(turn) => turn.carry_out(places, now),
        }
    }
}
