//! intent-validator through real processes, with a server on loopback for the models: what is asked for and when it is
//! enough, what goes out and what does not, and what the words of others can do to it: nothing. What it has in common with
//! tempo-stop is in `judge`.

pub(crate) mod flow;
mod injection;
mod never_sent;
mod secrets;

use serde_json::json;

use crate::endpoint::Manner;
use crate::judge_api;
use crate::judged::{Judged, approves};

const NAME: &str = "intent-validator";

/// What a model of stage 1 says of a change that was declared.
fn declared() -> Manner {
    judge_api::verdict(&json!({ "verdict": "YES", "missing": [] }))
}

/// No model is asked.
fn unasked(own: &str) -> Judged {
    Judged::new(NAME, &format!("stage1: local, stage2: \"off\", {own}"), "", [approves()])
}

/// Two models are asked about every change, the first of which finds it declared, and the second finds no fault.
fn both(own: &str, judge: &str, changes: usize) -> Judged {
    let manners = (0..changes).flat_map(|_| [declared(), approves()]);
    Judged::new(NAME, &format!("stage1: model, {own}"), judge, manners)
}
