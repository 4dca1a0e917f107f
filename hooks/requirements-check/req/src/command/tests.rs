//! Commands as tables: who asks for what, what they read, what is changed.

mod clearing;
mod exceptions;
mod listing;
mod marking;
mod status;
mod words;

use shared::operator::{Caller, Standing};

use super::Reply;
use crate::scene::Scene;

/// Everybody who can ask, the user first.
const ALL: [Caller; 5] = [USER, Caller::Typed, CLAUDE, SCRIPT, Caller::Untyped];

const USER: Caller = Caller::Shell(Standing::Operator);
const CLAUDE: Caller = Caller::Shell(Standing::InsideClaude);
const SCRIPT: Caller = Caller::Shell(Standing::NoTerminal);

/// What is read where the answer is yes; fails if it is no.
#[track_caller]
fn yes(scene: &mut Scene, words: &str, caller: Caller) -> String {
    let Reply { text, is_no, .. } = scene.req(words, caller);
    assert!(!is_no, "req {words}: {text}");
    text
}

/// What is read where the answer is no; fails if it is yes, and if anything would be changed.
#[track_caller]
fn no(scene: &mut Scene, words: &str, caller: Caller) -> String {
    let Reply { text, is_no, changes, .. } = scene.req(words, caller);
    assert!(is_no && changes.is_empty(), "req {words}: {text} {changes:?}");
    assert!(text.starts_with("req: "), "it says who speaks: {text}");
    text
}
