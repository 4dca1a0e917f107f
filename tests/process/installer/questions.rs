//! What a person at a terminal is asked, and what becomes of the answers.

use super::User;
use std::time::Duration;
use tests::binaries;
use tests::sandbox::toolchain_env;
use tests::terminal::{Key, Terminal};

const END: Duration = Duration::from_secs(30);
const HOOKS: &str = "Which hooks shall be switched on?";
const RULES: &str = "Shall Claude run these without asking you?";

/// The installer in a terminal.
fn install(user: &User, more: &[&str]) -> Terminal {
    let mut words =
        vec!["install".to_owned(), "--prebuilt".to_owned(), binaries::folder().display().to_string()];
    words.extend(more.iter().map(|word| (*word).to_owned()));
    let mut env = user.sandbox.env();
    env.extend(toolchain_env());
    env.insert("TERM".to_owned(), "xterm-256color".to_owned());
    env.remove("CLAUDE_HOOK_STATE_DIR");
    Terminal::start(&binaries::xtask(), &words, &env, &user.sandbox.project())
}

#[test]
fn what_is_ticked_by_default_watches_and_enter_takes_it() {
    let user = User::with("{}");
    let mut terminal = install(&user, &[]);
    terminal.wait_for("to move");
    let screen = terminal.screen();
    let ticked = |hook: &str| screen.lines().any(|line| line.contains("[x]") && line.contains(hook));
    assert!(ticked("rate-awareness") && ticked("requirements-check"), "{screen}");
    assert!(!ticked("delegation-guard") && !ticked("stop-momentum"), "{screen}");
    terminal.press(Key::Enter);
    terminal.wait_for(RULES);
    terminal.press(Key::Enter);
    assert!(terminal.wait_for_exit(END).success(), "{}", terminal.screen());
    let text = user.text();
    assert!(text.contains("hooks/rate-awareness") && !text.contains("permissions"), "{text}");
    assert!(!text.contains("delegation-guard"), "{text}");
}

#[test]
fn what_is_ticked_by_hand_is_switched_on_and_rules_come_with_a_yes() {
    let user = User::with("{}");
    let mut terminal = install(&user, &[]);
    terminal.wait_for(HOOKS);
    // The first of the list, which is not ticked.
    terminal.type_text(" ");
    terminal.wait_until("three ticks", END, |screen| screen.matches("[x]").count() == 3);
    terminal.press(Key::Enter);
    terminal.wait_for(RULES);
    terminal.type_text("y");
    terminal.press(Key::Enter);
    assert!(terminal.wait_for_exit(END).success(), "{}", terminal.screen());
    let text = user.text();
    assert!(
        text.contains("hooks/delegation-guard") && text.contains("Bash(delegation-guard status*)"),
        "{text}"
    );
    let yaml = std::fs::read_to_string(user.home(".claude/requirements.yaml")).unwrap();
    assert_eq!(yaml, "delegation-guard:\n  enabled: true\n");
}

#[test]
fn no_answer_changes_nothing() {
    let user = User::with("{}");
    for question in [HOOKS, RULES] {
        let mut terminal = install(&user, &[]);
        terminal.wait_for(HOOKS);
        if question == RULES {
            terminal.press(Key::Enter);
            terminal.wait_for(RULES);
        }
        terminal.press(Key::Escape);
        assert!(!terminal.wait_for_exit(END).success());
        assert!(terminal.screen().contains("no answer; nothing was changed"), "{}", terminal.screen());
        assert_eq!(user.text(), "{}");
        assert_eq!(user.beside(), ["settings.json"]);
    }
}

#[test]
fn with_a_yes_on_the_command_line_nothing_is_asked() {
    let user = User::with("{}");
    let mut terminal = install(&user, &["--yes"]);
    assert!(terminal.wait_for_exit(END).success(), "{}", terminal.screen());
    assert!(!terminal.screen().contains('?'), "{}", terminal.screen());
    assert!(user.text().contains("hooks/rate-awareness"));
}
