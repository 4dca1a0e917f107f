//! A requirement that is switched on and can work: its name, what is set, and what follows where nothing is.

use shared::claude_code::misspelt_tool;
use shared::config::SettingFault;

use crate::call::Call;
use crate::command_line::{self, Simple};
use crate::settings::{
    CallTrigger, CommandPattern, Enforce, Glob, Kind, Pattern, Requirement, SatisfiedBy, Settings, Trigger,
};
use crate::strategy::{Strategy, strategy};
use crate::view::quoted;
use crate::wording::kind as kind_word;
use crate::words::{cut, is_hidden};

/// A command is shown up to this length, in characters.
const MAX_SHOWN: usize = 80;

/// A requirement in force.
#[derive(Clone, Copy)]
pub struct Rule<'a> {
    /// Its name: the key under `requirements`.
    pub name: &'a str,
    /// What is set.
    pub set: &'a Requirement,
}

impl<'a> Rule<'a> {
    /// Those in force, by name.
    pub fn all(settings: &'a Settings) -> impl Iterator<Item = Self> + Clone {
        let rules = settings.requirements.iter().map(|(name, set)| Rule { name, set });
        rules.filter(|rule| rule.set.enabled && rule.lacks().is_none())
    }

    /// What keeps it from working; `None` if nothing does.
    pub fn lacks(&self) -> Option<&'static str> {
        let faulty = "one of its keys is wrong, and without it this would be another requirement; it is off";
        let unspeakable =
            "a name begins with a letter or digit and holds nothing that cannot be typed; it is off";
        let is_unspeakable = !self.name.starts_with(|first: char| first.is_alphanumeric() || first == '_')
            || self.name.contains(is_hidden);
        let named = is_unspeakable.then_some(unspeakable);
        named.or(self.set.is_faulty.then_some(faulty)).or_else(|| self.strategy().lacks(self.set))
    }

    /// The one of that name, if it is in force.
    pub fn named(settings: &'a Settings, name: &str) -> Option<Self> {
        Self::all(settings).find(|rule| rule.name == name)
    }

    /// How it is met.
    pub fn strategy(&self) -> &'static dyn Strategy {
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

    /// Evidence is asked for at the end of a turn; who names calls that need it wants it before them, too.
    fn enforce(&self) -> Enforce {
        let names_calls = self.set.trigger_tools.as_ref().is_some_and(|triggers| !triggers.is_empty());
        self.set.enforce.unwrap_or(match (self.set.kind, names_calls) {
            (Kind::Evidence, true) => Enforce::Both,
            (Kind::Evidence, false) => Enforce::Stop,
            _ => Enforce::Tool,
        })
    }

    /// The call is one of those that need it.
    pub(crate) fn is_triggered_by(&self, call: &Call) -> bool {
        match &self.set.trigger_tools {
            Some(triggers) => triggers.iter().any(|trigger| matches(trigger, call)),
            None => self.set.kind != Kind::Evidence && call.is_edit(),
        }
    }

    /// A command of the call's line is, by itself, one of those that need it.
    pub(crate) fn is_triggered_by_command(&self, call: &Call, command: &Simple) -> bool {
        let wanted = |trigger: &Trigger| match trigger {
            Trigger::Tool(_) => false,
            Trigger::Call(wanted) => {
                call.is_tool(&wanted.tool)
                    && patterns(wanted).into_iter().flatten().any(|pattern| pattern.matches_command(command))
            }
        };
        self.set.trigger_tools.iter().flatten().any(wanted)
    }

    /// The commands of the call's line that need it: the words that are looked for, or the command where that is an expression.
    pub(crate) fn commands_that_need(&self, call: &Call) -> Vec<String> {
        let mut found = Vec::new();
        let Some(line) = &call.line else { return found };
        for trigger in self.set.trigger_tools.iter().flatten() {
            let Trigger::Call(wanted) = trigger else { continue };
            let words = wanted.command_pattern.as_ref().filter(|pattern| pattern.is_words());
            let is_words = |command: &Simple| {
                words
                    .and_then(CommandPattern::over_commands)
                    .is_some_and(|words| words.matches_command(command))
            };
            let text = |(index, command): (usize, &Simple)| match words.filter(|_| is_words(command)) {
                Some(words) => words.as_str().to_owned(),
                None => cut(&line.shown(index).text, MAX_SHOWN),
            };
            let patterns: Vec<_> = patterns(wanted).into_iter().flatten().collect();
            let needs = |(_, command): &(usize, &Simple)| {
                patterns.iter().any(|pattern| pattern.matches_command(command))
            };
            if call.is_tool(&wanted.tool) {
                found.extend(call.commands().iter().enumerate().filter(needs).map(text));
            }
        }
        found
    }

    /// Any call of the tool needs it, whatever its line says.
    pub(crate) fn is_triggered_by_tool(&self, call: &Call) -> bool {
        let wanted = |trigger: &Trigger| match trigger {
            Trigger::Tool(tool) => call.is_tool(tool),
            Trigger::Call(wanted) => call.is_tool(&wanted.tool) && patterns(wanted).is_empty(),
        };
        self.set.trigger_tools.iter().flatten().any(wanted)
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

fn matches(trigger: &Trigger, call: &Call) -> bool {
    match trigger {
        Trigger::Tool(tool) => call.is_tool(tool),
        Trigger::Call(wanted) => {
            let patterns = patterns(wanted);
            // A pattern on another tool than a shell looks at nothing: the whole trigger is none.
            call.is_tool(&wanted.tool)
                && (patterns.is_empty() || patterns.into_iter().flatten().any(|pattern| call.runs(&pattern)))
        }
    }
}

fn tool_of(trigger: &Trigger) -> &Glob {
    match trigger {
        Trigger::Tool(tool) => tool,
        Trigger::Call(wanted) => &wanted.tool,
    }
}

/// What the trigger looks for in a line; `None` in it for one that is wrong and matches nothing.
fn patterns(wanted: &CallTrigger) -> Vec<Option<command_line::Pattern>> {
    let words = wanted.command_pattern.as_ref().map(CommandPattern::over_commands);
    let regex = wanted.command_regex.as_ref().map(Pattern::over_commands);
    [words, regex].into_iter().flatten().collect()
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
    let lacks = Rule { name, set }.lacks().map(|what| fault("", what.to_owned()));
    let is_blind = |trigger: &&Trigger| {
        let Trigger::Call(call) = trigger else { return false };
        let looks = call.command_pattern.is_some() || call.command_regex.is_some();
        let is_shell = ["Bash", "PowerShell"].iter().any(|shell| call.tool.is_name(shell));
        looks && !is_shell && misspelt_tool(call.tool.as_str()).is_none()
    };
    let blind = set.trigger_tools.iter().flatten().find(is_blind).map(|_| {
        let what = "a command_pattern or command_regex looks at Bash calls only; this trigger is ignored";
        fault("trigger_tools", what.to_owned())
    });
    let mut tools = set.trigger_tools.iter().flatten().map(tool_of).filter(|tool| tool.is_literal());
    // Without the name, which may hold anything.
    let misspelt = tools.find_map(|tool| misspelt_tool(tool.as_str())).map(|near| {
        let what =
            format!("no tool is called that; did you mean {near}? As it stands, it holds none of its calls");
        fault("trigger_tools", what)
    });
    let is_unmet_for_ever = set.kind != Kind::Blocking && set.satisfied_by == SatisfiedBy::User;
    let mark = is_unmet_for_ever
        .then(|| fault("satisfied_by", "counts only for a blocking requirement; ignored".to_owned()));
    let strangers = strangers(set).into_iter().map(|(key, kind)| {
        fault(key, format!("belongs to `type: {kind}`, and this is {}; ignored", kind_word(set.kind)))
    });
    let never = (set.kind == Kind::Evidence
        && set.enforce.is_some_and(|enforce| enforce != Enforce::Stop)
        && set.trigger_tools.is_none())
    .then(|| fault("enforce", "evidence is asked for before no call without `trigger_tools`".to_owned()));
    let late = match (set.thresholds.warn, set.thresholds.block) {
        (Some(warn), Some(block)) if warn.get() >= block.get() => {
            Some(fault("thresholds", "`warn` is not below `block`, so nobody is warned".to_owned()))
        }
        _ => None,
    };
    lacks
        .into_iter()
        .chain(misspelt)
        .chain(blind)
        .chain(mark)
        .chain(never)
        .chain(late)
        .chain(strangers)
        .collect()
}

#[cfg(test)]
mod tests;

/// Keys that are set and belong to another type: most often `type` was forgotten.
fn strangers(set: &Requirement) -> Vec<(&'static str, &'static str)> {
    let none = Requirement::default();
    let of_dynamic = [
        ("calculator", set.calculator != none.calculator),
        ("thresholds", set.thresholds != none.thresholds),
        ("base", set.base.is_some()),
        ("exclude", !set.exclude.is_empty()),
    ];
    let of_guard =
        [("guard_type", set.guard_type.is_some()), ("protected_branches", set.protected_branches.is_some())];
    let of_evidence = [
        ("command", set.command.is_some()),
        ("paths", !set.paths.is_empty()),
        ("min_output", set.min_output.is_some()),
        ("file", set.file.is_some()),
        ("newer_than", set.newer_than.is_some()),
        ("contains", !set.contains.is_empty()),
    ];
    let set_keys = |kind: Kind, keys: &[(&'static str, bool)]| -> Vec<(&'static str, &'static str)> {
        let is_other = set.kind != kind;
        keys.iter()
            .filter(|(_, is_set)| *is_set && is_other)
            .map(|(key, _)| (*key, kind_word(kind)))
            .collect()
    };
    [
        set_keys(Kind::Dynamic, &of_dynamic),
        set_keys(Kind::Guard, &of_guard),
        set_keys(Kind::Evidence, &of_evidence),
    ]
    .concat()
}

/// A requirement one of whose keys was wrong, with nothing below to hold: what it would be without that key may be looser
/// than what was meant. Without its type or its triggers it does not work; whoever may mark it, the user may.
pub(crate) fn mend(settings: &mut Settings, left_out: &[String]) {
    for (name, set) in &mut settings.requirements {
        let own = format!("requirements.{name}.");
        for key in left_out.iter().filter_map(|path| path.strip_prefix(&own)) {
            match key.split('.').next().unwrap_or_default() {
                "type" | "trigger_tools" | "enforce" | "scope" => set.is_faulty = true,
                "satisfied_by" => set.satisfied_by = SatisfiedBy::User,
                _ => {}
            }
        }
    }
}
