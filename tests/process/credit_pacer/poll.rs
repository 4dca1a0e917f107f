//! The usage API: asked by a process of its own, once per slot whoever asks, with a login that goes nowhere else, and not at
//! all where it may not be. A server on loopback plays it.

use std::fs;
use std::ops::Deref;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::process::{Invocation, started_in};
use tests::sandbox::Level;

use super::{HOUR, Pacing, now_secs};
use crate::driver::documented;
use crate::endpoint::{Endpoint, Manner};

/// The token of the login.
const TOKEN: &str = "sk-ant-oat01-very-secret";

/// Waiting longer than this for another process is a hang.
const PATIENCE: Duration = Duration::from_secs(30);

/// A hook, and the server that its settings name.
struct Polling {
    pacing: Pacing,
    endpoint: Endpoint,
}

impl Deref for Polling {
    type Target = Pacing;

    fn deref(&self) -> &Pacing {
        &self.pacing
    }
}

impl Polling {
    /// Switched on, with a login that is good for an hour.
    fn new(manner: Manner) -> Self {
        let endpoint = Endpoint::start(manner);
        let pacing = Pacing::new(&global(true, &endpoint));
        let polling = Self { pacing, endpoint };
        let until = (now_secs() + HOUR) * 1000;
        let login = json!({ "accessToken": TOKEN, "refreshToken": "sk-ant-ort01-other", "expiresAt": until });
        let text = json!({ "claudeAiOauth": login }).to_string();
        polling.sandbox.write_home(".claude/.credentials.json", text);
        polling
    }

    /// What the slot remembers; null where nobody has taken it.
    fn slot(&self) -> Value {
        self.remembered("usage-poll.json")
    }

    /// The reading that is kept; null where there is none.
    fn usage(&self) -> Value {
        self.remembered("usage.json")
    }

    /// The process that asks, as the hook starts it.
    fn poll(&self) -> Invocation {
        self.hook().args(["poll"])
    }

    /// Asks, and waits until it is done.
    #[track_caller]
    fn polled(&self) {
        let outcome = self.poll().run();
        outcome.assert_exit(0);
        assert!(outcome.stdout.is_empty() && outcome.stderr.is_empty(), "{outcome}");
        self.assert_nothing_is_told();
    }

    /// How long nobody asks from the last attempt on, in seconds, with the play of a busy machine.
    #[track_caller]
    fn assert_waits(&self, secs: i64) {
        let slot = self.slot();
        let wait = slot["next_at"].as_i64().unwrap() - slot["asked_at"].as_i64().unwrap();
        assert!((secs..secs + 30).contains(&wait), "{wait} instead of {secs}: {slot}");
    }

    /// No file below the state folder holds the token, nor what the server said.
    #[track_caller]
    fn assert_nothing_is_told(&self) {
        for (path, content) in crate::driver::tree(&self.sandbox.state_dir()) {
            for word in [TOKEN, "very-secret", "the body"] {
                assert!(!content.contains(word), "{word} in {}: {content}", path.display());
            }
        }
    }

    #[track_caller]
    fn eventually(&self, what: &str, is_so: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_so() {
            let found = format!("{}, {:?}, {}", self.slot(), self.endpoint.requests(), self.journal());
            assert!(Instant::now() < end, "{what}: {found}");
            std::thread::yield_now();
        }
    }

    /// Waits until every process that the hook started in this sandbox is over.
    #[track_caller]
    fn until_nobody_polls(&self) {
        self.eventually("somebody still asks", || started_in(&self.sandbox, "credit-pacer").is_empty());
    }
}

fn global(enabled: bool, endpoint: &Endpoint) -> String {
    let url = endpoint.url("/api/oauth/usage");
    format!("credit-pacer: {{ alerts: [], usage_api: {{ enabled: {enabled}, url: \"{url}\" }} }}\n")
}

/// An answer as the server gives it; both windows begin anew in an hour.
fn usage_body() -> String {
    let resets = shared::host::Timestamp::from_secs(now_secs() + HOUR).rfc3339();
    let window = |utilization: f64| json!({ "utilization": utilization, "resets_at": resets });
    json!({ "five_hour": window(41.5), "seven_day": window(12.0), "seven_day_opus": null }).to_string()
}

#[test]
fn one_of_thirty_calls_at_once_starts_a_request_and_its_reading_is_kept() {
    let polling = Polling::new(Manner::answers(200, &[], &usage_body()));
    let began = now_secs();
    let calls: Vec<_> = (0..30).map(|_| polling.call()).collect();
    polling.ask_at_once(&calls);
    polling.eventually("the reading is kept", || polling.usage() != Value::Null);
    polling.until_nobody_polls();
    let usage = polling.usage();
    assert_eq!(usage["source"], "usage_api");
    assert!((began..=now_secs()).contains(&usage["observed_at"].as_i64().unwrap()), "{usage}");
    assert_eq!(usage["windows"]["five_hour"]["used_percent"], 41.5);
    assert_eq!(usage["windows"]["seven_day"]["used_percent"], 12.0);
    assert!(polling.state("usage.db").is_file(), "a row is kept as well");
    assert_eq!(polling.endpoint.requests().len(), 1);
    let asked = polling.endpoint.requests().remove(0).to_lowercase();
    assert!(asked.starts_with("get /api/oauth/usage http/1.1\r\n"), "{asked}");
    assert!(asked.contains(&format!("authorization: bearer {TOKEN}\r\n")), "{asked}");
    assert!(asked.contains("anthropic-beta: oauth-2025-04-20\r\n"), "{asked}");
    polling.assert_waits(600);
    assert_eq!(polling.texts("error"), Vec::<String>::new());
    polling.assert_nothing_is_told();
}

