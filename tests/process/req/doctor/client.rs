//! The client's version, the time of the last real firing, and the readings of the credits used.

use super::{GATE, Patient, Verdict, WATCH};
use serde_json::json;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};
use tests::payloads::Session;
use tests::process::Invocation;

const HOUR: Duration = Duration::from_secs(3600);

impl Patient {
    /// The client of this version is what the shell would start. It must not be started.
    fn has_client(&self, version: &str) {
        let program = self.sandbox.write_home(
            format!(".local/share/claude/versions/{version}"),
            format!("#!/bin/sh\ntouch '{}'\n", self.sandbox.temporary_dir().join("started").display()),
        );
        super::make_executable(&program);
        let link = self.home(".local/bin/claude");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(program, link).unwrap();
    }

    /// A session of the client wrote to its transcript then.
    fn has_session(&self, written: SystemTime, version: &str) {
        let line = json!({ "type": "user", "version": version });
        let file = self.sandbox.write_home(".claude/projects/-code/s.jsonl", format!("{line}\n"));
        File::options().append(true).open(file).unwrap().set_modified(written).unwrap();
    }

    fn aged(&self, path: &str, modified: SystemTime) {
        let file = self.home(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        File::options().append(true).create(true).open(file).unwrap().set_modified(modified).unwrap();
    }
}

#[test]
fn a_changed_version_is_told_once_and_is_proved_anew() {
    let patient = Patient::installed_in_earnest();
    patient.has_client("2.1.329");
    patient.verdict().assert("ok", &["Claude Code 2.1.329; all proofs passed"]);
    patient.has_client("2.1.330");
    let verdict = patient.verdict();
    verdict.assert("warning", &["Claude Code is 2.1.330 now, and was 2.1.329", "passed again just now"]);
    assert_eq!(verdict.status, 0);
    patient.verdict().assert("ok", &["Claude Code 2.1.330; all proofs passed"]);
    assert!(!patient.sandbox.temporary_dir().join("started").exists(), "the client was run");
}

#[test]
fn a_version_under_which_a_proof_failed_is_not_remembered() {
    let patient = Patient::installed_in_earnest();
    patient.has_client("2.1.329");
    patient.verdict();
    patient.has_client("2.1.330");
    let binary = fs::read(patient.deployed(WATCH)).unwrap();
    fs::write(patient.deployed(WATCH), "#!/bin/sh\n").unwrap();
    patient.verdict().assert("warning", &["2.1.330 now", "not all proofs passed"]);
    fs::write(patient.deployed(WATCH), binary).unwrap();
    patient.verdict().assert("warning", &["2.1.330 now, and was 2.1.329", "passed again"]);
}

#[test]
fn without_a_program_the_version_is_that_of_the_session_or_of_the_shell_claude_gives() {
    let patient = Patient::installed_in_earnest();
    patient.verdict().assert("note", &["version of Claude Code is not known"]);
    patient.has_session(SystemTime::now(), "2.1.300");
    patient.verdict().assert("ok", &["Claude Code 2.1.300;"]);
    let inside = patient.req(&["doctor", "--json"]).env("AI_AGENT", "claude-code_2-1-301_agent");
    Verdict::of(inside).assert("warning", &["Claude Code is 2.1.301 now"]);
}

/// The gate, started as the client does when a session begins.
fn session_start(patient: &Patient, agent: &str) -> Invocation {
    let session = Session::new(&patient.sandbox);
    Invocation::new(patient.deployed(GATE), &patient.sandbox)
        .unset("CLAUDE_HOOK_STATE_DIR")
        .env("CLAUDE_PROJECT_DIR", patient.sandbox.project().display().to_string())
        .env("CLAUDE_CODE_ENTRYPOINT", "cli")
        .env("AI_AGENT", agent)
        .stdin(session.session_start("startup").to_bytes())
}

#[test]
fn at_a_sessions_start_the_user_hears_of_a_client_that_nothing_was_proved_under() {
    let patient = Patient::installed_in_earnest();
    let told = |agent: &str| {
        let answer = session_start(&patient, agent).run().answer();
        answer.and_then(|answer| answer["systemMessage"].as_str().map(str::to_owned))
    };
    let is_told = |agent: &str| told(agent).is_some_and(|text| text.contains("req doctor"));
    assert!(!is_told("claude-code_2-1-330_harness"), "nothing was ever proved");
    patient.has_client("2.1.329");
    patient.verdict();
    assert!(!is_told("claude-code_2-1-329_harness"), "proved");
    let text = told("claude-code_2-1-330_harness").unwrap();
    assert!(text.contains("2.1.330") && text.contains("2.1.329") && text.contains("req doctor"), "{text}");
    assert!(!is_told("claude-code_2-1-330_harness"), "told already");
    assert!(is_told("claude-code_2-1-331_harness"), "another one");
    assert!(!is_told("something else"));
}

#[test]
fn a_hook_that_fires_no_more_is_told() {
    let patient = Patient::installed_in_earnest();
    let now = SystemTime::now();
    for (fired, session, severity, said) in [
        (Some(now - HOUR * 2), None, "ok", "last fired 2 h ago"),
        (Some(now - HOUR * 2), Some(now), "ok", "last fired 2 h ago"),
        (Some(now - HOUR * 72), Some(now), "warning", "last fired 3 days ago, though a session went on"),
        (None, Some(now + HOUR), "note", "has never fired"),
    ] {
        let heartbeat = format!(".claude/hook-state/heartbeat/{WATCH}");
        match fired {
            Some(fired) => patient.aged(&heartbeat, fired),
            None => fs::remove_file(patient.home(&heartbeat)).unwrap(),
        }
        if let Some(session) = session {
            patient.has_session(session, "2.1.329");
        }
        patient.verdict().assert(severity, &[WATCH, said]);
    }
}

#[test]
fn readings_of_credits_are_told_with_their_age_and_where_they_come_from() {
    let names = |verdict: &Verdict| verdict.report["sections"].to_string().contains("Credits");
    assert!(!names(&Patient::bare().verdict()), "no hook needs any, and there are none");
    let patient = Patient::installed_in_earnest();
    patient.verdict().assert("note", &["no readings of the credits used", "the next session brings one"]);
    patient.has_session(SystemTime::now() + HOUR, "2.1.329");
    patient.verdict().assert("warning", &["no readings of the credits used", "Pro or Max login"]);
    let write = |ago: Duration| {
        let observed = (SystemTime::now() - ago).duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let windows = json!({ "five_hour": { "used_percent": 40.0, "resets_at": 1 } });
        let state = json!({ "observed_at": observed.as_secs(), "source": "status_line", "windows": windows });
        let file = json!({ "version": 1, "session": "", "state": state });
        patient.sandbox.write_home(".claude/hook-state/usage.json", file.to_string());
    };
    write(Duration::from_secs(60));
    patient.verdict().assert("ok", &["credits used are fresh, from the status line"]);
    write(HOUR);
    patient.verdict().assert("warning", &["the last reading of the credits used is 1 h old"]);
    patient.has_session(SystemTime::now() - HOUR, "2.1.329");
    patient
        .verdict()
        .assert("note", &["the last reading of the credits used is 1 h old", "the next session"]);
}
