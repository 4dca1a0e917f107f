//! Private files that survive any kill: versioned, written beside and renamed, changed only under a lock with a deadline.
//!
//! A killed writer leaves the old file or the new one. A power cut may take counters, buckets and tokens, which are not
//! fsynced; satisfactions are ([`write_durable`]).

mod files;
mod lock;
mod names;
mod nonce;
mod store;
mod sweep;

pub use crate::host::ensure_private;
pub use files::{
    SharedMode, ensure_folder, open_regular, read_regular, remove_durable, write_durable, write_private,
};
pub use lock::{LOCK_DEADLINE, LockError, with_lock, with_shared_lock};
pub use names::{MAX_NAME, file_key};
pub use nonce::Nonce;
pub use store::{MACHINE, Off, Remembered, StateError, Store, is_off};
pub use sweep::{KEEP_DAYS, sweep_once_a_day};
