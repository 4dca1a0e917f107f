//! Typed prompts and their answers.

use std::path::Path;

use super::{Asker, Reply, Verb, help, is_typed, typed};
use crate::config::SectionSpec;
use crate::hook::{Context, Headless, Hook, Input, Outcome};
use crate::host::{Clock, Environment, Host, Places, Timestamp};
use crate::operator::{Caller, Standing};
use crate::state::Store;
use crate::switches::{Position, Turn};

/// A hook of nothing but verbs.
pub(super) struct Plain;

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(super) struct Settings {}

impl Hook for Plain {
    const NAME: &'static str = "stop-momentum";
    const HEADLESS: Headless = Headless::Silent;
    const GLOBAL_ONLY: &'static [&'static str] = &[];
    const VERBS: &'static [Verb] = &[Verb { usage: "paint COLOUR", about: "in this colour" }];

    type Settings = Settings;
    type State = ();
    type Facts = ();
    type Effect = Turn;

    fn section() -> SectionSpec {
        SectionSpec { name: Self::NAME, ..SectionSpec::default() }
    }

    fn observe(_: &Context<'_, Settings>) -> Option<()> {
        None
    }

    fn decide(_: &Input<'_, Self>) -> Outcome<(), Turn> {
        Outcome::pass()
    }
}

/// The same where it spends money.
struct Paid;

impl Hook for Paid {
    const NAME: &'static str = Plain::NAME;
    const HEADLESS: Headless = Headless::Silent;
    const GLOBAL_ONLY: &'static [&'static str] = &[];
    const COSTS_MONEY: bool = true;

    type Settings = Settings;
    type State = ();
    type Facts = ();
    type Effect = Turn;

    fn section() -> SectionSpec {
        SectionSpec { costs_money: true, ..Plain::section() }
    }

    fn observe(_: &Context<'_, Settings>) -> Option<()> {
        None
    }

    fn decide(_: &Input<'_, Self>) -> Outcome<(), Turn> {
        Outcome::pass()
    }
}

/// Folders with the global file in `folder`.
pub(super) fn places_of(folder: &Path) -> Places {
    Places { config_dir: Some(folder.to_owned()), ..Places::default() }
}

fn answer(prompt: &str, caller: Caller, global: &str) -> Option<Reply> {
    answer_of::<Plain>(prompt, caller, global)
}

fn answer_of<H: Hook<Effect = Turn>>(prompt: &str, caller: Caller, global: &str) -> Option<Reply> {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(&scratch.path().join("state")).unwrap();
    std::fs::write(scratch.path().join("requirements.yaml"), global).unwrap();
    let now = Timestamp::from_secs(1);
    let host = Host { started: now, clock: Clock::Fixed(now), environment: Environment::default() };
    let places = places_of(scratch.path());
    let asker = Asker { host: &host, places: &places, store: Some(&store), session: Some("s"), caller };
    let reply = typed::<H>(prompt, &asker);
    assert_eq!(reply.is_some(), is_typed::<H>(prompt), "{prompt}");
    reply
}

#[test]
fn the_hooks_name_and_a_verb_with_nothing_left_over_is_a_command() {
    for prompt in [
        "stop-momentum status",
        " stop-momentum  STATUS ",
        "stop-momentum help",
        "stop-momentum Version",
        "stop-momentum off --session 0c4e7A11",
    ] {
        assert!(answer(prompt, Caller::Typed, "").is_some(), "{prompt}");
    }
    for prompt in [
        "stop-momentum",
        "stop-momentum statsu",
        "stop-momentum status of the build",
        "stop-momentum status\nand go on",
        "stop-momentum paint blue",
        "Stop-momentum status",
        "please stop-momentum off",
        "stop-momentum: off",
        "other-hook off",
    ] {
        assert_eq!(answer(prompt, Caller::Typed, ""), None, "{prompt}");
    }
}

