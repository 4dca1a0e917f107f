//! Question 1: several Stop hooks at once. Which reasons the model sees, and what the client's cap on continuations
//! counts.

use super::stage::{Stage, block, once};
use tests::binaries;
use tests::messages_api::{Reply, Script, Shown};
use tests::recording;

#[test]
fn the_model_sees_every_reason_in_the_order_of_finishing_and_the_command_lines() {
    let stage = Stage::new(Script::new().reply("first end").reply("second end"))
        .hook("Stop", "A", once(block("reason A").after_ms(600)))
        .hook("Stop", "B", once(block("reason B")))
        .hook("Stop", "C", once(block("reason C").after_ms(300)));

    let run = stage.client().ask("work");

    assert_eq!(run.text(), "second end");
    let finished = stage.in_order_of_finishing(&["A", "B", "C"]);
    let shown = stage.api.shown_after(0);
    let reasons: Vec<_> =
        shown.iter().filter_map(|text| text.strip_prefix("Stop hook feedback:\n")).collect();
    let expected: Vec<_> = finished.iter().map(|id| format!("reason {id}")).collect();
    assert_eq!(reasons.iter().map(|reason| reason.trim_end()).collect::<Vec<_>>(), expected, "{shown:#?}");
    for id in finished {
        let command = format!("{} {}", binaries::record_hook().display(), stage.recorder.args(id).join(" "));
        let error = format!("Stop hook blocking error from command: \"{command}\": reason {id}");
        let texts = stage.api.main_requests()[1].texts();
        let shows_error = |shown: &Shown| shown.role == "system" && shown.text.contains(&error);
        assert!(texts.iter().any(shows_error), "{error} is not in {shown:#?}");
    }
}

#[test]
fn one_block_next_to_a_pass_is_a_block() {
    let stage = Stage::new(Script::new().reply("first end").reply("second end"))
        .hook("Stop", "A", once(block("reason A")))
        .hook("Stop", "B", recording::Behaviour::replying([recording::Reply::silent().after_ms(300)]));

    let run = stage.client().ask("work");

    assert_eq!(run.text(), "second end");
    assert_eq!(stage.recorder.runs("B").len(), 2);
    assert!(stage.api.showed(1, "Stop hook feedback:\nreason A"));
}

#[test]
fn the_cap_of_eight_takes_three_blocks_at_once_for_one_continuation() {
    let always = |reason| recording::Behaviour::replying([block(reason)]);
    let stage = Stage::new(Script::new().otherwise("end"))
        .hook("Stop", "A", always("reason A"))
        .hook("Stop", "B", always("reason B"))
        .hook("Stop", "C", always("reason C"));

    let run = stage.client().ask("work");

    assert_eq!(stage.api.main_requests().len(), 9);
    assert_eq!(stage.recorder.runs("A").len(), 9);
    assert_eq!((run.text(), run.is_error()), ("", false));
    // One turn of its own, and every block of the nine Stops, the overridden ones included.
    assert_eq!(run.result()["num_turns"], 1 + 9 * 3);
}

#[test]
fn the_cap_does_not_count_continuations_that_used_a_tool() {
    const BLOCKS: usize = 12;
    let script = (0..BLOCKS)
        .fold(Script::new().reply("end"), |script, _| script.reply(Reply::bash("true")).reply("end"));
    let replies = (0..BLOCKS).map(|_| block("go on")).chain([recording::Reply::silent()]);
    let stage = Stage::new(script).hook("Stop", "stop", recording::Behaviour::replying(replies));

    let run = stage.client().ask("work");

    assert_eq!(run.text(), "end");
    assert_eq!(stage.recorder.runs("stop").len(), BLOCKS + 1);
    assert_eq!(stage.api.main_requests().len(), 1 + 2 * BLOCKS);
}
