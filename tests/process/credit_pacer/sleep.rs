//! Delays: who waits, for how long, what ends it, and who is told. Long delays are cut short; none is sat out but the few
//! of a second.

use std::time::{Duration, Instant};

use serde_json::json;
use tests::payloads::Payload;
use tests::process::Running;

use super::Pacing;
use crate::driver::{documented, notice};

/// Delays of a second.
const SECONDS: &str = "credit-pacer: { base_delay_secs: 0, max_delay_secs: 1, alerts: [] }\n";

/// Delays nobody sits out.
const LONG: &str = "credit-pacer: { alerts: [] }\n";

impl Pacing {
    /// A call that has begun to wait.
    #[track_caller]
    fn waiting(&self, payload: &Payload) -> Running {
        let hook = self.hook().stdin(payload.to_bytes()).start();
        self.until_all_wait(std::slice::from_ref(&hook));
        hook
    }

    /// What the journal says of delays: for how long, and the words.
    fn sleeps(&self) -> Vec<(u64, String)> {
        let times = self.lines("sleep").into_iter().map(|line| line["slept_ms"].as_u64().unwrap());
        times.zip(self.texts("sleep")).collect()
    }
}

#[test]
fn next_request_over_the_line_waits_with_one_notice() {
    let pacing = Pacing::new(SECONDS);
    pacing.used(20.0, 5.0);
    assert_eq!(pacing.ask(&pacing.call().with("prompt_id", "before")), None, "under the line");
    assert!(!pacing.state("usage.db").exists());
    pacing.used(94.0, 5.0);
    let began = Instant::now();
    let told = notice(pacing.ask(&pacing.call()).as_ref());
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
    assert!(told.contains("waited 1 s so that your usage limits last. 5-hour limit: 94 % used"), "{told}");
    let failed = pacing.session.post_tool_use_failure("Bash", json!({}), "Exit code 1");
    assert!(pacing.ask(&failed.with("prompt_id", "another")).is_none(), "told again");
    let sleeps = pacing.sleeps();
    assert_eq!(sleeps.len(), 2);
    assert!(sleeps.iter().all(|(millis, _)| (800..5000).contains(millis)), "{sleeps:?}");
    assert!(pacing.state("usage.db").exists(), "delays are kept");
}

#[test]
fn forty_calls_at_once_are_one_delay_which_the_clients_signal_ends() {
    let pacing = Pacing::new(LONG);
    pacing.used(99.0, 5.0);
    let mut hooks: Vec<Running> =
        (0..40).map(|_| pacing.hook().stdin(pacing.call().to_bytes()).start()).collect();
    pacing.until_all_wait(&hooks);
    hooks.iter_mut().for_each(Running::terminate);
    for hook in hooks {
        assert_eq!(documented(&hook.wait()), None);
    }
    let sleeps = pacing.sleeps();
    assert_eq!(sleeps.len(), 40);
    let is_cut = |(millis, text): &(u64, String)| *millis < 60_000 && text == "cut short by the client";
    assert!(sleeps.iter().all(is_cut), "{sleeps:?}");
    let booked = pacing.booked();
    assert!(booked.len() == 1 && booked[0] < 60_000, "one delay for all, of what was slept: {booked:?}");
    // The next turn is decided anew, and does not sit out what is left of the old delay.
    let mut next = pacing.waiting(&pacing.call().with("prompt_id", "another"));
    assert_eq!(pacing.sessions().len(), 1);
    next.terminate();
    next.wait().assert_exit(0);
}

#[test]
fn switching_it_off_ends_a_delay() {
    let pacing = Pacing::new(LONG);
    pacing.used(99.0, 5.0);
    let hook = pacing.waiting(&pacing.call());
    pacing.switch_off();
    assert_eq!(documented(&hook.wait()), None);
    assert_eq!(pacing.sleeps()[0].1, "cut short: switched off");
    assert_eq!(pacing.ask(&pacing.call()), None, "and nothing waits any more");
}

/// The state folder in use is another one.
#[test]
fn file_off_in_our_own_folder_ends_a_delay() {
    let pacing = Pacing::new(LONG);
    pacing.used(99.0, 5.0);
    let hook = pacing.waiting(&pacing.call());
    let own = pacing.sandbox.home().join(".claude/hook-state");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("OFF"), "").unwrap();
    assert_eq!(documented(&hook.wait()), None);
    assert_eq!(pacing.sleeps()[0].1, "cut short: switched off");
}
