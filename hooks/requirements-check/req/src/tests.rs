//! Commands about requirements as tables: who asks for what, what they read, what is changed.

mod clearing;
mod exceptions;
mod listing;
mod marking;
mod scene;
mod status;
mod words;

use shared::operator::{Caller, Standing};

use scene::Scene;

/// Everybody who can ask, the user first.
const ALL: [Caller; 5] = [USER, Caller::Typed, CLAUDE, SCRIPT, Caller::Untyped];

const USER: Caller = Caller::Shell(Standing::Operator);
const CLAUDE: Caller = Caller::Shell(Standing::InsideClaude);
const SCRIPT: Caller = Caller::Shell(Standing::NoTerminal);

/// What is read where the answer is yes; fails if it is no.
#[track_caller]
fn yes(scene: &mut Scene, words: &str, caller: Caller) -> String {
    scene.req(words, caller).unwrap_or_else(|why| panic!("req {words}: {why}")).text
}

/// What is read where the answer is no; fails if it is yes.
#[track_caller]
fn no(scene: &mut Scene, words: &str, caller: Caller) -> String {
    let Err(text) = scene.req(words, caller) else { panic!("req {words} is answered") };
    assert!(text.starts_with("req: "), "it says who speaks: {text}");
    text
}
