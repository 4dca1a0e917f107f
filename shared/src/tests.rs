//! Helpers for the tests of several modules.

use tempfile::TempDir;

use crate::host::{Clock, Environment, Host, Timestamp};
use crate::state::Store;

/// A store in the folder `state` of a scratch folder.
pub(crate) fn store() -> (TempDir, Store) {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(&scratch.path().join("state")).unwrap();
    (scratch, store)
}

/// A host whose clock stands still.
pub(crate) fn host(environment: Environment) -> Host {
    let now = Timestamp::from_secs(1);
    Host { started: now, clock: Clock::Fixed(now), environment }
}
