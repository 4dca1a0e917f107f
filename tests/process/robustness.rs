//! The first promise: a hook never harms the session. Whatever its input, its outputs, its folders and its own state
//! are like, the status is 0 and stdout is empty or one documented answer; and what should block still blocks.

mod input;

use fd_lock::{RwLock, RwLockWriteGuard};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};
use tests::payloads::Payload;
use tests::process::Invocation;
use tests::sandbox::Level;

use crate::driver::{block_reason, documented, has_extension, notice, tree};
use crate::gate::{Gate, INSISTS, WORDS, reason, token};

const TEAM: &str = "stop-momentum: {enabled: true, enforce_ack: true}\n";

/// A project that enables the gate, and nothing in the home.
fn of_a_team() -> Gate {
    let gate = Gate::unconfigured();
    gate.sandbox.requirements(Level::Project, TEAM);
    gate
}

/// The hook without a state folder that the environment names.
fn stateless(gate: &Gate) -> Invocation {
    gate.hook().unset("CLAUDE_HOOK_STATE_DIR").stdin(gate.session.stop(WORDS).to_bytes())
}

/// A stop passes in silence, and nothing in the sandbox is another than before.
#[track_caller]
fn passes_without_a_trace(gate: &Gate, hook: Invocation) {
    let before = tree(&gate.sandbox.root());
    let outcome = hook.run();
    assert_eq!(documented(&outcome), None, "{outcome}");
    assert_eq!(tree(&gate.sandbox.root()), before);
}

#[test]
fn without_a_home_nothing_is_created_anywhere() {
    let gate = of_a_team();
    passes_without_a_trace(&gate, stateless(&gate).unset("HOME"));
    let file = gate.sandbox.write_home("a-file", "");
    for home in [std::path::PathBuf::new(), file.clone(), file.join("home"), "/dev/null".into()] {
        passes_without_a_trace(&gate, stateless(&gate).env("HOME", home.display().to_string()));
    }
}

/// The answer to a stop where the environment names this state folder.
#[track_caller]
fn with_state_folder(gate: &Gate, folder: &Path) -> Option<Value> {
    let hook = gate.hook().env("CLAUDE_HOOK_STATE_DIR", folder.display().to_string());
    documented(&hook.stdin(gate.session.stop(WORDS).to_bytes()).run())
}

#[test]
fn a_state_folder_that_cannot_be_made_is_reported_and_the_usual_one_is_used() {
    for folder in ["/dev/null/state", "/proc/1/state"].map(Path::new) {
        let gate = of_a_team();
        let answer = with_state_folder(&gate, folder);
        assert!(
            notice(answer.as_ref()).contains("CLAUDE_HOOK_STATE_DIR"),
            "{}: {answer:?}",
            folder.display()
        );
        reason(answer.as_ref());
    }
}

#[test]
fn a_read_only_home_does_no_harm() {
    let gate = of_a_team();
    gate.open_to_all();
    crate::driver::restrict(&gate.sandbox.home(), 0o555);
    crate::driver::restrict(&gate.sandbox.home().join(".claude"), 0o555);
    let program = gate.copied_program();
    let hook = Invocation::new(program, &gate.sandbox).unset("CLAUDE_HOOK_STATE_DIR").unprivileged();
    passes_without_a_trace(&gate, hook.stdin(gate.session.stop(WORDS).to_bytes()));
}

#[test]
fn a_full_disk_lets_the_stop_pass_and_leaves_the_old_state() {
    let gate = of_a_team();
    let full = || gate.hook().files_cannot_grow().stdin(gate.session.stop(WORDS).to_bytes());
    assert_eq!(documented(&full().run()), None, "a gate that cannot count must not block");
    let first = token(&gate.blocked(WORDS));
    let state = fs::read(gate.token_file()).unwrap();
    assert_eq!(documented(&full().run()), None);
    assert_eq!(fs::read(gate.token_file()).unwrap(), state);
    gate.passes(&format!("Done. {first}"));
}

/// A hook that takes longer hangs.
const LONGEST_TURN: Duration = Duration::from_secs(8);

