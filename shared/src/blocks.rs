//! The blocks of a session: the small file through which independent hooks know of each other.
//!
//! Stop gates count their blocks per prompt here, because the client's own flag (`stop_hook_active`) is one bit and its
//! cap of 8 counts everybody's continuations. A hook that denies a call leaves its mark, so that whoever is about to pay
//! for a model call can look first.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::digest;
pub use crate::hook::BlockCount;
use crate::host::Timestamp;
use crate::state::{Remembered, StateError, Store};

/// The newest so many denied calls are remembered; a mark is looked for within a second of being left.
const MAX_MARKS: usize = 32;

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// The prompt whose stops are counted.
    prompt_id: Option<String>,
    stops: BTreeMap<String, Blocked>,
    /// Ids of denied tool calls, the newest last.
    denied: VecDeque<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Blocked {
    count: u32,
    last_us: Timestamp,
    /// The hash of the message that the last blocked stop ended with.
    message: u64,
    is_followed: bool,
}

impl Remembered for Ledger {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-blocks.json"))
    }
}

impl Ledger {
    /// The count for `prompt_id`. A stop without a prompt id starts a new count.
    pub fn count(&self, prompt_id: Option<&str>, hook: &str) -> BlockCount {
        if prompt_id.is_none() || self.prompt_id.as_deref() != prompt_id {
            return BlockCount::default();
        }
        let own = self.stops.get(hook);
        BlockCount {
            own: own.map_or(0, |own| own.count),
            together: self.stops.values().map(|blocked| blocked.count).fold(0, u32::saturating_add),
            own_last: own.map(|own| own.last_us),
            is_followed: own.is_some_and(|own| own.is_followed),
        }
    }

    pub fn is_denied(&self, tool_use_id: &str) -> bool {
        self.denied.iter().any(|denied| denied == tool_use_id)
    }

    /// Another hook has blocked this very stop: the one of this prompt with this message, since `began`.
    pub fn is_blocked_since(
        &self,
        prompt_id: Option<&str>,
        message: Option<&str>,
        hook: &str,
        began: Timestamp,
    ) -> bool {
        let message = digest::number(message.unwrap_or_default());
        let is_this = |blocked: &Blocked| blocked.message == message && blocked.last_us >= began;
        self.prompt_id.as_deref() == prompt_id
            && self.stops.iter().any(|(other, blocked)| other != hook && is_this(blocked))
    }
}

/// The session's ledger as it is now; empty if it cannot be read.
pub fn read(store: &Store, session: &str) -> Ledger {
    store.read(session).unwrap_or_default()
}

pub fn record_stop(
    store: &Store,
    session: &str,
    prompt_id: Option<&str>,
    message: Option<&str>,
    hook: &str,
    now: Timestamp,
) -> Result<(), StateError> {
    store.change::<Ledger>(session, |ledger| {
        if prompt_id.is_none() || ledger.prompt_id.as_deref() != prompt_id {
            ledger.stops.clear();
            ledger.prompt_id = prompt_id.map(ToOwned::to_owned);
        }
        let own = ledger.stops.entry(hook.to_owned()).or_default();
        own.count = own.count.saturating_add(1);
        (own.last_us, own.message) = (now, digest::number(message.unwrap_or_default()));
        true
    })
}

/// Remembers that a stop did what the hook's blocks of this prompt had asked for.
pub fn record_followed(
    store: &Store,
    session: &str,
    prompt_id: Option<&str>,
    hook: &str,
) -> Result<(), StateError> {
    store.change::<Ledger>(session, |ledger| {
        let is_this = ledger.prompt_id.as_deref() == prompt_id;
        let own = ledger.stops.get_mut(hook).filter(|_| is_this);
        own.map(|own| own.is_followed = true).is_some()
    })
}

pub fn record_deny(store: &Store, session: &str, tool_use_id: &str) -> Result<(), StateError> {
    store.change::<Ledger>(session, |ledger| {
        ledger.denied.push_back(tool_use_id.to_owned());
        while ledger.denied.len() > MAX_MARKS {
            ledger.denied.pop_front();
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use super::{BlockCount, MAX_MARKS, read, record_deny, record_followed, record_stop};
    use crate::host::Timestamp;
    use crate::tests::store;

    const T: fn(i64) -> Timestamp = Timestamp::from_secs;

    #[test]
    fn counts_per_prompt_and_hook() {
        let (_scratch, store) = store();
        record_stop(&store, "s", Some("p"), None, "a", T(1)).unwrap();
        record_stop(&store, "s", Some("p"), None, "b", T(2)).unwrap();
        record_stop(&store, "s", Some("p"), None, "a", T(3)).unwrap();
        let ledger = read(&store, "s");
        assert_eq!(
            ledger.count(Some("p"), "a"),
            BlockCount { own: 2, together: 3, own_last: Some(T(3)), is_followed: false }
        );
        assert_eq!(ledger.count(Some("p"), "c"), BlockCount { own: 0, together: 3, ..BlockCount::default() });
        assert_eq!(ledger.count(Some("q"), "a"), BlockCount::default());
        record_followed(&store, "s", Some("p"), "a").unwrap();
        record_followed(&store, "s", Some("q"), "b").unwrap();
        let is_followed = |hook| read(&store, "s").count(Some("p"), hook).is_followed;
        assert_eq!(["a", "b", "c"].map(is_followed), [true, false, false]);
    }

    #[test]
    fn another_prompt_or_none_starts_a_new_count() {
        let (_scratch, store) = store();
        record_stop(&store, "s", Some("p"), None, "a", T(1)).unwrap();
        record_stop(&store, "s", Some("q"), None, "a", T(2)).unwrap();
        assert_eq!(read(&store, "s").count(Some("q"), "a").together, 1);
        record_stop(&store, "s", None, None, "a", T(3)).unwrap();
        record_stop(&store, "s", None, None, "a", T(4)).unwrap();
        assert_eq!(read(&store, "s").count(None, "a"), BlockCount::default());
        assert_eq!(read(&store, "s").count(Some("q"), "a"), BlockCount::default());
    }

    #[test]
    fn sees_who_else_blocked_meanwhile() {
        let (_scratch, store) = store();
        record_stop(&store, "s", Some("p"), None, "a", T(10)).unwrap();
        let ledger = read(&store, "s");
        assert!(ledger.is_blocked_since(Some("p"), None, "b", T(10)));
        assert!(!ledger.is_blocked_since(Some("p"), None, "b", T(11)));
        assert!(!ledger.is_blocked_since(Some("p"), Some("Done."), "b", T(10)), "that was another stop");
        assert!(!ledger.is_blocked_since(Some("p"), None, "a", T(10)), "a hook's own block does not count");
        assert!(!ledger.is_blocked_since(Some("q"), None, "b", T(10)));
    }

    #[test]
    fn marks_are_found_and_bounded() {
        let (_scratch, store) = store();
        for number in 0..=MAX_MARKS {
            record_deny(&store, "s", &format!("toolu_{number}")).unwrap();
        }
        let ledger = read(&store, "s");
        assert!(!ledger.is_denied("toolu_0"));
        assert!(ledger.is_denied("toolu_1") && ledger.is_denied(&format!("toolu_{MAX_MARKS}")));
    }
}
