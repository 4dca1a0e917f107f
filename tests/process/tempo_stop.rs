//! tempo-stop through real processes, with a server on loopback for the model: which stops it looks at, how often it holds
//! one, what goes out and what does not. What it has in common with intent-validator is in `judge`.

mod held;
mod material;
mod unasked;

use serde_json::{Value, json};

use crate::endpoint::Manner;
use crate::judge_api;
use crate::judged::{Judged, PATIENT};

const NAME: &str = "tempo-stop";

/// The model finds this missing.
fn missing(feedback: &str) -> Manner {
    judge_api::verdict(&json!({ "verdict": "BLOCKED", "feedback": feedback }))
}

/// It finds this missing at every stop.
fn strict(own: &str) -> Judged {
    Judged::new(NAME, own, PATIENT, [missing("Nobody is greeted yet.")])
}

/// Why a stop is held; `None` if it is not.
fn reason(answer: Option<&Value>) -> Option<String> {
    let answer = answer.filter(|answer| crate::driver::is_block(answer))?;
    Some(answer["reason"].as_str().expect("a block has a reason").to_owned())
}
