//! A requirement that is switched on and can work: its name, what is set, and what follows where nothing is.

use shared::config::SettingFault;

use crate::call::Call;
use crate::settings::{CommandPattern, Enforce, Kind, Pattern, Requirement, SatisfiedBy, Settings, Trigger};
use crate::strategy::{Strategy, strategy};
use crate::view::quoted;

/// A requirement in force.
#[derive(Clone, Copy)]
pub(crate) struct Rule<'a> {
    /// Its name: the key under `requirements`.
    pub(crate) name: &'a str,
    /// What is set.
    pub(crate) set: &'a Requirement,
}

impl<'a> Rule<'a> {
    /// Those in force, by name.
    pub(crate) fn all(settings: &'a Settings) -> impl Iterator<Item = Self> + Clone {
        let rules = settings.requirements.iter().map(|(name, set)| Rule { name, set });
        rules.filter(|rule| rule.set.enabled && rule.strategy().lacks(rule.set).is_none())
    }

    /// The one of that name, if it is in force.
    pub(crate) fn named(settings: &'a Settings, name: &str) -> Option<Self> {
        Self::all(settings).find(|rule| rule.name == name)
    }

    /// How it is met.
    pub(crate) fn strategy(&self) -> &'static dyn Strategy {
        strategy(self.set.kind)
    }

    /// Enforced before tool calls.
    pub(crate) fn is_for_calls(&self) -> bool {
        self.enforce() != Enforce::Stop
    }

    /// Enforced at the end of every turn that made it due, not only where it was met once and is not any more.
    pub(crate) fn is_for_stops(&self) -> bool {
        self.enforce() != Enforce::Tool
    }

    fn enforce(&self) -> Enforce {
        self.set.enforce.unwrap_or(if self.set.kind == Kind::Evidence {
            Enforce::Stop
        } else {
            Enforce::Tool
        })
    }

    /// The call is one of those that need it.
    pub(crate) fn is_triggered_by(&self, call: &Call) -> bool {
        match &self.set.trigger_tools {
            Some(triggers) => triggers.iter().any(|trigger| matches(trigger, call)),
            None => self.set.kind != Kind::Evidence && call.is_edit(),
        }
    }

    /// A trigger looks at shell lines.
    pub(crate) fn reads_lines(&self) -> bool {
        let reads = |trigger: &Trigger| matches!(trigger, Trigger::Call(call) if call.command_pattern.is_some() || call.command_regex.is_some());
        self.set.kind == Kind::Evidence || self.set.trigger_tools.iter().flatten().any(reads)
    }

    /// The completion of that skill marks it as met.
    pub(crate) fn is_met_by_skill(&self, skill: &str) -> bool {
        // A plugin's skill is `plugin:skill`; it may be named by the second part alone.
        let plain = skill.rsplit_once(':').map(|(_, plain)| plain);
        self.set
            .satisfied_by_skill
            .iter()
            .flat_map(|skills| skills.iter())
            .any(|wanted| wanted == skill || plain == Some(wanted.as_str()))
    }

    /// Its name as a word of a command.
    pub(crate) fn word(&self) -> String {
        quoted(self.name)
    }

    /// The key path that people know it by.
    pub(crate) fn key(&self) -> String {
        format!("requirements.{}", self.name)
    }
}

fn matches(trigger: &Trigger, call: &Call) -> bool {
    match trigger {
        Trigger::Tool(tool) => call.is_tool(tool),
        Trigger::Call(wanted) => {
            let patterns: Vec<_> = [
                wanted.command_pattern.as_ref().map(CommandPattern::over_commands),
                wanted.command_regex.as_ref().map(Pattern::over_commands),
            ]
            .into_iter()
            .flatten()
            .collect();
            // A pattern on another tool than a shell looks at nothing: the whole trigger is none.
            call.is_tool(&wanted.tool)
                && (patterns.is_empty() || patterns.into_iter().flatten().any(|pattern| call.runs(&pattern)))
        }
    }
}

/// What keeps requirements from working, though each of their keys is right by itself.
pub(crate) fn faults(settings: &Settings) -> Vec<SettingFault> {
    let enabled = settings.requirements.iter().filter(|(_, set)| set.enabled);
    enabled.flat_map(|(name, set)| faults_of(name, set)).collect()
}

fn faults_of(name: &str, set: &Requirement) -> Vec<SettingFault> {
    let fault = |key: &str, what: String| {
        let mut path = vec!["requirements".to_owned(), name.to_owned()];
        path.extend((!key.is_empty()).then(|| key.to_owned()));
        SettingFault { path, what }
    };
    let lacks = strategy(set.kind).lacks(set).map(|what| fault("", what.to_owned()));
    let is_blind = |trigger: &&Trigger| {
        let Trigger::Call(call) = trigger else { return false };
        let looks = call.command_pattern.is_some() || call.command_regex.is_some();
        looks && !["Bash", "PowerShell"].iter().any(|shell| call.tool.is_name(shell))
    };
    let blind = set.trigger_tools.iter().flatten().find(is_blind).map(|_| {
        let what = "a command_pattern or command_regex looks at Bash calls only; this trigger is ignored";
        fault("trigger_tools", what.to_owned())
    });
    let is_unmet_for_ever = set.kind != Kind::Blocking && set.satisfied_by == SatisfiedBy::User;
    let mark = is_unmet_for_ever
        .then(|| fault("satisfied_by", "counts only for a blocking requirement; ignored".to_owned()));
    lacks.into_iter().chain(blind).chain(mark).collect()
}

#[cfg(test)]
mod tests;