#[test]
fn a_server_that_hangs_delays_nobody_and_keeps_nothing_of_the_clients_open() {
    let polling = Polling::new(Manner::HangsAfter(Vec::new()));
    // The end of both outputs is waited for: a process that held them would be waited for as well.
    let outcome = polling.hook().stdin(polling.call().to_bytes()).run();
    assert_eq!(documented(&outcome), None);
    assert!(outcome.wall < Duration::from_secs(5), "{outcome}");
    polling.eventually("the server is asked", || polling.endpoint.requests().len() == 1);
    // While it hangs, the slot is taken: a further call starts nobody, and its end does not end the request.
    let mut again = polling.hook().stdin_held_open(polling.call().to_bytes()).start();
    again.kill();
    drop(again.wait());
    polling.until_nobody_polls();
    assert_eq!(polling.endpoint.requests().len(), 1);
    let slot = polling.slot();
    assert!(slot["trouble"].to_string().contains("cannot be reached") && slot["failures"] == 1, "{slot}");
    assert_eq!(polling.usage(), Value::Null);
}

/// Nobody asks, neither started by a call nor by hand.
#[track_caller]
fn assert_silent(polling: &Polling, what: &str) {
    let outcome = polling.hook().stdin(polling.call().to_bytes()).run();
    documented(&outcome);
    let prompt = polling.session.user_prompt_submit("what now?");
    documented(&polling.hook().stdin(prompt.to_bytes()).run());
    polling.polled();
    polling.until_nobody_polls();
    assert_eq!(polling.endpoint.requests(), Vec::<String>::new(), "{what}");
    assert_eq!(polling.slot(), Value::Null, "{what}: the slot is left to others");
}

#[test]
fn usage_api_is_not_asked_while_switched_off() {
    let new = || Polling::new(Manner::answers(200, &[], &usage_body()));
    let polling = new();
    polling.sandbox.requirements(Level::User, &global(false, &polling.endpoint));
    assert_silent(&polling, "not switched on");
    let polling = new();
    fs::remove_file(polling.sandbox.requirements_path(Level::User)).unwrap();
    polling.sandbox.requirements(Level::Project, &global(true, &polling.endpoint));
    polling.sandbox.requirements(Level::Local, &global(true, &polling.endpoint));
    assert_silent(&polling, "switched on by a project");
    let polling = new();
    let off =
        global(true, &polling.endpoint).replacen("credit-pacer: {", "credit-pacer: { enabled: false,", 1);
    polling.sandbox.requirements(Level::User, &off);
    polling.sandbox.requirements(Level::Project, "credit-pacer: { enabled: true }\n");
    assert_silent(&polling, "the hook is switched on by a project");
    let polling = new();
    fs::write(polling.state("OFF"), "").unwrap();
    assert_silent(&polling, "every hook is off");
    let polling = new();
    polling.switch_off();
    assert_silent(&polling, "switched off");
    let polling = new();
    polling.sandbox.requirements(Level::Project, "credit-pacer: { enabled: false }\n");
    assert_silent(&polling, "off in this project");
    let polling = new();
    polling.sandbox.settings(Level::Project, &json!({ "env": { "ANTHROPIC_BASE_URL": "anything" } }));
    assert_silent(&polling, "a project's settings lead elsewhere");
    let polling = new();
    polling.polled();
    assert_eq!(polling.endpoint.requests().len(), 1, "otherwise somebody asks");
}

#[test]
fn usage_api_needs_a_login_and_takes_one_of_the_environment() {
    let polling = Polling::new(Manner::answers(200, &[], &usage_body()));
    fs::remove_file(polling.sandbox.home().join(".claude/.credentials.json")).unwrap();
    polling.polled();
    let slot = polling.slot();
    assert!(
        slot["trouble"].to_string().contains("there is no login") && polling.texts("error").len() == 1,
        "{slot}"
    );
    assert_eq!(polling.endpoint.requests(), Vec::<String>::new());
    fs::remove_file(polling.state("usage-poll.json")).unwrap();
    polling.poll().env("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-of-the-environment").run().assert_exit(0);
    let asked = polling.endpoint.requests().remove(0).to_lowercase();
    assert!(asked.contains("authorization: bearer sk-ant-of-the-environment\r\n"), "{asked}");
}
