//! Our lines in requirements.yaml: `enabled` of a hook, the way to a model, and the command of the status line that ours replaced.

use crate::catalog::HookEntry;
use anyhow::bail;
use clap::ValueEnum;
use client_settings::{FileError, StatusLineThere};
use config_edit::Refused;
use inquire::Select;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::places::Installation;
use crate::say::{answered, names_of, word_of};

const BACKEND: [&str; 2] = ["judge", "backend"];

const SETS_BACKEND: &str = "req config set judge.backend messages_api --global (or claude_cli)";

pub(crate) const KEY: &str = "ANTHROPIC_API_KEY";

/// A way to a model. It costs the user money, so nobody chooses it in silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Judge {
    /// Anthropic's API, paid by the token: with the key in `ANTHROPIC_API_KEY`
    #[value(name = "messages_api")]
    MessagesApi,
    /// Your own `claude -p`, with your login: it counts toward your usage limits, and is slower
    #[value(name = "claude_cli")]
    ClaudeCli,
}

impl Judge {
    pub(crate) fn word(self) -> String {
        word_of(&self)
    }

    fn way(self) -> String {
        self.to_possible_value().and_then(|value| Some(value.get_help()?.to_string())).unwrap_or_default()
    }
}

pub(crate) fn chosen_judge(hooks: &[&HookEntry]) -> anyhow::Result<Judge> {
    let question = format!("How shall {} ask a model? Both ways cost usage or money", names_of(hooks));
    let ways = Judge::value_variants();
    let lines = ways.iter().map(|judge| judge.way()).collect();
    Ok(ways[answered(Select::new(&question, lines).raw_prompt())?.index])
}

#[derive(Debug, Default)]
pub(crate) struct Lines<'a> {
    pub(crate) on: &'a [&'a HookEntry],
    pub(crate) judge: Option<Judge>,
    pub(crate) chained: Option<Chained>,
}

impl Lines<'_> {
    /// The text with these lines. `None`: there shall be no file.
    pub(crate) fn put_into(&self, text: Option<&str>) -> Result<Option<String>, Refused> {
        let mut text = text.map(str::to_owned);
        if let Some(chained) = &self.chained {
            text = Some(chained.put_into(text.as_deref())?);
        }
        for hook in self.on {
            text = switched_on(text.as_deref(), hook)?;
        }
        if let Some(judge) = self.judge {
            text = Some(config_edit::set_at(
                text.as_deref().unwrap_or_default(),
                &BACKEND.map(str::to_owned),
                &judge.word(),
            )?);
        }
        Ok(text)
    }
}

pub(crate) fn change(
    installation: &Installation,
    edit: impl FnOnce(Option<&str>) -> Result<Option<String>, Refused>,
) -> anyhow::Result<bool> {
    let file = installation.file(&installation.requirements)?;
    Ok(file.change::<FileError>(|text| edit(text).map_err(|refused| file.refused(refused)))?)
}

pub(crate) fn read(installation: &Installation) -> anyhow::Result<Option<String>> {
    Ok(installation.file(&installation.requirements)?.read()?)
}

fn switch_of(hook: &HookEntry) -> [String; 2] {
    [hook.name.clone(), "enabled".to_owned()]
}

pub(crate) fn enabled_in(text: Option<&str>, hook: &HookEntry) -> Option<bool> {
    config_edit::get_at(text?, &switch_of(hook)).ok().flatten()?.parse().ok()
}

/// The configuration with this hook switched on; a hook that is on by default needs no line.
pub(crate) fn switched_on(text: Option<&str>, hook: &HookEntry) -> Result<Option<String>, Refused> {
    let before = text.unwrap_or_default();
    let value = config_edit::get_at(before, &switch_of(hook))?;
    if value.as_deref() == Some("true") || (hook.enabled && value.is_none()) {
        return Ok(text.map(str::to_owned));
    }
    config_edit::set_at(before, &switch_of(hook), "true").map(Some)
}

pub(crate) fn switched_off(text: Option<&str>, hook: &HookEntry) -> Result<Option<String>, Refused> {
    config_edit::set_at(text.unwrap_or_default(), &switch_of(hook), "false").map(Some)
}

pub(crate) fn backend(text: Option<&str>) -> Option<String> {
    config_edit::get_at(text?, &BACKEND.map(str::to_owned)).ok().flatten()
}

