//! Shell scripts in place of our programs, for tests of what an installer does with any program: a copy of them takes no time.
//! Each gives the answer by which `config/hooks.yaml` proves its hook, and nothing else. Unix only.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use installer::catalog::{Answer, Catalog, HookEntry};
use serde_json::{Value, json};
use tempfile::TempDir;

pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = TempDir::with_prefix("barbless-").expect("a temporary folder");
        write_all(folder.path());
        folder
    });
    folder.path()
}

pub fn write_all(folder: &Path) {
    let catalog = Catalog::built_in().expect("the catalog");
    for hook in &catalog.hooks {
        write(folder, &hook.name, hook.enabled, Some(&answer(hook)));
    }
    for name in catalog.helpers().into_iter().chain(["req"]) {
        write(folder, name, true, None);
    }
}

/// Writes a script for every program of an archive into a folder, but for this hook, which is the real one.
pub fn write_all_but(hook: &str, folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    write_all(folder);
    fs::remove_file(folder.join(hook)).expect("its script");
    fs::copy(crate::binaries::path(hook), folder.join(hook)).expect("the real program");
}

/// A script that says what it is and whether it is switched on, and gives this answer to every event.
fn write(folder: &Path, name: &str, enabled: bool, answer: Option<&Value>) {
    let answer = answer.map_or_else(|| "exit".to_owned(), |answer| format!("echo '{answer}'"));
    let version = env!("CARGO_PKG_VERSION");
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in\n\
         status) echo '{{\"enabled\":{enabled}}}' ;;\n\
         ''|--plugin) cat > /dev/null; {answer} ;;\n\
         *) echo '{name} {version}' ;;\nesac\n"
    );
    let path = folder.join(name);
    fs::write(&path, script).expect("a script");
    crate::sandbox::restrict(&path, 0o755);
}

fn answer(hook: &HookEntry) -> Value {
    let event = &hook.proof.event["hook_event_name"];
    let specific = |key: &str, value: &str| json!({ "hookEventName": event, key: value });
    match hook.proof.answer {
        Answer::Silence => panic!("{} needs another stand-in", hook.name),
        Answer::Notice => json!({ "systemMessage": "used" }),
        Answer::Advise => json!({ "hookSpecificOutput": specific("additionalContext", "mind") }),
        Answer::Block => json!({ "decision": "block", "reason": "no" }),
        Answer::Deny => {
            let mut denial = specific("permissionDecision", "deny");
            denial["permissionDecisionReason"] = "no".into();
            json!({ "hookSpecificOutput": denial })
        }
    }
}
