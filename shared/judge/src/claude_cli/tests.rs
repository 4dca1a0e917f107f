//! Questions to a script in place of Claude Code: its arguments and environment, its end, its leftovers, and its results.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use super::{converse, find, is_handed_on, our_variables, read};
use crate::question::{Exchange, Reply, Tokens};
use crate::silence::Silence;
use crate::tests::Scene;
use shared::host::{Clock, Environment};
use shared::state::Store;

/// For everything that happens at once on an idle machine.
const SOON: Duration = Duration::from_secs(30);

/// The scene of a client that runs these lines: a folder with the client, a state folder and one for the client's notes.
fn client(folder: &Path, lines: &str) -> Scene {
    let (program, notes) = (folder.join("claude"), folder.join("notes"));
    fs::create_dir_all(&notes).unwrap();
    fs::write(&program, format!("#!/bin/sh\nNOTES='{}'\n{lines}\n", notes.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    let mut scene = Scene::new();
    scene.host.clock = Clock::System;
    scene.store = Store::open(&folder.join("state")).unwrap();
    scene.settings.claude_program = program;
    scene
}

/// Asks with these variables in our own environment.
fn ask(scene: &Scene, variables: &[&str], time: Duration) -> Result<Value, Silence> {
    let exchange = Exchange {
        model: "small",
        instructions: "Judge it.",
        material: "a word of others",
        verdicts: &json!({ "type": "object" }),
        deadline: Instant::now() + time,
    };
    let known = variables.iter().filter(|name| is_handed_on(name));
    let variables = known.map(|name| (OsString::from(name), "/usr/bin:/bin".into())).collect();
    scene.with(|caller| converse(&exchange, caller, variables)?.verdict)
}

#[test]
fn it_hears_the_material_on_stdin_in_an_empty_private_folder_and_everything_else_is_switched_off() {
    let scratch = tempfile::tempdir().unwrap();
    let looks = r#"printf '%s\n' "$@" > "$NOTES/arguments"; pwd > "$NOTES/folder"; ls -A > "$NOTES/files"; env > "$NOTES/env"
echo "$BARBLESS_NONCE" > "$NOTES/nonce"; ls "$CLAUDE_HOOK_STATE_DIR/nonce" > "$NOTES/nonces"; cat > "$NOTES/stdin"
echo '{"type":"result","is_error":false,"structured_output":{"verdict":"YES"}}'"#;
    let given = "HOME PATH LC_ALL XDG_CONFIG_HOME https_proxy NODE_EXTRA_CA_CERTS CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN \
                 ANTHROPIC_API_KEY ANTHROPIC_BASE_URL CLAUDE_CODE_USE_BEDROCK AWS_PROFILE";
    let kept_back = "CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_CODE_SSE_PORT CLAUDE_PROJECT_DIR \
                     NODE_OPTIONS GIT_DIR GITHUB_TOKEN PATHS LC";
    let scene = client(scratch.path(), looks);
    let variables: Vec<&str> = given.split(' ').chain(kept_back.split(' ')).collect();
    assert_eq!(ask(&scene, &variables, SOON), Ok(json!({ "verdict": "YES" })));
    let noted = |name: &str| fs::read_to_string(scratch.path().join("notes").join(name)).unwrap();
    assert_eq!(noted("stdin"), "a word of others");
    let expected = [
        "-p --strict-mcp-config --disable-slash-commands --no-session-persistence --output-format json --max-turns 2",
        "--tools  --setting-sources  --settings {\"disableAllHooks\":true} --model small",
        "--json-schema {\"type\":\"object\"} --system-prompt Judge it. ",
    ];
    assert_eq!(noted("arguments").replace('\n', " "), expected.join(" "));
    let folder = PathBuf::from(noted("folder").trim());
    assert_eq!(folder, scene.store.dir().join("judge-cwd").canonicalize().unwrap());
    assert_eq!(noted("files"), "");
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    let nonce = noted("nonce");
    assert!(nonce.trim().len() >= 32, "{nonce}");
    assert_eq!(noted("nonces"), nonce, "it is fresh as long as the client runs");
    assert!(!scene.store.nonce_is_fresh(nonce.trim(), scene.host.now()));

    // The shell itself adds these.
    let of_the_shell = ["PWD", "OLDPWD", "SHLVL", "_"];
    let text = noted("env");
    let names = text.lines().filter_map(|line| Some(line.split_once('=')?.0));
    let names: BTreeSet<&str> = names.filter(|name| !of_the_shell.contains(name)).collect();
    let ours = our_variables("");
    let expected = given.split(' ').chain(ours.iter().map(|(name, _)| *name));
    // The folder of the nonce, which is not the default state folder.
    assert_eq!(names, expected.chain(["CLAUDE_HOOK_STATE_DIR"]).collect());
}

#[test]
fn a_name_is_looked_for_in_absolute_folders_of_the_search_path_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let (first, second) = (scratch.path().join("first"), scratch.path().join("second"));
    fs::create_dir(&first).unwrap();
    fs::write(first.join("claude"), "not executable").unwrap();
    client(&second, "");
    let found = |folders: &[&Path], program: &str| {
        let search_path = Some(std::env::join_paths(folders).unwrap());
        let home = Some(scratch.path().to_path_buf());
        find(Path::new(program), &Environment { home, search_path, ..Environment::default() })
    };
    let ours = Some(second.join("claude"));
    assert_eq!(found(&[&first, &second], "claude"), ours);
    assert_eq!(found(&[&first], "claude"), None);
    // Whatever lies where the tests run.
    assert_eq!(found(&[Path::new("."), Path::new(""), Path::new("src")], "lib.rs"), None);
    assert_eq!(found(&[scratch.path()], "second/claude"), None);
    assert_eq!(found(&[], "~/second/claude"), ours);
    assert_eq!(found(&[], second.join("claude").to_str().unwrap()), ours);
}

/// Set for the test that runs in a process of its own: the folder.
const INSIDE: &str = "BARBLESS_TEST_FOLDER";

#[test]
fn ended_process_takes_its_child_along() {
    const NAME: &str = "claude_cli::tests::ended_process_takes_its_child_along";
    // It has a child that holds the pipe as long.
    const HANGS: &str =
        r#"sleep 3600 & echo $! > "$NOTES/child.tmp"; mv "$NOTES/child.tmp" "$NOTES/child"; wait"#;
    if let Some(folder) = std::env::var_os(INSIDE) {
        let _ = ask(&client(Path::new(&folder), HANGS), &[], Duration::from_secs(600));
        unreachable!("the signal has ended this process");
    }
    let scratch = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([NAME, "--exact"]).env(INSIDE, scratch.path()).stdout(std::process::Stdio::null());
    let mut asking = command.spawn().unwrap();
    let child = scratch.path().join("notes/child");
    wait_until("its child", || child.exists());
    kill_process(Pid::from_child(&asking), Signal::TERM).unwrap();
    let status = asking.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(15), "{status}");
    let child = Pid::from_raw(fs::read_to_string(&child).unwrap().trim().parse().unwrap()).unwrap();
    wait_until("its child's end", || test_kill_process(child).is_err() || is_dead(child));
    assert_eq!(fs::read_dir(scratch.path().join("state/nonce")).unwrap().count(), 0);
}

