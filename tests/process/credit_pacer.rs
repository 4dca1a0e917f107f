//! credit-pacer through real processes: what is recorded, who waits and for how long, what is told, typed and looked back at.
//! The rules are tables beside its `decide`.

mod poll;
mod sleep;
mod statusline;

use std::ops::Deref;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tests::binaries;
use tests::payloads::Payload;
use tests::process::{Invocation, Outcome, Running};

use crate::driver::{Driver, block_reason, notice};

const HOUR: i64 = 3600;

struct Pacing(Driver);

impl Deref for Pacing {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.0
    }
}

impl Pacing {
    fn new(global: &str) -> Self {
        let driver = Driver::new("credit-pacer", global);
        std::fs::create_dir_all(driver.sandbox.state_dir()).unwrap();
        Self(driver)
    }

    /// The end of a tool call.
    fn call(&self) -> Payload {
        self.session.bash_succeeded("cargo test", "ok")
    }

    /// Leaves a fresh reading as the status line does: usage of the 5-hour limit, which resets in an hour, and of the weekly limit,
    /// which began an hour ago.
    fn used(&self, five_hour: f64, seven_day: f64) {
        let now = now_secs();
        let window = |used: f64, hours: i64| json!({ "used_percent": used, "resets_at": now + hours * HOUR, "observed_at": now });
        let windows = json!({ "five_hour": window(five_hour, 1), "seven_day": window(seven_day, 167) });
        let usage = json!({ "observed_at": now, "source": "status_line", "windows": windows });
        self.remembers("usage.json", "", &usage);
    }

    /// The delays that are booked, of all sessions, in milliseconds.
    fn booked(&self) -> Vec<u64> {
        let sessions = self.sessions();
        let delays = sessions.iter().flat_map(|session| session["delays"].as_array().unwrap());
        delays.map(|delay| delay[1].as_u64().unwrap()).collect()
    }

    /// The sessions of which calls are counted.
    fn sessions(&self) -> Vec<Value> {
        let sessions = self.remembered("credit-pacer.json")["sessions"].clone();
        sessions.as_object().into_iter().flat_map(|all| all.values().cloned()).collect()
    }

    /// Turns the hook's own switch, as a typed command does.
    fn switch_off(&self) {
        let switches = json!({ "machine": { "credit-pacer": "off" }, "sessions": {} });
        self.remembers("switches.json", "", &switches);
    }

    /// The answer to a prompt that is one of our commands: Claude never sees it.
    #[track_caller]
    fn told(&self, prompt: &str) -> String {
        let answer = self.ask(&self.session.user_prompt_submit(prompt));
        block_reason(answer.as_ref()).expect("the prompt is answered")
    }

    /// The answer of `status --json` in a shell of this session.
    #[track_caller]
    fn status(&self) -> Value {
        let outcome = self.hook().args(["status", "--json"]).run();
        outcome.assert_exit(0);
        serde_json::from_slice(&outcome.stdout).unwrap()
    }

    /// The command line of the program.
    fn program(&self, words: &[&str]) -> Invocation {
        Invocation::new(binaries::path("credit-pacer"), &self.sandbox).args(words.iter().copied())
    }

    /// Waits until each of these waits and listens for signals.
    #[track_caller]
    fn until_all_wait(&self, hooks: &[Running]) {
        let end = Instant::now() + Duration::from_secs(20);
        for hook in hooks {
            while !listens(hook.id()) {
                assert!(Instant::now() < end, "it does not wait; the journal: {}", self.journal());
                std::thread::yield_now();
            }
        }
    }
}

/// The process has handlers for the signals that end it.
#[cfg(target_os = "linux")]
fn listens(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    // Signals are counted from 1: SIGTERM is 15.
    caught & (1 << 14) != 0
}

#[cfg(not(target_os = "linux"))]
fn listens(_id: u32) -> bool {
    true
}

/// Now, in seconds since the epoch.
fn now_secs() -> i64 {
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(elapsed.as_secs()).unwrap()
}

