//! Typed on and off: the layer above the local file, kept in `<state>/switches.json`, machine-wide or for one session.
//!
//! A switch turns a section, or a key within one: `credit-pacer.seven_day` sets `credit-pacer.seven_day.enabled`. A switch
//! never loosens a locked key; [`crate::operator`] says who may turn one off.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use config::{Position, SectionSwitches};

use crate::hook::Effect;
use crate::host::{DAY, Places, Timestamp};
use crate::journal::{self, Record};
use crate::state::{KEEP_DAYS, MACHINE, Remembered, Store};

/// So many characters of a session's id are enough to name it.
pub(crate) const SHORT_ID: usize = 8;

/// A switch's session is forgotten after this time.
const LIFETIME: Duration = Duration::from_secs(KEEP_DAYS * DAY.as_secs());

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// A section, or `section.key` for a key of it that holds an `enabled`.
    pub switch: String,
    pub session: Option<String>,
    pub position: Position,
}

impl Turn {
    pub fn everywhere(switch: impl Into<String>, position: Position) -> Self {
        Self { switch: switch.into(), session: None, position }
    }
}

impl Effect for Turn {
    fn carry_out(self, places: &Places, now: Timestamp) -> Result<(), String> {
        let store = places.open_store().ok_or("there is no state folder to keep the switch in")?;
        let turned = store.change::<Switches>(MACHINE, |switches| {
            *switches = std::mem::take(switches).with(&self, now);
            true
        });
        turned.map_err(|error| format!("{}: {error}", self.switch))?;
        let (hook, rule) = match self.switch.split_once('.') {
            Some((section, _)) => (section.to_owned(), Some(self.switch)),
            None => (self.switch, None),
        };
        let record = Record::of("switch", self.position.word());
        journal::write(&store, now, Record { hook, rule, session: self.session, ..record });
        Ok(())
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
    const FILE: &'static str = "switches.json";
}

impl Switches {
    /// The switches as they stand; none if the file cannot be read.
    pub fn read(store: &Store) -> Self {
        store.read(MACHINE).unwrap_or_default()
    }

    /// The same for hooks: what the user has switched off counts in our own state folder, too. A project may name another folder.
    pub fn in_force(places: &Places, store: Option<&Store>) -> Self {
        let mut switches = store.map(Self::read).unwrap_or_default();
        let own =
            places.default_state_dir.as_deref().filter(|own| store.is_none_or(|store| store.dir() != *own));
        let off = own.map(|own| Self::read(&Store::at(own))).unwrap_or_default().machine;
        switches.machine.extend(off.into_iter().filter(|(_, position)| *position == Position::Off));
        switches
    }

    pub fn position(&self, section: &str, session: Option<&str>) -> Position {
        let own = self.of_session(session).and_then(|own| own.get(section));
        own.or_else(|| self.machine.get(section)).copied().unwrap_or_default()
    }

    pub fn of(&self, section: &str, session: Option<&str>) -> SectionSwitches {
        let within = |(switch, position): (&String, &Position)| {
            let key = switch.strip_prefix(section)?.strip_prefix('.')?;
            Some((key.to_owned(), *position))
        };
        let all = self.machine.iter().chain(self.of_session(session).into_iter().flatten());
        SectionSwitches { own: self.position(section, session), keys: all.filter_map(within).collect() }
    }

    /// The switches of a session, which were turned for its id or for the beginning of it; of several the last one.
    fn of_session(&self, session: Option<&str>) -> Option<&BTreeMap<String, Position>> {
        let session = session?;
        let is_named =
            |id: &str| session == id || (id.chars().count() >= SHORT_ID && session.starts_with(id));
        let named = self.sessions.iter().filter(|(id, _)| is_named(id)).map(|(_, switches)| switches);
        named.max_by_key(|switches| switches.turned_us).map(|switches| &switches.sections)
    }

