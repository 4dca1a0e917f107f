//! Commands of a hook, typed as prompts, and their answers.

use super::*;
use crate::hook::{Headless, Input};
use crate::host::Environment;
use crate::operator::Standing;
use crate::protocol::{Call, Event, Request};
use crate::tests::{host, store};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Settings {}

/// A hook that paints, and whether it spends money.
struct Painter<const PAID: bool>;

impl<const PAID: bool> Hook for Painter<PAID> {
    const NAME: &'static str = "stop-momentum";
    const HEADLESS: Headless = Headless::Silent;
    const GLOBAL_ONLY: &'static [&'static str] = &[];
    const COSTS_MONEY: bool = PAID;
    const VERBS: &'static [Verb] = &[Verb { usage: "paint COLOUR", about: "in this colour" }];

    type Settings = Settings;
    type State = ();
    type Facts = ();
    type Effect = Turn;

    fn is_command(prompt: &str) -> bool {
        !PAID && is_command::<Self>(prompt)
    }

    fn status_lines(_: &Section<Settings>, asker: &Asker<'_>) -> Vec<String> {
        vec![format!("painted by {:?}", asker.session)]
    }

    fn observe(_: &Context<'_, Settings>) -> Option<()> {
        None
    }

    fn decide(_: &Input<'_, Self>) -> Outcome<(), Turn> {
        Outcome::pass()
    }
}

impl<const PAID: bool> Commands for Painter<PAID> {
    type Asked = String;

    fn name_of(word: &str) -> Option<&'static str> {
        [Self::NAME, "painter"].into_iter().find(|name| *name == word)
    }

    fn asked(line: &Line<'_>) -> Option<String> {
        match line.words {
            ["paint", colour] => Some(format!("{} {colour}", line.name)),
            _ => None,
        }
    }

    fn answer(asked: &String, _: &Asker<'_>, context: Option<&Context<'_, Settings>>) -> Reply {
        Reply::yes(format!("{asked}, a prompt: {}", context.is_some()))
    }
}

const ON: &str = "stop-momentum: {enabled: true}\n";
const OFF: &str = "stop-momentum: {enabled: false}\n";

type Plain = Painter<false>;
type Paid = Painter<true>;

