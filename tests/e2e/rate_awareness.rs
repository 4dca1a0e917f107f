//! rate-awareness under the real client: who is told of a burst, and whether the calls go on.

use crate::scene::{Scene, touch};
use tests::messages_api::Script;
use tests::script;

/// A bucket of so many calls, and no token comes back.
fn scene(capacity: u32, more: &str) -> Scene {
    let bucket = format!("global_default: {{capacity: {capacity}, refill_per_sec: 0}}");
    Scene::with(&["rate-awareness"], &format!("rate-awareness: {{{bucket}{more}}}\n"))
}

fn calls(count: usize) -> Script {
    (1..=count).fold(script![], |script, call| script.reply(touch(&format!("call-{call}")))).reply("the end")
}

#[test]
fn in_the_terminal_the_user_reads_it_and_the_model_does_not() {
    let scene = scene(2, "");
    let mut user = scene.user(calls(3));
    user.asks("do it", "3 calls in the last minute");
    user.terminal.wait_for("the end");
    assert_eq!(scene.files().len(), 3);
    assert!(!user.last().shows("rate-awareness"));
}

#[test]
fn model_reads_advice_and_denials() {
    let advised = scene(1, ", headless: true, audience: model");
    let session = advised.ask("do it", calls(2));
    let requests = session.requests();
    assert!(!requests[1].shows("rate-awareness") && requests[2].shows("2 calls in the last minute"));
    assert_eq!(session.outcomes(), ["ran", "ran"]);

    let denied = scene(1, ", mode: deny").ask("do it", calls(2));
    assert_eq!(denied.outcomes(), ["ran", "denied"]);
    assert!(denied.last().newest_result().text.contains("rate-awareness"));
}
