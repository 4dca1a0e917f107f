//! What is typed: who is answered, what is switched for whom, and what is left to Claude.

use super::Pacing;
use serde_json::{Value, json};

impl Pacing {
    /// The answer to a prompt that is one of our commands: Claude never sees it.
    #[track_caller]
    fn told(&self, prompt: &str) -> String {
        let answer = self.ask(&self.session.user_prompt_submit(prompt)).unwrap_or_default();
        assert_eq!(answer["decision"], "block", "{answer}");
        answer["reason"].as_str().unwrap().to_owned()
    }

    /// What `status --json` says in a shell of this session.
    #[track_caller]
    fn status(&self) -> Value {
        let outcome = self.hook().args(["status", "--json"]).run();
        outcome.assert_exit(0);
        serde_json::from_slice(&outcome.stdout).unwrap()
    }

    /// Where the switches stand, as they are kept.
    fn switches(&self) -> Value {
        let file = self.state("switches.json");
        if file.exists() { self.state_of("switches.json")["state"]["machine"].clone() } else { json!({}) }
    }
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
    // The ages of readings differ by a second now and then.
    let line = |text: &str| text.lines().nth(1).map(str::to_owned);
    assert_eq!(line(&pacing.told("pace-maker")), line(&told));
    assert!(pacing.sessions().is_empty(), "and no call is counted");
    let status = pacing.status();
    assert_eq!((&status["enabled"], &status["set_by"]), (&json!(true), &json!("the defaults")));
    assert_eq!(status["windows"]["seven_day"]["status"], "over");
    assert_eq!(status["source"], "the status line");
}

#[test]
fn off_and_on_again_by_either_name() {
    let pacing = Pacing::new("");
    pacing.used(40.0, 20.0);
    let off = pacing.told("pace-maker off");
    assert!(off.starts_with("credit-pacer: off, set by its switch\n"), "{off}");
    assert!(off.ends_with("on again: credit-pacer auto"), "{off}");
    assert_eq!(pacing.switches(), json!({ "credit-pacer": "off" }));
    let status = pacing.status();
    assert_eq!((&status["enabled"], &status["delay_secs"]), (&json!(false), &json!(0.0)));
    assert!(pacing.told("pace-maker status").contains("alerts at 80 and 95 % go on"));
    pacing.told("credit-pacer auto");
    assert_eq!(pacing.switches(), json!({}));
    pacing.used(40.0, 90.0);
    pacing.told("pace-maker weekly off");
    let week = &pacing.status()["windows"]["seven_day"];
    assert_eq!((&week["status"], &week["delay_secs"]), (&json!("off"), &json!(0.0)));
    let prose = pacing.session.user_prompt_submit("pace-maker sounds nice");
    assert_eq!(pacing.ask(&prose), None, "prose goes to Claude");
    assert!(pacing.told("pace-maker history").contains("Nothing is recorded of the last 7 days;"));
}

#[test]
fn what_loosens_is_refused_where_claude_has_scheduled_the_prompt() {
    let pacing = Pacing::new("");
    let input = json!({ "cron": "0 9 * * *", "prompt": "pace-maker off", "recurring": true });
    pacing.ask(&pacing.session.post_tool_use("CronCreate", input, json!({ "id": "1" })));
    let told = pacing.told("pace-maker off");
    assert!(told.contains("Claude has scheduled the same"), "{told}");
    assert_eq!(pacing.switches(), json!({}));
    pacing.told("pace-maker weekly off");
    assert_eq!(pacing.switches(), json!({ "credit-pacer.seven_day": "off" }), "which nobody has scheduled");
}

#[cfg(target_os = "linux")]
mod in_a_terminal {
    use super::super::Pacing;
    use crate::typed::{Typed, claude, shell, typed};
    use serde_json::json;
    use std::path::Path;
    use tests::binaries;

    /// Runs the binary under its second name.
    fn run(pacing: &Pacing, shell: &Path, words: &str) -> Typed {
        let link = pacing.sandbox.temporary_dir().join("pace-maker");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(binaries::path("credit-pacer"), &link).unwrap();
        typed(&link, &pacing.sandbox, shell, words, &[])
    }

    #[test]
    fn a_person_switches_off_and_claudes_shell_may_only_switch_on() {
        let pacing = Pacing::new("");
        let off = run(&pacing, &shell(), "off");
        assert_eq!((off.status, pacing.switches()), (0, json!({ "credit-pacer": "off" })), "{}", off.screen);
        let claude = claude(&pacing.sandbox);
        assert_eq!(run(&pacing, &claude, "on").status, 0);
        for words in ["off", "weekly off", "5-hour auto"] {
            let refused = run(&pacing, &claude, words);
            assert_eq!(refused.status, 1, "{}", refused.screen);
            let line = format!("type: credit-pacer {words}");
            assert!(refused.screen.trim_end().ends_with(&line), "{}", refused.screen);
        }
        assert_eq!(pacing.switches(), json!({ "credit-pacer": "on" }));
    }
}
