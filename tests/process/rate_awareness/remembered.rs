//! What the state folder holds: one small file per session, nothing of what was called, nothing after the end; and what
//! happens where it cannot be used: nothing.

use super::{Calls, ONLY_LOOPS, only_capacity};
use crate::driver::{names, notice, tree};
use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

#[test]
fn the_end_of_the_session_forgets_its_buckets() {
    let calls = Calls::new(&only_capacity(1));
    assert_eq!(calls.told_at(2), [2]);
    assert!(calls.state(&calls.file()).exists());
    assert_eq!(calls.ask(&calls.session.session_end("other")), None);
    assert!(
        !calls.state_names().iter().any(|name| name.contains(&calls.session.id)),
        "{:?}",
        calls.state_names()
    );
    assert_eq!(calls.call("x"), None, "a new bucket is full");
}

#[test]
fn the_end_forgets_also_where_the_hook_was_switched_off_meanwhile() {
    let calls = Calls::new(&only_capacity(1));
    calls.call("x");
    calls.sandbox.requirements(tests::sandbox::Level::User, "rate-awareness: {enabled: false}\n");
    assert_eq!(calls.ask(&calls.session.session_end("other")), None);
    assert!(!calls.state(&calls.file()).exists());
}

#[test]
fn nothing_of_what_is_called_is_ever_written_down() {
    let secret = "hunter2-the-input";
    let calls = Calls::new(
        "rate-awareness: {mode: deny, audience: both, global_default: {capacity: 2, refill_per_sec: 0}}\n",
    );
    for _ in 0..6 {
        let answer = calls.call(secret);
        assert!(!answer.unwrap_or_default().to_string().contains(secret));
    }
    let written = tree(&calls.sandbox.state_dir());
    assert!(written.keys().any(|path| path.ends_with(calls.file())), "{:?}", written.keys());
    for (path, content) in written {
        assert!(!content.contains(secret), "{}: {content}", path.display());
    }
}

#[test]
fn ten_thousand_idle_sessions_are_left_alone() {
    let calls = Calls::new(&only_capacity(1));
    calls.call("x");
    let own = fs::read_to_string(calls.state(&calls.file())).unwrap();
    for number in 0..10_000 {
        let id = format!("00000000-0000-4000-8000-{number:012}");
        fs::write(calls.state(&format!("{id}-buckets.json")), own.replace(&calls.session.id, &id)).unwrap();
    }
    let ours =
        |name: &str| name.contains(&calls.session.id) || ["heartbeat", "journal.jsonl"].contains(&name);
    let others = || -> BTreeMap<String, SystemTime> {
        let names = names(&calls.sandbox.state_dir()).into_iter().filter(|name| !ours(name));
        names
            .map(|name| (name.clone(), fs::metadata(calls.state(&name)).unwrap().modified().unwrap()))
            .collect()
    };
    let before = others();
    assert_eq!(before.len(), 10_000);
    assert!(notice(calls.call("y").as_ref()).contains("2 calls in the last minute"));
    assert!(others() == before, "another session's file was touched");
}

#[test]
fn a_hundred_subagents_and_skills_leave_a_small_file() {
    let calls = Calls::new(&only_capacity(1_000_000));
    for number in 0..100 {
        let agent = format!("a{number:016x}");
        assert_eq!(calls.ask(&calls.bash("x").in_subagent(&agent, "general-purpose")), None);
    }
    let state = calls.state_of(&calls.file());
    assert_eq!(state["state"]["_buckets"].as_object().unwrap().len(), 64);
    assert!(fs::metadata(calls.state(&calls.file())).unwrap().len() < 32 * 1024);
}

#[test]
fn hostile_ids_share_no_bucket_and_stay_inside_the_state_folder() {
    let calls = Calls::new(&only_capacity(1));
    let outside = |calls: &Calls| {
        let mut all = tree(&calls.sandbox.root());
        all.retain(|path, _| !path.starts_with(calls.sandbox.state_dir()));
        all
    };
    let before = outside(&calls);
    let long = "x".repeat(10_000);
    for id in
        ["../../escape", "/etc/passwd", "nul\0byte", "a::b", "..", "line\nbreak", "$(touch x)", "OFF", &long]
    {
        let ask = |agent: &str| {
            let call = calls.bash("x").with("session_id", id).in_subagent(agent, "general-purpose");
            calls.ask(&call)
        };
        for agent in ["../a", "a::x", &long] {
            assert_eq!(ask(agent), None, "{id:?} {agent:?}");
            assert!(ask(agent).is_some(), "{id:?} {agent:?}");
        }
    }
    assert_eq!(outside(&calls), before);
    for name in calls.state_names() {
        let harmless = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        assert!(name.len() < 200 && name.bytes().all(harmless), "{name}");
    }
}

#[test]
fn hostile_names_of_skills_and_tools_are_names_or_none() {
    let calls = Calls::new(&only_capacity(1_000_000));
    let long = "x".repeat(100_000);
    for name in ["../../escape", "a::b", "", "\u{1b}[31m", "{calls}", &long] {
        calls.skill(name);
        calls.call("x");
        calls.ask(&calls.session.pre_tool_use(name, serde_json::json!({ "a": 1 })));
    }
    for input in [serde_json::json!(null), serde_json::json!({ "skill": ["a"] }), serde_json::json!("a")] {
        assert_eq!(calls.ask(&calls.session.pre_tool_use("Skill", input)), None);
    }
    assert!(fs::metadata(calls.state(&calls.file())).unwrap().len() < 4096);
}

#[test]
fn without_a_session_nothing_is_counted_and_nothing_said() {
    let calls = Calls::new(&format!("{}  mode: deny\n", only_capacity(1)));
    for id in [serde_json::json!(""), serde_json::json!(null), serde_json::json!(7)] {
        for _ in 0..3 {
            assert_eq!(calls.ask(&calls.bash("x").with("session_id", id.clone())), None);
        }
    }
    assert_eq!(calls.journal(), "");
    assert!(!calls.state_names().iter().any(|name| name.contains("buckets")), "{:?}", calls.state_names());
}

#[test]
fn a_damaged_state_file_counts_as_none_and_the_next_call_works() {
    let calls = Calls::new(&only_capacity(1));
    for damaged in [
        "",
        "{",
        "[]",
        "null",
        "{\"_buckets\": {}}",
        "{\"version\":1,\"session\":\"x\",\"state\":{\"_buckets\":7}}",
    ] {
        fs::write(calls.state(&calls.file()), damaged).unwrap();
        assert_eq!(calls.told_at(2), [2], "{damaged:?}");
    }
}

#[test]
fn a_state_file_that_somebody_holds_is_waited_for_and_then_the_call_passes() {
    let calls = Calls::new(&format!("{ONLY_LOOPS}  mode: deny\n"));
    let mut lock = calls.lock_of(&calls.file());
    let _held = lock.write().unwrap();
    assert_eq!(calls.call("x"), None);
    assert!(calls.journal().contains("held by another process"), "{}", calls.journal());
}

#[test]
fn a_state_file_of_a_newer_version_is_left_as_it_is() {
    let calls = Calls::new(&format!("{}  mode: deny\n", only_capacity(1)));
    let newer = format!("{{\"version\":99,\"session\":\"{}\",\"state\":{{}}}}", calls.session.id);
    fs::write(calls.state(&calls.file()), &newer).unwrap();
    assert_eq!(calls.told_at(4), [0; 0]);
    assert_eq!(fs::read_to_string(calls.state(&calls.file())).unwrap(), newer);
}
