//! What every case needs: the hook as the catalog registers it, a hook that tells when a tool had ended, and readings as
//! the status line leaves them.

use crate::registered::{journal, settings};
use crate::typing::{SOON, ready};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tests::binaries;
use tests::client::Client;
use tests::clock::epoch_micros;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::payloads::Session;
use tests::process::Invocation;
use tests::recording::{Behaviour, Recorder};
use tests::sandbox::{Level, Sandbox};
use tests::terminal::Terminal;

/// Every delay is of two seconds.
pub(super) const SHORT: &str = "base_delay_secs: 1, max_delay_secs: 2, alerts: []";

/// How long that is.
pub(super) const DELAY: Duration = Duration::from_secs(2);

/// How much of it is seen at least: the hook that tells when a tool had ended is started beside ours, and may come later.
pub(super) const LEAST: Duration = Duration::from_millis(1500);

/// Nobody waits for the end of these.
pub(super) const LONG: &str = "max_delay_secs: 300, alerts: []";

const HOUR: u64 = 3600;

/// The scene of one case.
pub(super) struct Scene {
    pub(super) sandbox: Sandbox,
    recorder: Recorder,
}

impl Scene {
    /// With these keys of the section in the global file.
    pub(super) fn new(section: &str) -> Self {
        let scene = Self::unregistered(section);
        let after = scene.recorder.hook("after", Behaviour::default());
        let settings = settings(&["credit-pacer"]).hook("PostToolUse", &after);
        scene.sandbox.settings(Level::User, &settings.json());
        scene
    }

    /// The same without the hook.
    pub(super) fn unregistered(section: &str) -> Self {
        let sandbox = Sandbox::new();
        sandbox.requirements(Level::User, &format!("credit-pacer: {{{section}}}\n"));
        let recorder = Recorder::new(&sandbox);
        Self { sandbox, recorder }
    }

    /// The client tells the status line that so much of the five hours is used, of which three are over. The safe line is
    /// at 57 %.
    pub(super) fn used(&self, percent: u32) {
        let window = json!({ "used_percentage": percent, "resets_at": now_secs() + 2 * HOUR });
        let payload =
            Session::new(&self.sandbox).status_line().with("rate_limits", json!({ "five_hour": window }));
        let line = self.pacer(&["statusline"]).stdin(payload.to_bytes()).run();
        line.assert_exit(0);
        assert!(self.sandbox.state_dir().join("usage.json").is_file(), "it is not written down: {line}");
    }

    /// The command line.
    pub(super) fn pacer(&self, words: &[&str]) -> Invocation {
        Invocation::new(binaries::for_client("credit-pacer"), &self.sandbox).args(words.iter().copied())
    }

    /// A headless run of one prompt.
    #[track_caller]
    pub(super) fn ask(&self, script: Script) -> (MessagesApi, String) {
        let api = MessagesApi::start(script);
        let run = Client::new(&self.sandbox, &api).ask("do it");
        run.outcome.assert_exit(0);
        (api, run.text().to_owned())
    }

    /// The client in a terminal, ready to be typed into.
    #[track_caller]
    pub(super) fn terminal(&self, api: &MessagesApi) -> Terminal {
        ready(Client::new(&self.sandbox, api))
    }

    /// What the journal says of delays: milliseconds and words.
    pub(super) fn sleeps(&self) -> Vec<(u64, String)> {
        let lines = journal(&self.sandbox);
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let sleeps = lines.filter(|line| line["what"] == "sleep");
        let words = |line: &Value| line["text"].as_str().unwrap_or_default().to_owned();
        sleeps.map(|line| (line["slept_ms"].as_u64().unwrap(), words(&line))).collect()
    }

    /// Waits until the journal has so many delays.
    #[track_caller]
    pub(super) fn wait_for_sleeps(&self, count: usize) -> Vec<(u64, String)> {
        let until = Instant::now() + SOON;
        while self.sleeps().len() < count {
            assert!(Instant::now() < until, "not {count} delays; the journal: {}", journal(&self.sandbox));
            std::thread::sleep(Duration::from_millis(20));
        }
        self.sleeps()
    }

    /// When each call of these had ended, in order, in microseconds since 1970.
    pub(super) fn ends_of(&self, is_meant: impl Fn(&Value) -> bool) -> Vec<u64> {
        let runs = self.recorder.runs("after").into_iter();
        runs.filter(|run| is_meant(&run.start.payload)).map(|run| run.started_us).collect()
    }

    /// From the end of a call of the main loop to the next request.
    #[track_caller]
    pub(super) fn pause_after_call(&self, index: usize, api: &MessagesApi) -> Duration {
        let ended = self.ends_of(|payload| payload["agent_id"].is_null())[index];
        Duration::from_micros(api.main_requests()[index + 1].at_us - ended)
    }
}

/// What the model says last.
pub(super) const END: &str = "It is finished.";

/// One Bash call, then the end.
pub(super) fn one_call() -> Script {
    Script::new().reply(Reply::bash("true")).reply(END)
}

pub(super) fn now_secs() -> u64 {
    epoch_micros() / 1_000_000
}
