//! Commands as tables: who asks for what, what they read, what is changed.

mod clearing;
mod exceptions;
mod listing;
mod marking;
mod status;
mod words;

use shared::operator::Standing as Caller;

use super::{Reply, Standpoint};
use crate::scene::Scene;

/// Everybody who can ask, the user first.
const ALL: [Standpoint; 5] = [USER, Standpoint::TypedPrompt, CLAUDE, SCRIPT, Standpoint::UntypedPrompt];

const USER: Standpoint = Standpoint::Shell(Caller::Operator);
const CLAUDE: Standpoint = Standpoint::Shell(Caller::InsideClaude);
const SCRIPT: Standpoint = Standpoint::Shell(Caller::NoTerminal);

/// What is read where the answer is yes; fails if it is no.
#[track_caller]
fn yes(scene: &mut Scene, words: &str, standpoint: Standpoint) -> String {
    let Reply { text, is_no, .. } = scene.req(words, standpoint);
    assert!(!is_no, "req {words}: {text}");
    text
}

/// What is read where the answer is no; fails if it is yes, and if anything would be changed.
#[track_caller]
fn no(scene: &mut Scene, words: &str, standpoint: Standpoint) -> String {
    let Reply { text, is_no, changes, .. } = scene.req(words, standpoint);
    assert!(is_no && changes.is_empty(), "req {words}: {text} {changes:?}");
    assert!(text.starts_with("req: "), "it says who speaks: {text}");
    text
}
