//! What is typed: who is answered, what is switched for whom, and what is left to Claude.

use super::Pacing;
use crate::driver::{context, documented};
use serde_json::{Value, json};
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::Level;

impl Pacing {
    /// The text a prompt is answered with, and Claude never sees it; `None`: the prompt goes to Claude.
    #[track_caller]
    fn answer_to(&self, prompt: &str) -> Option<String> {
        reply(self.ask(&self.session.user_prompt_submit(prompt)).as_ref())
    }

    /// The answer to a prompt that is one of our commands.
    #[track_caller]
    fn told(&self, prompt: &str) -> String {
        self.answer_to(prompt).unwrap_or_else(|| panic!("{prompt} goes to Claude"))
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

/// The text of an answer that keeps the prompt from Claude.
#[track_caller]
fn reply(answer: Option<&Value>) -> Option<String> {
    let answer = answer?;
    assert_eq!(answer["decision"], "block", "{answer}");
    Some(answer["reason"].as_str().unwrap().to_owned())
}

#[test]
fn a_typed_status_is_answered_and_never_reaches_claude() {
    let pacing = Pacing::new("");
    pacing.used(70.0, 20.0);
    let told = pacing.told("pace-maker status");
    assert!(told.starts_with("pacing: on, set by the defaults"), "{told}");
    for part in [
        "5-hour limit: 70 % used",
        "weekly limit: 20 % used",
        "readings: from the status line",
        "next delay: ",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert_eq!(pacing.told(" Pace-Maker STATUS "), told);
    assert_eq!(pacing.told("pace-maker"), told);
    assert!(pacing.told("credit-pacer status").contains("credit-pacer off ends it"));
    assert!(pacing.sessions().is_empty(), "and no call is counted");
}

#[test]
fn without_readings_status_says_where_they_come_from() {
    let told = Pacing::new("").told("pace-maker status");
    assert!(told.contains("readings: none yet; they come from the status line"), "{told}");
}

#[test]
fn status_as_json_fits_the_schema_it_comes_with() {
    let pacing = Pacing::new("");
    pacing.used(70.0, 20.0);
    let outcome = pacing.hook().args(["schema", "status"]).run();
    outcome.assert_exit(0);
    let schema: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    let status = pacing.status();
    jsonschema::validator_for(&schema).unwrap().validate(&status).unwrap();
    assert_eq!((&status["enabled"], &status["set_by"]), (&json!(true), &json!("the defaults")));
    assert_eq!(status["windows"].as_array().map(Vec::len), Some(2));
}

#[test]
fn off_and_on_again() {
    let pacing = Pacing::new("");
    pacing.used(40.0, 20.0);
    let off = pacing.told("pace-maker off");
    assert!(off.starts_with("pacing: off, set by its switch\n"), "{off}");
    assert!(off.contains("alerts at 80 and 95 % go on") && off.ends_with("on again: pace-maker on"), "{off}");
    let status = pacing.status();
    assert_eq!((&status["enabled"], &status["delay_secs"]), (&json!(false), &json!(0.0)));
    assert!(pacing.told("pace-maker status").contains("pace-maker on begins again"));
    let on = pacing.told("pace-maker on");
    assert!(on.starts_with("pacing: on, set by its switch\n"), "{on}");
    assert_eq!(pacing.status()["enabled"], true);
}

fn everything_off() -> Value {
    json!({
        "credit-pacer": "off", "delegation-guard.reminder": "off", "intent-validator": "off", "tempo-stop": "off"
    })
}

#[test]
fn its_own_name_is_about_pacing_alone() {
    let pacing = Pacing::new("delegation-guard: {enabled: true}\n");
    pacing.told("credit-pacer off");
    assert_eq!(pacing.switches(), json!({ "credit-pacer": "off" }));
    pacing.told("credit-pacer auto");
    assert_eq!(pacing.switches(), json!({}));
    pacing.told("pace-maker off");
    assert_eq!(pacing.switches(), everything_off());
}

#[test]
fn prose_goes_to_claude_untouched() {
    let pacing = Pacing::new("");
    for prompt in [
        "pause the video when the tab is hidden",
        "pace-maker sounds nice",
        "pace-maker sounds nice, what does it do?",
        "pace-maker off\nand then go on",
        "what does pace-maker off do?",
        "credit-pacer is what I mean",
        "",
    ] {
        assert_eq!(pacing.ask(&pacing.session.user_prompt_submit(prompt)), None, "{prompt:?}");
    }
    assert_eq!(pacing.switches(), json!({}));
}

#[test]
fn a_slip_of_the_fingers_is_answered_with_what_was_meant() {
    let pacing = Pacing::new("");
    for (prompt, part) in [
        ("pace-maker statsu", "did you mean status?\npace-maker help lists all"),
        ("pace-maker report", "in a terminal: credit-pacer report"),
        ("pace-maker history", "Nothing is recorded of the last 7 days."),
        ("pace-maker help", "pace-maker weekly on|off|auto"),
    ] {
        let told = pacing.told(prompt);
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn what_loosens_is_refused_where_nobody_types() {
    let pacing = Pacing::new("");
    for prompt in ["pace-maker off", "credit-pacer weekly off", "credit-pacer off --session s"] {
        let payload = pacing.session.user_prompt_submit(prompt);
        let hook = pacing.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli").stdin(payload.to_bytes());
        let told = reply(documented(&hook.run()).as_ref()).unwrap();
        assert!(told.contains("for the user to decide"), "{told}");
    }
    assert_eq!(pacing.switches(), json!({}));
}

#[test]
fn what_loosens_is_refused_where_claude_has_scheduled_the_prompt() {
    let pacing = Pacing::new("");
    let input = json!({ "cron": "0 9 * * *", "prompt": "pace-maker off", "recurring": true });
    pacing.ask(&pacing.session.post_tool_use("CronCreate", input, json!({ "id": "1" })));
    let told = pacing.told("pace-maker off");
    assert!(
        told.contains("Claude has scheduled the same") && told.ends_with("type: pace-maker off"),
        "{told}"
    );
    assert_eq!(pacing.switches(), json!({}));
    pacing.told("pace-maker weekly off");
    assert_eq!(pacing.switches(), json!({ "credit-pacer.seven_day": "off" }), "which nobody has scheduled");
}

#[test]
fn what_is_locked_is_not_switched() {
    let pacing = Pacing::new("locked: [credit-pacer.seven_day]\n");
    let told = pacing.told("pace-maker weekly off");
    assert!(told.contains("locked by your global requirements.yaml"), "{told}");
    assert!(pacing.told("credit-pacer off").contains("locked"));
    assert_eq!(pacing.switches(), json!({}));
    pacing.told("pace-maker 5-hour off");
    assert_eq!(pacing.switches(), json!({ "credit-pacer.five_hour": "off" }));
}

#[test]
fn a_lock_that_comes_later_makes_a_switch_void() {
    let pacing = Pacing::new("");
    pacing.used(40.0, 20.0);
    pacing.told("pace-maker weekly off");
    pacing.sandbox.requirements(Level::User, "locked: [credit-pacer.seven_day]\n");
    let told = pacing.told("pace-maker status");
    assert!(told.contains("switch: weekly limit void, for it is locked"), "{told}");
    assert_ne!(pacing.status()["windows"][1]["status"], "off");
}

#[test]
fn a_window_that_is_switched_off_is_not_paced_by() {
    let pacing = Pacing::new("");
    pacing.used(40.0, 90.0);
    assert_eq!(pacing.status()["windows"][1]["status"], "over");
    let told = pacing.told("pace-maker weekly off");
    assert_eq!(told, "weekly limit: off, set by its switch\non again: pace-maker weekly on");
    let status = pacing.told("pace-maker status");
    assert!(status.contains("weekly limit: 90 % used; not paced by"), "{status}");
    assert!(status.contains("switch: weekly limit off"), "{status}");
    assert_eq!(
        (&pacing.status()["delay_secs"], &pacing.status()["windows"][1]["status"]),
        (&json!(0.0), &json!("off"))
    );
    pacing.told("pace-maker weekly on");
    assert_eq!(pacing.status()["windows"][1]["status"], "over");
}

#[test]
fn what_costs_money_is_not_switched_on_by_a_switch() {
    let pacing = Pacing::new("");
    for (prompt, section) in
        [("pace-maker tempo on", "tempo-stop"), ("pace-maker intent-validation on", "intent-validator")]
    {
        let told = pacing.told(prompt);
        assert!(told.contains(&format!("req enable --hook {section}")), "{prompt}: {told}");
    }
    assert_eq!(pacing.switches(), json!({}));
}

/// Five calls end; the text that follows the last of them.
#[track_caller]
fn reminder(pacing: &Pacing) -> Option<String> {
    let guard = binaries::path("delegation-guard");
    let end_of_a_call = || {
        let hook = Invocation::new(&guard, &pacing.sandbox).env("CLAUDE_CODE_ENTRYPOINT", "cli");
        context(documented(&hook.stdin(pacing.call().to_bytes()).run()).as_ref())
    };
    let told: Vec<_> = (0..5).map(|_| end_of_a_call()).collect();
    told[4].clone()
}

#[test]
fn the_reminder_is_really_silent_while_it_is_switched_off() {
    let pacing = Pacing::new("delegation-guard: {enabled: true}\n");
    assert!(reminder(&pacing).is_some());
    pacing.told("pace-maker reminder off");
    assert_eq!(reminder(&pacing), None);
    let status = Invocation::new(binaries::path("delegation-guard"), &pacing.sandbox).args(["status"]).run();
    assert!(status.stdout_text().contains("delegation-guard.reminder: off, set by its switch"), "{status}");
    let sources = Invocation::new(binaries::path("req"), &pacing.sandbox)
        .args(["config", "delegation-guard.reminder.enabled", "--sources"])
        .run();
    assert!(sources.stdout_text().contains("false  # switch"), "{sources}");
    pacing.told("pace-maker reminder on");
    assert!(reminder(&pacing).is_some());
}

#[cfg(target_os = "linux")]
mod in_a_terminal {
    use super::super::Pacing;
    use crate::typed::{Typed, claude, shell, typed};
    use serde_json::json;
    use std::path::Path;
    use tests::binaries;

    /// The binary under its second name.
    fn pace_maker(pacing: &Pacing) -> std::path::PathBuf {
        let link = pacing.sandbox.temporary_dir().join("pace-maker");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(binaries::path("credit-pacer"), &link).unwrap();
        link
    }

    fn run(pacing: &Pacing, shell: &Path, words: &str) -> Typed {
        typed(&pace_maker(pacing), &pacing.sandbox, shell, words, &[])
    }

    #[test]
    fn a_person_switches_everything_off_by_the_second_name() {
        let pacing = Pacing::new("delegation-guard: {enabled: true}\n");
        let off = run(&pacing, &shell(), "off");
        assert_eq!(off.status, 0, "{}", off.screen);
        assert!(off.screen.contains("reminder: off, set by its switch"), "{}", off.screen);
        assert_eq!(pacing.switches(), super::everything_off());
        let on = run(&pacing, &shell(), "on");
        assert_eq!((on.status, pacing.switches()), (0, json!({ "credit-pacer": "on" })), "{}", on.screen);
    }

    #[test]
    fn claudes_shell_may_switch_on_and_not_off() {
        let pacing = Pacing::new("");
        let claude = claude(&pacing.sandbox);
        for words in ["off", "weekly off", "reminder off", "5-hour auto"] {
            let refused = run(&pacing, &claude, words);
            assert_eq!(refused.status, 1, "{}", refused.screen);
            assert!(
                refused.screen.trim_end().ends_with(&format!("type: pace-maker {words}")),
                "{}",
                refused.screen
            );
        }
        assert_eq!(pacing.switches(), json!({}));
        assert_eq!(run(&pacing, &claude, "on").status, 0);
        assert_eq!(pacing.switches(), json!({ "credit-pacer": "on" }));
    }

    #[test]
    fn wrong_words_are_wrong_usage() {
        let pacing = Pacing::new("");
        for (words, hint) in [
            ("statsu", "did you mean status?"),
            ("weekly maybe", "weekly needs on, off or auto"),
            ("wekly off", "did you mean weekly?"),
        ] {
            let outcome = run(&pacing, &shell(), words);
            assert_eq!(outcome.status, 64, "{}", outcome.screen);
            assert!(outcome.screen.contains(hint), "{}", outcome.screen);
        }
    }
}
