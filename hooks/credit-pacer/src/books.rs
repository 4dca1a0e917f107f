//! The books of delays: what was slept, not what was planned. No lock that orders calls is held while the database is written.

use shared::hook::Hook;
use shared::host::{Places, Timestamp};
use shared::journal;
use shared::state::{MACHINE, Store};

use crate::CreditPacer;
use crate::database::{Database, DelayRow};
use crate::observe::digest;
use crate::poll::secs;
use crate::settings::Settings;
use crate::state::State;
use crate::wording::whole_secs;

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
    let slept = i64::try_from(whole_secs(slept)).unwrap_or(i64::MAX);
    let row = DelayRow { at: secs(pending.at), secs: slept, window: Some(pending.window) };
    let kept = Database::open(&store).and_then(|database| database.add_delay(&row, id, &pending.why));
    report(&store, kept, now);
}

/// Once a day, at a session's start: removes what is older than `retention_days`.
pub(crate) fn clean_up(store: &Store, settings: &Settings, now: Timestamp) {
    let state = State::peek(store).unwrap_or_default();
    if !is_cleaning_due(state.cleaned_at, secs(now)) {
        return;
    }
    let before = secs(now) - i64::from(settings.retention_days.get()) * DAY_SECS;
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
        let hook = CreditPacer::NAME.to_owned();
        journal::write(store, now, journal::Record { hook, ..journal::Record::of("error", why) });
    }
}
