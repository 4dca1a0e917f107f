//! What the client is told of a busy day on plan: how much of the account's credits is used, and how full a context is.

use std::sync::atomic::{AtomicUsize, Ordering};
use tests::clock::epoch_micros;
use tests::messages_api::{Reply, Usage};

/// Tokens that fit into a context of the model the client takes by itself.
const WINDOW: u64 = 1_000_000;

/// Every session begins with its context so full, in percent.
const BEGUN: u64 = 3;

/// How full it is at its end, by session: one fills to the brim, short of being compacted by the client.
const FILLED: [u64; 4] = [35, 60, 78, 96];

/// The five hours, in percent of the credits: the end of a window that was used evenly. The safe line is at 88 there, so this is
/// on plan, and past the first alert.
const FIVE_HOURS: [usize; 2] = [30, 82];

/// They begin anew in so many seconds.
const FIVE_HOURS_LEFT: u64 = 20 * 60;

/// The week, half of which is over: wherever in it a weekend lies, at least 28 % are planned by now.
const WEEK: [usize; 2] = [20, 24];

const WEEK_LEFT: u64 = 84 * 3600;

/// One subscription, used by all sessions.
pub(super) struct Account {
    answered: AtomicUsize,
    /// So many answers make a day.
    day: usize,
    /// In seconds since 1970.
    now: u64,
}

impl Account {
    pub(super) fn new(day: usize) -> Self {
        Self { answered: AtomicUsize::new(0), day, now: epoch_micros() / 1_000_000 }
    }

    /// The reply as the server sends it: with what is used by then.
    pub(super) fn charged(&self, reply: Reply) -> Reply {
        let answered = self.answered.fetch_add(1, Ordering::Relaxed).min(self.day);
        let used = |[from, to]: [usize; 2]| format!("0.{:02}", from + (to - from) * answered / self.day);
        let resets = |left: u64| (self.now + left).to_string();
        reply
            .header("anthropic-ratelimit-unified-5h-utilization", &used(FIVE_HOURS))
            .header("anthropic-ratelimit-unified-5h-reset", &resets(FIVE_HOURS_LEFT))
            .header("anthropic-ratelimit-unified-7d-utilization", &used(WEEK))
            .header("anthropic-ratelimit-unified-7d-reset", &resets(WEEK_LEFT))
    }
}

/// What answer `number` of so many in a session has in its context.
pub(super) fn context(session: usize, number: usize, of: usize) -> Usage {
    let share = |full: u64| WINDOW * full / 100;
    let [number, of] = [number.min(of), of].map(|count| u64::try_from(count).expect("a count"));
    let usage = Usage::default();
    // It is full a little before the end: what is told at the very end is read by nobody.
    let number = (number * 16 / 15).min(of);
    let filled = share(BEGUN) + (share(FILLED[session]) - share(BEGUN)) * number / of;
    Usage { cache_read: filled - usage.input - usage.output, ..usage }
}
