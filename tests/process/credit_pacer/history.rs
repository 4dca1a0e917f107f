//! Looking back: what the status line and a delay leave behind, as a chart and as a page. Times of day are the machine's,
//! so only what does not depend on them is looked at.

use std::fs;

use serde_json::json;
use tests::binaries;
use tests::process::{Invocation, Outcome};

use super::{HOUR, Pacing, now_secs};

/// Delays of a second; the days are those of Greenwich.
const SECONDS: &str = "credit-pacer: { base_delay_secs: 0, max_delay_secs: 1, timezone: UTC, alerts: [] }\n";

impl Pacing {
    fn looks_back(&self, words: &[&str]) -> Outcome {
        let program = Invocation::new(binaries::path("credit-pacer"), &self.sandbox);
        program.args(words).env("LC_ALL", "C.UTF-8").env("COLUMNS", "80").run()
    }

    /// Records a reading of both windows as the client tells it, and a delay.
    #[track_caller]
    fn lives(&self) {
        let limits = json!({
            "five_hour": { "used_percentage": 97, "resets_at": now_secs() + HOUR },
            "seven_day": { "used_percentage": 8, "resets_at": now_secs() + 160 * HOUR },
        });
        let payload = self.session.status_line().with("rate_limits", limits);
        let program = Invocation::new(binaries::path("credit-pacer"), &self.sandbox);
        let told = program.args(["statusline"]).stdin(payload.to_bytes()).run();
        told.assert_exit(0);
        self.ask(&self.call());
    }
}

#[track_caller]
fn told(outcome: &Outcome) -> String {
    outcome.assert_exit(0);
    assert_eq!(outcome.stderr_text(), "", "{outcome}");
    outcome.stdout_text()
}

#[test]
fn recorded_usage_is_drawn_as_chart_and_as_page() {
    let pacing = Pacing::new(SECONDS);
    pacing.lives();
    let chart = told(&pacing.looks_back(&["history", "--days", "2"]));
    for part in [
        "5-hour limit: 97 % used, resets ",
        "weekly limit: 8 % used, resets ",
        "^ over the safe line",
        "1, 1 s",
    ] {
        assert!(chart.contains(part), "{part}\n{chart}");
    }
    let file = pacing.sandbox.project().join("report.html");
    let path = file.to_str().unwrap();
    let printed = told(&pacing.looks_back(&["report", "--html", path]));
    assert_eq!(printed.trim_end(), fs::canonicalize(&file).unwrap().to_str().unwrap());
    let page = fs::read_to_string(&file).unwrap();
    for part in ["5-hour limit: 97 % used, resets ", "1, 1 s", "class=\"waits\" d=\"M"] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains(&pacing.session.id), "the session's id is in the page");
    fs::write(&file, "mine").unwrap();
    let refused = pacing.looks_back(&["report", "--html", path]);
    refused.assert_exit(1);
    assert!(refused.stderr_text().contains("is no report of credit-pacer"), "{refused}");
}

#[test]
fn wrong_usage_is_reported_and_writes_nothing() {
    let pacing = Pacing::new(SECONDS);
    let chart = told(&pacing.looks_back(&["history"]));
    assert!(chart.starts_with("Nothing is recorded of the last 7 days; readings come from"), "{chart}");
    assert!(!pacing.state("usage.db").exists(), "looking makes no database");
    for words in [&["history", "--days", "many"][..], &["report"]] {
        let refused = pacing.looks_back(words);
        refused.assert_exit(64);
    }
    // A file of that name in the state folder would switch every hook off.
    let file = pacing.state("OFF");
    let refused = pacing.looks_back(&["report", "--html", file.to_str().unwrap()]);
    refused.assert_exit(1);
    assert!(refused.stderr_text().contains("must end in .html") && !file.exists(), "{refused}");
}
