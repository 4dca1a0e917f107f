//! Entries in settings texts: ours as they should be and wrong, twice, misshapen, and those of others.

use std::path::Path;

use crate::catalog::{Catalog, HookEntry};
use client_settings::Entry;

use super::{gone, misshapen, of_hook, of_others, twice};
use crate::doctor::Severity::{self, Broken, Warning};
use crate::doctor::report::Finding;
use crate::doctor::world::Level;
use crate::places::Scope;
use crate::places::Scope::{Local, Project, User};

/// A hook on two events, one of them with a message, and its entries as they should be.
fn right() -> (HookEntry, Vec<Entry>) {
    let mut hooks = Catalog::built_in().unwrap().hooks.clone();
    let at = hooks.iter().position(|hook| hook.events.len() == 2).unwrap();
    let mut hook = hooks.swap_remove(at);
    hook.events[0].status_message = Some("it waits".to_owned());
    let there = hook.events.iter().map(|wanted| Entry {
        name: Some(hook.name.clone()),
        event: wanted.event.clone(),
        matcher: wanted.matcher.clone(),
        command: Some(format!("/home/me/.claude/hooks/{}", hook.name)),
        args: Some(Vec::new()),
        timeout_secs: Some(wanted.timeout_secs.into()),
        status_message: wanted.status_message.clone(),
        is_command: true,
        ..Entry::default()
    });
    let there = there.collect();
    (hook, there)
}

type Change = fn(&mut Vec<Entry>);

fn level(scope: Scope, entries: Vec<Entry>) -> Level {
    let mut level = Level::owned(Some(scope), "{}", &[]);
    level.contents.entries = entries;
    level
}

fn found(scope: Scope, change: Change) -> Vec<Finding> {
    let (hook, mut ours) = right();
    change(&mut ours);
    of_hook(&level(scope, ours), &hook)
}

#[test]
fn entries_as_this_version_writes_them_are_fine() {
    let rows: [Change; 6] = [
        |_| {},
        Vec::clear,
        |ours| ours[0].matcher = Some("*".to_owned()),
        |ours| ours[0].matcher = Some(".*".to_owned()),
        |ours| ours[0].timeout_secs = None,
        |ours| ours[0].timeout_secs = Some(3600.into()),
    ];
    for (row, change) in rows.into_iter().enumerate() {
        assert_eq!(found(Scope::User, change), [], "{row}");
    }
}

#[test]
fn each_wrong_entry_is_reported_and_fixable() {
    let rows: [(Change, Severity, &str); 8] = [
        (
            |ours| ours[0].harmful_keys = vec!["async".to_owned()],
            Broken,
            "differs from the one it should have in `async`",
        ),
        (|ours| ours[0].timeout_secs = serde_json::Number::from_f64(0.001), Broken, "in `timeout`"),
        (|ours| ours[0].timeout_secs = Some(2.into()), Warning, "in `timeout`"),
        (|ours| ours[0].args = Some(vec!["status".to_owned()]), Broken, "in `args`"),
        (|ours| ours[0].matcher = Some("Bash".to_owned()), Broken, "is not registered on"),
        (|ours| drop(ours.remove(1)), Broken, "is not registered on"),
        (|ours| ours[0].command = Some("/old/hooks/x".to_owned()), Broken, "in `command`"),
        (|ours| ours[0].status_message = None, Warning, "in `statusMessage`"),
    ];
    for (change, severity, said) in rows {
        let found = found(Scope::User, change);
        assert_eq!(found[0].severity, severity, "{found:?}");
        assert!(found[0].what.contains(said), "{found:?}");
        assert_eq!(found[0].repair, Some(Scope::User));
        assert!(found[0].next.as_deref().unwrap().starts_with("cargo xtask enable "));
    }
}

#[test]
fn entries_in_a_projects_file_are_left_to_the_team() {
    let found = found(Scope::Project, |ours| ours.truncate(1));
    assert!(!found.is_empty());
    assert!(found.iter().all(|finding| finding.severity == Warning && finding.repair.is_none()));
}

