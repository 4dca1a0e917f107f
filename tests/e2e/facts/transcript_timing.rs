//! Question 4: when the transcript is on disk. Only upper bounds are asserted; that a line is missing at first is usual,
//! not promised.

use super::stage::{Stage, ready};
use serde_json::{Value, json};
use std::time::Duration;
use tests::messages_api::{Reply, Script};
use tests::recording::{Behaviour, Look, Run, Seen};
use tests::sandbox::Sandbox;

/// How long each hook looks. Seen: everything is there within 0.14 s.
const LOOKING_MS: u64 = 1000;

/// Only for `UserPromptSubmit` and `SessionStart`, where nothing ever comes.
const LOOKING_IN_VAIN_MS: u64 = 600;

#[derive(Clone, Copy, Debug)]
enum Mode {
    Print,
    Terminal,
}

#[test]
fn the_first_turn_is_on_disk_soon_after_its_stop_in_print_mode() {
    the_first_turn_is_on_disk_soon_after_its_stop(Mode::Print);
}

#[test]
fn the_first_turn_is_on_disk_soon_after_its_stop_in_the_terminal() {
    the_first_turn_is_on_disk_soon_after_its_stop(Mode::Terminal);
}

#[test]
fn the_blocks_of_a_reply_appear_together_soon_after_pre_tool_use_in_print_mode() {
    the_blocks_of_a_reply_appear_together_soon_after_pre_tool_use(Mode::Print);
}

#[test]
fn the_blocks_of_a_reply_appear_together_soon_after_pre_tool_use_in_the_terminal() {
    the_blocks_of_a_reply_appear_together_soon_after_pre_tool_use(Mode::Terminal);
}

#[test]
fn the_hooks_of_parallel_edits_run_one_by_one_and_the_later_ones_find_everything() {
    let files = ["one", "two", "three"];
    let sandbox = Sandbox::new();
    let calls = |name: &str, input: fn(&str) -> Value| {
        files.iter().fold(Reply::empty(), |reply, file| {
            let path = sandbox.write(file, "old\n").display().to_string();
            reply.and_tool_with_id(&format!("{name}-{file}"), name, input(&path))
        })
    };
    let read = calls("Read", |path| json!({ "file_path": path }));
    let edit = calls("Edit", |path| json!({ "file_path": path, "old_string": "old", "new_string": "new" }));
    let script = Script::new().reply(read).reply(edit).reply("final words");
    let stage = Stage::in_sandbox(sandbox, script).hook_on("PreToolUse", "Edit", "edit", looking());

    stage.client().ask("work").outcome.assert_exit(0);

    let runs = stage.recorder.runs("edit");
    assert_eq!(runs.len(), 3);
    for pair in runs.windows(2) {
        assert!(pair[0].ended() <= pair[1].started_us, "two hooks ran at once");
        let call = pair[1].start.payload["tool_use_id"].as_str().expect("an id");
        assert!(contains(&pair[1].looks[0], call), "{:?}", pair[1].looks);
    }
}

#[test]
fn a_new_session_has_no_transcript_while_its_first_hooks_run() {
    for mode in [Mode::Print, Mode::Terminal] {
        let looking = || Behaviour::default().watching_the_transcript(LOOKING_IN_VAIN_MS);
        let stage = Stage::new(Script::new().reply("end"))
            .hook("SessionStart", "start", looking())
            .hook("UserPromptSubmit", "prompt", looking())
            .recording(&["Stop"]);

        one_turn(&stage, mode);

        for id in ["start", "prompt"] {
            let looks = stage.recorder.looks(id);
            assert!(
                !looks.is_empty() && looks.iter().all(|look| look.lines.is_none()),
                "{mode:?}: {looks:?}"
            );
        }
    }
}

fn the_first_turn_is_on_disk_soon_after_its_stop(mode: Mode) {
    let stage = Stage::new(Script::new().reply("final words")).hook("Stop", "Stop", looking());

    one_turn(&stage, mode);

    let run = &stage.recorder.runs("Stop")[0];
    let prompt = Seen { kind: "user".to_owned(), marks: vec!["typed words".to_owned()] };
    let has_prompt = |look: &&Look| look.lines.iter().flatten().any(|line| *line == prompt);
    assert!(run.looks.iter().any(|look| has_prompt(&look)), "{mode:?}: no prompt in {:?}", run.looks);
    assert!(run.looks.iter().any(|look| contains(look, "final words")), "{mode:?}: {:?}", run.looks);
    assert_eq!(stage.user_line("typed words")["promptId"], run.start.payload["prompt_id"]);
}

fn the_blocks_of_a_reply_appear_together_soon_after_pre_tool_use(mode: Mode) {
    let reply = |id: &str| {
        let input = json!({ "command": "true", "description": "run a command" });
        Reply::thinking(&format!("idea {id}")).and_text(&format!("note {id}")).and_tool_with_id(
            &format!("call {id}"),
            "Bash",
            input,
        )
    };
    // Nothing is written while a reply is streaming: the blocks of the second one come half a second apart.
    let slow = reply("second").pausing_between_blocks(Duration::from_millis(500));
    let script = Script::new().reply(reply("first")).reply(slow).reply(reply("third")).reply("final words");
    let stage = Stage::new(script).hook("PreToolUse", "call", looking()).hook("Stop", "Stop", looking());

    one_turn(&stage, mode);

    let runs = stage.recorder.runs("call");
    assert_eq!(runs.len(), 3);
    for (run, id) in runs.iter().zip(["first", "second", "third"]) {
        let appeared = ["idea", "note", "call"].map(|block| first_look_with(run, &format!("{block} {id}")));
        assert!(appeared.iter().all(|&look| look == appeared[0]), "{mode:?}: {appeared:?} {:?}", run.looks);
    }
    first_look_with(&stage.recorder.runs("Stop")[0], "final words");
}

fn looking() -> Behaviour {
    Behaviour::default().watching_the_transcript(LOOKING_MS)
}

/// Asks with "typed words" and waits until the Stop hook has ended.
fn one_turn(stage: &Stage, mode: Mode) {
    match mode {
        Mode::Print => stage.client().ask("typed words").outcome.assert_exit(0),
        Mode::Terminal => {
            let mut terminal = ready(stage.client());
            terminal.enter("typed words");
            stage.wait_for_ends("Stop", 1);
        }
    }
}

/// Which of the run's looks was the first to show this; fails when none did.
#[track_caller]
fn first_look_with(run: &Run, mark: &str) -> usize {
    let found = run.looks.iter().position(|look| contains(look, mark));
    found.unwrap_or_else(|| panic!("`{mark}` did not come within {LOOKING_MS} ms: {:?}", run.looks))
}

fn contains(look: &Look, mark: &str) -> bool {
    look.lines.iter().flatten().any(|line| line.marks.iter().any(|own| own == mark))
}
