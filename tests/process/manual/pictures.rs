//! The pictures of README.md and the manual are drawn from what the programs print. They are files of the source tree: where one
//! has changed, `BARBLESS_DRAW=1` before the test draws it anew.

use std::env;
use std::fs;
use std::time::SystemTime;

use serde_json::json;
use tests::binaries;
use tests::payloads::Session;
use tests::picture::svg;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

use super::root;
use crate::typed::{shell, typed};

const FOLDER: &str = "config/manual/pictures";

const HOUR: i64 = 3600;

/// Of the picture of what `req` prints.
const COLUMNS: u16 = 100;

/// The picture is as it would be drawn now, or is drawn.
#[track_caller]
fn is_current(name: &str, picture: &str) {
    let file = root().join(FOLDER).join(name);
    if env::var_os("BARBLESS_DRAW").is_some() {
        fs::write(&file, picture).unwrap();
    }
    let there = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        there == picture,
        "{FOLDER}/{name} is not what the programs print: run this test with BARBLESS_DRAW=1\n{picture}"
    );
}

/// What the status line shows a session that has used so much of both windows, with so many hours of each left.
fn status_line(five_hour: (f64, i64), seven_day: (f64, i64)) -> String {
    let sandbox = Sandbox::new();
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let now_secs = i64::try_from(elapsed.as_secs()).unwrap();
    // Days that are all alike: what is planned depends on no weekday.
    sandbox.requirements(Level::User, "credit-pacer: { workdays: [], timezone: UTC }\n");
    let window =
        |(used, left): (f64, i64)| json!({ "used_percentage": used, "resets_at": now_secs + left * HOUR });
    let limits = json!({ "five_hour": window(five_hour), "seven_day": window(seven_day) });
    let payload = Session::new(&sandbox).status_line().with("rate_limits", limits);
    let program = Invocation::new(binaries::path("credit-pacer"), &sandbox).args(["statusline"]);
    let outcome = program.env("COLUMNS", "84").env("TERM", "xterm-256color").stdin(payload.to_bytes()).run();
    outcome.assert_exit(0);
    outcome.stdout_text()
}

#[test]
fn the_status_line() {
    let lines = [
        status_line((31.0, 2), (40.0, 72)),
        status_line((73.0, 2), (61.0, 100)),
        status_line((96.0, 1), (88.0, 90)),
    ];
    is_current(
        "status-line.svg",
        &svg("The status line: on plan, ahead of it, nearly nothing left", &lines.concat(), 72),
    );
}

#[test]
fn what_is_required() {
    let team = "\
requirements:
  commit_plan: { enabled: true, message: Say in a few lines which commits this change will be. }
  branch_size: { enabled: true, type: dynamic, calculator: branch_size, thresholds: { warn: 250, block: 400 } }
  protected_branch: { enabled: true, type: guard, guard_type: protected_branch }
  tests_green: { enabled: true, type: evidence, command: cargo test, paths: ['src/**'], trigger_tools: [{ tool: Bash, command_pattern: git commit }] }
";
    let sandbox = Sandbox::new();
    sandbox.requirements(Level::Project, team);
    sandbox.commit("what is required");
    sandbox.git(&["switch", "--quiet", "-c", "my-change"]);
    sandbox.write("src/parser.rs", "// new\n".repeat(38));
    let registered = r#"{"enabledPlugins": {"barbless@barbless": true}}"#;
    fs::write(sandbox.home().join(".claude/settings.json"), registered).unwrap();
    let commands = sandbox.home().join(".local/bin");
    fs::create_dir_all(&commands).unwrap();
    std::os::unix::fs::symlink(binaries::path("req"), commands.join("req")).unwrap();
    let path = format!("{}:{}", commands.display(), sandbox.env()["PATH"]);
    let said = |words| typed(&commands.join("req"), &sandbox, &shell(), words, &[("PATH", &path)]).screen;
    let check = "check --bash 'git commit -m x'";
    let screen = format!("$ req status\n{}\n$ req {check}\n{}", said("status"), said(check));
    let lines: Vec<String> = screen.lines().flat_map(|line| broken(line, COLUMNS.into())).collect();
    let title = "What req status and req check say in a project";
    is_current("req-status.svg", &svg(title, &lines.join("\n"), COLUMNS));
}

/// A line in pieces of at most so many characters: a terminal breaks within words, which nobody likes in a picture.
fn broken(line: &str, columns: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for word in line.split_inclusive(' ') {
        if pieces.last().unwrap().chars().count() + word.chars().count() > columns {
            pieces.push(" ".repeat(20));
        }
        pieces.last_mut().unwrap().push_str(word);
    }
    pieces
}
