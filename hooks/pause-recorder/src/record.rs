//! The record of a session: `ACTIVE-PAUSE-<id8>.jsonl` in the project's folder of sessions, a line for each action.
//!
//! - `folder`: the folder, its names, and what of it is not touched
//! - `action`: a line, and what goes into it: cut, and without secrets
//! - `file`: beginning, appending, reading, archiving, discarding; each under the record's lock
//! - `lines`: the lines of a file, whatever else stands in it

mod action;
mod file;
mod folder;
mod lines;

pub(crate) use action::{Action, Draft, Kind, MAX_SUMMARY_CHARS, args_summary, json_shortened, shortened};
pub(crate) use file::{InPlace, Record, Recorded};
pub(crate) use folder::{Sessions, SnapshotFiles, is_record_id};
