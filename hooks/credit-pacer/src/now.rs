//! The facts of this moment, for the status, the status line and their JSON. Nothing is written.

use pacing::Pace;
use shared::cli::{Asker, off_file};
use shared::config::Section;
use shared::digest;
use shared::host::Timestamp;
use shared::state::MACHINE;

use crate::decide::allowed;
use crate::readings::{Observed, Scene, known, merge};
use crate::rules;
use crate::settings::Settings;
use crate::state::State;

pub(crate) struct Now {
    pub(crate) time: Timestamp,
    pub(crate) scene: Scene,
    pub(crate) state: State,
    pub(crate) pace: Pace,
    /// Nothing is delayed, whatever the limits.
    pub(crate) is_off: bool,
    /// The delay of the next call, in seconds.
    pub(crate) delay_secs: f64,
}

impl Now {
    /// The answer of the controller for the session of the asker. `lost` is a reading that could not be written down.
    pub(crate) fn of(asker: &Asker<'_>, section: &Section<Settings>, lost: Option<&Observed>) -> Self {
        let (settings, time) = (&section.settings, asker.host.now());
        let usage = known(asker.store, asker.session, settings, time.secs());
        let usage = match lost {
            Some(seen) => Some(merge(usage.unwrap_or_default(), seen)),
            None => usage,
        };
        let scene = Scene::of(usage, settings, time.secs());
        let scene = Scene { rules: rules::around(settings, time.secs()), ..scene };
        let state = asker.store.and_then(|store| store.read::<State>(MACHINE)).unwrap_or_default();
        let pace = state.pace(&scene, time);
        let is_off = !section.enabled || off_file(asker.host, asker.places).is_some();
        let session = asker.session.and_then(|session| state.sessions.get(&digest::number(session)));
        let headless = asker.host.environment.is_headless() && !section.headless;
        let delay = allowed(&pace, session, settings, headless, time).as_secs_f64();
        Self { time, pace, is_off, delay_secs: if is_off { 0.0 } else { delay }, scene, state }
    }
}
