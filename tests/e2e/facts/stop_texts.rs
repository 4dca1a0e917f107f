//! Question 12: what the terminal shows of Stop hooks.

use super::stage::{SOON, Stage, block, once};
use serde_json::json;
use tests::messages_api::Script;
use tests::recording::{Behaviour, Reply};

#[test]
fn the_terminal_shows_reasons_and_system_messages_with_their_line_breaks() {
    let message = |text: &str| Reply::stdout(json!({ "systemMessage": text }));
    let replies = [block("reason of A\nits second line"), message("message of A\nits second line")];
    let stage = Stage::new(Script::new().reply("end one").reply("end two"))
        .hook("Stop", "A", Behaviour::replying(replies))
        .hook("Stop", "B", once(message("message of B")))
        .hook("Stop", "C", once(block("reason of C")));

    let mut terminal = stage.terminal();
    terminal.enter("work");
    terminal.wait_until("the second answer's messages", SOON, |screen| {
        plain(screen).contains("⎿ Stop says: message of A\nits second line")
    });

    let screen = plain(&terminal.screen());
    assert!(screen.contains("⎿ Stop says: message of B"), "{screen}");
    assert!(screen.contains("● Ran 3 stop hooks"), "the one that passed counts: {screen}");
    assert_eq!(screen.matches("⎿ Stop hook reported a problem").count(), 2, "{screen}");
    assert!(screen.contains("⎿ Stop hook reported a problem\nreason of A\nits second line"), "{screen}");
    assert!(screen.contains("⎿ Stop hook reported a problem\nreason of C"), "{screen}");
}

/// The screen without indents and with plain single blanks.
fn plain(screen: &str) -> String {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    screen.lines().map(words).collect::<Vec<_>>().join("\n")
}
