//! Answers that count as a proof, and scripts in a hook's place that give good and bad ones.

use std::path::Path;

use crate::catalog::Answer;
use serde_json::json;

use super::{Enabled, answer};
use crate::places::{Installation, Scope};

#[test]
fn answers_are_distinguished_as_claude_code_does() {
    let specific =
        |keys: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{keys}}}}}"#);
    let deny = r#""permissionDecision":"deny","permissionDecisionReason":"r""#;
    for (stdout, expected) in [
        (" \n".to_owned(), Some(Answer::Silence)),
        (r#"{"decision":"block","reason":"r"}"#.to_owned(), Some(Answer::Block)),
        (r#"{"systemMessage":"m"}"#.to_owned(), Some(Answer::Notice)),
        (specific(deny), Some(Answer::Deny)),
        (specific(r#""additionalContext":"c""#), Some(Answer::Advise)),
        ("blocked".to_owned(), None),
        (r#"note {"decision":"block","reason":"r"}"#.to_owned(), None),
        (r#"{"decision":"block"}"#.to_owned(), None),
        (r#"{"decision":"deny","reason":"r"}"#.to_owned(), None),
        (specific(deny).replace("PreToolUse", "Stop"), None),
        (specific(r#""permissionDecision":"deny""#), None),
        (specific(&deny.replace("deny", "allow")), None),
        ("{}".to_owned(), None),
    ] {
        assert_eq!(answer(&stdout, "PreToolUse").ok(), expected, "{stdout}");
    }
}

#[test]
fn way_on_fits_what_switched_the_hook_off() {
    let installation = Installation::scratch(Path::new("/home/me"), Scope::User);
    for (set_by, line) in [
        ("its switch", "a-hook auto"),
        (".claude/requirements.yaml", "req enable --hook a-hook --local"),
        ("~/.claude/requirements.yaml", "cargo xtask enable a-hook"),
    ] {
        let off: Enabled = serde_json::from_value(json!({ "enabled": false, "set_by": set_by })).unwrap();
        assert!(off.way_on("a-hook", &installation).ends_with(line), "{set_by}");
    }
}

#[cfg(unix)]
mod run {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use crate::catalog::{Answer, Catalog, HookEntry};
    use client_settings::Entry;

    use crate::places::{Installation, Scope};
    use crate::programs;
    use crate::prove::prove;
    use crate::source::Binaries;

    /// A hook that must block a Stop.
    fn hook() -> HookEntry {
        let mut hook = Catalog::built_in().unwrap().hooks[0].clone();
        hook.name = "a-gate".to_owned();
        hook.proof.event = [("hook_event_name".to_owned(), "Stop".into())].into_iter().collect();
        hook.proof.answer = Answer::Block;
        hook
    }

    fn proved(script: &str, tamper: impl FnOnce(&Path)) -> Result<String, String> {
        proved_as(|_| (), script, tamper)
    }

    /// Installs `script` as the hook, registers it with this change and proves it.
    fn proved_as(
        change: impl FnOnce(&mut Entry),
        script: &str,
        tamper: impl FnOnce(&Path),
    ) -> Result<String, String> {
        let scratch = tempfile::tempdir().unwrap();
        let hook = hook();
        let installation = Installation::scratch(scratch.path(), Scope::User);
        let built = scratch.path().join("built");
        fs::write(&built, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&built, fs::Permissions::from_mode(0o755)).unwrap();
        let binaries = Binaries::from([(hook.name.clone(), built)]);
        programs::copy(&installation, &binaries, None).unwrap();
        let installed = installation.installed(&hook.name);
        tamper(&installed);
        let mut entry = Entry {
            name: Some(hook.name.clone()),
            event: hook.proof.event_name().to_owned(),
            command: Some(installed.to_str().unwrap().to_owned()),
            args: Some(Vec::new()),
            ..Entry::default()
        };
        change(&mut entry);
        prove(&installation, &hook, [&entry].into_iter()).map_err(|error| format!("{error:#}"))
    }

    const BLOCK: &str = r#"cat >input; echo '{"decision":"block","reason":"r"}'"#;

    #[test]
    fn a_hook_that_answers_as_documented_is_proved() {
        assert!(proved(BLOCK, |_| ()).unwrap().starts_with("answered Stop with a block; starts in "));
    }

    #[test]
    fn it_is_run_in_a_world_of_its_own() {
        let looks = r#"[ -z "$CLAUDE_CODE_ENTRYPOINT" ] && [ -d "$CLAUDE_HOOK_STATE_DIR" ] && [ "$PWD" = "$CLAUDE_PROJECT_DIR" ] &&
            grep -q enabled "$HOME/.claude/requirements.yaml" && "#;
        assert!(proved(&format!("{looks}{BLOCK}"), |_| ()).is_ok());
    }

    #[test]
    fn silence_and_a_failure_are_no_proof() {
        assert_eq!(proved("cat >input", |_| ()).unwrap_err(), "answered Stop with silence, not with a block");
        assert!(proved(&format!("{BLOCK}; exit 2"), |_| ()).unwrap_err().contains("exit status: 2"));
    }

    #[test]
    fn changed_program_is_never_run() {
        let not_ours = "not proved, because its entry or its program is not the one that was installed";
        let given = |entry: &mut Entry| entry.args = Some(vec!["schema".to_owned()]);
        assert_eq!(proved_as(given, BLOCK, |_| ()).unwrap_err(), not_ours);
        let harmful = |entry: &mut Entry| entry.harmful_keys = vec!["async".to_owned()];
        assert_eq!(proved_as(harmful, BLOCK, |_| ()).unwrap_err(), not_ours);
        let elsewhere = |entry: &mut Entry| entry.command = Some("/bin/cat".to_owned());
        assert_eq!(proved_as(elsewhere, BLOCK, |_| ()).unwrap_err(), not_ours);
        let patch =
            |installed: &Path| fs::write(installed, format!("#!/bin/sh\n{BLOCK} # patched\n")).unwrap();
        assert_eq!(proved(BLOCK, patch).unwrap_err(), not_ours);
    }
}
