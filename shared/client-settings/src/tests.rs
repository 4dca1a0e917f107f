//! Texts in, texts out: what is added, what stays to the byte, what is refused and where.

use std::path::PathBuf;

use super::{Entry, Owner, Program, Refused, Registration, Wanted, arrange, read};

mod generated;
mod given_back;
mod hooks;
mod reading;
mod refusals;
mod shell_lines;
mod status_line;

const FOLDER: &str = "/home/me/.claude/hooks";

fn owner() -> Owner {
    let former = ["/old/place/.claude/hooks", "/a b/.claude/hooks", r"C:\Users\me\.claude\hooks"];
    Owner {
        folders: [FOLDER].into_iter().chain(former).map(PathBuf::from).collect(),
        binaries: ["a-gate", "b-watch", "d-team", "notice"].map(str::to_owned).to_vec(),
        ..Owner::default()
    }
}

fn on(event: &str, matcher: Option<&str>, binary: &str, timeout_secs: u32) -> Registration {
    Registration {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        program: Program::Path(format!("{FOLDER}/{binary}")),
        timeout_secs: Some(timeout_secs.into()),
        status_message: None,
    }
}

fn wanted() -> Vec<Registration> {
    vec![on("Stop", None, "a-gate", 10), on("PreToolUse", Some("Bash|Edit"), "b-watch", 5)]
}

fn hooks(hooks: &[Registration]) -> Wanted {
    Wanted { hooks: hooks.to_vec(), ..Wanted::default() }
}

fn register(text: &str, owner: &Owner, wanted: &[Registration]) -> Result<String, Refused> {
    arrange(Some(text), owner, &hooks(wanted), &[]).map(Option::unwrap_or_default)
}

fn registered(text: &str) -> Vec<Entry> {
    read(text, &owner()).unwrap().ours().cloned().collect()
}

#[track_caller]
fn installed(before: &str) -> String {
    let after = register(before, &owner(), &wanted()).unwrap();
    assert_eq!(register(&after, &owner(), &wanted()).unwrap(), after, "a second time changes nothing");
    after
}
