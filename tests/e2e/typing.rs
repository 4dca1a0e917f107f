//! Typing into the client in a terminal.

use std::time::Duration;
use tests::client::Client;
use tests::terminal::{Key, Terminal};

/// For everything that happens at once on an idle machine.
pub(crate) const SOON: Duration = Duration::from_secs(30);

/// Starts the client in a terminal and waits until it can be typed into.
#[track_caller]
pub(crate) fn ready(client: Client<'_>) -> Terminal {
    let terminal = client.terminal();
    terminal.wait_until("the input line", SOON, |screen| screen.contains('❯'));
    terminal
}

/// Types a command, waits for its answer, and wipes it away: the client leaves a prompt that was answered in the input line.
#[track_caller]
pub(crate) fn answered(terminal: &mut Terminal, command: &str, answer: &str) {
    terminal.enter(command);
    terminal.wait_for_within(answer, SOON);
    let left = format!("❯\u{a0}{command}");
    terminal.wait_until("the command in the input line", SOON, |screen| below_a_rule(screen, &left));
    terminal.press(Key::Ctrl('u'));
    terminal.wait_until("an empty input line", SOON, |screen| below_a_rule(screen, "❯"));
}

fn below_a_rule(screen: &str, line: &str) -> bool {
    let lines: Vec<_> = screen.lines().collect();
    lines.windows(2).any(|pair| pair[0].starts_with("──") && pair[1].trim_end() == line)
}
