//! credit-pacer through real processes: what is recorded, who waits and for how long, what is told and typed.

mod alerts;
mod commands;
mod history;
mod poll;
mod sleep;
mod statusline;

use std::ops::Deref;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tests::payloads::Payload;
use tests::process::Running;

use crate::driver::Driver;

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

    /// A fresh reading: so much is used of the five hours, of which four are over, and of the week, which began an hour ago.
    fn used(&self, five_hour: f64, seven_day: f64) {
        let now = now_secs();
        let windows = json!({
            "five_hour": { "used_percent": five_hour, "resets_at": now + HOUR },
            "seven_day": { "used_percent": seven_day, "resets_at": now + 167 * HOUR },
        });
        self.reading(now, &windows);
    }

    /// A reading as the status line leaves it.
    fn reading(&self, observed_at: i64, windows: &Value) {
        let mut windows = windows.clone();
        for window in windows.as_object_mut().unwrap().values_mut() {
            window["observed_at"] = observed_at.into();
        }
        let usage = json!({ "observed_at": observed_at, "source": "status_line", "windows": windows });
        let envelope = json!({ "version": 1, "session": "", "state": usage });
        std::fs::write(self.state("usage.json"), envelope.to_string()).unwrap();
    }

    /// The delays that are booked, of all sessions, in milliseconds.
    fn booked(&self) -> Vec<u64> {
        let sessions = self.sessions();
        let delays = sessions.iter().flat_map(|session| session["delays"].as_array().unwrap());
        delays.map(|delay| delay[1].as_u64().unwrap()).collect()
    }

    /// The sessions of which calls are counted.
    fn sessions(&self) -> Vec<Value> {
        if !self.state("credit-pacer.json").exists() {
            return Vec::new();
        }
        let state = self.state_of("credit-pacer.json");
        state["state"]["sessions"].as_object().into_iter().flat_map(|all| all.values().cloned()).collect()
    }

    /// Turns the hook's own switch, as a typed command does.
    fn switch_off(&self) {
        let switches = json!({ "machine": { "credit-pacer": "off" }, "sessions": {} });
        let envelope = json!({ "version": 1, "session": "", "state": switches });
        std::fs::write(self.state("switches.json"), envelope.to_string()).unwrap();
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
