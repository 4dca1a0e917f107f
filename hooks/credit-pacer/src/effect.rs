//! What is done beside speaking and remembering.

use shared::hook::Effect;
use shared::host::{Places, Timestamp};
use shared::operator::typed;
use shared::switches::{Position, Reach, turn};

use crate::database::{Database, DecisionRow};
use crate::poll;

/// One change of the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A delay is kept in the database.
    KeepDecision(Box<Decision>),
    /// What is older is removed from the database, in seconds since the epoch.
    CleanUp {
        /// The oldest that stays.
        before: i64,
    },
    /// A process is started that asks the usage API.
    Poll,
    /// A prompt that begins like a command of ours is scheduled, by its hash.
    Scheduled(u64),
    /// A switch is turned.
    Turn {
        /// Of this section, or of a key of it.
        section: String,
        /// For one session; none: for all.
        session: Option<String>,
        /// To this.
        position: Position,
    },
}

/// A delay.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision(pub(crate) DecisionRow);

impl Effect for Change {
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        match self {
            Self::Poll => poll::start(),
            Self::KeepDecision(decision) => {
                let Some(store) = places.open_store() else { return Ok(()) };
                let database = Database::open(&store).map_err(|error| error.0)?;
                database.add_decision(&decision.0).map_err(|error| error.0)
            }
            Self::CleanUp { before } => {
                let Some(store) = places.open_store() else { return Ok(()) };
                let Some(mut database) = Database::open_existing(&store).map_err(|error| error.0)? else {
                    return Ok(());
                };
                database.clean_up(before).map_err(|error| error.0)
            }
            Self::Scheduled(prompt) => match places.open_store() {
                Some(store) => typed::remember(&store, prompt),
                None => Ok(()),
            },
            Self::Turn { section, session, position } => {
                let store = places.open_store().ok_or("there is no state folder to keep the switch in")?;
                let reach = session.as_deref().map_or(Reach::Machine, Reach::Session);
                turn(&store, &section, reach, position, now).map_err(|error| error.to_string())
            }
        }
    }
}
