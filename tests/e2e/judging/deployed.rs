//! The whole way of a user: both hooks out of an archive, the way to a model chosen while they are installed, and a model
//! that is asked through the courier beside them.

use super::{approved, ask_as};
use crate::doctor::installed_with;
use crate::intent_validator::{DECLARED, NEW, PROMPT, Turn, code, script};
use crate::requirements_check::content;
use std::fs;
use tests::sandbox::Level;

#[test]
fn the_installer_puts_the_courier_beside_them_and_both_ask() {
    let line = "hooks install --hooks intent-validator,tempo-stop --judge messages_api --yes";
    let sandbox = code(installed_with(line));
    assert!(sandbox.home().join(".claude/hooks/courier").is_file());
    let global = fs::read_to_string(sandbox.requirements_path(Level::User)).unwrap();
    sandbox.requirements(Level::User, &global.replace("tempo-stop:\n", "tempo-stop:\n  headless: true\n"));

    let script = script(&sandbox, &[Turn::Says(DECLARED)]).judge(approved());
    let asked = ask_as(&sandbox, PROMPT, script, |client| client.unset("CLAUDE_HOOK_STATE_DIR"));

    assert_eq!(asked.run.text(), "end");
    assert_eq!(content(&sandbox, crate::intent_validator::FILE), NEW);
    let models: Vec<_> = asked.judged().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["claude-sonnet-5-5", "claude-haiku-5-5"], "{global}");
}
