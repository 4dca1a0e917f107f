//! All hooks at once under the real client: no denial is lost to another hook, and each text stands alone.

use crate::scene::{Scene, touch};
use tests::messages_api::Reply;
use tests::script;
use tests::settings::Hook;

const ALL: [&str; 4] = ["delegation-guard", "stop-momentum", "rate-awareness", "requirements-check"];

/// Everything speaks where it can.
pub(crate) const LOUD: &str = "delegation-guard: {enabled: true, headless: true, first_call: deny}
stop-momentum: {enabled: true, headless: true}
rate-awareness: {headless: true, audience: both, global_default: {capacity: 1, refill_per_sec: 0}}
requirements-check: {headless: true}
requirements:
  plan: {enabled: true}
  tests: {enabled: true, type: evidence, command: ./run-tests}
";

/// The same, but the bucket holds two, and a call past it is denied.
fn denying() -> Scene {
    Scene::with(&ALL, &LOUD.replace("audience: both", "mode: deny").replace("capacity: 1", "capacity: 2"))
}

#[test]
fn a_denial_wins_over_advice_and_over_a_hook_that_allows() {
    let allow =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;
    let scene = Scene::with(&ALL, LOUD).registering("PreToolUse", &Hook::shell(allow));
    let script = script![
        touch("denied"),
        Reply::bash("echo words >ran"),
        scene.write("unplanned", ""),
        Reply::agent("sub"),
        touch("denied-again"),
        "One.",
        "Two."
    ];

    let session = scene.ask("do it", script.agent("sub", [touch("sub"), Reply::text("done")]));

    assert_eq!(scene.files(), ["ran", "sub"]);
    assert_eq!(session.outcomes(), ["denied", "ran", "denied", "ran", "denied"]);
    let results = session.results();
    for (call, who) in
        [(0, "delegation-guard denied"), (2, "requirements-check: Write"), (4, "delegation-guard")]
    {
        assert!(results[call].text.contains(who), "{who}: {results:#?}");
    }
    assert!(session.requests()[2].shows("rate-awareness"), "the second call is past the bucket and goes on");
    assert_eq!(session.text(), "Two.", "the stop was blocked once");
    for who in ["stop-momentum: you are about to stop", "requirements-check: "] {
        assert!(session.last().shows(&format!("Stop hook feedback:\n{who}")), "{who}");
    }
}

#[test]
fn one_of_three_denials_is_shown_and_all_are_in_the_journal() {
    let scene = denying();
    // The first call is denied by the guard, the second runs, the third has no token, no plan, and follows a delegation.
    let script = script![touch("one"), Reply::agent("sub"), scene.write("two", ""), "One.", "Two."];

    let session = scene.ask("do it", script.agent("sub", ["done"]));

    let denied = session.results().remove(2);
    let who = ["delegation-guard denied", "rate-awareness", "requirements-check: "];
    assert_eq!(who.iter().filter(|name| denied.text.contains(**name)).count(), 1, "{denied:?}");
    assert!(denied.text.contains("requirements.yaml:"), "it says where it is set: {denied:?}");
    assert_eq!((scene.files().len(), scene.journal("deny").len()), (0, 4));
}

#[test]
fn no_other_hook_closes_the_way_out_of_a_requirement_or_counts_it() {
    let scene = denying();
    let write = |file: &str| scene.write(file, "");
    let commands = script![Reply::bash("req satisfy plan"), Reply::bash("req status --summary")];
    let script = commands.reply(write("denied")).reply(write("ran")).reply(write("too-many")).reply("One.");

    let session = scene.ask("do it", script.reply("Two."));

    assert_eq!(session.text(), "Two.");
    let expected =
        ["satisfied: plan", "1 of 2 satisfied", "delegation-guard denied", "created", "rate-awareness"];
    for (result, expected) in session.results().iter().zip(expected) {
        assert!(result.text.contains(expected), "{expected}: {result:?}");
    }
    assert_eq!(scene.files(), ["ran"]);
}
