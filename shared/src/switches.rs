//! Typed on and off: the layer above the local file, kept in `<state>/switches.json`, machine-wide or for one session.
//!
//! A switch turns a section, or a key within one: `credit-pacer.seven_day` sets `credit-pacer.seven_day.enabled`. A switch
//! never loosens a locked key; [`crate::operator`] says who may turn one off.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use config::{Position, SectionSwitches};

use crate::effect::Effect;
use crate::host::{Places, Timestamp};
use crate::state::{KEEP_DAYS, MACHINE, Remembered, StateError, Store};

/// So many characters of a session's id are enough to name it.
pub(crate) const SHORT_ID: usize = 8;

/// For whom a switch is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach<'a> {
    /// Every session of this machine.
    Machine,
    Session(&'a str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// A section, or `section.key` for a key of it that holds an `enabled`.
    pub switch: String,
    /// For one session; none: for all.
    pub session: Option<String>,
    pub position: Position,
}

impl Turn {
    /// For every session of this machine.
    pub fn everywhere(switch: impl Into<String>, position: Position) -> Self {
        Self { switch: switch.into(), session: None, position }
    }

    /// Scope of the switch.
    pub fn reach(&self) -> Reach<'_> {
        self.session.as_deref().map_or(Reach::Machine, Reach::Session)
    }
}

impl Effect for Turn {
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        let store = places.open_store().ok_or("there is no state folder to keep the switch in")?;
        let turned = turn(&store, &self.switch, self.reach(), self.position, now);
        turned.map_err(|error| format!("{}: {error}", self.switch))
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switches {
    machine: BTreeMap<String, Position>,
    sessions: BTreeMap<String, SessionSwitches>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct SessionSwitches {
    turned_us: Timestamp,
    sections: BTreeMap<String, Position>,
}

impl Remembered for Switches {
    fn file_name(_session: &str) -> Option<String> {
        Some("switches.json".to_owned())
    }
}

impl Switches {
    /// The switches as they stand; none if the file cannot be read.
    pub fn read(store: &Store) -> Self {
        store.read(MACHINE).unwrap_or_default()
    }

    /// Position of the section's switch for a session.
    pub fn position(&self, section: &str, session: Option<&str>) -> Position {
        let own = session.and_then(|session| self.of_session(session)?.sections.get(section));
        own.or_else(|| self.machine.get(section)).copied().unwrap_or_default()
    }

    /// The section's switches as they stand for a session.
    pub fn of(&self, section: &str, session: Option<&str>) -> SectionSwitches {
        let own = session.and_then(|session| self.of_session(session)).map(|session| &session.sections);
        let within = |(switch, position): (&String, &Position)| {
            let key = switch.strip_prefix(section)?.strip_prefix('.')?;
            Some((key.to_owned(), *position))
        };
        let keys = self.machine.iter().chain(own.into_iter().flatten()).filter_map(within);
        SectionSwitches { own: self.position(section, session), keys: keys.collect() }
    }

    /// The switches of a session, which were turned for its id or for the beginning of it; of several the last one.
    fn of_session(&self, session: &str) -> Option<&SessionSwitches> {
        let is_named =
            |id: &str| session == id || (id.chars().count() >= SHORT_ID && session.starts_with(id));
        let named = self.sessions.iter().filter(|(id, _)| is_named(id));
        named.map(|(_, switches)| switches).max_by_key(|switches| switches.turned_us)
    }

    /// The same with one of them turned, as it would be at this time.
    #[must_use]
    pub fn with(mut self, turn: &Turn, now: Timestamp) -> Self {
        self.turn(&turn.switch, turn.reach(), turn.position, now);
        self
    }

    fn turn(&mut self, section: &str, reach: Reach<'_>, position: Position, now: Timestamp) {
        let lifetime = Duration::from_secs(KEEP_DAYS * 24 * 60 * 60);
        self.sessions.retain(|_, session| now.since(session.turned_us) < lifetime);
        let sections = match reach {
            Reach::Machine => &mut self.machine,
            Reach::Session(id) => {
                let session = self.sessions.entry(id.to_owned()).or_default();
                session.turned_us = now;
                &mut session.sections
            }
        };
        match position {
            Position::Auto => sections.remove(section),
            turned => sections.insert(section.to_owned(), turned),
        };
    }
}

/// Turns the switch of a section, or of a key of it.
pub fn turn(
    store: &Store,
    section: &str,
    reach: Reach<'_>,
    position: Position,
    now: Timestamp,
) -> Result<(), StateError> {
    store.change::<Switches>(MACHINE, |switches| {
        switches.turn(section, reach, position, now);
        true
    })
}

#[cfg(test)]
mod tests {
    use super::{Position, Reach, Switches, Turn, turn};
    use crate::effect::Effect;
    use crate::host::{Places, Timestamp};
    use crate::state::Store;

    const NOW: Timestamp = Timestamp::from_secs(10_000_000);

    #[test]
    fn a_sessions_switch_wins_over_the_machines_and_auto_gives_way() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        let position = |session| Switches::read(&store).position("tempo", session);
        assert_eq!(position(Some("s")), Position::Auto);
        turn(&store, "tempo", Reach::Machine, Position::Off, NOW).unwrap();
        turn(&store, "tempo", Reach::Session("s"), Position::On, NOW).unwrap();
        assert_eq!(position(Some("s")), Position::On);
        assert_eq!(position(Some("t")), Position::Off);
        assert_eq!(position(None), Position::Off);
        turn(&store, "tempo", Reach::Session("s"), Position::Auto, NOW).unwrap();
        assert_eq!(position(Some("s")), Position::Off);
        turn(&store, "tempo", Reach::Machine, Position::Auto, NOW).unwrap();
        assert_eq!(position(Some("s")), Position::Auto);
    }

    #[test]
    fn the_first_characters_of_an_id_name_the_session() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        turn(&store, "tempo", Reach::Session("0c4e7a11"), Position::Off, NOW).unwrap();
        let position = |session| Switches::read(&store).position("tempo", Some(session));
        assert_eq!(position("0c4e7a11-0000-4000-8000-000000000002"), Position::Off);
        assert_eq!(position("0c4e7a12-0000-4000-8000-000000000002"), Position::Auto);
        let later = NOW.plus(std::time::Duration::from_secs(1));
        turn(&store, "tempo", Reach::Session("0c4e7a11-0000"), Position::On, later).unwrap();
        assert_eq!(position("0c4e7a11-0000-4000-8000-000000000002"), Position::On, "the last one counts");
    }

