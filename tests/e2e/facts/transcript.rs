//! Question 4: when the transcript is on disk. Only upper bounds are asserted; that a line is missing at first is usual,
//! not promised.

use crate::scene::Scene;
use serde_json::json;
use std::time::Duration;
use tests::messages_api::Reply;
use tests::recording::{Behaviour, Run};
use tests::script;

/// How long each hook looks. Seen: everything is there within 0.14 s.
const LOOKING_MS: u64 = 1000;

fn looking() -> Behaviour {
    Behaviour::default().watching_the_transcript(LOOKING_MS)
}

/// Which of the run's looks was the first to show this; fails when none did.
#[track_caller]
fn first_look_with(run: &Run, mark: &str) -> usize {
    run.first_look_with(mark).unwrap_or_else(|| panic!("`{mark}` is in none of {:?}", run.looks))
}

#[test]
fn the_blocks_of_a_reply_appear_together_soon_after_their_hook_has_started() {
    for in_terminal in [false, true] {
        let reply = |id: &str| {
            let note = Reply::text(&format!("note {id}")).also(Reply::bash("true"));
            Reply::thinking(&format!("idea {id}")).also(note)
        };
        // Nothing is written while a reply is streaming: the blocks of the second one come half a second apart.
        let slow = reply("second").pausing_between_blocks(Duration::from_millis(500));
        let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"];
        let scene = events.iter().fold(Scene::new(), |scene, event| scene.hook(event, event, looking()));
        let script = script![reply("first"), slow, "final words"];
        if in_terminal {
            let mut user = scene.user(script);
            user.asks("typed words", "final words");
            scene.recorder.wait_for_ends("Stop", 1);
        } else {
            scene.ask("typed words", script);
        }

        for event in &events[..2] {
            let looks = scene.recorder.runs(event).remove(0).looks;
            assert_eq!(looks, [None], "{event}: a new session has no file");
        }
        for (run, id) in scene.recorder.runs("PreToolUse").iter().zip(["first", "second"]) {
            let call = run.payload["tool_use_id"].as_str().unwrap().to_owned();
            let blocks = [format!("idea {id}"), format!("note {id}"), call];
            let appeared = blocks.map(|block| first_look_with(run, &block));
            assert!(appeared.iter().all(|&look| look == appeared[0]), "{appeared:?} {:?}", run.looks);
        }
        let stop = scene.recorder.runs("Stop").remove(0);
        first_look_with(&stop, "typed words");
        first_look_with(&stop, "final words");
    }
}

#[test]
fn the_hooks_of_parallel_edits_run_one_by_one_and_the_later_ones_find_everything() {
    let files = ["one", "two", "three"];
    let scene = files.iter().fold(Scene::new(), |scene, file| scene.committed(file, "old\n"));
    let all = |call: &dyn Fn(&str) -> Reply| {
        files.iter().fold(Reply::default(), |reply, file| reply.also(call(file)))
    };
    let (read, edit) = (all(&|file| scene.read(file)), all(&|file| scene.edit(file, "old", "new")));
    let scene = scene.hook("PreToolUse", "call", looking());

    scene.ask("work", script![read, edit, "final words"]);

    let runs =
        scene.recorder.runs("call").into_iter().filter(|run| run.payload["tool_name"] == json!("Edit"));
    let runs: Vec<_> = runs.collect();
    assert_eq!(runs.len(), 3);
    for pair in runs.windows(2) {
        assert!(pair[0].ended() <= pair[1].started_us, "two hooks ran at once");
        assert_eq!(first_look_with(&pair[1], pair[1].payload["tool_use_id"].as_str().unwrap()), 0);
    }
}