#[test]
fn a_typed_status_is_answered_and_never_reaches_claude() {
    let pacing = Pacing::new("");
    pacing.used(70.0, 20.0);
    let told = pacing.told("pace-maker status");
    assert!(told.starts_with("credit-pacer: on, set by the defaults\n"), "{told}");
    for part in ["5-hour limit: 70 % used", "weekly limit: 20 % used", "readings: from the status line"] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert!(pacing.sessions().is_empty(), "and no call is counted");
    let status = pacing.status();
    assert_eq!((&status["enabled"], &status["set_by"]), (&json!(true), &json!("the defaults")));
    assert_eq!(status["windows"]["seven_day"]["status"], "over");
    assert_eq!(status["source"], "the status line");
}

#[test]
fn typed_switches_of_hook_and_limit_are_in_force_at_once_and_alerts_go_on() {
    let pacing = Pacing::new("");
    pacing.used(85.0, 90.0);
    assert!(pacing.told("pace-maker off").ends_with("on again: credit-pacer auto"));
    let status = pacing.status();
    assert_eq!((&status["enabled"], &status["delay_secs"]), (&json!(false), &json!(0.0)));
    assert!(notice(pacing.ask(&pacing.call()).as_ref()).contains("85 % used"));
    assert!(pacing.sessions().is_empty(), "nothing is counted while it is off");
    pacing.told("credit-pacer auto");
    assert_eq!(pacing.status()["enabled"], true);
    pacing.told("pace-maker weekly off");
    let week = &pacing.status()["windows"]["seven_day"];
    assert_eq!((&week["status"], &week["delay_secs"]), (&json!("off"), &json!(0.0)));
    let prose = pacing.session.user_prompt_submit("pace-maker sounds nice");
    assert_eq!(pacing.ask(&prose), None, "prose goes to Claude");
}

#[test]
fn a_sessions_start_reports_delays_that_will_come() {
    let pacing = Pacing::new("");
    let start = || notice(pacing.ask(&pacing.session.session_start("startup")).as_ref());
    assert_eq!(start(), "", "readings come with the first answer");
    pacing.used(94.0, 2.0);
    assert!(start().contains("5-hour limit: 94 % used"), "{}", start());
}

/// Times of day are the machine's, so only what does not depend on them is looked at.
#[test]
fn recorded_usage_is_drawn_as_chart_and_as_page() {
    let own = "base_delay_secs: 0, max_delay_secs: 1, timezone: UTC, alerts: []";
    let pacing = Pacing::new(&format!("credit-pacer: {{ {own} }}\n"));
    let looks_back = |words: &[&str]| -> Outcome {
        pacing.program(words).env("LC_ALL", "C.UTF-8").env("COLUMNS", "80").run()
    };
    let printed = |words: &[&str]| {
        let outcome = looks_back(words);
        outcome.assert_exit(0);
        assert_eq!(outcome.stderr_text(), "", "{outcome}");
        outcome.stdout_text()
    };
    assert!(printed(&["history"]).starts_with("Nothing is recorded of the last 7 days;"));
    assert!(!pacing.state("usage.db").exists(), "looking makes no database");
    let limits = json!({
        "five_hour": { "used_percentage": 97, "resets_at": now_secs() + HOUR },
        "seven_day": { "used_percentage": 8, "resets_at": now_secs() + 160 * HOUR },
    });
    let payload = pacing.session.status_line().with("rate_limits", limits);
    pacing.program(&["statusline"]).stdin(payload.to_bytes()).run().assert_exit(0);
    pacing.ask(&pacing.call());
    let chart = printed(&["history", "--days", "2"]);
    let usage = "5-hour limit: 97 % used, resets ";
    for part in [usage, "weekly limit: 8 % used, resets ", "^ over the safe line", "1, 1 s"] {
        assert!(chart.contains(part), "{part}\n{chart}");
    }
    let file = pacing.sandbox.project().join("report.html");
    let report = ["report", "--html", file.to_str().unwrap()];
    assert_eq!(printed(&report).trim_end(), std::fs::canonicalize(&file).unwrap().to_str().unwrap());
    let page = std::fs::read_to_string(&file).unwrap();
    for part in [usage, "1, 1 s", "class=\"waits\" d=\"M"] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains(&pacing.session.id), "the session's id is in the page");
    std::fs::write(&file, "mine").unwrap();
    let refused = looks_back(&report);
    refused.assert_exit(1);
    assert!(refused.stderr_text().contains("is no report of credit-pacer"), "{refused}");
    looks_back(&["history", "--days", "many"]).assert_exit(64);
}
