//! How it stands with the usage API.

use pacing::Rules;
use schemars::JsonSchema;
use serde::Serialize;
use shared::host::Timestamp;
use shared::state::Store;

use crate::poll::Slot;
use crate::settings::UsageApi;

/// The usage API.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct ApiReport {
    /// It is asked.
    enabled: bool,
    /// Why it brought no reading the last time.
    trouble: Option<String>,
    /// When it is asked again at the earliest, in seconds since the epoch.
    next_at: Option<i64>,
    /// When it was asked last, by the user's clock.
    #[serde(skip)]
    asked: Option<String>,
    /// When it is asked again, by the user's clock.
    #[serde(skip)]
    again: Option<String>,
}

impl ApiReport {
    /// By what is remembered of the last attempt.
    pub(super) fn of(settings: &UsageApi, store: Option<&Store>, rules: &Rules, now: Timestamp) -> Self {
        let slot = store.map(Slot::peek).unwrap_or_default();
        Self::by_slot(settings.enabled, slot, rules, now)
    }

    fn by_slot(enabled: bool, slot: Slot, rules: &Rules, now: Timestamp) -> Self {
        if !enabled || slot.asked_at == 0 {
            return Self { enabled, ..Self::default() };
        }
        let secs = now.micros().div_euclid(1_000_000);
        let is_waiting = !slot.is_due(now);
        Self {
            enabled,
            trouble: slot.trouble.map(|kind| kind.words().to_owned()),
            next_at: is_waiting.then_some(slot.next_at),
            asked: Some(rules.calendar.said(slot.asked_at, secs)),
            again: is_waiting.then(|| rules.calendar.said(slot.next_at, secs)),
        }
    }

    /// "usage API on, last asked Sun 12:25: no login; asked again Sun 12:35"; `None`: it is off.
    pub(super) fn told(&self) -> Option<String> {
        let again = self.again.as_deref().unwrap_or("with the next call of a session");
        self.enabled.then(|| match (&self.asked, &self.trouble) {
            (None, _) => "usage API on, not asked yet; asked with the next call of a session".to_owned(),
            (Some(asked), None) => format!("usage API on, last asked {asked}; asked again {again}"),
            (Some(asked), Some(trouble)) => {
                format!("usage API on, last asked {asked}: {trouble}; asked again {again}")
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use shared::host::Timestamp;

    use super::ApiReport;
    use crate::poll::{Kind, Slot};
    use crate::settings::Settings;

    #[test]
    fn what_is_told_of_the_last_attempt() {
        // Sunday the 22nd of November 2026, 12:25 in UTC.
        const ASKED: i64 = 1_795_350_300;
        let entries = Map::from_iter([("timezone".to_owned(), "UTC".into())]);
        let rules = crate::rules::without_zone(&Settings::over_defaults(&entries).unwrap());
        let slot = Slot { asked_at: ASKED, next_at: ASKED + 600, ..Slot::default() };
        let failed = Slot { trouble: Some(Kind::NoLogin), ..slot };
        for (enabled, slot, after, expected) in [
            (false, failed, 60, None),
            (
                true,
                Slot::default(),
                60,
                Some("usage API on, not asked yet; asked with the next call of a session"),
            ),
            (true, slot, 60, Some("usage API on, last asked Sun 12:25; asked again Sun 12:35")),
            (
                true,
                failed,
                60,
                Some(
                    "usage API on, last asked Sun 12:25: there is no login of Claude Code to ask with: log in with \
                     `claude`; asked again Sun 12:35",
                ),
            ),
            (
                true,
                slot,
                601,
                Some("usage API on, last asked Sun 12:25; asked again with the next call of a session"),
            ),
        ] {
            let report = ApiReport::by_slot(enabled, slot, &rules, Timestamp::from_secs(ASKED + after));
            assert_eq!(report.told().as_deref(), expected);
        }
        let report = ApiReport::by_slot(true, failed, &rules, Timestamp::from_secs(ASKED + 60));
        let json = serde_json::to_value(report).unwrap();
        assert_eq!(
            json,
            json!({ "enabled": true, "trouble": Kind::NoLogin.words(), "next_at": ASKED + 600 })
        );
    }
}