/// The gate is on, and something is wrong with the file, so that a notice is remembered too.
const WITH_A_PROBLEM: &str = "stop-momentum: {enabled: true, max_blocks: 6, unheard_of: 1}\n";

/// A gate with every file a normal run makes: those of a session in the middle and those that outlive it.
fn used_gate() -> Gate {
    let gate = Gate::new(WITH_A_PROBLEM);
    gate.blocked(WORDS);
    gate.ask(&gate.session.clone().with_id("another").session_end("other"));
    let switches = r#"{"version":1,"session":"","state":{"machine":{},"sessions":{}}}"#;
    fs::write(gate.state("switches.json"), switches).unwrap();
    gate
}

/// The names below the state folder: what is there, and what a run may make.
fn names_to_replace(gate: &Gate) -> Vec<String> {
    let there = gate.state_names();
    let own = |name: &&String| name.contains(&gate.session.id) && !has_extension(name, "lock");
    let temporary = there.iter().filter(own).map(|name| format!("{name}.tmp"));
    let aside = there.iter().filter(own).map(|name| format!("{name}.corrupt"));
    let more = ["heartbeat/stop-momentum", "journal.jsonl.lock", "nonce"].map(str::to_owned);
    there.iter().cloned().chain(temporary).chain(aside).chain(more).collect()
}

fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

/// Puts something else where a file was, one at a time, and tells the hook of every event; then takes it away again.
#[track_caller]
fn every_event_ends_well(replace: impl Fn(&Path)) {
    let gate = used_gate();
    let names = names_to_replace(&gate);
    assert!(names.len() >= 16, "{names:?}");
    for (round, name) in names.into_iter().enumerate() {
        let file = gate.state(&name);
        remove(&file);
        replace(&file);
        let session = &gate.session;
        for event in [session.stop(WORDS), session.session_start("startup"), session.session_end("other")] {
            let began = Instant::now();
            gate.answer(round, &event.to_bytes());
            assert!(began.elapsed() < LONGEST_TURN, "{name} makes {} hang", event.get("hook_event_name"));
        }
        remove(&file);
        reason(gate.respond(&session.stop(WORDS).to_bytes()).as_ref());
    }
}

#[test]
fn garbage_in_any_file_does_no_harm() {
    for garbage in [&b""[..], b"\xff\xfe", b"{\"version\":1,\"session\":7,\"state\":[]}"] {
        every_event_ends_well(|file| fs::write(file, garbage).unwrap());
    }
}

#[test]
fn a_pipe_in_place_of_any_file_holds_nobody_up() {
    every_event_ends_well(crate::driver::make_pipe);
}

const COPIES: usize = 40;

fn count_blocks(answers: &[Option<Value>]) -> usize {
    answers.iter().filter(|answer| block_reason(answer.as_ref()).is_some()).count()
}

#[test]
fn forty_copies_of_one_stop_are_blocked_once() {
    for global in ["stop-momentum: {enabled: true}\n", "stop-momentum: {enabled: true, enforce_ack: true}\n"]
    {
        let gate = Gate::new(global);
        let answers = gate.ask_at_once(&vec![gate.session.stop(WORDS); COPIES]);
        assert_eq!(count_blocks(&answers), 1, "{global}{}", gate.journal());
    }
}

#[test]
fn the_end_of_a_session_in_the_middle_of_its_stops_harms_nobody() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    let events: Vec<Payload> = (0..COPIES)
        .map(|number| match number % 4 {
            0 => gate.session.session_end("other"),
            _ => gate.session.stop(WORDS).with("prompt_id", format!("turn-{number}")),
        })
        .collect();
    gate.ask_at_once(&events);
    gate.ask(&gate.session.session_end("other"));
    assert!(
        !gate.state_names().iter().any(|name| name.contains(&gate.session.id)),
        "{:?}",
        gate.state_names()
    );
    gate.blocked(WORDS);
}

/// No stop may take longer than this while a lock is held; far below the ten seconds the client gives the hook.
const PATIENCE: Duration = Duration::from_secs(5);

