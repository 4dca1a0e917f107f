//! Nobody is asked about what is settled already: a call that another hook has refused, a stop that another hook holds, a plan
//! whose credits are used up too fast.

use serde_json::json;
use tests::binaries;
use tests::process::Invocation;

use crate::driver::{denial, documented, is_block};
use crate::judge_api;
use crate::judged::{Judged, PATIENT, approves, global};

#[test]
fn a_call_that_delegation_guard_refuses_costs_no_question() {
    let global =
        format!("{}delegation-guard: {{ enabled: true }}\n", global("intent-validator", "", PATIENT));
    let judged = Judged::with_global("intent-validator", &global, [approves()]);
    let question = judged.question(1);
    let guard = Invocation::new(binaries::path("delegation-guard"), &judged.sandbox);
    let guard = guard.env("CLAUDE_CODE_ENTRYPOINT", "cli").stdin(question.to_bytes());
    let refused = documented(&guard.run());
    assert!(denial(refused.as_ref()).is_some(), "{refused:?}");
    assert_eq!(judged.ask(&question), None);
    assert!(judged.api.requests().is_empty());
    // Another call of it is another question.
    assert!(
        judged.ask(&question.with("tool_use_id", "toolu_again")).is_some(),
        "nothing was said about that one"
    );
}

#[test]
fn a_stop_that_another_hook_holds_meanwhile_costs_no_question() {
    let global = format!("{}stop-momentum: {{ enabled: true }}\n", global("tempo-stop", "", PATIENT));
    let judged = Judged::with_global(
        "tempo-stop",
        &global,
        [judge_api::verdict(&json!({
            "verdict": "BLOCKED", "feedback": "Nobody is greeted yet."
        }))],
    );
    let stop = judged.question(1);
    let copy = judged.hook().stdin_held_open("").start();
    let momentum = Invocation::new(binaries::path("stop-momentum"), &judged.sandbox)
        .env("CLAUDE_CODE_ENTRYPOINT", "cli")
        .env("CLAUDE_PROJECT_DIR", judged.sandbox.project().display().to_string());
    // It began before; the other one is quicker.
    wait_until_it_reads(copy.id());
    let held = documented(&momentum.stdin(stop.to_bytes()).run());
    assert!(held.as_ref().is_some_and(is_block), "{held:?}");
    copy.give(stop.to_bytes());
    assert_eq!(documented(&copy.wait()), None);
    assert!(judged.api.requests().is_empty());
    assert_eq!(judged.texts("let-go").last().map(String::as_str), Some("another hook blocks this stop"));
    // The next prompt's is looked at: what was held before it is over.
    let answer = judged.ask(&judged.question(2).with("prompt_id", "another"));
    assert!(answer.as_ref().is_some_and(is_block), "{answer:?} {}", judged.journal());
    assert_eq!(judged.api.requests().len(), 1);
}

/// It sleeps in its read: it has noted when it began.
#[cfg(target_os = "linux")]
fn wait_until_it_reads(id: u32) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
    let line = || std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    while !line().contains("(tempo-stop) S") {
        assert!(std::time::Instant::now() < until, "it does not read: {}", line());
        std::thread::yield_now();
    }
}

#[cfg(not(target_os = "linux"))]
fn wait_until_it_reads(_id: u32) {}
