//! The judge's lines of `status`.

use super::permission::{NotAsked, global_file, standing};
use super::settings::{Backend, Settings};
use super::{ledger, messages_api, price};
use crate::model::AskError;
use shared::host::Host;
use shared::state::Store;

/// How a model is asked, what was spent, and why none would be asked now, a line each.
#[must_use]
pub fn status_lines(settings: &Settings, store: Option<&Store>, host: &Host) -> Vec<String> {
    lines(settings, store, host, messages_api::has_key(host))
}

fn lines(settings: &Settings, store: Option<&Store>, host: &Host, has_key: bool) -> Vec<String> {
    let way = way(settings);
    let tally = store.and_then(|store| ledger::tally(store, host.now()));
    let spent = tally.map(|tally| spent(settings, tally));
    let why = standing(settings, store, host, host.cwd().as_deref()).or_else(|| match tally {
        None => Some(NotAsked::NoState),
        Some(tally) => ledger::refusal(tally, settings, 1),
    });
    let environment = &host.environment;
    let own = environment.home.as_deref().map(|home| home.join(".claude"));
    let config_dir = environment.claude_config_dir.clone().or(own);
    let file = global_file(config_dir.as_deref(), environment);
    let lacks_key = settings.backend == Some(Backend::MessagesApi) && !has_key;
    let why = why.map(|why| why.explained(settings, &file));
    let why = why.or_else(|| lacks_key.then(|| AskError::NoKey.to_string()));
    let why = why.map(|why| format!("no model is asked now: {why}"));
    way.into_iter().chain(spent).chain(why).collect()
}

fn way(settings: &Settings) -> Option<String> {
    match settings.backend? {
        Backend::MessagesApi => {
            Some("a model is asked through the Messages API, with the key in ANTHROPIC_API_KEY".to_owned())
        }
        Backend::ClaudeCli => {
            let program = settings.claude_program.display();
            Some(format!("a model is asked through your own `{program} -p`, with your login"))
        }
    }
}

fn spent(settings: &Settings, tally: ledger::Tally) -> String {
    let (calls, most) = (tally.calls, settings.max_calls_per_hour.get());
    let limit = price::micros(settings.max_cost_usd_per_day.get());
    format!(
        "in the last hour {calls} of {most} questions, in 24 hours {} of {} USD",
        usd(tally.micro_usd),
        usd(limit)
    )
}

/// Millionths of a dollar, in cents. What is less than a cent is no nothing.
fn usd(micros: u64) -> String {
    let cents = micros.div_ceil(10_000);
    format!("{}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests;
