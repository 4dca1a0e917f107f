//! What a look back is made from: the settings, the rules and the database.

use pacing::{DAY_SECS, Window, seconds};
use shared::host::{Host, Places};
use shared::run::configure;
use shared::switches::Position;

use crate::CreditPacer;
use crate::database::Database;
use crate::history::past::Past;
use crate::history::span::Span;
use crate::rules;
use crate::settings::Settings;

/// The safe line of a window that resets then, at a time, in percent.
pub(crate) type Safe = Box<dyn Fn(Window, i64, i64) -> f64>;

/// What a look back is made from.
#[derive(Debug)]
pub(crate) struct LookingBack {
    settings: Settings,
    /// None if nothing was ever kept.
    database: Option<Database>,
    now: i64,
}

impl LookingBack {
    /// Reads the settings and opens the database.
    pub(crate) fn open(host: &Host) -> Result<Self, String> {
        let places = Places::resolve(&host.environment, host.cwd().as_deref());
        let sources = places.sources(host.environment.home.as_deref());
        let section = configure::<CreditPacer>(&sources, Position::Auto);
        let settings = section.ok_or("the built-in defaults cannot be read; this is a bug")?.settings;
        let store = places.open_store().ok_or("there is no state folder to look into; set HOME")?;
        let database = Database::open_existing(&store).map_err(|error| error.0)?;
        Ok(Self { settings, database, now: host.now().micros() / 1_000_000 })
    }

    /// The days that are asked for: those typed, else the usual number of them, as far as they are kept.
    pub(crate) fn days(&self, typed: Option<&str>, usual: u32) -> Result<u32, String> {
        let kept = self.settings.retention_days.get();
        let Some(typed) = typed else { return Ok(usual.min(kept)) };
        let days = typed.parse().ok().filter(|days| (1..=kept).contains(days));
        days.ok_or_else(|| {
            format!("--days takes a number from 1 to {kept}: so many days are kept (retention_days)")
        })
    }

    /// What happened in the last days, and the safe line of a window at a time.
    pub(crate) fn past(&self, days: u32) -> Result<(Past, Safe), String> {
        let from = self.now - (i64::from(days) + 8) * DAY_SECS;
        let rules = rules::between(&self.settings, from, self.now + 9 * DAY_SECS);
        let zone = rules::zone_name(&self.settings).unwrap_or_else(|| "local time".to_owned());
        let span = Span::last_days(days, self.now, &rules, &zone);
        let since = span.from() - Window::SevenDay.length_secs();
        let (snapshots, decisions) = match &self.database {
            Some(database) => (
                database.snapshots(since).map_err(|error| error.0)?,
                database.decisions(since).map_err(|error| error.0)?,
            ),
            None => (Vec::new(), Vec::new()),
        };
        let alerts: Vec<u32> = self.settings.alerts.iter().map(|percent| percent.get()).collect();
        let safe =
            move |window: Window, resets_at: i64, at: i64| rules.safe_at(window, resets_at, seconds(at));
        Ok((Past::of(span, &snapshots, &decisions, &alerts), Box::new(safe)))
    }

    /// The usage API may be asked.
    pub(crate) const fn asks_api(&self) -> bool {
        self.settings.usage_api.enabled
    }
}
