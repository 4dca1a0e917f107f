//! Question 17: `disableAllHooks` in several settings files, and how the client names itself to what it starts.

use super::stage::Stage;
use serde_json::json;
use tests::client::CLIENT_VERSION;
use tests::messages_api::{Reply, Script};
use tests::recording::Behaviour;
use tests::sandbox::Level;

/// Whether a hook of the user's runs with this said at the three levels.
fn runs_with(said: [Option<bool>; 3]) -> bool {
    let stage = Stage::new(Script::new()).recording(&["SessionStart"]);
    let [user, project, local] = said;
    for (level, flag) in [(Level::Project, project), (Level::Local, local)] {
        if let Some(flag) = flag {
            stage.sandbox.settings(level, &json!({ "disableAllHooks": flag }));
        }
    }
    let stage = match user {
        Some(flag) => stage.with("disableAllHooks", flag.into()),
        None => stage,
    };
    stage.client().ask("work").outcome.assert_exit(0);
    !stage.recorder.runs("SessionStart").is_empty()
}

#[test]
fn the_strongest_file_that_says_anything_decides() {
    let (on, off) = (Some(true), Some(false));
    for (said, runs) in [
        ([on, None, None], false),
        ([None, on, None], false),
        ([on, off, None], true),
        ([off, on, off], true),
        ([off, off, on], false),
    ] {
        assert_eq!(runs_with(said), runs, "{said:?}");
    }
}

#[test]
fn hooks_and_commands_are_told_the_version_in_a_form_of_its_own() {
    let noting = Behaviour::default().noting(&["AI_AGENT"]);
    let script = Script::new().reply(Reply::bash("echo $AI_AGENT")).reply("end");
    let stage = Stage::new(script).hook("SessionStart", "start", noting);

    stage.client().ask("work").outcome.assert_exit(0);

    let version = CLIENT_VERSION.trim().replace('.', "-");
    let told = &stage.recorder.runs("start")[0].start.env["AI_AGENT"];
    assert_eq!(told, &format!("claude-code_{version}_harness"));
    let shown = stage.api.main_requests().pop().unwrap().tool_results().pop().unwrap().text;
    assert_eq!(shown.trim(), format!("claude-code_{version}_agent"));
}
