//! delegation-guard under the real client: what is denied, what runs, and what the model was told.

use crate::scene::{Scene, touch};
use tests::messages_api::{Reply, Script};
use tests::script;

/// On in `-p` too, because a run with nobody watching is what most of these tests can drive.
const ON: &str = "delegation-guard:\n  enabled: true\n  headless: true\n  first_call: deny\n";

const DENIAL: &str = "delegation-guard denied this call once";

fn guarded() -> Scene {
    Scene::with(&["delegation-guard"], ON)
}

#[test]
fn advice_at_doublings_follows_the_denial_which_says_where_it_is_set() {
    let scene = guarded();
    let calls = (0..=8).fold(script![], |script, call| script.reply(touch(&format!("call-{call}"))));

    let session = scene.ask("do it", calls.reply("end"));

    assert_eq!(scene.files().len(), 8, "all but the denied one");
    let requests = session.requests();
    let denied = requests[1].newest_result();
    assert!(denied.is_error && denied.text.contains(DENIAL), "{denied:?}");
    assert!(denied.text.contains("requirements.yaml:4"), "{denied:?}");
    // Request n is made after call n - 1, whose streak is n - 1.
    let is_new = |request: &usize| {
        let [before, now] =
            [request - 1, *request].map(|at| requests[at].count("delegation-guard (advice at streak"));
        now > before
    };
    assert_eq!((1..requests.len()).filter(is_new).collect::<Vec<_>>(), [3, 5, 9]);
}

#[test]
fn a_delegation_arms_it_again_and_the_subagent_works_in_peace() {
    let scene = guarded();
    let script = script![
        touch("denied-1"),
        touch("ran-1"),
        Reply::background_agent("sub"),
        touch("denied-2"),
        touch("ran-2"),
        "waiting",
        "woken"
    ];
    // It is in the middle of its work while the main session makes both calls.
    let waiting = Reply::bash("until test -e ran-2; do sleep 0.05; done");

    let session = scene
        .ask("do it", script.agent("sub", [touch("sub-1"), waiting, touch("sub-2"), Reply::text("done")]));

    assert_eq!(scene.files(), ["ran-1", "ran-2", "sub-1", "sub-2"]);
    for request in session.of_agent("sub") {
        assert!(!request.shows("delegation-guard"), "{:?}", request.shown_texts());
    }
    assert_eq!(session.last().count(DENIAL), 2);
}

#[test]
fn exactly_one_of_parallel_first_calls_is_denied() {
    let scene = guarded();
    let calls = (0..6).fold(Reply::default(), |reply, call| reply.also(touch(&format!("call-{call}"))));

    let session = scene.ask("do it", script![calls, "end"]);

    assert_eq!((scene.files().len(), session.last().count(DENIAL)), (5, 1));
}

#[test]
fn in_the_terminal_the_first_call_is_denied_and_in_print_mode_without_opting_in_none() {
    let scene = Scene::with(&["delegation-guard"], "delegation-guard: {enabled: true}\n");
    let script = |name: &str| -> Script { script![touch(name), touch("second"), "all at its end"] };

    scene.user(script("denied")).asks("do it", "all at its end");
    assert_eq!((scene.files(), scene.journal("deny").len()), (vec!["second".to_owned()], 1));

    scene.ask("do it", script("ran"));
    assert_eq!(scene.files(), ["ran", "second"]);
}
