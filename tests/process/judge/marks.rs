//! Nobody is asked about what is settled already: a call that another hook has refused, a stop that another hook holds, a plan
//! whose credits are used up too fast.

use serde_json::json;
use shared::blocks;
use shared::host::Timestamp;
use shared::state::Store;
use shared::usage::line::{self, Line};
use shared::usage::{self, Observed, Sight, Source, Window};
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::Level;

use crate::driver::{denial, documented, is_block};
use crate::judge_api;
use crate::judged::{CALL, HOOKS, Judged, PATIENT, approves, assert_goes_on, global, told};

fn store(judged: &Judged) -> Store {
    Store::open(&judged.sandbox.state_dir()).unwrap()
}

fn now_secs() -> i64 {
    Timestamp::from(std::time::SystemTime::now()).micros() / 1_000_000
}

#[test]
fn a_call_that_is_refused_already_costs_no_question() {
    let judged = Judged::new("intent-validator", "", PATIENT, [approves()]);
    blocks::record_deny(&store(&judged), &judged.session.id, CALL).unwrap();
    assert_eq!(judged.ask(&judged.question(1)), None, "the other hook's word is enough");
    assert!(judged.api.requests().is_empty());
    assert_eq!(judged.texts("let-go"), ["review: no model was asked: another hook has blocked it already"]);
    // The mark is that call's alone, and that session's.
    judged.ask(&judged.question(2).with("tool_use_id", "toolu_other"));
    judged.ask(&judged.question_of(&judged.another(1), 3));
    assert_eq!(judged.api.requests().len(), 1, "without its line the other call's words are not found");
}

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

/// Usage is past its safe line.
fn past_the_line(judged: &Judged) {
    let (now, store) = (now_secs(), store(judged));
    let window = Window { used_percent: 90.0, resets_at: now + 3600, observed_at: now };
    let windows = [("five_hour".to_owned(), window)].into();
    usage::record(&store, &Observed { at: now, source: Source::StatusLine, sight: Sight::Found, windows })
        .unwrap();
    line::write(&store, &Line { at: now, past: [("five_hour".to_owned(), now + 3600)].into() }).unwrap();
}

#[test]
fn while_the_credits_run_out_too_fast_nobody_is_asked_and_it_is_told_once() {
    for hook in HOOKS {
        let judged = Judged::new(hook, "", PATIENT, [approves()]);
        past_the_line(&judged);
        let answers = [1, 2, 3].map(|number| judged.ask(&judged.question(number)));
        for answer in &answers {
            assert_goes_on(answer.as_ref());
        }
        assert_eq!(told(&answers, "past its safe line"), 1, "{hook}: {answers:?}");
        let other = judged.ask(&judged.question_of(&judged.another(1), 4));
        assert_eq!(told(&[other], "judge.yield_to_pacing"), 1, "{hook}: another session is told for itself");
        assert!(judged.api.requests().is_empty(), "{hook}");
        // Whoever wants to be asked all the same is.
        let judge = format!("yield_to_pacing: false, {PATIENT}");
        judged.sandbox.requirements(Level::User, &global(hook, "", &judge));
        judged.ask(&judged.question(5));
        assert_eq!(judged.api.requests().len(), 1, "{hook}");
    }
}