/// Looks at a prompt with this global file.
fn at_it<T>(global: &str, then: impl FnOnce(&Context<'_, Settings>) -> T) -> T {
    let (scratch, store) = store();
    std::fs::write(scratch.path().join("requirements.yaml"), global).unwrap();
    let host = host(Environment::default());
    let request = Request {
        call: Call { session_id: Some("s".to_owned()), ..Call::default() },
        event: Event::UserPromptSubmit { prompt: String::new(), source: None },
    };
    let places = Places { config_dir: Some(scratch.path().to_owned()), ..Places::default() };
    let (settings, locked, store) = (&Settings {}, &[][..], Some(&store));
    then(&Context {
        request: &request,
        settings,
        places: &places,
        host: &host,
        locked,
        set_in_project: false,
        store,
    })
}

/// The answer to one of the verbs that every hook has.
fn answered<H: Hook<Effect = Turn>>(words: &str, caller: Caller, global: &str) -> Reply {
    at_it(global, |context| {
        let asker = Asker { caller, ..Asker::of_prompt(context, words, None) };
        typed::<H>(&format!("stop-momentum {words}"), &asker).unwrap()
    })
}

#[test]
fn a_prompt_is_the_hooks_own_or_every_hooks_or_claudes() {
    for (prompt, expected) in [
        ("stop-momentum paint Blue", Some("stop-momentum Blue, a prompt: true")),
        (" stop-momentum  PAINT Blue\n", Some("stop-momentum Blue, a prompt: true")),
        ("painter paint blue", Some("painter blue, a prompt: true")),
        ("painter on", Some("stop-momentum: on, set by its switch")),
        ("painter Version", Some(concat!("stop-momentum ", env!("CARGO_PKG_VERSION")))),
        ("painter paint", None),
        ("painter", None),
        ("Painter paint blue", None),
        ("painter paint blue and red", None),
        ("painter paint blue\nand go on", None),
        ("painter status of the build", None),
        ("please painter off", None),
        ("", None),
    ] {
        let reply = at_it("", |context| prompted::<Plain>(context, prompt, None));
        assert_eq!(reply.as_ref().map(|reply| reply.text.as_str()), expected, "{prompt:?}");
        assert_eq!(is_command::<Plain>(prompt), expected.is_some(), "{prompt:?}");
    }
}

#[test]
fn a_switch_is_turned_and_says_what_is_in_force_then() {
    let reply = answered::<Plain>("on", Caller::Untyped, "");
    assert_eq!(reply.text, "stop-momentum: on, set by its switch");
    assert_eq!(reply.effects, [Turn::everywhere("stop-momentum", Position::On)]);
    let reply = answered::<Plain>("OFF --session 0c4e7A11", Caller::Typed, ON);
    let text = "stop-momentum: off for session 0c4e7A11\non again: stop-momentum auto --session 0c4e7A11";
    assert_eq!((reply.text.as_str(), reply.effects[0].session.as_deref()), (text, Some("0c4e7A11")));
    let locked = answered::<Plain>("off", Caller::Typed, "locked: [stop-momentum]\n");
    assert!(locked.is_no && locked.effects.is_empty() && locked.text.contains("locked"), "{}", locked.text);
}

#[test]
fn off_names_the_line_that_switches_the_hook_on_again() {
    for (global, plain, paid) in [
        (ON, "stop-momentum auto", "stop-momentum auto"),
        (OFF, "stop-momentum on", "stop-momentum auto, and req hooks enable stop-momentum"),
    ] {
        let said = answered::<Plain>("off", Caller::Typed, global).text;
        assert!(said.ends_with(&format!("\non again: {plain}")), "{said}");
        let said = answered::<Paid>("off", Caller::Typed, global).text;
        assert!(said.ends_with(&format!("\non again: {paid}")), "{said}");
    }
}

#[test]
fn on_in_a_shell_names_a_hook_that_nothing_registers() {
    let shell = Caller::Shell(Standing::Operator);
    let said = answered::<Plain>("on", shell, "").text;
    let next =
        "Claude Code does not run stop-momentum yet; to register it, type: req hooks enable stop-momentum";
    assert_eq!(said, format!("stop-momentum: on, set by its switch\n{next}"));
    let scratch = tempfile::tempdir().unwrap();
    let places = Places { config_dir: Some(scratch.path().to_owned()), ..Places::default() };
    for (settings, is_named) in
        [("{}", false), ("\"/hooks/stop-momentum\"", true), ("\"barbless@box\"", true)]
    {
        std::fs::write(scratch.path().join("settings.json"), settings).unwrap();
        assert_eq!(unregistered(&places, "stop-momentum").is_none(), is_named, "{settings}");
    }
}

#[test]
fn switch_that_loosens_or_spends_needs_the_user() {
    let is_promptable = |reply: &Reply| reply.text.contains("; or, as a prompt of this session, type: ");
    for (caller, is_user) in [
        (Caller::Typed, true),
        (Caller::Untyped, false),
        (Caller::Shell(Standing::Operator), true),
        (Caller::Shell(Standing::InsideClaude), false),
        (Caller::Shell(Standing::NoTerminal), false),
    ] {
        for verb in ["off", "auto"] {
            let reply = answered::<Plain>(verb, caller, "");
            assert_eq!((reply.is_no, reply.effects.is_empty()), (!is_user, !is_user), "{caller:?}");
            assert_eq!(reply.text.ends_with(&format!("type: stop-momentum {verb}")), !is_user);
            assert_eq!(reply.text.starts_with("nobody typed this prompt"), caller == Caller::Untyped);
            assert_eq!(is_promptable(&reply), caller == Caller::Shell(Standing::InsideClaude), "{caller:?}");
        }
        assert_eq!(answered::<Paid>("on", caller, ON).is_no, !is_user, "{caller:?}");
        assert!(!is_promptable(&answered::<Paid>("off", caller, "")), "{caller:?}");
    }
}

#[test]
fn switch_alone_starts_no_spending() {
    for (global, is_refused) in [("", true), (OFF, true), (ON, false)] {
        for prompt in ["on", "on --session 0c4e7A11"] {
            let reply = answered::<Paid>(prompt, Caller::Typed, global);
            let found = (reply.is_no, reply.effects.is_empty());
            assert_eq!(found, (is_refused, is_refused), "{global}: {}", reply.text);
            assert_eq!(reply.text.ends_with("type: req hooks enable stop-momentum"), is_refused);
        }
        assert_eq!(answered::<Paid>("off", Caller::Typed, global).effects.len(), 1);
    }
    let says = |reply: Reply| reply.text.contains("\"x-costs-money\": true");
    assert!(says(answered::<Paid>("schema", Caller::Typed, "")));
    assert!(!says(answered::<Plain>("schema", Caller::Typed, "")));
}

#[test]
fn status_and_help_have_what_the_hook_adds() {
    let text = answered::<Plain>("status", Caller::Typed, "").text;
    assert!(text.starts_with("stop-momentum: off") && text.ends_with("\npainted by Some(\"s\")"), "{text}");
    let json: Reply = at_it("", |context| status::<Plain, _>(&Asker::of_prompt(context, "", None), true));
    assert!(json.text.starts_with('{') && !json.text.contains("painted"), "{}", json.text);
    let wrong = parse::<Plain>(&["paint"]).unwrap_err();
    assert_eq!(wrong, "usage: stop-momentum paint COLOUR", "a verb without what it needs");
    let help = help::<Plain>();
    for line in ["stop-momentum version", "stop-momentum paint COLOUR                in this colour"] {
        assert!(help.lines().any(|found| found == line), "{line} in {help}");
    }
}
