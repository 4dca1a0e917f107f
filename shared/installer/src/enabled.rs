//! Whether a hook is switched on, asked of the deployed hook itself: nobody else knows all its layers and switches.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use serde::Deserialize;

use crate::child;
use crate::places::Installation;

/// How long a hook may take to tell; it takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether a hook acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enabled {
    /// It acts.
    pub acts: bool,
    /// What made it so, as a person reads it.
    pub set_by: String,
    /// Parts of it that are switched off by hand, whatever the files say.
    pub parts_off: Vec<PartOff>,
    /// What is wrong in the configuration files, as the hook tells it.
    pub problems: Vec<String>,
}

/// A part of a hook that was switched off by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartOff {
    /// As a sentence says it.
    pub what: String,
    /// The line that gives the decision back to the files, or, where only words are known, switches it on.
    pub ended_by: String,
}

/// What `<hook> status --json` prints, as far as it matters here.
#[derive(Deserialize)]
struct Status {
    enabled: bool,
    set_by: Option<String>,
    #[serde(default)]
    switches: Vec<Switch>,
    #[serde(default)]
    problems: Vec<String>,
}

/// A switch, as a hook tells it that has some beside its own.
#[derive(Deserialize)]
struct Switch {
    name: String,
    position: String,
    ended_by: String,
}

impl Enabled {
    /// Asks this program, whose bytes the caller knows to be the hook's.
    pub(crate) fn ask(program: &Path, installation: &Installation, hook: &str) -> anyhow::Result<Self> {
        let mut command = Command::new(program);
        command.args(["status", "--json"]);
        // A project the user happens to be in is none of an installation's business.
        command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ID");
        let outside: &Path = if installation.home.is_dir() { &installation.home } else { Path::new("/") };
        let place = installation.project.as_deref().unwrap_or(outside);
        let (_, said) = child::heard(command.current_dir(place), b"", PATIENCE)
            .with_context(|| format!("asking {hook} for its status"))?;
        let status: Status = serde_json::from_slice(&said)
            .with_context(|| format!("reading what {hook} says of its status"))?;
        Ok(Self::of(status, hook))
    }

    fn of(status: Status, hook: &str) -> Self {
        let set_by = status.set_by.unwrap_or_else(|| "the defaults".to_owned());
        // Its own switch is what the status is set by.
        let own = format!("{hook} auto");
        let off =
            status.switches.into_iter().filter(|switch| switch.position == "off" && switch.ended_by != own);
        let parts_off = off
            .map(|Switch { name, ended_by, .. }| PartOff {
                what: format!("{hook}: {name} is switched off by hand, whatever the files say"),
                ended_by,
            })
            .collect();
        Self { acts: status.enabled, set_by, parts_off, problems: status.problems }
    }
}

impl PartOff {
    /// As a sentence, with what ends it.
    #[must_use]
    pub fn told(&self) -> String {
        let Self { what, ended_by } = self;
        let purpose =
            if ended_by.ends_with(" auto") { "to give the decision back to them" } else { "to switch it on" };
        format!("{what}; {purpose}, type: {ended_by}")
    }
}

impl Enabled {
    /// What to do to switch it on, by what holds it off.
    #[must_use]
    pub fn way_on(&self, hook: &str, installation: &Installation) -> String {
        if self.set_by == "its switch" {
            return format!("to give the decision back to the files, type: {hook} auto");
        }
        if self.set_by.ends_with("/OFF") {
            return "to switch every hook on again: req resume".to_owned();
        }
        if self.set_by.starts_with(".claude/") {
            return format!("to switch it on in this project: req enable --hook {hook} --local");
        }
        format!("to switch it on: {}", installation.line(format_args!("enable {hook}")))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Enabled, PartOff};
    use crate::places::{Installation, Scope};

    #[test]
    fn way_on_fits_what_switched_the_hook_off() {
        let installation = Installation::scratch(Path::new("/home/me"), Scope::User);
        for (set_by, line) in [
            ("its switch", "a-hook auto"),
            ("~/.claude/hook-state/OFF", "req resume"),
            (".claude/requirements.yaml", "req enable --hook a-hook --local"),
            (".claude/requirements.local.yaml", "req enable --hook a-hook --local"),
            ("~/.claude/requirements.yaml", "cargo xtask enable a-hook"),
        ] {
            let status = format!(r#"{{"enabled": false, "set_by": "{set_by}"}}"#);
            let off = Enabled::of(serde_json::from_str(&status).unwrap(), "a-hook");
            assert!(off.way_on("a-hook", &installation).ends_with(line), "{set_by}");
        }
    }

    #[test]
    fn a_part_that_is_switched_off_by_hand_is_told_and_the_hooks_own_switch_is_not_one() {
        let status = r#"{"enabled": false, "set_by": "its switch", "switches": [
            {"name": "pacing", "position": "off", "ended_by": "a-hook auto"},
            {"name": "weekly limit", "position": "off", "ended_by": "a-name weekly auto"},
            {"name": "5-hour limit", "position": "on", "ended_by": "a-name 5-hour auto"}]}"#;
        let told: Vec<_> = Enabled::of(serde_json::from_str(status).unwrap(), "a-hook")
            .parts_off
            .iter()
            .map(PartOff::told)
            .collect();
        let expected = "a-hook: weekly limit is switched off by hand, whatever the files say; to give the decision back to \
                        them, type: a-name weekly auto";
        assert_eq!(told, [expected]);
        let word =
            PartOff { what: "a-hook: tempo is off".to_owned(), ended_by: "a-name tempo on".to_owned() };
        assert_eq!(word.told(), "a-hook: tempo is off; to switch it on, type: a-name tempo on");
        let plain = Enabled::of(serde_json::from_str(r#"{"enabled": true}"#).unwrap(), "a-hook");
        assert!(plain.acts && plain.parts_off.is_empty());
    }
}
