//! The installer's own file, written by a newer version.

use std::fs;

use serde_json::json;
use tests::binaries;
use tests::process::{Invocation, Outcome};
use tests::sandbox::Sandbox;

use crate::driver::tree;

fn req(sandbox: &Sandbox, line: &str) -> Outcome {
    let req = Invocation::new(binaries::path("req"), sandbox).args(line.split_whitespace());
    req.unset("CLAUDE_HOOK_STATE_DIR").run()
}

#[test]
fn a_manifest_of_a_newer_version_stops_every_command_that_would_change_it() {
    let sandbox = Sandbox::new();
    let path = sandbox.home().join(".claude/hooks/manifest.json");
    let newer = json!({ "product": "barbless", "version": 2, "files": {}, "more": ["kept"] }).to_string();
    sandbox.write_home(".claude/hooks/manifest.json", &newer);
    let before = tree(&sandbox.home());
    let lines = ["install --all --yes", "enable stop-momentum", "uninstall --purge --yes"];
    for line in lines {
        let outcome = req(&sandbox, &format!("hooks {line}"));
        outcome.assert_exit(1);
        let said = outcome.stderr_text();
        assert!(said.contains("manifest.json was written by a newer version of Barbless"), "{line}: {said}");
        assert_eq!(fs::read_to_string(&path).unwrap(), newer, "{line}");
    }
    let doctor = req(&sandbox, "doctor");
    assert!(doctor.stderr_text().contains("newer version of Barbless"), "{doctor}");
    assert_eq!(tree(&sandbox.home()), before);
}
