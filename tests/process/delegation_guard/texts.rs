//! What is said: each text names hook, rule, streak and next step; the user's own texts stand in their place.

use super::Said::Denial;
use super::{Guard, ON, said};
use crate::driver::{context, denial, notice};
use std::collections::BTreeSet;
use std::fs;
use tests::sandbox::Level;

/// A guard whose session has this streak already.
fn at_streak(global: &str, streak: u32) -> Guard {
    let guard = Guard::new(global);
    let state = serde_json::json!({
        "version": 1, "session": guard.session.id, "state": { "streak": streak, "block_fired": true },
    });
    fs::write(guard.file(), state.to_string()).unwrap();
    guard
}

#[test]
fn the_refusal_names_its_rule_its_streak_both_ways_on_and_where_it_is_set() {
    let guard = Guard::new(ON);
    let reason = denial(guard.ask(&guard.before("Bash")).as_ref()).unwrap();
    for part in ["delegation-guard refused", "(streak 0)", "call Agent", "send the same call again"] {
        assert!(reason.contains(part), "no `{part}` in {reason}");
    }
    assert!(reason.ends_with("\n(delegation-guard.first_call: the defaults)"), "{reason}");
    let guard = Guard::new("delegation-guard:\n  enabled: true\n  first_call: deny\n");
    let reason = denial(guard.ask(&guard.before("Bash")).as_ref()).unwrap();
    assert!(reason.ends_with("\n(delegation-guard.first_call: ~/.claude/requirements.yaml:3)"), "{reason}");
}

#[test]
fn every_advice_names_hook_streak_and_next_step_and_the_tone_changes_five_times() {
    let mut tones = BTreeSet::new();
    for streak in [2, 4, 8, 16, 32, 64, 1024] {
        let guard = at_streak(ON, streak - 1);
        let text = context(guard.ask(&guard.before("Bash")).as_ref()).unwrap();
        assert!(text.starts_with(&format!("delegation-guard (advice at streak {streak}): ")), "{text}");
        assert!(text.contains("Agent"), "no next step: {text}");
        assert!(text.len() < 300 && !text.contains('!'), "{text}");
        tones.insert(text.split_once("): ").unwrap().1.to_owned());
    }
    assert_eq!(tones.len(), 5, "{tones:?}");
}

/// The keys under `message_files`.
const KEYS: [&str; 8] = [
    "first_call_denial",
    "first_call_advice",
    "advice_1",
    "advice_2",
    "advice_3",
    "advice_4",
    "advice_5",
    "reminder",
];

/// A guard with all of the user's own texts, each in a file of its own.
fn with_own_texts(settings: &str) -> Guard {
    let guard = Guard::new("");
    for key in KEYS {
        guard.sandbox.write_home(format!(".claude/{key}.md"), format!("My {key} at {{streak}}.\n"));
    }
    let files: Vec<String> = KEYS.iter().map(|key| format!("{key}: {key}.md")).collect();
    let files = files.join(", ");
    guard.sandbox.requirements(
        Level::User,
        &format!("delegation-guard: {{enabled: true, {settings}message_files: {{{files}}}}}\n"),
    );
    guard
}

#[test]
fn each_text_of_the_users_own_stands_in_place_of_the_built_in_one() {
    let guard = with_own_texts("");
    let texts: Vec<String> = (0..34)
        .filter_map(|_| {
            let answer = guard.ask(&guard.before("Bash"));
            denial(answer.as_ref()).or_else(|| context(answer.as_ref()))
        })
        .collect();
    let expected = [
        "My first_call_denial at 0.\n(delegation-guard.first_call: the defaults)",
        "My advice_1 at 2.",
        "My advice_2 at 4.",
        "My advice_3 at 8.",
        "My advice_4 at 16.",
        "My advice_5 at 32.",
    ];
    assert_eq!(texts, expected);
    let guard = with_own_texts("first_call: advise, ");
    assert_eq!(context(guard.ask(&guard.before("Bash")).as_ref()).unwrap(), "My first_call_advice at 1.");
    let texts: Vec<_> = (0..10)
        .filter_map(|_| context(guard.ask(&guard.after("Bash").without("tool_use_id")).as_ref()))
        .collect();
    assert_eq!(texts, ["My reminder at 1."]);
}

#[test]
fn a_projects_texts_are_not_read_and_each_is_reported() {
    for level in [Level::Project, Level::Local] {
        let guard = Guard::new(ON);
        let secret = guard.sandbox.write_home("secret", "PRIVATE KEY");
        let entries = KEYS.map(|key| format!("    {key}: {}\n", secret.display())).concat();
        let yaml = format!("delegation-guard:\n  message_files:\n{entries}");
        let file = guard.sandbox.requirements(level, &yaml);
        let file = file.strip_prefix(guard.sandbox.project()).unwrap();
        let answer = guard.ask(&guard.before("Bash"));
        assert_eq!(said(answer.as_ref()), Denial);
        assert!(!answer.as_ref().unwrap().to_string().contains("PRIVATE"), "{answer:?}");
        for (index, key) in KEYS.iter().enumerate() {
            let place = format!("{}:{}: delegation-guard.message_files.{key}: ", file.display(), index + 3);
            let told = format!("{place}counts only in your global requirements.yaml");
            assert!(notice(answer.as_ref()).contains(&told), "no `{told}` in {answer:?}");
        }
    }
}
