//! The plugin as `cargo xtask package` leaves it, under the real client: it is valid, installs without a question out of its own
//! folder, its parts reach the model, and beside an installation into settings everything still happens once.

mod parts;

use crate::credit_pacer::uses;
use crate::judging::approved;
use crate::pause_recorder::call;
use crate::scene::{Scene, json_lines, json_lines_in, names, touch, unpack};
use crate::together::LOUD;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;
use tests::binaries;
use tests::messages_api::Reply;
use tests::process::Invocation;
use tests::sandbox::{Level, toolchain_env};
use tests::script;

/// The folder of this platform, packed once of the programs that `cargo xtask e2e` has built as for an archive.
fn tree() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| {
        let scene = Scene::new();
        let built = scene.sandbox.root().join("built");
        unpack(&built);
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("package");
        let (built, folder) = (built.display().to_string(), out.display().to_string());
        let words =
            ["package", "--target", "x86_64-unknown-linux-gnu", "--prebuilt", &built, "--out", &folder];
        let run = Invocation::new(binaries::developer(), &scene.sandbox).args(words).envs(toolchain_env());
        run.deadline(Duration::from_secs(300)).run().assert_exit(0);
        let version = env!("CARGO_PKG_VERSION");
        out.join(version).join(format!("barbless-{version}-x86_64-unknown-linux-gnu"))
    })
}

fn install_plugin(scene: &Scene) {
    scene.plugin(&format!("marketplace add {}", tree().display()));
    scene.plugin("install barbless@barbless");
}

/// A user who has everything in the settings, in the plugin, or in both.
fn installed(in_settings: bool, in_plugin: bool) -> Scene {
    let scene = Scene::new();
    if in_settings {
        scene.run(&tree().join("req"), "hooks install --all --yes").assert_exit(0);
    }
    if in_plugin {
        install_plugin(&scene);
    }
    scene
}

#[test]
fn the_client_finds_nothing_to_complain_of() {
    let scene = Scene::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("plugin");
    for file in ["", ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"] {
        scene.plugin(&format!("validate --strict {}", tree().join(file).display()));
    }
    scene.plugin(&format!("validate --strict {}", source.display()));
}

/// A session in which every hook has something to say; what they did, in the order of their names. What became of it is left
/// out: whether that is seen is a matter of time.
fn loud_session(scene: &Scene) -> Vec<String> {
    scene.sandbox.requirements(Level::User, LOUD);
    let _ = fs::remove_file(scene.state("journal.jsonl"));
    let _ = fs::remove_file(scene.sandbox.project().join("ran"));
    let script = script![
        touch("denied"),
        Reply::bash("echo words >ran"),
        scene.write("unplanned", ""),
        Reply::agent("sub"),
        touch("denied-again"),
        "One.",
        "Two."
    ];
    let session = scene.ask("do it", script.agent("sub", [touch("sub"), Reply::text("done")]));
    assert_eq!(session.text(), "Two.", "the stop was blocked once");
    let entries = json_lines(&scene.state("journal.jsonl")).into_iter();
    let entries = entries.filter(|entry| entry["what"] != "followed" && entry["what"] != "overridden");
    let mut done: Vec<_> =
        entries.map(|entry| format!("{} {} {}", entry["hook"], entry["what"], entry["rule"])).collect();
    done.sort();
    done
}

#[test]
fn in_settings_in_the_plugin_and_in_both_the_same_is_done_once() {
    let [settings, alone, both] = [(true, false), (false, true), (true, true)].map(|(a, b)| installed(a, b));
    let expected = loud_session(&settings);
    assert!(expected.len() > 8, "{expected:#?}");
    assert_eq!(loud_session(&alone), expected, "by the plugin alone");
    assert_eq!(loud_session(&both), expected, "with both");
    assert_eq!(names(&alone.state("heartbeat")), names(&both.state("heartbeat")));

    let status = both.run_installed("req", "hooks status").stdout_text();
    assert!(status.contains("PreToolUse, SessionEnd (user, plugin)"), "{status}");
    both.run_installed("req", "hooks uninstall --yes").assert_exit(0);
    assert_eq!(loud_session(&both), expected, "by the plugin again");

    alone.plugin("uninstall barbless@barbless");
    assert_eq!(
        alone.ask("do it", script![touch("free"), "end"]).outcomes(),
        ["ran"],
        "nothing is left of it"
    );
}

#[test]
fn beside_what_a_project_registers_it_acts_too_and_alone_where_that_is_not_installed() {
    let scene = Scene::new().in_project("requirements: {commit_plan: {enabled: true}}\n");
    let line = "hooks install --hooks requirements-check --scope project --yes";
    scene.run(&tree().join("req"), line).assert_exit(0);
    install_plugin(&scene);
    let denials = || {
        scene.ask("work", script![scene.write("new.txt", ""), "end"]);
        scene.journal("deny").len()
    };
    assert_eq!(denials(), 2, "the project's copy and the plugin's");
    fs::remove_file(scene.sandbox.home().join(".claude/hooks/requirements-check")).unwrap();
    assert_eq!(denials(), 3, "the line does nothing, so the plugin does");
}

const COSTLY: &str = "judge: {backend: messages_api, yield_to_pacing: false}
intent-validator: {enabled: true}
tempo-stop: {enabled: true, headless: true}
credit-pacer: {base_delay_secs: 1, max_delay_secs: 1, alerts: []}
";

/// What costs time, money or attention, in one session: questions to a model, how often one call waited at most, messages
/// that the context fills, and calls that were recorded.
fn costly_session(scene: &Scene) -> [usize; 4] {
    scene.sandbox.requirements(Level::User, COSTLY);
    uses(&scene.sandbox, &tree().join("bin/credit-pacer"), 92);
    let words =
        "FILE: src/timer.py\nCHANGES: add the time to live\nGOAL: old entries go\nTEST: tests/test_timer.py";
    let change = Reply::text(words).also(scene.write("src/timer.py", "TTL = DAY\n")).filling(144_000);
    let end = Reply::text("The timer is there.").filling(188_000).after(Duration::from_millis(300));
    let script = script![change, call(91), call(93), call(94), end].judge(approved());

    let session = scene.ask_as("Add the timer", script, |client| client.model("claude-sonnet-4-5"));

    assert_eq!(session.text(), "The timer is there.");
    let mut delays: BTreeMap<String, usize> = BTreeMap::new();
    for delay in scene.journal("sleep") {
        *delays.entry(delay["call"].to_string()).or_default() += 1;
    }
    let folder = scene.sandbox.project().join(".claude/sessions");
    let records = json_lines_in(&folder);
    let [record] = &records[..] else { panic!("one record: {records:?}") };
    let is_call = |line: &&Value| line["type"] == json!("tool_call");
    [
        session.judged().len(),
        delays.into_values().max().unwrap_or_default(),
        scene.shown_to_user(&session, "pause-recorder").len(),
        json_lines(&folder.join(record)).iter().filter(is_call).count(),
    ]
}

#[test]
fn delays_questions_notices_and_records_are_no_more_with_both() {
    thread::scope(|scope| {
        let sessions = [(true, false), (false, true), (true, true)]
            .map(|(settings, plugin)| scope.spawn(move || costly_session(&installed(settings, plugin))));
        for session in sessions {
            assert_eq!(session.join().unwrap(), [2, 1, 2, 3]);
        }
    });
}
