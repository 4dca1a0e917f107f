//! The one clock of the harness. Requests to the scripted API and lines of `record-hook` carry this time, so that a
//! test can put both in order. Nothing here waits.

use std::time::{SystemTime, UNIX_EPOCH};

/// Microseconds since 1970, UTC.
pub fn epoch_micros() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock stands after 1970");
    u64::try_from(since.as_micros()).expect("microseconds since 1970 fit in 64 bits")
}
