//! `req doctor` beside the real client: what it says is fine really fires, and what it finds wrong is so.

use crate::registered::plugin;
use crate::requirements_check::{client, write};
use serde_json::{Value, json};
use shared::catalog::Catalog;
use std::fs;
use std::path::{Path, PathBuf};
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

/// A marketplace in a folder with the plugin of this repository, the programs in its `bin/`.
fn marketplace(sandbox: &Sandbox) -> PathBuf {
    let root = sandbox.root().join("market");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("plugin");
    for file in [".claude-plugin/plugin.json", "hooks/hooks.json"] {
        let copy = root.join("barbless").join(file);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(source.join(file), copy).unwrap();
    }
    unpacked(&root.join("barbless/bin"));
    let list = json!({ "name": "market", "owner": { "name": "o" }, "plugins": [{ "name": "barbless", "source": "./barbless" }] });
    fs::create_dir_all(root.join(".claude-plugin")).unwrap();
    fs::write(root.join(".claude-plugin/marketplace.json"), list.to_string()).unwrap();
    root
}

/// What it says, by severity.
fn verdict(sandbox: &Sandbox, program: &Path) -> Vec<(String, String)> {
    let outcome = req(sandbox, program, "doctor --json");
    let report: Value =
        serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"));
    let sections = report["sections"].as_array().unwrap().iter();
    let findings = sections.flat_map(|section| section["findings"].as_array().unwrap());
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    findings.map(|finding| (text(finding, "severity"), text(finding, "what"))).collect()
}

#[test]
fn a_hook_of_the_plugin_that_is_in_the_settings_too_is_found_and_runs_once() {
    let sandbox = installed();
    sandbox.requirements(Level::Project, "requirements: {commit_plan: {enabled: true}}\n");
    let new = || write(&sandbox, "new.txt", "");
    let api = MessagesApi::start((0..3).fold(Script::new(), |script, _| script.reply(new()).reply("end")));
    let market = marketplace(&sandbox);
    let deployed = sandbox.home().join(".claude/hooks/req");
    let ask = || client(&sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR").ask("work");
    let denials = || {
        let journal = fs::read_to_string(sandbox.home().join(".claude/hook-state/journal.jsonl")).unwrap();
        journal.matches(r#""what":"deny""#).count()
    };
    ask();
    assert_eq!(denials(), 1);

    plugin(&sandbox, &format!("marketplace add {}", market.display()));
    plugin(&sandbox, "install barbless@market");
    ask();

    assert_eq!(denials(), 1 + 1);
    let found = verdict(&sandbox, &deployed);
    for hook in hooks() {
        let is_it = |(severity, what): &(String, String)| {
            severity == "note"
                && what.starts_with(&format!("{hook} is registered in "))
                && what.contains("so it runs once")
        };
        assert!(found.iter().any(is_it), "{hook}: {found:#?}");
    }

    req(&sandbox, &deployed, "hooks uninstall --yes").assert_exit(0);
    ask();
    assert_eq!(denials(), 2 + 1, "by the plugin alone");
    let found = verdict(&sandbox, &market.join("barbless/bin/req"));
    assert!(!found.iter().any(|(_, what)| what.contains("is registered in")), "{found:#?}");
}
