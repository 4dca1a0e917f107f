//! The record of a session: `ACTIVE-PAUSE-<key>.jsonl` in the project's folder of sessions, a line for each action.
//!
//! - `folder`: the folder and the names in it
//! - `keeping`: compresses archives, removes snapshots
//! - `line`: one action
//! - `masking`: masks and cuts texts
//! - `file`: begins, appends, reads, archives and discards a record under its lock
//! - `lines`: the lines of a file

mod file;
mod folder;
mod keeping;
mod line;
mod lines;
mod masking;

pub(crate) use file::{Record, Recorded, append, append_locked, archive, discard, locked, read, start};
pub(crate) use folder::{Sessions, SnapshotFiles, is_record_id};
pub(crate) use line::{Action, Draft, Kind};
pub(crate) use masking::{MAX_SUMMARY_CHARS, args_summary, json_shortened, shortened};
