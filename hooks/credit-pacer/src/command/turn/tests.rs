//! What is turned, by whom, and what is said then.

use shared::cli::Asker;
use shared::hook::Effect;
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::operator::{Caller, Standing};
use shared::state::Store;
use shared::switches::{Position, Switches, Turn};

use super::{members, paid, position_of, turned};
use crate::command::grammar::Switch;
use crate::command::{Reply, status};
use crate::effect::Change;

const NOW: Timestamp = Timestamp::from_secs(1_000_000);

/// A machine with this global file.
struct Desk {
    scratch: tempfile::TempDir,
    caller: Caller,
    session: Option<&'static str>,
}

impl Desk {
    fn new(global: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("requirements.yaml"), global).unwrap();
        Self { scratch, caller: Caller::Typed, session: Some("s") }
    }

    fn ask(&self, switch: Switch, position: Position) -> Reply {
        let reply = self.at_it(|asker| turned(switch, position, asker));
        for effect in reply.effects.clone() {
            effect.carry_out(&self.places(), NOW).unwrap();
        }
        reply
    }

    fn at_it(&self, answer: impl FnOnce(&Asker<'_>) -> Reply) -> Reply {
        let store = self.store();
        let home = Some(self.scratch.path().to_owned());
        let environment = Environment { home, ..Environment::default() };
        let host = Host { started: NOW, clock: Clock::Fixed(NOW), environment };
        let places = self.places();
        answer(&Asker {
            host: &host,
            places: &places,
            store: Some(&store),
            session: self.session,
            caller: self.caller,
        })
    }

    fn places(&self) -> Places {
        let (folder, state_dir) = (self.scratch.path(), Some(self.scratch.path().join("state")));
        let default_state_dir = state_dir.clone();
        Places { config_dir: Some(folder.to_owned()), state_dir, default_state_dir, ..Places::default() }
    }

    fn store(&self) -> Store {
        self.places().open_store().unwrap()
    }

    fn turn(&self, turn: Turn) {
        turn.carry_out(&self.places(), NOW).unwrap();
    }

    fn switches(&self) -> Switches {
        Switches::read(&self.store())
    }
}

