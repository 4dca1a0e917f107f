//! A sandbox in which hooks of ours are registered as the catalog says, on all their events, for the user.

use serde_json::json;
use shared::catalog::Catalog;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tests::binaries;
use tests::client::executable;
use tests::messages_api::{Recorded, Reply, ToolResult};
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};
use tests::settings::{Hook, Settings};

/// These hooks, with this global file.
pub(crate) fn sandbox(hooks: &[&str], requirements: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.settings(Level::User, &settings(hooks).json());
    sandbox.requirements(Level::User, requirements);
    sandbox
}

/// The same, with copies of the programs, of their further commands and of their helpers in a folder of the sandbox, and
/// links to the commands in `~/.local/bin`, as an installer leaves them: what a hook says about its commands depends on where
/// they lie.
pub(crate) fn installed(hooks: &[&str], folder: &str, requirements: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join(folder);
    let links = sandbox.home().join(".local/bin");
    for new in [&folder, &links] {
        fs::create_dir_all(new).unwrap();
    }
    let catalog = Catalog::built_in().unwrap();
    let entries = || hooks.iter().map(|name| catalog.hook(name).unwrap());
    for hook in entries() {
        for command in &hook.commands {
            fs::copy(binaries::behind_command(command, &hook.name), folder.join(command)).unwrap();
        }
        for helper in &hook.helpers {
            fs::copy(binaries::for_client(helper), folder.join(helper)).unwrap();
        }
    }
    for command in entries().flat_map(|hook| &hook.commands) {
        symlink(folder.join(command), links.join(command)).unwrap();
    }
    sandbox.settings(Level::User, &settings_from(hooks, |name| folder.join(name)).json());
    sandbox.requirements(Level::User, requirements);
    sandbox
}

/// Their registrations.
pub(crate) fn settings(hooks: &[&str]) -> Settings {
    settings_from(hooks, binaries::for_client)
}

fn settings_from(hooks: &[&str], program: impl Fn(&str) -> PathBuf) -> Settings {
    let catalog = Catalog::built_in().unwrap();
    let mut settings = Settings::new();
    for name in hooks {
        let program = program(name);
        for event in &catalog.hook(name).unwrap().events {
            let hook = Hook::new(&program, &[]).timeout_secs(f64::from(event.timeout_secs));
            let hook = match &event.status_message {
                Some(text) => hook.with("statusMessage", text.as_str()),
                None => hook,
            };
            settings = match &event.matcher {
                Some(matcher) => settings.hook_on(&event.event, matcher, &hook),
                None => settings.hook(&event.event, &hook),
            };
        }
    }
    settings
}

/// `claude plugin ...`, as the user of this sandbox types it.
#[track_caller]
pub(crate) fn plugin(sandbox: &Sandbox, line: &str) {
    let words = ["plugin"].into_iter().chain(line.split(' '));
    let run = Invocation::new(executable(), sandbox).args(words).env("DISABLE_AUTOUPDATER", "1");
    run.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").run().assert_exit(0);
}

/// The address of a folder as a repository: one the client takes for an address, and git finds on this disk.
pub(crate) fn committed(sandbox: &Sandbox, folder: &Path) -> &'static str {
    let git = |words: &[&str]| sandbox.git(&[&["-C", folder.to_str().unwrap()], words].concat());
    git(&["init", "--quiet", "--initial-branch", "main"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "the plugin"]);
    git(&[
        "config",
        "--global",
        &format!("url.file://{}.insteadOf", folder.display()),
        "https://example.invalid/box",
    ]);
    "https://example.invalid/box/.git"
}

/// A Bash call that leaves a file of this name in the project: what really ran can be seen there.
pub(crate) fn touch(name: &str) -> Reply {
    Reply::bash(&format!("touch {name}"))
}

/// A subagent in the background, answered by this route.
pub(crate) fn background_agent(route: &str) -> Reply {
    let input = json!({
        "description": "the task", "prompt": format!("[[route:{route}]] do it"),
        "subagent_type": "general-purpose", "run_in_background": true,
    });
    Reply::tool("Agent", input)
}

/// The files the calls left in the project.
pub(crate) fn ran(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.project()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// The result of the newest tool call a request shows.
#[track_caller]
pub(crate) fn newest_result(request: &Recorded) -> ToolResult {
    request.tool_results().pop().expect("a tool result is shown")
}

/// The journal of all hooks, as text.
pub(crate) fn journal(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.state_dir().join("journal.jsonl")).unwrap_or_default()
}
