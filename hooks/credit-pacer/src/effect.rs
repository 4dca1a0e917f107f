//! What is done beside speaking and remembering.

use shared::hook::{Effect, Hook};
use shared::host::{Places, Timestamp};
use shared::journal;
use shared::state::Store;
use shared::switches::Turn;
use shared::usage::line::{self, Line};

use crate::CreditPacer;
use crate::database::{Database, DatabaseError, DecisionRow};
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
    /// Which windows are past their safe line is written down.
    Line(Line),
    /// A switch is turned.
    Turn(Turn),
}

impl From<Turn> for Change {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

/// A delay.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision(pub(crate) DecisionRow);

impl Effect for Change {
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        match self {
            Self::Poll => poll::start(),
            Self::Line(found) => {
                let Some(store) = places.open_store() else { return Ok(()) };
                line::write(&store, &found).map_err(|error| error.to_string())
            }
            Self::KeepDecision(decision) => {
                let Some(store) = places.open_store() else { return Ok(()) };
                let kept = Database::open(&store).and_then(|database| database.add_decision(&decision.0));
                kept.or_else(|error| without(&store, error, now))
            }
            Self::CleanUp { before } => {
                let Some(store) = places.open_store() else { return Ok(()) };
                let cleaned = Database::open_existing(&store)
                    .and_then(|database| database.map_or(Ok(()), |mut database| database.clean_up(before)));
                cleaned.or_else(|error| without(&store, error, now))
            }
            Self::Turn(turn) => turn.carry_out(places, now),
        }
    }
}

/// What the user is told of the database. That another process writes into it passes: only the journal keeps it.
fn without(store: &Store, error: DatabaseError, now: Timestamp) -> Result<(), String> {
    let DatabaseError(told, is_busy) = error;
    if !is_busy {
        return Err(format!("{told}; pacing goes on without it"));
    }
    let entry = journal::Entry {
        hook: CreditPacer::NAME,
        what: "error",
        text: Some(&told),
        ..journal::Entry::default()
    };
    journal::write(store, now, &entry);
    Ok(())
}

#[cfg(test)]
mod tests {
    use shared::host::Timestamp;
    use shared::state::Store;

    use super::without;
    use crate::database::DatabaseError;

    #[test]
    fn a_busy_database_is_told_to_the_journal_only() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        let now = Timestamp::from_secs(1_000_000);
        let error = |is_busy| DatabaseError("usage.db cannot be used: x".to_owned(), is_busy);
        assert_eq!(without(&store, error(true), now), Ok(()));
        let journal: String = std::fs::read_dir(scratch.path())
            .unwrap()
            .filter_map(|entry| std::fs::read_to_string(entry.unwrap().path()).ok())
            .collect();
        assert!(journal.contains("usage.db cannot be used: x"), "{journal}");
        let told = "usage.db cannot be used: x; pacing goes on without it".to_owned();
        assert_eq!(without(&store, error(false), now), Err(told));
    }
}
