//! Prompts that are commands of a hook with commands of its own, and their answers.

use super::super::tests::{Plain, Settings, places_of};
use super::{Asker, Commands, Line, Reply, is_command, prompted};
use crate::cli::status;
use crate::config::{Section, SectionSpec};
use crate::hook::{Context, Headless, Hook, Input, Outcome, Verdict};
use crate::host::{Clock, Environment, Host, Timestamp};
use crate::operator::{Caller, Standing};
use crate::protocol::{Call, Event, Request};
use crate::state::Store;
use crate::switches::{Position, Turn};

/// A hook that paints.
struct Painter;

impl Hook for Painter {
    const NAME: &'static str = Plain::NAME;
    const HEADLESS: Headless = Headless::Silent;
    const GLOBAL_ONLY: &'static [&'static str] = &[];

    type Settings = Settings;
    type State = ();
    type Facts = ();
    type Effect = Turn;

    fn section() -> SectionSpec {
        Plain::section()
    }

    fn is_command(prompt: &str) -> bool {
        is_command::<Self>(prompt)
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

impl Commands for Painter {
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

    fn misused(line: &Line<'_>) -> Option<String> {
        matches!(line.words, ["paint"]).then(|| "which colour?".to_owned())
    }

    fn answer(asked: &String, _: &Asker<'_>, context: Option<&Context<'_, Settings>>) -> Reply {
        Reply::yes(format!("{asked}, a prompt: {}", context.is_some()))
    }
}

fn at_it<T>(then: impl FnOnce(&Context<'_, Settings>) -> T) -> T {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(&scratch.path().join("state")).unwrap();
    let now = Timestamp::from_secs(1);
    let host = Host { started: now, clock: Clock::Fixed(now), environment: Environment::default() };
    let request = Request {
        call: Call { session_id: Some("s".to_owned()), ..Call::default() },
        event: Event::UserPromptSubmit { prompt: String::new(), source: None },
    };
    let (places, settings) = (places_of(scratch.path()), Settings {});
    then(&Context {
        request: &request,
        settings: &settings,
        places: &places,
        host: &host,
        locked: &[],
        store: Some(&store),
    })
}

fn answer(prompt: &str) -> Option<Reply> {
    let reply = at_it(|context| prompted::<Painter>(context, prompt, None));
    assert_eq!(reply.is_some(), is_command::<Painter>(prompt), "{prompt}");
    reply
}

#[test]
fn a_prompt_is_the_hooks_own_or_every_hooks_or_nearly_one_or_claudes() {
    for (prompt, expected) in [
        ("stop-momentum paint Blue", Some("stop-momentum Blue, a prompt: true")),
        (" stop-momentum  PAINT Blue\n", Some("stop-momentum Blue, a prompt: true")),
        ("painter paint blue", Some("painter blue, a prompt: true")),
        ("painter on", Some("stop-momentum: on, set by its switch")),
        ("painter Paint", Some("which colour?")),
        ("painter", None),
        ("Painter paint blue", None),
        ("painter paint blue and red", None),
        ("painter paint blue\nand go on", None),
        ("other on", None),
        ("", None),
    ] {
        let reply = answer(prompt);
        assert_eq!(reply.as_ref().map(|reply| reply.text.as_str()), expected, "{prompt:?}");
        assert_eq!(reply.is_some_and(|reply| reply.is_no), expected == Some("which colour?"), "{prompt:?}");
    }
}

#[test]
fn the_status_says_what_the_hook_adds_and_a_switch_does_not() {
    for verb in ["status", "Status"] {
        let reply = answer(&format!("stop-momentum {verb}")).unwrap();
        assert!(reply.text.ends_with("\npainted by Some(\"s\")"), "{}", reply.text);
    }
    assert!(!answer("stop-momentum off").unwrap().text.contains("painted"));
    let json: Reply = at_it(|context| status::<Painter, _>(&Asker::of_prompt(context, "", None), true));
    assert!(json.text.starts_with('{') && !json.text.contains("painted"), "{}", json.text);
}

#[test]
fn in_claudes_shell_the_user_can_type_it_as_a_prompt_where_prompts_are_heard() {
    let refused = |text: &dyn Fn(&Asker<'_>) -> Reply| {
        at_it(|context| {
            let caller = Caller::Shell(Standing::InsideClaude);
            text(&Asker { caller, ..Asker::of_prompt(context, "", None) }).text
        })
    };
    let line = "stop-momentum off";
    let heard = refused(&|asker| super::typed::<Painter>(line, asker).unwrap());
    assert!(heard.ends_with("; or, as a prompt of this session, type: stop-momentum off"), "{heard}");
    let unheard = refused(&|asker| super::typed::<Plain>(line, asker).unwrap());
    assert!(unheard.ends_with("outside Claude Code, type: stop-momentum off"), "{unheard}");
}

#[test]
fn what_is_for_the_model_goes_on_to_it_and_the_user_reads_the_rest() {
    let turn = Turn::everywhere("stop-momentum", Position::On);
    let reply = Reply { effects: vec![turn.clone()], ..Reply::yes("done") };
    let outcome: Outcome<(), Turn> = reply.outcome();
    assert_eq!(outcome.verdict, Verdict::Reply { text: "done".to_owned() });
    assert_eq!((outcome.notice, outcome.effects), (None, vec![turn]));
    let outcome: Outcome<(), Turn> = Reply { for_model: Some("go on".to_owned()), ..reply }.outcome();
    assert_eq!(outcome.verdict, Verdict::Advise { text: "go on".to_owned() });
    assert_eq!(outcome.notice.as_deref(), Some("done"));
}
