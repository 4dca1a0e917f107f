//! What can be typed, in a shell and as a prompt: the verbs every hook has, and of `status` more than they say.

use std::process::ExitCode;

use shared::cli::{self, Asker, Reply};
use shared::hook::Hook;
use shared::host::Host;
use shared::judge;
use shared::operator::typed::words_after;

use crate::TempoStop;
use crate::settings::{Mode, Settings};

const STATUS: &str = "status";

/// The answer to a prompt, if it is a command.
pub(crate) fn typed(prompt: &str, asker: &Asker<'_>) -> Option<Reply> {
    match words_after(TempoStop::NAME, prompt)?.as_slice() {
        [word] if word.eq_ignore_ascii_case(STATUS) => Some(status(asker)),
        _ => cli::typed::<TempoStop>(prompt, asker),
    }
}

/// Runs a verb of ours in a shell; `None`: it is one that every hook has, or none.
pub(crate) fn run(host: &Host, words: &[&str]) -> Option<ExitCode> {
    matches!(words, [STATUS]).then(|| cli::in_shell(host, status))
}

/// What every hook's status says, and when a model is asked, which, and what it has cost.
fn status(asker: &Asker<'_>) -> Reply {
    let common = cli::typed::<TempoStop>("tempo-stop status", asker).unwrap_or_default();
    let Some(section) = asker.section::<TempoStop>(&asker.switches()).filter(|_| !common.is_no) else {
        return common;
    };
    let settings = &section.settings;
    let judge = judge::status_lines(&settings.judge, asker.store, asker.host);
    let lines: Vec<String> = [common.text, own_line(settings)].into_iter().chain(judge).collect();
    Reply::yes(lines.join("\n"))
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
