//! The judge's lines of `status`.

use super::settings::{Backend, Settings};
use super::silence::{Silence, global_file, standing};
use super::{budget, messages_api};
use shared::host::Host;
use shared::state::Store;

pub fn status_lines(settings: &Settings, store: Option<&Store>, host: &Host) -> Vec<String> {
    lines(settings, store, host, messages_api::key(host).is_some())
}

fn lines(settings: &Settings, store: Option<&Store>, host: &Host, has_key: bool) -> Vec<String> {
    let way = settings.backend.map(|backend| match backend {
        Backend::MessagesApi => {
            "a model is asked through the Messages API, with the key in ANTHROPIC_API_KEY".to_owned()
        }
        Backend::ClaudeCli => {
            let program = settings.claude_program.display();
            format!("a model is asked through your own `{program} -p`, with your login")
        }
    });
    let tally = store.and_then(|store| budget::tally(store, host.now()));
    let why_not = standing(settings, store, host, host.cwd().as_deref()).or_else(|| match tally {
        None => Some(Silence::NoState),
        Some(tally) => budget::refusal(tally, settings, 1),
    });
    let home = host.environment.home.as_deref();
    let config_dir = host.environment.claude_config_dir.clone().or(home.map(|home| home.join(".claude")));
    let why_not = why_not.map(|why| why.explained(&global_file(config_dir.as_deref(), home)));
    let lacks_key = settings.backend == Some(Backend::MessagesApi) && !has_key;
    let why_not = why_not.or_else(|| lacks_key.then(|| Silence::NoKey.words().to_owned()));
    let why_not = why_not.map(|why| format!("no model is asked now: {why}"));
    way.into_iter().chain(tally.map(|tally| spent(settings, tally))).chain(why_not).collect()
}

fn spent(settings: &Settings, tally: budget::Tally) -> String {
    format!(
        "in the last hour {} of {} questions, in 24 hours {} of {} USD",
        tally.calls,
        settings.max_calls_per_hour.get(),
        usd(tally.micro_usd),
        usd(budget::micros(settings.max_cost_usd_per_day.get()))
    )
}

fn usd(micros: u64) -> String {
    let cents = micros.div_ceil(10_000);
    format!("{}.{:02}", cents / 100, cents % 100)
}

#[cfg(test)]
mod tests {
    use super::{budget, lines};
    use crate::settings::Backend;
    use crate::tests::{NOON, Scene};
    use shared::host::Timestamp;

    fn check(scene: &Scene, has_key: bool, expected: &[&str]) {
        let said = scene.with(|caller| lines(caller.settings, caller.store, caller.host, has_key));
        let fits = said.iter().zip(expected).all(|(line, expected)| line.starts_with(expected));
        assert!(said.len() == expected.len() && fits, "{said:?} {expected:?}");
    }

    #[test]
    fn the_way_and_what_was_spent_and_why_nobody_would_be_asked() {
        let api = "a model is asked through the Messages API, with the key in ANTHROPIC_API_KEY";
        let nothing = "in the last hour 0 of 60 questions, in 24 hours 0.00 of 2.00 USD";
        let mut scene = Scene::new();
        check(&scene, true, &[api, nothing]);
        check(&scene, false, &[api, nothing, "no model is asked now: there is no ANTHROPIC_API_KEY"]);
        scene.settings.backend = Some(Backend::ClaudeCli);
        let cli = "a model is asked through your own `claude -p`, with your login";
        let now = Timestamp::from_secs(NOON);
        budget::reserve(&scene.store, now, &scene.settings, 123_456).unwrap();
        let one = "in the last hour 1 of 60 questions, in 24 hours 0.13 of 2.00 USD";
        check(&scene, false, &[cli, one]);
        scene.past_the_line();
        check(&scene, false, &[cli, one, "no model is asked now: your usage is past its safe line"]);
        scene.settings.backend = None;
        check(
            &scene,
            false,
            &[one, "no model is asked now: no backend is chosen (judge.backend in ~/.claude/"],
        );
    }
}