fn turns(reply: &Reply) -> Vec<&Turn> {
    reply
        .effects
        .iter()
        .map(|effect| match effect {
            Change::Turn(turn) => turn,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn names(reply: &Reply) -> Vec<(&str, Position)> {
    turns(reply).into_iter().map(|turn| (turn.switch.as_str(), turn.position)).collect()
}

#[test]
fn everything_off_and_on_again() {
    let desk = Desk::new("delegation-guard: {enabled: true}\ntempo-stop: {enabled: true, mode: auto}\n");
    let all = |position, others| {
        [
            ("credit-pacer", position),
            ("tempo-stop", others),
            ("intent-validator", others),
            ("delegation-guard.reminder", others),
        ]
    };
    let off = desk.ask(Switch::Everything, Position::Off);
    assert_eq!(names(&off), all(Position::Off, Position::Off));
    assert_eq!(
        off.text,
        "pacing: off, set by its switch\ntempo: off, set by its switch\nintent validation: off, set by its switch\n\
         reminder: off, set by its switch\nalerts at 80 and 95 % go on\non again: pace-maker on"
    );
    let on = desk.ask(Switch::Everything, Position::On);
    assert_eq!(names(&on), all(Position::On, Position::Auto));
    assert_eq!(
        on.text,
        "pacing: on, set by its switch\ntempo: auto (only while you are away), set by ~/requirements.yaml:2\n\
         intent validation: off, set by the defaults\nreminder: on, set by the defaults\noff again: pace-maker off"
    );
}

#[test]
fn everything_on_ends_what_held_things_off_and_begins_nothing_else() {
    let reminder = |position| {
        let turn = Turn::everywhere("delegation-guard.reminder", position);
        let before = Switches::default().with(&turn, Timestamp::from_secs(1));
        position_of(Switch::Reminder, Switch::Everything, Position::On, &before)
    };
    assert_eq!(reminder(Position::Off), Some(Position::Auto));
    assert_eq!(reminder(Position::On), None);
    assert_eq!(reminder(Position::Auto), None);
    let desk = Desk::new("");
    assert_eq!(names(&desk.ask(Switch::Everything, Position::On)), [("credit-pacer", Position::On)]);
}

#[test]
fn pacing_alone_and_single_windows() {
    let desk = Desk::new("");
    let weekly = desk.ask(Switch::Weekly, Position::Off);
    assert_eq!(names(&weekly), [("credit-pacer.seven_day", Position::Off)]);
    assert_eq!(weekly.text, "weekly limit: off, set by its switch\non again: pace-maker weekly on");
    assert_eq!(names(&desk.ask(Switch::Pacing, Position::Off)), [("credit-pacer", Position::Off)]);
    let weekly = desk.ask(Switch::Weekly, Position::Auto);
    assert_eq!(
        weekly.text,
        "weekly limit: on, set by the defaults; but credit-pacer is off, set by its switch"
    );
    assert_eq!(desk.switches().position("credit-pacer.seven_day", None), Position::Auto);
}

#[test]
fn a_reminder_of_a_guard_that_is_off_is_none() {
    let reply = Desk::new("").ask(Switch::Reminder, Position::On);
    let first = reply.text.lines().next().unwrap();
    assert_eq!(first, "reminder: on, set by its switch; but delegation-guard is off, set by the defaults");
}

#[test]
fn what_loosens_is_the_users_and_what_tightens_is_anybodys() {
    for (caller, is_user) in [
        (Caller::Typed, true),
        (Caller::Shell(Standing::Operator), true),
        (Caller::Untyped, false),
        (Caller::Shell(Standing::InsideClaude), false),
        (Caller::Shell(Standing::NoTerminal), false),
    ] {
        for switch in [Switch::Everything, Switch::Pacing, Switch::Weekly, Switch::Reminder] {
            for position in [Position::On, Position::Off, Position::Auto] {
                let desk = Desk { caller, ..Desk::new("") };
                let reply = desk.ask(switch, position);
                let is_refused = !is_user && position != Position::On;
                assert_eq!(reply.is_no, is_refused, "{caller:?} {switch:?} {position:?}: {}", reply.text);
                if is_refused {
                    assert!(reply.effects.is_empty());
                    let is_inside = caller == Caller::Shell(Standing::InsideClaude);
                    assert_eq!(reply.text.contains("as a prompt of this session"), is_inside);
                    assert!(
                        reply.text.ends_with(&format!("type: {}", switch.line(position))),
                        "{}",
                        reply.text
                    );
                }
            }
        }
    }
}

#[test]
fn what_costs_money_is_switched_on_by_the_user_alone() {
    let global = "tempo-stop: {enabled: true}\nintent-validator: {enabled: true}\n";
    for switch in [Switch::TempoStop, Switch::TempoHere, Switch::IntentValidation, Switch::Everything] {
        let mut desk = Desk::new(global);
        desk.ask(switch, Position::Off);
        for section in ["tempo-stop", "intent-validator"] {
            desk.turn(Turn::everywhere(section, Position::Off));
        }
        desk.caller = Caller::Shell(Standing::InsideClaude);
        let reply = desk.ask(switch, Position::On);
        assert!(reply.is_no && reply.effects.is_empty(), "{switch:?}: {}", reply.text);
        desk.caller = Caller::Typed;
        assert!(!desk.ask(switch, Position::On).is_no, "{switch:?}");
    }
}

#[test]
fn what_is_locked_stays() {
    let locked = Desk::new("locked: [credit-pacer.seven_day]\n");
    let weekly = locked.ask(Switch::Weekly, Position::Off);
    assert!(weekly.is_no && weekly.effects.is_empty() && weekly.text.contains("locked"), "{}", weekly.text);
    assert!(!locked.ask(Switch::FiveHour, Position::Off).is_no);
    assert!(locked.ask(Switch::Pacing, Position::Off).is_no, "with it the locked window would be off");
    let partly = Desk::new("locked: [delegation-guard]\n").ask(Switch::Everything, Position::Off);
    let others = ["credit-pacer", "tempo-stop", "intent-validator"].map(|switch| (switch, Position::Off));
    assert_eq!(names(&partly), others);
    assert!(!partly.is_no && partly.text.contains("reminder: locked"), "{}", partly.text);
    let tempo = Desk::new("locked: [tempo-stop]\ntempo-stop: {enabled: true}\n");
    for switch in [Switch::Tempo, Switch::TempoHere] {
        let reply = tempo.ask(switch, Position::Auto);
        assert!(reply.is_no && reply.text.contains("locked"), "{}", reply.text);
    }
}

#[test]
fn what_this_version_does_not_have_is_said_to_be_missing() {
    for (switch, section) in [(Switch::Tempo, "tempo-stop"), (Switch::IntentValidation, "intent-validator")] {
        assert_eq!(members(switch, |known| known != section), []);
    }
    let all = [Switch::Pacing, Switch::TempoStop, Switch::IntentValidation, Switch::Reminder];
    assert_eq!(members(Switch::Everything, |_| true), all);
    assert_eq!(members(Switch::Everything, |known| known == "credit-pacer"), [Switch::Pacing]);
}

#[test]
fn what_costs_money_is_for_the_global_file() {
    let told = paid("tempo", "tempo-stop");
    assert!(told.contains("costs money") && told.ends_with("req enable --hook tempo-stop"), "{told}");
    let desk = Desk::new("");
    for (switch, position) in [
        (Switch::Tempo, Position::On),
        (Switch::Tempo, Position::Auto),
        (Switch::TempoHere, Position::On),
        (Switch::IntentValidation, Position::On),
    ] {
        let reply = desk.ask(switch, position);
        assert!(reply.is_no && reply.effects.is_empty(), "{switch:?} {position:?}");
        assert!(reply.text.contains("costs money"), "{}", reply.text);
    }
    assert!(!desk.ask(Switch::Tempo, Position::Off).is_no);
}

const TEMPO: &str = "tempo-stop: {enabled: true}\n";

#[test]
fn the_word_for_tempo_is_kept_and_said() {
    for (position, text) in [
        (Position::On, "tempo: on, set by its switch\noff again: pace-maker tempo off"),
        (Position::Off, "tempo: off, set by its switch\non again: pace-maker tempo on"),
        (Position::Auto, "tempo: auto (only while you are away), set by its switch"),
    ] {
        let desk = Desk::new(TEMPO);
        let reply = desk.ask(Switch::Tempo, position);
        assert_eq!(names(&reply), [("tempo-stop.mode", position)]);
        assert_eq!(reply.text, text);
        assert_eq!(desk.switches().of("tempo-stop", None).keys.get("mode"), Some(&position));
    }
}

#[test]
fn in_one_session_the_word_is_that_sessions() {
    let desk = Desk::new(TEMPO);
    let reply = desk.ask(Switch::TempoHere, Position::Auto);
    let first = reply.text.lines().next().unwrap();
    assert_eq!(
        first,
        "tempo: auto (only while you are away), set by its switch for this session (tempo-stop --session s)"
    );
    assert_eq!(turns(&reply)[0].session.as_deref(), Some("s"));
    assert_eq!(desk.switches().of("tempo-stop", Some("t")).keys.len(), 0);
    let outside = Desk { session: None, ..Desk::new(TEMPO) };
    assert!(outside.ask(Switch::TempoHere, Position::On).is_no);
}

#[test]
fn the_word_gives_back_a_hook_that_was_switched_off() {
    use Position::{Auto, Off, On};
    for (own, position, expected) in [
        (Off, On, Some(Auto)),
        (Off, Auto, Some(Auto)),
        (Off, Off, None),
        (On, On, None),
        (On, Auto, None),
        (On, Off, None),
        (Auto, On, None),
    ] {
        let desk = Desk::new(TEMPO);
        desk.turn(Turn::everywhere("tempo-stop", own));
        let reply = desk.ask(Switch::Tempo, position);
        let beside: Vec<_> = expected.map(|own| ("tempo-stop", own)).into_iter().collect();
        assert_eq!(
            names(&reply),
            [beside, vec![("tempo-stop.mode", position)]].concat(),
            "{own:?} {position:?}"
        );
        let word = reply.text.split([':', ',']).nth(1).unwrap().trim().to_owned();
        assert!(word.starts_with(position.word()), "{own:?}: {}", reply.text);
        assert!(!reply.text.contains("but tempo-stop is off"), "{}", reply.text);
    }
}

#[test]
fn in_one_session_the_word_gives_back_what_is_off_there() {
    use Position::{Auto, Off, On};
    for (of_all, here, position, expected) in [
        (Off, Auto, On, Some(On)),
        (Off, Auto, Auto, Some(On)),
        (Off, Off, On, Some(On)),
        (Off, On, On, None),
        (Auto, Off, On, Some(Auto)),
        (On, Off, Auto, Some(Auto)),
        (Off, Auto, Off, None),
        (On, Auto, Off, None),
    ] {
        let desk = Desk::new(TEMPO);
        let own = Turn::everywhere("tempo-stop", of_all);
        desk.turn(own.clone());
        desk.turn(Turn { session: Some("s".to_owned()), position: here, ..own });
        let reply = desk.ask(Switch::TempoHere, position);
        let turns = turns(&reply);
        let beside = turns.iter().find(|turn| turn.switch == "tempo-stop");
        assert_eq!(beside.map(|turn| turn.position), expected, "{of_all:?} {here:?} {position:?}");
        assert!(turns.iter().all(|turn| turn.session.is_some()));
        assert_eq!(desk.switches().position("tempo-stop", None), of_all);
        assert!(!reply.text.contains("but tempo-stop is off"), "{}", reply.text);
    }
}

#[test]
fn the_status_names_the_word_and_the_whole_hook_where_that_is_off() {
    use Position::{Auto, Off, On};
    let word = "switch: tempo auto (only while you are away) (otherwise: pace-maker tempo off)";
    let off = "switch: tempo off (as the files say: tempo-stop auto)";
    for (own, expected) in [(Auto, vec![word]), (On, vec![word]), (Off, vec![word, off])] {
        let desk = Desk::new(TEMPO);
        for (switch, position) in [("tempo-stop.mode", Auto), ("tempo-stop", own)] {
            desk.turn(Turn::everywhere(switch, position));
        }
        let told = desk.at_it(|asker| status::answer("pace-maker", false, asker)).text;
        let told: Vec<&str> = told.lines().filter(|line| line.starts_with("switch: ")).collect();
        assert_eq!(told, expected, "{own:?}");
    }
}

#[test]
fn claude_has_no_model_asked() {
    let never = "tempo-stop: {enabled: true, mode: off}\n";
    for (global, caller, is_refused) in [
        (never, Caller::Shell(Standing::InsideClaude), true),
        (never, Caller::Typed, false),
        (TEMPO, Caller::Shell(Standing::InsideClaude), true),
    ] {
        let desk = Desk { caller, ..Desk::new(global) };
        let reply = desk.ask(Switch::Tempo, Position::On);
        assert_eq!(reply.is_no, is_refused, "{global} {caller:?}: {}", reply.text);
    }
}

#[test]
fn the_original_tools_name_of_a_key_counts_before_a_switch() {
    let desk = Desk::new("credit-pacer:\n  weekly_limit_enabled: true\n");
    let off = desk.ask(Switch::Weekly, Position::Off);
    assert!(off.is_no && off.text.contains("~/requirements.yaml:2"), "{}", off.text);
    assert!(!desk.ask(Switch::Weekly, Position::On).is_no);
}