/// The step that is missing before these hooks ask a model: a way to it, or the key for that way.
pub(crate) fn next_for_judge(
    installation: &Installation,
    hooks: &[&HookEntry],
    has_key: bool,
) -> anyhow::Result<Option<String>> {
    let paid: Vec<&HookEntry> = hooks.iter().copied().filter(|hook| hook.costs_money).collect();
    if paid.is_empty() {
        return Ok(None);
    }
    let step = match backend(read(installation)?.as_deref()) {
        None => SETS_BACKEND.to_owned(),
        Some(way) if way == Judge::MessagesApi.word() && !has_key => {
            format!("export {KEY}=..., and start Claude Code there")
        }
        Some(_) => return Ok(None),
    };
    Ok(Some(format!("Next: {step}: for {} no model is asked until then", names_of(&paid))))
}

/// The command of the status line before ours, in the configuration: from there the hook that prints ours runs it, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chained {
    pub(crate) key: Vec<String>,
    pub(crate) command: String,
}

impl Chained {
    /// What has to be written so that this hook runs the command of that status line; `None`: nothing, because it is no command or
    /// the user has written it already. `before` is what was written for an earlier status line.
    pub(crate) fn of(
        installation: &Installation,
        hook: &HookEntry,
        line: &StatusLineThere,
        before: Option<&Self>,
    ) -> anyhow::Result<Option<Self>> {
        let command = line.command.clone().filter(|command| line.is_command && !command.trim().is_empty());
        let (Some(printed), Some(command)) = (&hook.status_line, command) else { return Ok(None) };
        let key = printed.chain_path(&hook.name);
        let file = installation.file(&installation.requirements)?;
        let text = file.read()?.unwrap_or_default();
        let there = config_edit::get_at(&text, &key).map_err(|refused| file.refused(refused))?;
        let there = there.filter(|there| !there.trim().is_empty());
        let is_before =
            |there: &String| before.is_some_and(|before| before.key == key && before.command == *there);
        match there.filter(|there| !is_before(there)) {
            Some(there) if there == command => Ok(None),
            Some(_) => bail!(
                "{} names another command under {}: make one command of both there, or take it out",
                installation.show(&installation.requirements),
                key.join(".")
            ),
            None => Ok(Some(Self { key, command })),
        }
    }

    pub(crate) fn put_into(&self, text: Option<&str>) -> Result<String, Refused> {
        // JSON is YAML on one line.
        let command = Value::from(self.command.as_str()).to_string();
        config_edit::set_at(text.unwrap_or_default(), &self.key, &command)
    }

    /// The text without it, if it still is what was written. A file that is empty then goes.
    pub(crate) fn taken_out_of(&self, text: Option<&str>) -> Result<Option<String>, Refused> {
        let Some(text) = text else { return Ok(None) };
        if config_edit::get_at(text, &self.key)?.as_ref() != Some(&self.command) {
            return Ok(Some(text.to_owned()));
        }
        let left = config_edit::unset_at(text, &self.key)?;
        Ok(Some(left).filter(|left| !left.trim().is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::{Catalog, HookEntry};

    use super::{Judge, Lines, backend, switched_off, switched_on};

    fn hook(enabled: bool) -> HookEntry {
        let hook = Catalog::built_in().unwrap().hooks[0].clone();
        HookEntry { name: "a-gate".to_owned(), enabled, ..hook }
    }

    #[test]
    fn only_a_hook_that_would_stay_off_gets_a_line() {
        let (off, on) = (hook(false), hook(true));
        for (before, hook, after) in [
            (None, &off, Some("a-gate:\n  enabled: true\n")),
            (None, &on, None),
            (Some("# x\n"), &on, Some("# x\n")),
            (Some("a-gate: {enabled: false}"), &on, Some("a-gate: {enabled: true}")),
            (Some("a-gate: {enabled: true}"), &off, Some("a-gate: {enabled: true}")),
        ] {
            assert_eq!(switched_on(before, hook).unwrap().as_deref(), after, "{before:?}");
        }
        assert_eq!(switched_off(None, &on).unwrap().as_deref(), Some("a-gate:\n  enabled: false\n"));
    }

    #[test]
    fn way_to_a_model_is_one_key() {
        let lines = Lines { judge: Some(Judge::ClaudeCli), ..Lines::default() };
        let with = lines.put_into(Some("# mine\njudge:\n  deadline_secs: 9\n")).unwrap().unwrap();
        assert_eq!(with, "# mine\njudge:\n  deadline_secs: 9\n  backend: claude_cli\n");
        assert_eq!(backend(Some(&with)).as_deref(), Some("claude_cli"));
        assert_eq!([backend(Some("judge: { backend: }\n")), backend(None)], [None, None]);
    }
}
