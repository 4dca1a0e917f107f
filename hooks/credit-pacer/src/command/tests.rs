//! The commands, and the effect of a switch.

use shared::cli::{Asker, Commands, Line, is_command};
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::operator::{Caller, Standing};
use shared::state::Store;
use shared::switches::{Position, Turn};

use super::{Asked, Reply, turned};
use crate::CreditPacer;
use crate::decide::Change;
use pacing::Window;

#[test]
fn reads_its_own_verbs() {
    let asked = |name: &str, words: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        CreditPacer::asked(&Line {
            name: CreditPacer::name_of(name).unwrap(),
            words: &words,
            is_prompt: true,
        })
    };
    for (name, words, expected) in [
        ("pace-maker", "", Some(Asked::Status)),
        ("credit-pacer", "", None),
        ("Credit-Pacer", "status --json", Some(Asked::StatusJson)),
        ("credit-pacer", "history", Some(Asked::History(7))),
        ("pace-maker", "history --days 3", Some(Asked::History(3))),
        ("pace-maker", "history --days many", None),
        ("pace-maker", "weekly off", Some(Asked::Turn(Window::SevenDay, Position::Off))),
        ("credit-pacer", "weekly-limit ON", Some(Asked::Turn(Window::SevenDay, Position::On))),
        ("pace-maker", "5-hour auto", Some(Asked::Turn(Window::FiveHour, Position::Auto))),
        ("pace-maker", "weekly", None),
        ("pace-maker", "weekly maybe", None),
        ("pace-maker", "tempo off", None),
    ] {
        assert_eq!(asked(name, words), expected, "{name} {words}");
    }
}

#[test]
fn leaves_prose_to_claude() {
    for prompt in
        ["  pace-maker   Off\n", "Pace-Maker off", "CREDIT-PACER off", "credit-pacer OFF --session 0c4e7A11"]
    {
        assert!(is_command::<CreditPacer>(prompt), "{prompt}");
    }
    for prompt in [
        "pause the video when the tab is hidden",
        "pace-maker sounds nice",
        "pace-maker off\nand then go on",
        "pace-maker: off",
        "credit-pacer history is short",
        "credit-pacer",
        "credit-pacer weekly",
    ] {
        assert!(!is_command::<CreditPacer>(prompt), "{prompt}");
    }
}

/// The answer to a switch of the weekly limit on a machine with this global file.
fn weekly(position: Position, caller: Caller, global: &str) -> Reply {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(&scratch.path().join("state")).unwrap();
    std::fs::write(scratch.path().join("requirements.yaml"), global).unwrap();
    let now = Timestamp::from_secs(1);
    let host = Host { started: now, clock: Clock::Fixed(now), environment: Environment::default() };
    let places = Places { config_dir: Some(scratch.path().to_owned()), ..Places::default() };
    let asker = Asker { host: &host, places: &places, store: Some(&store), session: Some("s"), caller };
    turned(Window::SevenDay, position, &asker)
}

#[test]
fn turns_a_limit_and_reports_what_is_in_force() {
    let off = weekly(Position::Off, Caller::Typed, "");
    assert_eq!(off.text, "weekly limit: off\non again: credit-pacer weekly auto");
    assert_eq!(off.effects, [Change::Turn(Turn::everywhere("credit-pacer.seven_day", Position::Off))]);
    let on = weekly(Position::On, Caller::Shell(Standing::InsideClaude), "credit-pacer: {enabled: false}\n");
    assert_eq!(on.text, "weekly limit: on; but credit-pacer is off");
    let auto = weekly(Position::Auto, Caller::Typed, "credit-pacer: {seven_day: {enabled: false}}\n");
    assert_eq!(auto.text, "weekly limit: off");
}

#[test]
fn refuses_what_is_locked_or_the_users_alone() {
    let locked = weekly(Position::Off, Caller::Typed, "locked: [credit-pacer.seven_day]\n");
    assert!(locked.is_no && locked.effects.is_empty() && locked.text.contains("locked"), "{}", locked.text);
    for caller in
        [Caller::Untyped, Caller::Shell(Standing::InsideClaude), Caller::Shell(Standing::NoTerminal)]
    {
        for position in [Position::Off, Position::Auto] {
            let refused = weekly(position, caller, "");
            assert!(refused.is_no && refused.effects.is_empty(), "{caller:?}");
            let line = format!("type: credit-pacer weekly {}", position.word());
            assert!(refused.text.ends_with(&line), "{}", refused.text);
        }
    }
}
