//! A requirement in force: its name, what is set, and which calls need it.

use shared::claude_code::misspelt_tool;
use shared::config::SettingFault;
use shared::text::{is_invisible, quoted};

use crate::call::Call;
use crate::command_line::Simple;
use crate::settings::{CommandPattern, Enforce, Kind, Requirement, Settings, Trigger};
use shared::text::cut;

const MAX_SHOWN: usize = 80;

#[derive(Clone, Copy)]
pub struct Rule<'a> {
    pub name: &'a str,
    pub set: &'a Requirement,
}

impl<'a> Rule<'a> {
    /// Guards come first: to satisfy one changes the branch, and satisfactions are kept per branch.
    pub fn all(settings: &'a Settings) -> impl Iterator<Item = Self> + Clone {
        let rules = settings.requirements.iter().map(|(name, set)| Rule { name, set });
        let guards = rules.clone().filter(|rule| rule.kind() == Kind::Guard);
        guards
            .chain(rules.filter(|rule| rule.kind() != Kind::Guard))
            .filter(|rule| rule.set.is_on() && rule.lacks().is_none())
    }

    pub fn named(settings: &'a Settings, name: &str) -> Option<Self> {
        Self::all(settings).find(|rule| rule.name == name)
    }

    /// The mistake that keeps it from being in force though it is switched on.
    pub fn lacks(&self) -> Option<&'static str> {
        let can_be_typed = self.name.starts_with(|first: char| first.is_alphanumeric() || first == '_')
            && !self.name.contains(is_invisible);
        let why = "a name begins with a letter or digit and holds nothing that cannot be typed; it is off";
        (!can_be_typed).then_some(why)
    }

    pub const fn kind(&self) -> Kind {
        self.set.kind()
    }

    pub(crate) fn is_for_calls(&self) -> bool {
        self.set.enforce != Enforce::Stop
    }

    /// Enforced at the end of every turn that made it due, not only where it was satisfied once and is not any more.
    pub(crate) fn is_for_stops(&self) -> bool {
        self.set.enforce != Enforce::Tool
    }

    pub(crate) fn is_triggered_by(&self, call: &Call) -> bool {
        if self.set.triggers.is_none() {
            return call.is_edit();
        }
        self.is_triggered_by_tool(call) || self.patterns(call).any(|pattern| call.runs(&pattern.compiled))
    }

    /// Any call of the tool needs it, whatever its line says.
    pub(crate) fn is_triggered_by_tool(&self, call: &Call) -> bool {
        self.triggers(call).any(Trigger::is_any_call)
    }

    /// A command of the call's line is, by itself, one of those that need it.
    pub(crate) fn is_triggered_by_command(&self, call: &Call, command: &Simple) -> bool {
        self.patterns(call).any(|pattern| pattern.compiled.matches_command(command))
    }

    /// The commands of the call's line that need it: the words that are set, or the command where an expression is set.
    pub(crate) fn commands_that_need(&self, call: &Call) -> Vec<String> {
        let Some(line) = &call.line else { return Vec::new() };
        let shown = |command: &Simple| {
            let pattern = self.patterns(call).find(|set| set.compiled.matches_command(command))?;
            let words = pattern.typed().map(ToOwned::to_owned);
            Some(words.unwrap_or_else(|| cut(&line.shown(command), MAX_SHOWN)))
        };
        call.commands().iter().filter_map(shown).collect()
    }

    fn triggers(&self, call: &Call) -> impl Iterator<Item = &'a Trigger> {
        self.set.triggers.iter().flatten().filter(|trigger| call.is_tool(&trigger.tool))
    }

    fn patterns(&self, call: &Call) -> impl Iterator<Item = &'a CommandPattern> {
        self.triggers(call).flat_map(Trigger::commands)
    }

    pub(crate) fn reads_lines(&self) -> bool {
        let mut triggers = self.set.triggers.iter().flatten();
        self.kind() == Kind::Evidence || triggers.any(|trigger| !trigger.is_any_call())
    }

    /// The user's global file locks it, all rules, everything, or a key of it. `locked` are key paths as
    /// [`shared::config::Section`] has them.
    pub(crate) fn is_locked(&self, locked: &[String]) -> bool {
        let key = self.key();
        let is_of_rule = |rest: &str| rest.is_empty() || rest.starts_with('.');
        let locks = |path: &String| {
            matches!(path.as_str(), "" | "requirements") || path.strip_prefix(&key).is_some_and(is_of_rule)
        };
        locked.iter().any(locks)
    }

    pub fn word(&self) -> String {
        quoted(self.name)
    }

    pub fn key(&self) -> String {
        format!("requirements.{}", self.name)
    }
}

/// The mistakes in requirements that are switched on, of each requirement the first.
pub(crate) fn faults(settings: &Settings) -> Vec<SettingFault> {
    let of_rule = |(name, set): (&String, &Requirement)| {
        let path = vec!["requirements".to_owned(), name.clone()];
        if let Some(what) = (Rule { name, set }).lacks() {
            return Some(SettingFault { path, what: what.to_owned() });
        }
        let what = set.triggers.iter().flatten().find_map(never_sets_off)?;
        Some(SettingFault { path: [path, vec!["trigger_tools".to_owned()]].concat(), what })
    };
    settings.requirements.iter().filter(|(_, set)| set.is_on()).filter_map(of_rule).collect()
}

/// Why no call sets the trigger off. The name itself is left out: it may hold anything.
fn never_sets_off(trigger: &Trigger) -> Option<String> {
    let tool = &trigger.tool;
    if let Some(near) = misspelt_tool(tool.as_str()).filter(|_| tool.is_literal()) {
        return Some(format!(
            "no tool is called that; did you mean {near}? As it stands, it holds none of its calls"
        ));
    }
    let is_shell = ["Bash", "PowerShell"].iter().any(|shell| tool.is_name(shell));
    let what = "a command_pattern or command_regex looks at Bash calls only; this trigger is ignored";
    (!trigger.is_any_call() && !is_shell).then(|| what.to_owned())
}

#[cfg(test)]
mod tests;
