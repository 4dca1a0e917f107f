//! The plugin as `cargo xtask package` leaves it, under the real client: it is valid, installs without a question out of its own
//! folder, its parts reach the model, and beside an installation into settings everything still happens once.

mod parts;
mod twice;

use crate::doctor::{req, unpacked};
use crate::registered::{newest_result, plugin, touch};
use crate::requirements_check::{client, write};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use tests::binaries;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox, toolchain_env};

/// Everything speaks where it can.
const LOUD: &str = "delegation-guard: {enabled: true, headless: true, first_call: deny}
stop-momentum: {enabled: true, headless: true}
rate-awareness: {headless: true, audience: both, global_default: {capacity: 1, refill_per_sec: 0}}
requirements-check: {headless: true}
requirements:
  plan: {enabled: true}
  tests: {enabled: true, type: evidence, command: ./run-tests}
";

/// The folder of this platform, packed once of the programs that `cargo xtask e2e` has built as for an archive.
fn tree() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| {
        let sandbox = Sandbox::new();
        let built = sandbox.root().join("built");
        unpacked(&built);
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("package");
        let words = ["package", "--target", "x86_64-unknown-linux-gnu", "--prebuilt"].map(str::to_owned);
        let folders = [built.display().to_string(), "--out".to_owned(), out.display().to_string()];
        let run = Invocation::new(binaries::developer(), &sandbox).args(words).args(folders);
        run.envs(toolchain_env()).deadline(Duration::from_secs(300)).run().assert_exit(0);
        let version = env!("CARGO_PKG_VERSION");
        out.join(version).join(format!("barbless-{version}-x86_64-unknown-linux-gnu"))
    })
}

fn install_plugin(sandbox: &Sandbox) {
    plugin(sandbox, &format!("marketplace add {}", tree().display()));
    plugin(sandbox, "install barbless@barbless");
}

#[test]
fn the_client_finds_nothing_to_complain_of() {
    let sandbox = Sandbox::new();
    for file in ["", ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"] {
        plugin(&sandbox, &format!("validate --strict {}", tree().join(file).display()));
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("plugin");
    plugin(&sandbox, &format!("validate --strict {}", source.display()));
}

/// What the loader of libraries says of a program.
fn libraries(program: &str) -> String {
    let output = Command::new("ldd").arg(tree().join("bin").join(program)).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn hooks_need_no_library_of_the_machine() {
    for entry in fs::read_dir(tree().join("bin")).unwrap() {
        let program = entry.unwrap().file_name().into_string().unwrap();
        assert!(program == "courier" || !libraries(&program).contains("libc.so"), "{program}");
    }
}

/// What the hooks did, in the order of their names. What became of it is left out: whether that is seen is a matter of time.
fn done(sandbox: &Sandbox) -> Vec<String> {
    let journal = fs::read_to_string(sandbox.home().join(".claude/hook-state/journal.jsonl")).unwrap();
    let entries = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let entries = entries.filter(|entry| entry["what"] != "followed" && entry["what"] != "overridden");
    let mut done: Vec<String> =
        entries.map(|entry| format!("{} {} {}", entry["hook"], entry["what"], entry["rule"])).collect();
    done.sort();
    done
}

/// The hooks that have fired.
fn fired(sandbox: &Sandbox) -> BTreeSet<String> {
    let files = fs::read_dir(sandbox.home().join(".claude/hook-state/heartbeat")).into_iter().flatten();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

/// A session in which every hook has something to say; what they did.
fn session(sandbox: &Sandbox) -> Vec<String> {
    sandbox.requirements(Level::User, LOUD);
    let _ = fs::remove_file(sandbox.home().join(".claude/hook-state/journal.jsonl"));
    let _ = fs::remove_file(sandbox.project().join("ran"));
    let script = Script::new()
        .reply(touch("refused"))
        .reply(Reply::bash("echo words >ran"))
        .reply(write(sandbox, "unplanned", ""))
        .reply(Reply::agent("sub", "the task"))
        .reply(touch("refused-again"))
        .reply("One.")
        .reply("Two.")
        .route("sub", [touch("sub"), Reply::text("done")]);
    let api = MessagesApi::start(script);
    let run = client(sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR").ask("do it");
    assert_eq!(run.text(), "Two.", "the stop was blocked once");
    done(sandbox)
}

#[test]
fn in_settings_in_the_plugin_and_in_both_the_same_is_done_once() {
    let [settings, alone, both] = [(), (), ()].map(|()| Sandbox::new());
    for sandbox in [&settings, &both] {
        req(sandbox, &tree().join("req"), "hooks install --all --yes").assert_exit(0);
    }
    for sandbox in [&alone, &both] {
        install_plugin(sandbox);
    }
    let expected = session(&settings);
    assert!(expected.len() > 8, "{expected:#?}");
    assert_eq!(session(&alone), expected, "by the plugin alone");
    assert_eq!(session(&both), expected, "with both");
    assert_eq!(fired(&alone), fired(&both));

    let status = req(&both, &both.home().join(".claude/hooks/req"), "hooks status").stdout_text();
    assert!(status.contains("the plugin's copy steps back, so it runs once"), "{status}");
    req(&both, &both.home().join(".claude/hooks/req"), "hooks uninstall --yes").assert_exit(0);
    assert_eq!(session(&both), expected, "by the plugin again");

    plugin(&alone, "uninstall barbless@barbless");
    let api = MessagesApi::start(Script::new().reply(touch("free")).reply("end"));
    client(&alone, &api).unset("CLAUDE_HOOK_STATE_DIR").ask("do it");
    assert!(alone.project().join("free").exists(), "nothing is left of it");
}

#[test]
fn beside_what_a_project_registers_it_acts_too_and_alone_where_that_is_not_installed() {
    let sandbox = Sandbox::new();
    sandbox.requirements(Level::Project, "requirements: {commit_plan: {enabled: true}}\n");
    req(&sandbox, &tree().join("req"), "hooks install --hooks requirements-check --scope project --yes")
        .assert_exit(0);
    install_plugin(&sandbox);
    let denials = || {
        let script = Script::new().reply(write(&sandbox, "new.txt", "")).reply("end");
        let api = MessagesApi::start(script);
        let journal = sandbox.home().join(".claude/hook-state/journal.jsonl");
        let _ = fs::remove_file(&journal);
        client(&sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR").ask("work");
        fs::read_to_string(journal).unwrap().matches(r#""what":"deny""#).count()
    };
    assert_eq!(denials(), 2, "the project's copy and the plugin's");
    fs::remove_file(sandbox.home().join(".claude/hooks/requirements-check")).unwrap();
    assert_eq!(denials(), 1, "the line does nothing, so the plugin does");
}

#[test]
fn claude_finds_its_programs_by_their_names() {
    let sandbox = Sandbox::new();
    install_plugin(&sandbox);
    sandbox.requirements(Level::Project, "requirements: {commit_plan: {enabled: true}}\n");
    let script = Script::new().reply(Reply::bash("req status")).reply(Reply::bash("credit-pacer status"));
    let api = MessagesApi::start(script.reply("end"));
    client(&sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR").ask("work");
    let requests = api.main_requests();
    assert!(newest_result(&requests[1]).text.contains("commit_plan"), "{:?}", newest_result(&requests[1]));
    assert!(!newest_result(&requests[2]).is_error, "{:?}", newest_result(&requests[2]));
}
