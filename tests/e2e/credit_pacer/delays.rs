//! Who waits, and for how long. Headless, so that nothing but the hook takes time.

use super::scene::{DELAY, END, LEAST, SHORT, Scene, one_call};
use serde_json::{Value, json};
use std::time::Duration;
use tests::messages_api::{Reply, Script};

#[test]
fn above_the_line_the_next_request_comes_later_by_the_delay_and_below_it_nothing_is_added() {
    let (over, under, without) = (Scene::new(SHORT), Scene::new(SHORT), Scene::unregistered(SHORT));
    over.used(79);
    under.used(50);

    let (late, result) = over.ask(one_call());
    let (early, same) = under.ask(one_call());
    let (_, untouched) = without.ask(one_call());

    assert!(over.pause_after_call(0, &late) >= LEAST, "{:?}", over.pause_after_call(0, &late));
    assert!(under.pause_after_call(0, &early) < LEAST, "{:?}", under.pause_after_call(0, &early));
    let sleeps = over.sleeps();
    assert_eq!(sleeps.len(), 1);
    let told = "credit-pacer: waited 2 s so that your usage limits last. 5-hour limit: 79 % used at ";
    assert!(sleeps[0].1.starts_with(told), "{sleeps:?}");
    assert_eq!(under.sleeps(), []);
    assert!(!late.main_requests()[1].shows("waited"), "the model is not told");
    assert_eq!([result.as_str(), same.as_str(), untouched.as_str()], [END; 3]);
}

#[test]
fn a_subagents_calls_wait_with_those_of_its_session() {
    let scene = Scene::new(SHORT);
    scene.used(96);
    // The call of the main loop lasts until the subagent makes its own, so that both end together.
    let main = Reply::agent("sub", "the task").and_tool(
        "Bash",
        json!({ "command": "until [ -e sub ]; do sleep 0.02; done", "description": "wait for it" }),
    );
    let script =
        Script::new().reply(main).reply(END).route("sub", [Reply::bash("touch sub"), Reply::text("done")]);

    let (api, result) = scene.ask(script);

    assert_eq!(result, END);
    let is_bash = |payload: &Value| payload["tool_name"] == "Bash";
    let ends = scene.ends_of(is_bash);
    assert_eq!(ends.len(), 2);
    let next = api.marked_requests("sub")[1].at_us;
    let pauses = ends.iter().map(|ended| Duration::from_micros(next - ended));
    let longest = pauses.max().unwrap();
    assert!((LEAST..2 * DELAY).contains(&longest), "one delay for both: {longest:?}");
}