#[test]
fn a_switch_is_turned_by_whoever_asks_and_says_what_is_in_force_then() {
    let reply = answer("stop-momentum on", Caller::Untyped, "").unwrap();
    assert_eq!(reply.text, "stop-momentum: on, set by its switch");
    assert_eq!(reply.effects, [Turn::everywhere("stop-momentum", Position::On)]);
    let reply = answer("stop-momentum off --session 0c4e7A11", Caller::Typed, "").unwrap();
    assert_eq!(
        reply.text,
        "stop-momentum: off for session 0c4e7A11\non again: stop-momentum auto --session 0c4e7A11"
    );
    assert_eq!(reply.effects[0].session.as_deref(), Some("0c4e7A11"));
}

#[test]
fn what_loosens_is_the_users_alone() {
    for (caller, is_refused) in [
        (Caller::Typed, false),
        (Caller::Untyped, true),
        (Caller::Shell(Standing::Operator), false),
        (Caller::Shell(Standing::InsideClaude), true),
        (Caller::Shell(Standing::NoTerminal), true),
    ] {
        for verb in ["off", "auto"] {
            let reply = answer(&format!("stop-momentum {verb}"), caller, "").unwrap();
            assert_eq!((reply.is_no, reply.effects.is_empty()), (is_refused, is_refused), "{caller:?}");
            assert_eq!(reply.text.ends_with(&format!("type: stop-momentum {verb}")), is_refused);
        }
    }
}

#[test]
fn what_is_locked_is_not_turned() {
    let reply = answer("stop-momentum off", Caller::Typed, "locked: [stop-momentum]\n").unwrap();
    assert!(reply.is_no && reply.effects.is_empty() && reply.text.contains("locked"), "{}", reply.text);
}

#[test]
fn what_costs_money_is_not_begun_by_a_switch() {
    for (global, is_refused) in
        [("", true), ("stop-momentum: {enabled: false}\n", true), ("stop-momentum: {enabled: true}\n", false)]
    {
        for prompt in ["stop-momentum on", "stop-momentum on --session 0c4e7A11"] {
            let reply = answer_of::<Paid>(prompt, Caller::Typed, global).unwrap();
            assert_eq!(
                (reply.is_no, reply.effects.is_empty()),
                (is_refused, is_refused),
                "{global}: {}",
                reply.text
            );
            assert_eq!(reply.text.ends_with("type: req enable --hook stop-momentum"), is_refused);
        }
        for verb in ["off", "auto"] {
            let reply = answer_of::<Paid>(&format!("stop-momentum {verb}"), Caller::Typed, global).unwrap();
            assert_eq!(reply.effects.len(), 1, "{verb}: {}", reply.text);
        }
    }
}

#[test]
fn what_costs_money_is_switched_on_by_the_user_alone() {
    let global = "stop-momentum: {enabled: true}\n";
    for (caller, is_refused) in [
        (Caller::Typed, false),
        (Caller::Untyped, true),
        (Caller::Shell(Standing::Operator), false),
        (Caller::Shell(Standing::InsideClaude), true),
    ] {
        let reply = answer_of::<Paid>("stop-momentum on", caller, global).unwrap();
        assert_eq!((reply.is_no, reply.effects.is_empty()), (is_refused, is_refused), "{caller:?}");
    }
}

#[test]
fn the_schema_says_that_it_costs_money() {
    let schema = |reply: Option<Reply>| reply.unwrap().text.contains("\"x-costs-money\": true");
    assert!(schema(answer_of::<Paid>("stop-momentum schema", Caller::Typed, "")));
    assert!(!schema(answer("stop-momentum schema", Caller::Typed, "")));
}

#[test]
fn help_lists_the_common_verbs_and_the_hooks_own() {
    let help = help::<Plain>();
    for line in [
        "stop-momentum status [--json]             what is in force here, and where it is set",
        "stop-momentum version",
        "stop-momentum paint COLOUR                in this colour",
    ] {
        assert!(help.lines().any(|found| found == line), "{line} in {help}");
    }
}
