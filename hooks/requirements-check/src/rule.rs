//! A requirement that is switched on: its name, what is set, and which calls need it.

use shared::config::SettingFault;

use crate::call::Call;
use crate::command_line::Simple;
use crate::settings::{CommandPattern, Enforce, Kind, Requirement, Settings, Trigger};
use crate::view::quoted;
use crate::words::{cut, is_hidden};

/// A command is shown up to this length, in characters.
const MAX_SHOWN: usize = 80;

/// A requirement in force.
#[derive(Clone, Copy)]
pub struct Rule<'a> {
    /// Its name: the key under `requirements`.
    pub name: &'a str,
    pub set: &'a Requirement,
}

impl<'a> Rule<'a> {
    /// Those in force, by name.
    pub fn all(settings: &'a Settings) -> impl Iterator<Item = Self> + Clone {
        let rules = settings.requirements.iter().map(|(name, set)| Rule { name, set });
        rules.filter(|rule| rule.set.is_on() && rule.lacks().is_none())
    }

    /// What keeps it from being in force though it is switched on; `None` if nothing does.
    pub fn lacks(&self) -> Option<&'static str> {
        let is_speakable = self.name.starts_with(|first: char| first.is_alphanumeric() || first == '_')
            && !self.name.contains(is_hidden);
        let why = "a name begins with a letter or digit and holds nothing that cannot be typed; it is off";
        (!is_speakable).then_some(why)
    }

    /// The one of that name, if it is in force.
    pub fn named(settings: &'a Settings, name: &str) -> Option<Self> {
        Self::all(settings).find(|rule| rule.name == name)
    }

    /// Its type.
    pub const fn kind(&self) -> Kind {
        self.set.kind()
    }

    /// Enforced before tool calls.
    pub(crate) fn is_for_calls(&self) -> bool {
        self.set.enforce != Enforce::Stop
    }

    /// Enforced at the end of every turn that made it due, not only where it was satisfied once and is not any more.
    pub(crate) fn is_for_stops(&self) -> bool {
        self.set.enforce != Enforce::Tool
    }

    fn triggers(&self) -> impl Iterator<Item = &'a Trigger> {
        self.set.triggers.iter().flatten()
    }

    /// The call is one of those that need it.
    pub(crate) fn is_triggered_by(&self, call: &Call) -> bool {
        if self.set.triggers.is_none() {
            return call.is_edit();
        }
        // A pattern on another tool than a shell looks at nothing: the whole trigger is none.
        let runs =
            |trigger: &Trigger| trigger.commands.iter().any(|pattern| call.runs(pattern.over_commands()));
        self.triggers()
            .any(|trigger| call.is_tool(&trigger.tool) && (trigger.commands.is_empty() || runs(trigger)))
    }

    /// Any call of the tool needs it, whatever its line says.
    pub(crate) fn is_triggered_by_tool(&self, call: &Call) -> bool {
        self.triggers().any(|trigger| trigger.commands.is_empty() && call.is_tool(&trigger.tool))
    }

    /// A command of the call's line is, by itself, one of those that need it.
    pub(crate) fn is_triggered_by_command(&self, call: &Call, command: &Simple) -> bool {
        let mut patterns =
            self.triggers().filter(|trigger| call.is_tool(&trigger.tool)).flat_map(|it| &it.commands);
        patterns.any(|pattern| pattern.over_commands().matches_command(command))
    }

    /// The commands of the call's line that need it: the words that are looked for, or the command where that is an expression.
    pub(crate) fn commands_that_need(&self, call: &Call) -> Vec<String> {
        let Some(line) = &call.line else { return Vec::new() };
        let triggers = self.triggers().filter(|trigger| call.is_tool(&trigger.tool));
        let commands = || call.commands().iter().enumerate();
        let of_trigger = |trigger: &'a Trigger| {
            commands().filter_map(|(index, command)| {
                let matches = |pattern: &&_| matches_command(pattern, command);
                let pattern = trigger.commands.iter().find(matches)?;
                let is_words = pattern.is_words();
                Some(if is_words {
                    pattern.as_str().to_owned()
                } else {
                    cut(&line.shown(index).text, MAX_SHOWN)
                })
            })
        };
        triggers.flat_map(of_trigger).collect()
    }

    /// It looks at shell lines.
    pub(crate) fn reads_lines(&self) -> bool {
        self.kind() == Kind::Evidence || self.triggers().any(|trigger| !trigger.commands.is_empty())
    }

    /// The user's global file locks it; `locked` are key paths as [`shared::config::Section`] has them.
    pub(crate) fn is_locked(&self, locked: &[String]) -> bool {
        locked.iter().any(|path| crate::rails::locks(path, &self.key()))
    }

    /// Its name as a word of a command.
    pub fn word(&self) -> String {
        quoted(self.name)
    }

    /// The key path that people know it by.
    pub fn key(&self) -> String {
        format!("requirements.{}", self.name)
    }
}

fn matches_command(pattern: &CommandPattern, command: &Simple) -> bool {
    pattern.over_commands().matches_command(command)
}

/// What has no effect in requirements that are in force.
pub(crate) fn faults(settings: &Settings) -> Vec<SettingFault> {
    let enabled = settings.requirements.iter().filter(|(_, set)| set.is_on());
    let of_rule = |(name, set)| {
        let own = Rule { name, set }.lacks().map(|what| ("", what.to_owned()));
        let fault = |(key, what): (&str, String)| {
            let keys = ["requirements", name, key];
            SettingFault {
                path: keys.into_iter().filter(|key| !key.is_empty()).map(str::to_owned).collect(),
                what,
            }
        };
        own.into_iter().chain(set.remarks.clone()).map(fault).collect::<Vec<_>>()
    };
    enabled.map(|(name, set)| (name.as_str(), set)).flat_map(of_rule).collect()
}

#[cfg(test)]
mod tests;
