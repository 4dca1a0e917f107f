//! A requirement in force: its name, what is set, and which calls need it.

use std::collections::BTreeSet;

use shared::claude_code::misspelt_tool;
use shared::config::SettingFault;
use shared::text::{is_hidden, quoted};

use crate::call::Call;
use crate::settings::{CommandPattern, Enforce, Kind, Requirement, Settings, Trigger};
use command_line::Simple;

pub(crate) const LOCKED: &str = "is locked by the user's global requirements.yaml";
pub(crate) const USERS_ALONE: &str = "is for the user alone to satisfy";

#[derive(Clone, Copy)]
pub struct Rule<'a> {
    pub name: &'a str,
    pub set: &'a Requirement,
}

impl<'a> Rule<'a> {
    /// Guards come first: to satisfy one changes the branch, and satisfactions are kept per branch. A name of several lines would put
    /// words of a project's file in our mouth.
    pub fn all(settings: &'a Settings) -> impl Iterator<Item = Self> + Clone {
        let named = settings.requirements.iter().filter(|(name, _)| !name.contains(is_hidden));
        let rules = named.map(|(name, set)| Rule { name, set });
        let guards = rules.clone().filter(|rule| rule.kind() == Kind::Guard);
        guards.chain(rules.filter(|rule| rule.kind() != Kind::Guard)).filter(|rule| rule.set.is_on())
    }

    pub fn named(settings: &'a Settings, name: &str) -> Option<Self> {
        Self::all(settings).find(|rule| rule.name == name)
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

    /// The patterns of the triggers that match a command of the call's line: words, or an expression.
    pub(crate) fn commands_that_need(&self, call: &Call) -> impl Iterator<Item = &'a str> {
        let has = |set: &&CommandPattern| call.commands().iter().any(|one| set.compiled.matches_command(one));
        self.patterns(call).filter(has).map(|set| set.text.as_str())
    }

    fn triggers(&self, call: &Call) -> impl Iterator<Item = &'a Trigger> {
        self.set.triggers.iter().flatten().filter(|trigger| call.is_tool(&trigger.tool))
    }

    fn patterns(&self, call: &Call) -> impl Iterator<Item = &'a CommandPattern> {
        self.triggers(call).flat_map(Trigger::commands)
    }

    /// The user's global file locks it, all rules, everything, or a key of it. `locked` are key paths as
    /// [`shared::config::Section`] has them.
    pub(crate) fn is_locked(&self, locked: &[String]) -> bool {
        let key = format!("{}.", self.key());
        let mut locked = locked.iter().map(|path| format!("{path}."));
        locked.any(|path| path == "." || key.starts_with(&path) || path.starts_with(&key))
    }

    /// Why it is the user's, so that no call may go around it (see `rails`); `None`: it is not.
    pub(crate) fn reserved(&self, locked: &[String]) -> Option<&'static str> {
        let is_alone = self.set.is_the_users().then_some(USERS_ALONE);
        if self.is_locked(locked) { Some(LOCKED) } else { is_alone }
    }

    pub fn word(&self) -> String {
        quoted(self.name)
    }

    pub fn key(&self) -> String {
        format!("requirements.{}", self.name)
    }
}

/// Triggers, of requirements that are switched on, that no call sets off.
pub(crate) fn faults(settings: &Settings) -> Vec<SettingFault> {
    let of_rule = |Rule { name, set }: Rule<'_>| {
        let path = ["requirements", name, "trigger_tools"].map(str::to_owned).to_vec();
        let why: BTreeSet<String> = set.triggers.iter().flatten().filter_map(never_sets_off).collect();
        (!why.is_empty()).then(|| SettingFault { path, what: why.into_iter().collect::<Vec<_>>().join("; ") })
    };
    let strange = settings.requirements.keys().any(|name| name.contains(is_hidden)).then(|| SettingFault {
        path: vec!["requirements".to_owned()],
        what: "a name holds a line end or a hidden character; that requirement is ignored, so it is off"
            .to_owned(),
    });
    Rule::all(settings).filter_map(of_rule).chain(strange).collect()
}

/// Why no call sets the trigger off. The name itself is left out: it may hold anything.
fn never_sets_off(trigger: &Trigger) -> Option<String> {
    let tool = &trigger.tool;
    let near = misspelt_tool(tool.as_str()).filter(|_| tool.is_literal());
    if let Some(near) = near {
        return Some(format!("no tool is called that; did you mean {near}?"));
    }
    let is_ignored = !trigger.is_any_call() && !tool.is_name("Bash") && !tool.is_name("PowerShell");
    let why = if tool.as_str().contains('(') {
        "a permission rule (`Bash(git commit*)`) is no tool; write {tool: Bash, command_pattern: git commit}"
    } else if tool.as_str().contains('|') {
        "a matcher (`Edit|Write`) is no tool; write a list: [Edit, Write]"
    } else if is_ignored {
        "a command_pattern or command_regex looks at Bash calls only; this trigger is ignored"
    } else {
        return None;
    };
    Some(why.to_owned())
}

#[cfg(test)]
mod tests;
