//! Carries one HTTP request for a hook: a JSON object on stdin, a JSON object on stdout, and no other word. The only program
//! here that opens connections, so that a resolver or a TLS fault cannot reach a hook.
//!
//! - `messages`: a request with its check, an answer, the kinds of failure
//! - `exchange`: carries a request
//!
//! It keeps nothing, follows no redirect, takes nothing from the environment, and says nothing of the headers it was
//! given, in which a token may stand.

mod exchange;
mod messages;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;

use serde_json::json;

use messages::{Answer, Kind, Request};

const USAGE: &str = "\
courier carries one HTTP request for a hook, which starts it: JSON on stdin, JSON on stdout

  in   {\"method\", \"url\", \"headers\": {..}, \"body\": TEXT|null, \"proxy\": URL|null, \"timeout_ms\", \"max_bytes\"}
  out  {\"status\", \"headers\": {..}, \"body\": TEXT, \"truncated\": true|false}
       {\"error\": \"unreachable|timeout|too_large|bad_request|other\"}

  courier version   prints the version
";

const WRONG_USAGE: u8 = 64;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    match words.as_slice() {
        [] if arguments.is_empty() && !io::stdin().is_terminal() => print(&answer_of(carry(io::stdin()))),
        ["version" | "--version" | "-V"] => print(&format!("courier {}\n", env!("CARGO_PKG_VERSION"))),
        ["help" | "--help" | "-h"] => print(USAGE),
        _ => {
            let _ = io::stderr().write_all(USAGE.as_bytes());
            ExitCode::from(WRONG_USAGE)
        }
    }
}

fn carry(mut input: impl Read) -> Result<Answer, Kind> {
    let mut text = Vec::new();
    input.read_to_end(&mut text).map_err(|_| Kind::BadRequest)?;
    exchange::exchange(Request::parse(&text).ok_or(Kind::BadRequest)?)
}

fn answer_of(carried: Result<Answer, Kind>) -> String {
    let text = match carried {
        Ok(answer) => serde_json::to_string(&answer),
        Err(error) => serde_json::to_string(&json!({ "error": error })),
    };
    text.map(|text| text + "\n").unwrap_or_default()
}

fn print(text: &str) -> ExitCode {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    if printed.is_ok() && !text.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