fn hold(lock: &mut RwLock<File>) -> RwLockWriteGuard<'_, File> {
    lock.try_write().expect("nobody else holds it")
}

#[test]
fn a_stop_passes_with_a_notice_while_the_token_is_locked() {
    let gate = Gate::new(INSISTS);
    let mut lock = gate.lock_of(&format!("stop-ack-{}", gate.session.id));
    let held = hold(&mut lock);
    let outcome = gate.hook().stdin(gate.session.stop(WORDS).to_bytes()).run();
    let answer = documented(&outcome);
    assert!(notice(answer.as_ref()).contains("held by another process"), "{outcome}");
    assert!(block_reason(answer.as_ref()).is_none(), "{outcome}");
    assert!(outcome.wall < PATIENCE, "{outcome}");
    assert!(gate.journal().contains("held by another process"), "{}", gate.journal());
    drop(held);
    gate.blocked(WORDS);
}

#[test]
fn a_stop_is_blocked_while_only_the_notices_the_switches_and_the_journal_are_locked() {
    let gate = Gate::new("stop-momentum: {enabled: true, unheard_of: 1}\n");
    let files =
        [format!("{}-told.json", gate.session.id), "switches.json".to_owned(), "journal.jsonl".to_owned()];
    let mut locks = files.map(|file| gate.lock_of(&file));
    let held: Vec<_> = locks.iter_mut().map(hold).collect();
    let outcome = gate.hook().stdin(gate.session.stop(WORDS).to_bytes()).run();
    assert!(block_reason(documented(&outcome).as_ref()).is_some(), "{outcome}");
    assert!(outcome.wall < PATIENCE, "{outcome}");
    drop(held);
}

const KILLS: usize = 200;

/// Every state file is one whole JSON value, and none had to be set aside.
#[track_caller]
fn assert_whole(gate: &Gate, when: &str) {
    for name in gate.state_names() {
        assert!(!has_extension(&name, "corrupt"), "{name} after {when}");
        let is_beside = ["lock", "tmp"].iter().any(|extension| has_extension(&name, extension));
        if !is_beside && (name.starts_with("stop-ack-") || has_extension(&name, "json")) {
            let text = fs::read_to_string(gate.state(&name)).unwrap();
            assert!(serde_json::from_str::<Value>(&text).is_ok(), "{name} after {when}: {text}");
        }
    }
}

#[test]
fn kill_9_at_any_moment_leaves_whole_files_and_a_gate_that_works() {
    let gate = Gate::new("stop-momentum: {enabled: true, enforce_ack: true, unheard_of: 1}\n");
    let mut dice = StdRng::seed_from_u64(9);
    let mut limit = Duration::from_millis(4);
    let mut killed = 0;
    for round in 0..KILLS {
        let event = match round % 5 {
            4 => gate.session.session_end("other"),
            _ => {
                gate.session.stop(WORDS).with("prompt_id", format!("turn {round}")).without("transcript_path")
            }
        };
        let mut hook = gate.hook().stdin(event.to_bytes()).start();
        // The moment of the kill is what is tried: nothing is waited for.
        std::thread::sleep(dice.random_range(Duration::ZERO..limit));
        hook.kill();
        let was_killed = !hook.wait().status.success();
        killed += usize::from(was_killed);
        // However fast the machine is just now, about half of the kills come before the end.
        limit = if was_killed { limit * 11 / 10 } else { limit * 10 / 11 }.max(Duration::from_micros(100));
        assert_whole(&gate, &format!("kill {round}"));
    }
    assert!(killed > KILLS / 4, "only {killed} of {KILLS} were killed before their end");
    let names = gate.state_names();
    assert!(
        names.iter().filter(|name| has_extension(name, "tmp")).count() <= 4,
        "one per state file: {names:?}"
    );

    let token = token(&gate.blocked(WORDS));
    gate.passes(&format!("Done. {token}"));
    gate.ask(&gate.session.session_end("other"));
    assert!(!gate.token_file().exists());
}
