//! What a person at a terminal is asked, and what becomes of the answers.

use super::User;
use std::path::Path;
use std::time::Duration;
use tests::binaries;
use tests::sandbox::toolchain_env;
use tests::small_programs;
use tests::terminal::{Key, Terminal};

const END: Duration = Duration::from_secs(30);
const HOOKS: &str = "Which hooks shall be switched on?";
const RULES: &str = "Shall Claude run these without asking you?";
const LINE: &str = "Shall Barbless print Claude Code's status line?";
const CHANGE: &str = "Shall settings.json be changed like this?";

fn terminal(user: &User, program: &Path, words: &[String]) -> Terminal {
    let mut env = user.sandbox.env();
    env.extend(toolchain_env());
    env.insert("TERM".to_owned(), "xterm-256color".to_owned());
    env.remove("CLAUDE_HOOK_STATE_DIR");
    Terminal::start(program, words, &env, &user.sandbox.project())
}

fn install(user: &User) -> Terminal {
    let folder = small_programs::folder().display().to_string();
    terminal(user, &binaries::installer(), &["install".to_owned(), "--prebuilt".to_owned(), folder])
}

/// Answers the questions of an installation: with these letters before Enter.
fn answered(user: &User, answers: [(&str, &str); 4]) {
    let mut terminal = install(user);
    for (question, letters) in answers {
        terminal.wait_for(question);
        terminal.type_text(letters);
        if question == HOOKS && !letters.is_empty() {
            terminal.wait_until("five ticks", END, |screen| screen.matches("[x]").count() == 5);
        }
        if question == CHANGE {
            assert_eq!(user.text(), "{}", "it is shown first");
        }
        terminal.press(Key::Enter);
    }
    assert!(terminal.wait_for_exit(END).success(), "{}", terminal.screen());
}

#[test]
fn enter_takes_the_default_ticks() {
    let user = User::with("{}");
    answered(&user, [(HOOKS, ""), (RULES, ""), (LINE, ""), (CHANGE, "")]);
    let text = user.text();
    for part in ["hooks/rate-awareness", "hooks/requirements-check", "credit-pacer statusline"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in ["permissions", "delegation-guard", "stop-momentum"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
}

#[test]
fn ticked_hook_is_switched_on_and_rules_come_with_a_yes() {
    let user = User::with("{}");
    // A blank ticks the first of the list, which is not ticked.
    answered(&user, [(HOOKS, " "), (RULES, "y"), (LINE, "n"), (CHANGE, "")]);
    let text = user.text();
    let has_both = text.contains("hooks/delegation-guard") && text.contains("Bash(delegation-guard status*)");
    assert!(has_both && !text.contains("statusLine"), "{text}");
    let yaml = std::fs::read_to_string(user.home(".claude/requirements.yaml")).unwrap();
    assert_eq!(yaml, "delegation-guard:\n  enabled: true\n");
}

#[test]
fn no_answer_changes_nothing() {
    let user = User::with("{}");
    for question in [HOOKS, RULES, LINE, CHANGE] {
        let mut terminal = install(&user);
        for earlier in [HOOKS, RULES, LINE, CHANGE].into_iter().take_while(|earlier| *earlier != question) {
            terminal.wait_for(earlier);
            terminal.press(Key::Enter);
        }
        terminal.wait_for(question);
        terminal.press(Key::Escape);
        terminal.wait_for("no answer; nothing was changed");
        assert!(!terminal.wait_for_exit(END).success());
        assert_eq!(user.text(), "{}");
        assert_eq!(user.beside(), ["settings.json"]);
    }
}

/// `uninstall` in a terminal of the user's own: above it is process 1, wherever the tests run.
fn uninstall(user: &User, more: &str) -> Terminal {
    let done = user.sandbox.temporary_dir().join("done");
    let _ = std::fs::remove_file(&done);
    let (program, done) = (binaries::installer().display().to_string(), done.display().to_string());
    let inner = format!("'{program}' uninstall {more} </dev/tty; echo ended with $?; touch '{done}'");
    let script = format!("( /bin/sh -c \"$0\" & ); until [ -e '{done}' ]; do sleep 0.1; done; read wait");
    terminal(user, Path::new("/bin/sh"), &["-c".to_owned(), script, inner])
}

#[test]
fn uninstall_shows_what_goes_and_what_stays_first() {
    let user = User::with("{}");
    user.types("install --prebuilt PREBUILT --yes");
    user.sandbox.write_home(".claude/hook-state/journal.jsonl", "");
    let installed = user.text();
    for (more, question, shown) in [
        ("", "Remove it?", "would stay: ~/.claude/hook-state"),
        ("--purge", "Remove it for good?", "would remove for good: ~/.claude/hook-state"),
    ] {
        let mut terminal = uninstall(&user, more);
        terminal.wait_for(question);
        let screen = terminal.screen();
        for line in [
            "would remove credit-pacer, pause-recorder, rate-awareness, requirements-check and the status line",
            shown,
        ] {
            assert!(screen.contains(line), "{screen}");
        }
        terminal.type_text("n");
        terminal.press(Key::Enter);
        terminal.wait_for("ended with 1");
        assert_eq!(user.text(), installed);
    }
    let mut terminal = uninstall(&user, "");
    terminal.wait_for("Remove it?");
    terminal.press(Key::Enter);
    terminal.wait_for("ended with 0");
    assert_eq!(user.text(), "{}");
    let terminal = uninstall(&user, "");
    terminal.wait_for("ended with 0");
    assert!(!terminal.screen().contains("Remove it?"), "nothing is left to ask about: {}", terminal.screen());
}
