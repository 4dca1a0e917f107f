//! Private files that survive any kill: versioned, written beside and renamed, changed only under a lock with a deadline.
//!
//! What is lost when: a killed writer leaves the old file or the new one. Nothing here is fsynced, because counters,
//! buckets and tokens may be lost with the power; whoever writes marks or the user's own files must do more.

mod folder;
mod lock;
mod names;
mod store;
mod sweep;

pub(crate) use folder::private_file;
pub use folder::{ensure_private, write_private};
pub use lock::{LOCK_DEADLINE, LockError, with_lock};
pub use names::{MAX_NAME, file_key};
pub use store::{LoadError, SaveError, Store, is_off};
pub use sweep::{KEEP_DAYS, sweep_once_a_day};
