//! What is done beside speaking and remembering: a typed switch is turned.

use shared::hook::Effect;
use shared::host::{Places, Timestamp};
use shared::switches::Turn;

/// A switch is turned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch(pub(crate) Turn);

impl Effect for Switch {
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        let store = places.open_store().ok_or("there is no state folder to keep the switch in")?;
        self.0.carry_out(&store, now).map_err(|error| error.to_string())
    }
}