/// It has ended, and nobody has asked for its status.
fn is_dead(process: Pid) -> bool {
    let line = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).unwrap_or_default();
    line.contains(") Z ") || line.contains(") X ")
}

#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + SOON;
    while !is_so() {
        assert!(Instant::now() < until, "{what}: not within {SOON:?}");
        std::thread::yield_now();
    }
}

fn success() -> Value {
    json!({
        "type": "result", "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": 2,
        "result": "Please run /login", "structured_output": { "verdict": "APPROVED" },
        "total_cost_usd": 0.000_035,
        "usage": {
            "input_tokens": 10, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 3000, "output_tokens": 5,
        },
    })
}

fn with(fields: &Value) -> Reply {
    let mut result = success();
    result.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    read(format!("{result}\n").as_bytes())
}

#[test]
fn a_verdict_comes_with_its_cost() {
    let tokens = Some(Tokens { input: 3210, output: 5 });
    let expected = Reply { verdict: Ok(json!({ "verdict": "APPROVED" })), tokens, micro_usd: Some(35) };
    assert_eq!(with(&json!({})), expected, "a model may be made to write the client's sentence");
    let verbose = json!([{ "type": "system" }, { "type": "assistant" }, success()]);
    assert_eq!(read(verbose.to_string().as_bytes()), expected);
    let failed = with(&json!({ "is_error": true, "api_error_status": 529 }));
    assert_eq!(failed, Reply { verdict: Err(Silence::Overloaded), ..expected });
    for (usd, expected) in [(0.0, 0), (0.000_000_1, 1), (0.000_035_000_000_000_000_004, 35), (1.5, 1_500_000)]
    {
        let reply = with(&json!({ "total_cost_usd": usd, "usage": null }));
        assert_eq!((reply.micro_usd, reply.tokens), (Some(expected), None), "{usd}");
    }
}

#[test]
fn text_without_a_verdict_is_none() {
    for said in [&b"nonsense"[..], b"[]", br#"{"type":"assistant"}"#, b"\xff\xfe"] {
        assert_eq!(read(said), Silence::InvalidResponse.into(), "{said:?}");
    }
    assert_eq!(read(b" \r\n"), Silence::NotStarted.into());
    for output in [json!(null), json!("APPROVED")] {
        assert_eq!(with(&json!({ "structured_output": output })).verdict, Err(Silence::InvalidResponse));
    }
}

#[test]
fn an_error_is_known_by_its_fields() {
    for (fields, expected) in [
        (json!({ "api_error_status": 401 }), Silence::Unauthorized),
        (json!({ "api_error": "connection_failed" }), Silence::Unreachable),
        (json!({ "api_error": "stored_login_refused" }), Silence::Unauthorized),
        (json!({ "api_error": "max_output_tokens", "result": "" }), Silence::InvalidResponse),
        (json!({ "api_error_type": "overloaded_error" }), Silence::Overloaded),
        (json!({ "api_error_type": "rate_limit_error" }), Silence::Limited),
        (json!({ "api_error": "model_requires_usage_credits", "api_error_status": 400 }), Silence::Limited),
        (json!({ "result": "Not logged in · Please run /login" }), Silence::Unauthorized),
        (json!({ "subtype": "error_max_turns", "result": null }), Silence::InvalidResponse),
    ] {
        let mut failed = fields.clone();
        failed["is_error"] = true.into();
        assert_eq!(with(&failed).verdict, Err(expected), "{fields}");
    }
}