    #[test]
    fn a_typed_switch_is_kept_or_what_is_missing_is_said() {
        let scratch = tempfile::tempdir().unwrap();
        let turned = Turn::everywhere("tempo", Position::Off);
        let places = Places { state_dir: Some(scratch.path().to_owned()), ..Places::default() };
        assert_eq!(turned.clone().carry_out(&places, NOW), Ok(()));
        let switches = Switches::read(&places.open_store().unwrap());
        assert_eq!(switches.position("tempo", None), Position::Off);
        let nowhere = turned.carry_out(&Places::default(), NOW);
        assert_eq!(nowhere, Err("there is no state folder to keep the switch in".to_owned()));
    }

    #[test]
    fn a_key_of_a_section_has_a_switch_of_its_own() {
        let switches = [
            Turn::everywhere("pacer", Position::On),
            Turn::everywhere("pacer.week", Position::Off),
            Turn::everywhere("pacer.day", Position::On),
            Turn { session: Some("s".to_owned()), ..Turn::everywhere("pacer.day", Position::Off) },
            Turn::everywhere("pacer-two.month", Position::Off),
        ];
        let switches = switches.iter().fold(Switches::default(), |switches, turn| switches.with(turn, NOW));
        let keys = |session| switches.of("pacer", session).keys.into_iter().collect::<Vec<_>>();
        assert_eq!(keys(None), [("day".to_owned(), Position::On), ("week".to_owned(), Position::Off)]);
        assert_eq!(keys(Some("s")), [("day".to_owned(), Position::Off), ("week".to_owned(), Position::Off)]);
        assert_eq!(switches.of("pacer", None).own, Position::On);
        let auto = switches.clone().with(&Turn::everywhere("pacer.week", Position::Auto), NOW);
        assert_eq!(auto.of("pacer", None).keys.len(), 1);
        assert_eq!(switches.of("two", None), Position::Auto.into());
    }

    #[test]
    fn the_three_words_and_no_other() {
        for position in [Position::On, Position::Off, Position::Auto] {
            assert_eq!(Position::of_word(position.word()), Some(position));
        }
        assert_eq!(Position::of_word("advise"), None);
    }

    #[test]
    fn switches_of_sessions_long_gone_are_dropped() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        turn(&store, "tempo", Reach::Session("old"), Position::On, Timestamp::from_secs(0)).unwrap();
        turn(&store, "tempo", Reach::Session("new"), Position::On, NOW).unwrap();
        assert_eq!(Switches::read(&store).position("tempo", Some("old")), Position::Auto);
        assert_eq!(Switches::read(&store).position("tempo", Some("new")), Position::On);
    }

    #[test]
    fn an_unreadable_file_turns_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        std::fs::write(scratch.path().join("switches.json"), "{").unwrap();
        assert_eq!(Switches::read(&store), Switches::default());
    }
}
