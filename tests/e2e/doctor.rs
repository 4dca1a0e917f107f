//! `req doctor` beside the real client: what it says is fine really fires, and what it finds wrong is so.

use crate::requirements_check::{client, write};
use shared::catalog::Catalog;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tests::binaries;
use tests::client::CLIENT_VERSION;
use tests::messages_api::{MessagesApi, Script};
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox};
use tests::terminal::Key;

fn hooks() -> Vec<String> {
    Catalog::built_in().unwrap().hooks.into_iter().map(|hook| hook.name).collect()
}

/// Every program in one folder, as an archive holds them.
pub(crate) fn unpacked(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let catalog = Catalog::built_in().unwrap();
    for program in hooks().iter().map(String::as_str).chain(catalog.helpers()).chain(["req"]) {
        fs::copy(binaries::for_client(program), folder.join(program)).unwrap();
    }
}

/// `req ...` as the user types it in a shell of their own.
pub(crate) fn req(sandbox: &Sandbox, program: &Path, line: &str) -> Outcome {
    let run = Invocation::new(program, sandbox).args(line.split(' ')).unset("CLAUDE_HOOK_STATE_DIR");
    run.deadline(Duration::from_secs(60)).run()
}

/// A user who has installed every hook out of an unpacked archive.
fn installed() -> Sandbox {
    installed_with("hooks install --all --yes")
}

pub(crate) fn installed_with(line: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let archive = sandbox.temporary_dir().join("barbless");
    unpacked(&archive);
    req(&sandbox, &archive.join("req"), line).assert_exit(0);
    fs::remove_dir_all(archive).unwrap();
    sandbox
}

#[test]
fn what_it_finds_in_order_after_an_installation_has_really_fired() {
    let sandbox = installed();
    sandbox.requirements(Level::Project, "requirements: {commit_plan: {enabled: true}}\n");
    let script = Script::new().reply(write(&sandbox, "new.txt", "")).reply("it asks for a plan");
    let api = MessagesApi::start(script.reply("one more").reply("the doctor was here"));

    let mut terminal = client(&sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR").terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter("work");
    terminal.wait_for("it asks for a plan");
    terminal.type_text("!");
    terminal.wait_for("! for shell mode");
    terminal.type_text("req doctor");
    terminal.press(Key::Enter);
    terminal.wait_for("the doctor was here");
    assert!(terminal.quit().success());

    let shown = api.main_requests().pop().unwrap().shown_texts();
    let told = shown.iter().find(|text| text.contains("<bash-stdout>")).unwrap();
    assert!(told.contains("Everything that is promised holds."), "{told}");
    for hook in hooks() {
        assert!(told.contains(&format!("{hook} last fired")), "{hook}: {told}");
    }
    assert!(told.contains(&format!("Claude Code {}; all proofs passed", CLIENT_VERSION.trim())), "{told}");
}
