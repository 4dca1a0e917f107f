//! What is said: each text names hook, rule, streak and next step; the user's own texts stand in their place.

use super::Said::Denial;
use super::{Guard, ON, said};
use crate::driver::{context, denial, notice};
use tests::sandbox::Level;

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

#[test]
fn each_text_of_the_users_own_stands_in_place_of_the_built_in_one() {
    let guard = Guard::new("");
    for key in KEYS {
        guard.sandbox.write_home(format!(".claude/{key}.md"), format!("My {key} at {{streak}}.\n"));
    }
    let files = KEYS.map(|key| format!("{key}: {key}.md")).join(", ");
    let global = format!("delegation-guard: {{enabled: true, message_files: {{{files}}}}}\n");
    guard.sandbox.requirements(Level::User, &global);
    let texts: Vec<String> = (0..6)
        .filter_map(|_| {
            let answer = guard.ask(&guard.before("Bash"));
            denial(answer.as_ref()).or_else(|| context(answer.as_ref()))
        })
        .collect();
    let expected = [
        "My first_call_denial at 0.\n(delegation-guard.first_call: the defaults)",
        "My advice_1 at 2.",
        "My advice_2 at 4.",
    ];
    assert_eq!(texts, expected);
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
