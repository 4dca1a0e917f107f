//! Calls that go around the user, and those that do not.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::json;
use serde_json::value::to_raw_value;
use shared::protocol::ToolCall;

use super::kept::Disk;
use super::*;
use crate::place::flat;
use crate::settings::Requirement;

mod edits;
mod lines;
mod links;
mod passes;
mod ways_round;

/// A file system without links and repositories.
struct Plain;

impl Disk for Plain {
    fn real(&self, path: &Path) -> PathBuf {
        flat(path)
    }

    fn repository(&self, _folder: &Path) -> Option<PathBuf> {
        None
    }
}

fn guarded(cwd: &'static str) -> Guarded<'static> {
    Guarded {
        config_dir: Some(Path::new("/home/me/.claude")),
        root: Some(Path::new("/srv/app")),
        state_dirs: vec![Path::new("/var/me/state"), Path::new("/home/me/.claude/hook-state")],
        common_dir: Some(Path::new("/srv/app/.git")),
        home: Some(Path::new("/home/me")),
        cwd: Path::new(cwd),
    }
}

fn call(tool: &str, input: &serde_json::Value) -> Call {
    let call = ToolCall {
        tool_name: tool.to_owned(),
        tool_use_id: None,
        tool_input: Some(to_raw_value(input).unwrap()),
    };
    Call::read(&call, true)
}

fn of_file(tool: &str, file: &str) -> Option<What> {
    breach_on(&Plain, &call(tool, &json!({ "file_path": file })), &guarded("/srv/app"))
}

fn of_line(line: &str) -> Option<What> {
    breach_on(&Plain, &call("Bash", &json!({ "command": line })), &guarded("/srv/app"))
}

fn of_powershell(line: &str) -> Option<What> {
    breach_on(&Plain, &call("PowerShell", &json!({ "command": line })), &guarded("/srv/app"))
}

fn settings(requirements: &[(&str, bool, SatisfiedBy)]) -> Settings {
    let requirements = requirements.iter().map(|(name, enabled, satisfied_by)| {
        let set = Requirement { enabled: *enabled, satisfied_by: *satisfied_by, ..Requirement::default() };
        ((*name).to_owned(), set)
    });
    Settings { requirements: requirements.collect(), ..Settings::default() }
}

#[test]
fn the_first_enabled_requirement_that_is_locked_or_the_users_raises_the_rails() {
    use SatisfiedBy::{Agent, User};
    let settings = settings(&[("a", true, Agent), ("b", false, User), ("c", true, Agent), ("d", true, User)]);
    let table: &[(&[&str], &str, Why)] = &[
        (&[], "requirements.d", Why::UsersAlone),
        (&["requirements.b"], "requirements.d", Why::UsersAlone),
        (&["hooks.stop", "requirements.cc", "requirements.c_"], "requirements.d", Why::UsersAlone),
        (&["requirements.d"], "requirements.d", Why::Locked),
        (&["requirements.c"], "requirements.c", Why::Locked),
        (&["requirements.c.enabled"], "requirements.c", Why::Locked),
        (&["requirements"], "requirements.a", Why::Locked),
        (&[""], "requirements.a", Why::Locked),
    ];
    for (locked, rule, why) in table {
        let locked: Vec<String> = locked.iter().map(|path| (*path).to_owned()).collect();
        assert_eq!(in_force(&settings, &locked), Some(((*rule).to_owned(), *why)), "{locked:?}");
    }
}

#[test]
fn without_such_a_requirement_the_rails_are_down() {
    let open = settings(&[("a", true, SatisfiedBy::Agent), ("b", false, SatisfiedBy::User)]);
    for locked in [&[][..], &["requirements.b".to_owned()], &["hooks".to_owned()]] {
        assert_eq!(in_force(&open, locked), None, "{locked:?}");
    }
    assert_eq!(in_force(&Settings::default(), &[String::new()]), None);
}

#[test]
fn a_refusal_stands_alone() {
    let breach = |what, why| Breach { rule: "requirements.adr".to_owned(), why, what }.words();
    let path = PathBuf::from("/srv/app/.claude/requirements.yaml");
    assert_eq!(
        breach(What::Change(Kept::Requirements, path), Why::Locked),
        "requirements-check: this call would change /srv/app/.claude/requirements.yaml (what is required is set there). \
         That is for the user to decide while requirements.adr is in force, which is locked by the user's global \
         requirements.yaml. Leave it as it is; if it has to be done, ask the user to do it in a terminal of their own, \
         outside Claude Code."
    );
    let table = [
        (What::Name("hook-state".to_owned()), "would run code that names hook-state and may change it."),
        (
            What::Variable("CLAUDECODE".to_owned()),
            "would change CLAUDECODE, by which Barbless's commands know where they run.",
        ),
        (What::Detach("script".to_owned()), "would run one of the user's own commands through script."),
        (
            What::Unreadable,
            "would run a line that cannot be read and names files of requirements, settings or state.",
        ),
        (
            What::Pretend("stop-momentum".to_owned()),
            "would run the hook stop-momentum as Claude Code does, without a command for it to carry out.",
        ),
        (What::Prompt, "would submit one of the user's own commands as a prompt of another session."),
    ];
    for (what, words) in table {
        let said = breach(what, Why::UsersAlone);
        assert!(said.contains(words), "{said}");
        assert!(
            said.contains("requirements.adr is in force, which is for the user alone to satisfy."),
            "{said}"
        );
    }
}

#[test]
fn the_whole_way_names_the_rule() {
    let call = call("Write", &json!({ "file_path": "/nowhere/app/.claude/settings.json", "content": "{}" }));
    let guarded = Guarded { root: Some(Path::new("/nowhere/app")), ..guarded("/nowhere/app") };
    let breach = breach(&call, &guarded, "requirements.adr", Why::Locked).unwrap();
    assert_eq!(breach.rule, "requirements.adr");
    assert!(breach.words().contains("/nowhere/app/.claude/settings.json (the hooks are registered there)"));
}

/// What shell lines about protected files are made of.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = [
        "rm ",
        "-rf ",
        "mv ",
        "find ",
        "-delete",
        "-name ",
        "git ",
        "clean ",
        "cd ",
        "&& ",
        "; ",
        "xargs ",
        "for f in ",
        "do ",
        "$f",
        "tar x ",
        "curl -o ",
        "<<",
        "req ",
        "env -u ",
        "CLAUDECODE",
        "=",
        "~",
        "$HOME",
        "${X",
        "}",
        "$(",
        ")",
        "`",
        "'",
        "\"",
        "/",
        "..",
        ".claude",
        "requirements",
        ".yaml",
        "*",
        "[",
        "{",
        "\\",
        "ä",
        " ",
        "-",
        ">",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..12)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_line_and_every_path_gets_an_answer(line in pieces()) {
        let answers = [of_line(&line), of_powershell(&line), of_file("Edit", &line)];
        prop_assert!(answers.into_iter().flatten().all(|what| !what.to_string().is_empty()));
    }

    #[test]
    fn whatever_else_a_line_does_a_redirection_into_a_protected_file_is_seen(before in "[a-z ]{0,12}", after in "[a-z ]{0,12}") {
        let line = format!("echo {before}; echo > .claude/requirements.yaml && echo {after}");
        prop_assert!(of_line(&line).is_some(), "{}", line);
    }
}