    /// The same with one of them turned, as it would be at this time.
    #[must_use]
    pub fn with(mut self, Turn { switch, session, position }: &Turn, now: Timestamp) -> Self {
        self.sessions.retain(|_, session| now.since(session.turned_us) < LIFETIME);
        let sections = match session {
            None => &mut self.machine,
            Some(id) => {
                let session = self.sessions.entry(id.clone()).or_default();
                session.turned_us = now;
                &mut session.sections
            }
        };
        match position {
            Position::Auto => sections.remove(switch),
            turned => sections.insert(switch.clone(), *turned),
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;

    const NOW: Timestamp = Timestamp::from_secs(10_000_000);

    fn turn(switch: &str, session: Option<&str>, position: Position) -> Turn {
        Turn { session: session.map(str::to_owned), ..Turn::everywhere(switch, position) }
    }

    #[test]
    fn a_sessions_switch_wins_over_the_machines_and_auto_gives_way() {
        let scratch = tempfile::tempdir().unwrap();
        let places = Places { state_dir: Some(scratch.path().to_owned()), ..Places::default() };
        let store = places.open_store().unwrap();
        let position = |session| Switches::read(&store).position("tempo", Some(session));
        assert_eq!(position("s"), Position::Auto);
        for (session, to, of_s, of_t) in [
            (None, Position::Off, Position::Off, Position::Off),
            (Some("s"), Position::On, Position::On, Position::Off),
            (Some("s"), Position::Auto, Position::Off, Position::Off),
            (None, Position::Auto, Position::Auto, Position::Auto),
        ] {
            turn("tempo", session, to).carry_out(&places, NOW).unwrap();
            assert_eq!((position("s"), position("t")), (of_s, of_t), "{session:?} {to:?}");
        }
        assert!(turn("tempo", None, Position::On).carry_out(&Places::default(), NOW).is_err());
    }

    #[test]
    fn the_journal_names_hook_key_and_session_of_a_switch() {
        let scratch = tempfile::tempdir().unwrap();
        let places = Places { state_dir: Some(scratch.path().to_owned()), ..Places::default() };
        for (switch, session, hook, rule) in
            [("tempo", Some("s"), "tempo", None), ("pacer.week", None, "pacer", Some("pacer.week"))]
        {
            turn(switch, session, Position::Off).carry_out(&places, NOW).unwrap();
            let read = Journal::read(scratch.path()).records.pop().unwrap();
            assert_eq!(
                (read.what.as_str(), read.hook.as_str(), read.rule.as_deref()),
                ("switch", hook, rule)
            );
            assert_eq!((read.session.as_deref(), read.text.as_deref()), (session, Some("off")));
        }
    }

    #[test]
    fn off_in_our_own_folder_counts_where_another_one_is_in_use() {
        let (named, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let default_state_dir = Some(own.path().to_owned());
        let places = |dir: &std::path::Path| Places {
            state_dir: Some(dir.to_owned()),
            default_state_dir: default_state_dir.clone(),
            ..Places::default()
        };
        for (switch, position) in [("a", Position::Off), ("b", Position::On)] {
            turn(switch, None, position).carry_out(&places(own.path()), NOW).unwrap();
        }
        let in_use = places(named.path());
        let switches = Switches::in_force(&in_use, in_use.open_store().as_ref());
        let found = ["a", "b"].map(|section| switches.position(section, Some("s")));
        assert_eq!(found, [Position::Off, Position::Auto]);
    }

    #[test]
    fn the_first_characters_of_an_id_name_the_session_and_the_last_switch_counts() {
        let switches = Switches::default()
            .with(&turn("tempo", Some("0c4e7a11"), Position::Off), NOW)
            .with(&turn("tempo", Some("0c4e7a12-0"), Position::Off), NOW)
            .with(&turn("tempo", Some("0c4e7a12"), Position::On), NOW.plus(Duration::from_secs(1)));
        for (session, expected) in [
            ("0c4e7a11-0000-4000-8000-000000000002", Position::Off),
            ("0c4e7a12-0000-4000-8000-000000000002", Position::On),
            ("0c4e7a13-0000-4000-8000-000000000002", Position::Auto),
        ] {
            assert_eq!(switches.position("tempo", Some(session)), expected, "{session}");
        }
    }

    #[test]
    fn a_key_of_a_section_has_a_switch_of_its_own() {
        let switches = [
            turn("pacer", None, Position::On),
            turn("pacer.week", None, Position::Off),
            turn("pacer.day", None, Position::On),
            turn("pacer.day", Some("s"), Position::Off),
            turn("pacer-two.month", None, Position::Off),
        ];
        let switches = switches.iter().fold(Switches::default(), |switches, turn| switches.with(turn, NOW));
        let keys = |session| switches.of("pacer", session).keys.into_iter().collect::<Vec<_>>();
        assert_eq!(keys(None), [("day".to_owned(), Position::On), ("week".to_owned(), Position::Off)]);
        assert_eq!(keys(Some("s")), [("day".to_owned(), Position::Off), ("week".to_owned(), Position::Off)]);
        assert_eq!(switches.of("pacer", None).own, Position::On);
        assert_eq!(switches.of("two", None), Position::Auto.into());
    }

    #[test]
    fn switches_of_sessions_long_gone_are_dropped() {
        let old = turn("tempo", Some("old"), Position::On);
        let switches = Switches::default().with(&old, Timestamp::from_secs(0));
        let switches = switches.with(&turn("tempo", Some("new"), Position::On), NOW);
        assert_eq!(switches.position("tempo", Some("old")), Position::Auto);
        assert_eq!(switches.position("tempo", Some("new")), Position::On);
    }
}
