//! How a model is asked, for hooks that do: chosen by the user, never in silence, because it costs them money.

use anyhow::Context as _;
use config_edit::Refused;
use inquire::Select;
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::ask::{answered, can_ask};
use crate::places::Installation;
use crate::rail::is_claude;
use crate::registration::find;

/// Where the choice stands in the configuration.
const KEY: [&str; 2] = ["judge", "backend"];

/// The line that sets it.
const SETS_IT: &str = "req config set judge.backend messages_api --global (or claude_cli)";

/// A way to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Judge {
    /// Anthropic's Messages API, with the key in `ANTHROPIC_API_KEY`
    #[value(name = "messages_api")]
    MessagesApi,
    /// Your own `claude -p`, with your login
    #[value(name = "claude_cli")]
    ClaudeCli,
}

impl Judge {
    /// As the configuration has it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::MessagesApi => "messages_api",
            Self::ClaudeCli => "claude_cli",
        }
    }

    /// The configuration with this choice.
    pub(crate) fn put_into(self, text: Option<&str>) -> Result<String, Refused> {
        config_edit::set_at(text.unwrap_or_default(), &key(), self.word())
    }
}

fn key() -> [String; 2] {
    KEY.map(str::to_owned)
}

/// Whether the configuration names a way to a model.
fn is_chosen(text: Option<&str>) -> bool {
    text.and_then(|text| config_edit::get_at(text, &key()).ok().flatten()).is_some()
}

/// The choice for these hooks: given, there already, or asked for. `None`: nothing is to be written.
pub(crate) fn chosen(
    given: Option<Judge>,
    hooks: &[&HookEntry],
    requirements: Option<&str>,
    may_ask: bool,
) -> anyhow::Result<Option<Judge>> {
    let asks_a_model = hooks.iter().any(|hook| hook.costs_money);
    if given.is_some() || !asks_a_model || is_chosen(requirements) || !(may_ask && can_ask()) {
        return Ok(given.filter(|_| asks_a_model));
    }
    let ways = [
        (Judge::MessagesApi, "Anthropic's API, paid by the token: with the key in ANTHROPIC_API_KEY"),
        (
            Judge::ClaudeCli,
            "your own `claude -p`, with your login: it counts toward your usage limits, and is slower",
        ),
    ];
    let question = format!("How shall {} ask a model? Either costs", names(hooks));
    let answer = answered(Select::new(&question, ways.iter().map(|(_, line)| *line).collect()).raw_prompt())?;
    ways.get(answer.index).map(|(way, _)| Some(*way)).context("no such choice")
}

/// The choice for one hook that is to be switched on, asked for where there is a person to ask.
pub(crate) fn wanted(
    catalog: &Catalog,
    hook: &str,
    installation: &Installation,
    host: &Host,
) -> anyhow::Result<Option<Judge>> {
    let text = installation.file(&installation.requirements)?.read()?;
    chosen(None, &[find(catalog, hook)?], text.as_deref(), !is_claude(host))
}

fn names(hooks: &[&HookEntry]) -> String {
    let names: Vec<&str> =
        hooks.iter().filter(|hook| hook.costs_money).map(|hook| hook.name.as_str()).collect();
    names.join(" and ")
}

/// What is still to be chosen before these hooks ask anybody.
pub(crate) fn next(installation: &Installation, hooks: &[&HookEntry]) -> anyhow::Result<Option<String>> {
    let asks_a_model = hooks.iter().any(|hook| hook.costs_money);
    let text = installation.file(&installation.requirements)?.read()?;
    Ok((asks_a_model && !is_chosen(text.as_deref()))
        .then(|| format!("Next: {SETS_IT}: for {} no model is asked until then", names(hooks))))
}

#[cfg(test)]
mod tests {
    use shared::catalog::Catalog;

    use super::{Judge, chosen, is_chosen};

    #[test]
    fn nothing_is_chosen_in_silence() {
        let catalog = Catalog::built_in().unwrap();
        let (paid, free): (Vec<_>, Vec<_>) = catalog.hooks.iter().partition(|hook| hook.costs_money);
        assert!(!paid.is_empty());
        for (given, hooks, text, expected) in [
            (None, &paid, None, None),
            (None, &paid, Some("judge: { backend: claude_cli }\n"), None),
            (Some(Judge::ClaudeCli), &paid, None, Some(Judge::ClaudeCli)),
            (
                Some(Judge::MessagesApi),
                &paid,
                Some("judge: { backend: claude_cli }\n"),
                Some(Judge::MessagesApi),
            ),
            (Some(Judge::ClaudeCli), &free, None, None),
        ] {
            assert_eq!(chosen(given, hooks, text, false).unwrap(), expected, "{given:?} {text:?}");
        }
    }

    #[test]
    fn the_choice_is_one_key_of_the_configuration() {
        let with = Judge::ClaudeCli.put_into(Some("# mine\njudge:\n  deadline_secs: 9\n")).unwrap();
        assert_eq!(with, "# mine\njudge:\n  deadline_secs: 9\n  backend: claude_cli\n");
        assert!(is_chosen(Some(&with)) && !is_chosen(Some("judge: { backend: }\n")) && !is_chosen(None));
    }
}