#[test]
fn entry_of_a_removed_hook_is_reported_once() {
    let (hook, mut ours) = right();
    for entry in &mut ours {
        entry.name = Some("old-hook".to_owned());
    }
    let hooks = [hook];
    assert_eq!(gone(&level(Scope::User, ours.clone()), &hooks).len(), 1);
    assert_eq!(gone(&level(Scope::Project, ours), &hooks), []);
}

#[test]
fn unreadable_part_is_reported_with_its_line_and_judged_by_what_it_takes_along() {
    let ours = r#"{"hooks":[{"type":"command","command":"/h/a-gate","args":[]}]}"#;
    let nesting = |event: &str| {
        let wrong = r#"{"type":"command","command":"x"}"#;
        format!("{{\"hooks\":{{\n\"Stop\":[\n{wrong}],\"X\":[],\"{event}\":[{ours}]}}}}")
    };
    let twice = format!("{{\"hooks\":{{\n\"Stop\":[{ours},\n{{\"type\":1}}]}}}}");
    for (text, severity, line, said) in [
        (twice, Broken, 3, "`hooks` must be a list"),
        (nesting("PreToolUse"), Warning, 3, "no hook of this event runs"),
        (
            format!("{{\"hooks\":{{\"Stop\":[{ours}]}},\n\"model\": 1}}"),
            Broken,
            2,
            "no hook of this file runs",
        ),
        ("{\n  \"hooks\": {,}\n}".to_owned(), Broken, 2, "reads nothing of it"),
        ("{\"hooks\": {},\n  \"hooks\": {}}".to_owned(), Broken, 2, "a second time"),
    ] {
        let level = Level::owned(Some(User), &text, &["a-gate".to_owned()]);
        let faults = level.contents.faults.iter().map(|fault| misshapen(&level, fault));
        let found: Vec<Finding> = level.unreadable.clone().into_iter().chain(faults).collect();
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((only.severity, only.line), (severity, Some(line)), "{only}");
        assert!(only.to_string().contains(said), "{only}");
    }
}

#[test]
fn second_registration_is_judged_by_what_steps_back() {
    let rows: [(&[Scope], bool, Option<Severity>); 9] = [
        (&[User], false, None),
        (&[], true, None),
        (&[User, Project], false, None),
        (&[User, Local], false, Some(Warning)),
        (&[User], true, None),
        (&[User, Project], true, None),
        (&[Project], true, Some(Broken)),
        (&[Local], true, Some(Broken)),
        (&[User, Local], true, Some(Warning)),
    ];
    for (scopes, has_plugin, severity) in rows {
        let text = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/h/a-gate","args":[]}]}]}}"#;
        let level = |scope: &Scope| Level::owned(Some(*scope), text, &["a-gate".to_owned()]);
        let levels: Vec<Level> = scopes.iter().map(level).collect();
        let found = twice("a-gate", &levels, has_plugin.then_some("p"));
        assert_eq!(found.map(|finding| finding.severity), severity, "{scopes:?} {has_plugin}");
    }
}

#[test]
fn program_of_others_that_does_not_exist_is_reported() {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("x"), "").unwrap();
    let there = format!(r#""command":"{}""#, project.path().join("x").display());
    for (entry, expected) in [
        (r#""command":"/gone/x""#, Some(Warning)),
        (r#""command":"~/gone/x --flag""#, Some(Warning)),
        (r#""command":"\"/gone/a b/x\" y""#, Some(Warning)),
        (r#""command":"/gone/x;true""#, None),
        (&there, None),
        (r#""command":"$CLAUDE_PROJECT_DIR/x""#, None),
        (r#""command":"$OTHER/x""#, None),
        (r#""command":"python3 /gone/x.py""#, None),
        (r#""type":"prompt","command":"/gone/x""#, None),
    ] {
        let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{{entry}}}]}}]}}}}"#);
        let level = Level::owned(Some(User), &text, &[]);
        let found = of_others(&level, Path::new("/home/me"), Some(project.path()));
        assert_eq!(found.iter().map(|finding| finding.severity).max(), expected, "{entry}");
    }
}
