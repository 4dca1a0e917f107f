//! A judge that fails holds nothing up: whatever is wrong with it, the call goes on, in time; the user is told once, and the
//! journal has the cause.

use std::cell::Cell;
use std::process::Command;
use std::time::Duration;

use tests::binaries;
use tests::process::{Invocation, Outcome};
use tests::sandbox::Level;

use crate::driver::{documented, notice};
use crate::judge_api::{self, JudgeApi};
use crate::judged::{HOOKS, Judged, PATIENT, approval, assert_goes_on, global};

const REACHED: &str = "cannot be reached";
const NONSENSE: &str = "is no verdict";
const LATE: &str = "did not answer in time";
const BUSY: &str = "is overloaded";

/// A time within which a process is over that may take a second.
const WITHIN: Duration = Duration::from_secs(2);

/// The call goes on, it is told once in the session, and the journal says why.
#[track_caller]
fn check(judged: &Judged, cause: &str, run: impl Fn(&Judged, Vec<u8>) -> Outcome, what: &str) {
    let first = documented(&run(judged, judged.question(1).to_bytes()));
    assert_goes_on(first.as_ref());
    assert!(notice(first.as_ref()).contains(cause), "{what}: {first:?}\n{}", judged.journal());
    let second = documented(&run(judged, judged.question(2).to_bytes()));
    assert_goes_on(second.as_ref());
    assert_eq!(notice(second.as_ref()), "", "{what} is told again");
    let texts = judged.texts("judge");
    assert!(!texts.is_empty() && texts.iter().all(|text| text.contains(cause)), "{what}: {texts:?}");
}

fn plainly(judged: &Judged, question: Vec<u8>) -> Outcome {
    judged.hook().stdin(question).run()
}

#[test]
fn whatever_the_server_answers_the_call_goes_on_and_the_cause_is_told_once() {
    for hook in HOOKS {
        for (what, manner, cause) in [
            ("529", judge_api::refuses(529, &[]), BUSY),
            ("no HTTP", judge_api::garbage(), REACHED),
            ("ten million letters", judge_api::huge(&approval()), NONSENSE),
        ] {
            let judged = Judged::new(hook, "", PATIENT, [manner]);
            check(&judged, cause, plainly, &format!("{hook}: {what}"));
            assert_eq!(judged.api.requests().len(), 4, "{hook}: {what}");
        }
    }
}

#[test]
fn at_the_deadline_it_is_over() {
    // All at once: what they do is wait.
    std::thread::scope(|scope| {
        for hook in HOOKS {
            for manner in [judge_api::hangs(), judge_api::hangs_half_way(&approval())] {
                scope.spawn(move || {
                    let judged = Judged::new(hook, "", "deadline_secs: 1", [manner]);
                    check_in_time(&judged, hook);
                });
            }
        }
    });
}

/// It is over in time; a machine that is busy with others gets more than one try.
#[track_caller]
fn check_in_time(judged: &Judged, what: &str) {
    let in_time = Cell::new(false);
    let run = |judged: &Judged, question: Vec<u8>| {
        let outcome = plainly(judged, question);
        in_time.set(in_time.get() || outcome.wall < WITHIN);
        outcome
    };
    check(judged, LATE, run, what);
    let more = (10..13).map(|number| run(judged, judged.question(number).to_bytes()).wall);
    let walls: Vec<Duration> = if in_time.get() { Vec::new() } else { more.collect() };
    assert!(in_time.get(), "{what}: {walls:?}");
}

#[test]
fn a_redirect_takes_key_and_question_nowhere() {
    for hook in HOOKS {
        let elsewhere = JudgeApi::start([crate::judged::approves()]);
        let judged = Judged::new(hook, "", PATIENT, [judge_api::leads_to(&elsewhere.url())]);
        check(&judged, REACHED, plainly, hook);
        assert!(elsewhere.requests().is_empty(), "{hook}");
    }
}

#[test]
fn without_a_key_or_the_courier_nobody_is_asked() {
    for hook in HOOKS {
        let judged = Judged::new(hook, "", "", [crate::judged::approves()]);
        let keyless = |judged: &Judged, question: Vec<u8>| {
            judged.hook().unset("ANTHROPIC_API_KEY").stdin(question).run()
        };
        check(&judged, "there is no ANTHROPIC_API_KEY", keyless, hook);
        let judged = Judged::new(hook, "", "", [crate::judged::approves()]);
        let program = judged.sandbox.temporary_dir().join(hook);
        // A child copies: what this process holds open for writing, another test's fork could keep from being started.
        assert!(Command::new("cp").args([&binaries::path(hook), &program]).status().unwrap().success());
        let alone = |judged: &Judged, question: Vec<u8>| {
            let alone = Invocation::new(&program, &judged.sandbox).envs(judged.variables.clone());
            alone.env("CLAUDE_CODE_ENTRYPOINT", "cli").stdin(question).run()
        };
        check(&judged, "cannot be started", alone, hook);
        assert!(judged.api.requests().is_empty(), "{hook}");
    }
}

#[test]
fn who_wants_to_be_asked_instead_is_and_a_stop_goes_on_all_the_same() {
    let asking = |hook| Judged::new(hook, "", "on_judge_failure: ask", [judge_api::garbage()]);
    let judged = asking("intent-validator");
    let answer = judged.ask(&judged.question(1)).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "ask", "{answer}");
    let judged = asking("tempo-stop");
    assert_goes_on(judged.ask(&judged.question(1)).as_ref());
}

#[cfg(unix)]
#[test]
fn whatever_the_users_own_claude_does_the_call_goes_on() {
    use tests::stand_in::{Answer, StandIn};
    for hook in HOOKS {
        for (what, answer, cause) in
            [("hangs", Answer::hanging(), LATE), ("talks for ever", Answer::flooding(), NONSENSE)]
        {
            let judged = Judged::new(hook, "", "", [judge_api::empty()]);
            let stand_in = StandIn::new(&judged.sandbox, &[answer]);
            let seconds = if cause == LATE { "1" } else { "20" };
            let judge = format!(
                "backend: claude_cli, claude_program: {}, deadline_secs: {seconds}",
                stand_in.program().display()
            );
            judged.sandbox.requirements(Level::User, &global(hook, "", &judge));
            match cause {
                LATE => check_in_time(&judged, hook),
                _ => check(&judged, cause, plainly, &format!("{hook}: {what}")),
            }
            assert!(judged.api.requests().is_empty(), "{hook}: {what}");
        }
        let judge = "backend: claude_cli, claude_program: /nowhere/claude";
        let judged = Judged::new(hook, "", judge, [judge_api::empty()]);
        check(&judged, "cannot be started", plainly, hook);
    }
}
