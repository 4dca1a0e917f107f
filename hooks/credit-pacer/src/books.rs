//! The books of delays: what was slept, not what was planned. No lock that orders calls is held while the database is written.

use std::time::Duration;

use shared::hook::Hook;
use shared::host::{Places, Timestamp};
use shared::journal;
use shared::state::{MACHINE, Store};

use crate::CreditPacer;
use crate::database::{Database, DelayRow};
use crate::observe::digest;
use crate::settings::Settings;
use crate::state::State;

pub(crate) const DAY_SECS: i64 = 24 * 60 * 60;

/// A sleep of this session ends now. Of parallel calls that slept together the first one books.
pub(crate) fn slept(places: &Places, session: Option<&str>, now: Timestamp) {
    let (Some(store), Some(id)) = (places.open_store(), session) else { return };
    let mut booked = None;
    let kept = store.change::<State>(MACHINE, |state| {
        booked = state.book(digest(id), now);
        booked.is_some()
    });
    let Some((pending, slept)) = kept.ok().and(booked) else { return };
    let secs = (slept + Duration::from_millis(500)).as_secs();
    let row = DelayRow {
        timestamp: pending.at.micros().div_euclid(1_000_000),
        secs: i64::try_from(secs).unwrap_or(i64::MAX),
        session_id: id.to_owned(),
        window: pending.window,
    };
    report(&store, Database::open(&store).and_then(|database| database.add_delay(&row, &pending.why)), now);
}

/// Once a day, at a session's start: removes what is older than `retention_days`.
pub(crate) fn clean_up(store: &Store, settings: &Settings, now: Timestamp) {
    let secs = now.micros().div_euclid(1_000_000);
    let state = State::peek(store).unwrap_or_default();
    if !is_cleaning_due(state.cleaned_at, secs) {
        return;
    }
    let before = secs - i64::from(settings.retention_days.get()) * DAY_SECS;
    let cleaned = Database::open_existing(store)
        .and_then(|database| database.map_or(Ok(()), |database| database.clean_up(before)));
    report(store, cleaned, now);
}

pub(crate) const fn is_cleaning_due(cleaned_at: i64, now: i64) -> bool {
    cleaned_at + DAY_SECS <= now || now < cleaned_at
}

/// Reports to the journal: pacing goes on without the database.
pub(crate) fn report(store: &Store, result: Result<(), String>, now: Timestamp) {
    if let Err(why) = result {
        let entry = journal::Entry {
            hook: CreditPacer::NAME,
            what: "error",
            text: Some(&why),
            ..journal::Entry::default()
        };
        journal::write(store, now, &entry);
    }
}
