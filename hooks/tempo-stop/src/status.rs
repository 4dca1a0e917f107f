//! What `status` says beside what every hook's does: when a model is asked, which, and what it has cost.

use shared::cli::Asker;

use crate::settings::{Mode, Settings};

/// A line each.
pub(crate) fn lines(settings: &Settings, asker: &Asker<'_>) -> Vec<String> {
    let judge = judge::status_lines(&settings.judge, asker.store, asker.host);
    std::iter::once(own_line(settings)).chain(judge).collect()
}

fn own_line(settings: &Settings) -> String {
    let (model, most) = (&settings.model, settings.max_blocks.get());
    match settings.mode {
        Mode::Off => "mode off: no stop is looked at".to_owned(),
        Mode::On => {
            format!("{model} is asked at every stop after work; of one prompt at most {most} are held")
        }
        Mode::Auto => format!(
            "{model} is asked at stops after work once you have typed nothing for {} s; of one prompt at most {most} are held",
            settings.away_secs.get()
        ),
    }
}
