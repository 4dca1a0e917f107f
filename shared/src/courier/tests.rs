//! Asking a courier that is a script: what it may answer, and what ends it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Answer, CourierError, Kind, Request, ask};

/// For everything that happens at once on an idle machine.
const SOON: Duration = Duration::from_secs(30);

fn request(timeout: Duration) -> Request {
    Request {
        method: "GET".to_owned(),
        url: "https://api.example.com/usage".to_owned(),
        headers: BTreeMap::from([("Authorization".to_owned(), "Bearer secret".to_owned())]),
        body: None,
        proxy: None,
        timeout_ms: timeout.as_millis(),
        max_bytes: 1000,
    }
}

/// A program in the place of the courier, that runs these lines. A child writes it: if this process held it open for writing,
/// another test's fork could keep it from being started.
fn program(folder: &Path, lines: &str) -> PathBuf {
    let file = folder.join("courier");
    let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 700 \"$0\"";
    let written = Command::new("sh").args(["-c", write]).arg(&file).arg(lines).status().unwrap();
    assert!(written.success(), "{written}");
    file
}

fn asked(lines: &str) -> Result<Answer, CourierError> {
    let scratch = tempfile::tempdir().unwrap();
    ask(&request(SOON), SOON, &program(scratch.path(), lines))
}

#[test]
fn it_is_given_the_request_and_nothing_else() {
    let scratch = tempfile::tempdir().unwrap();
    let lines = "cat > given; echo \"$#\" > arguments; env > environment; printf '{}'";
    let courier = program(scratch.path(), lines);
    assert_eq!(ask(&request(SOON), SOON, &courier), Err(CourierError::Speechless));
    let read = |name: &str| fs::read_to_string(scratch.path().join(name)).unwrap();
    let expected = serde_json::json!({
        "method": "GET",
        "url": "https://api.example.com/usage",
        "headers": { "Authorization": "Bearer secret" },
        "body": null,
        "proxy": null,
        "timeout_ms": 30_000,
        "max_bytes": 1000,
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&read("given")).unwrap(), expected);
    assert_eq!(read("arguments").trim(), "0");
    // The shell itself adds these.
    let of_the_shell = ["PWD=", "OLDPWD=", "SHLVL=", "_="];
    let given: Vec<String> = read("environment").lines().map(str::to_owned).collect();
    let strange = given.iter().find(|line| !of_the_shell.iter().any(|name| line.starts_with(name)));
    assert_eq!(strange, None);
}

#[test]
fn what_it_says_is_read_and_else_there_is_no_answer() {
    let answer = r#"{"status":429,"headers":{"retry-after":"7"},"body":"slow","truncated":true}"#;
    // It may answer without having heard all.
    let read = asked(&format!("echo '{answer}'")).unwrap();
    assert_eq!((read.status, read.headers["retry-after"].as_str(), read.truncated), (429, "7", true));
    for (error, kind) in
        [("unreachable", Kind::Other), ("timeout", Kind::Timeout), ("too_large", Kind::TooLarge)]
    {
        let failure = asked(&format!(r#"echo '{{"error":"{error}","message":"no trust"}}'"#));
        assert_eq!(failure, Err(CourierError::Failed(kind)));
    }
    for lines in ["exit 1", "echo nonsense", "echo '{\"status\":200}'", "kill -9 $$"] {
        assert_eq!(asked(lines), Err(CourierError::Speechless), "{lines}");
    }
}
