//! The state of a hook, asked of the hook itself: nobody else knows all its layers and switches.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use serde::Deserialize;

use crate::child;
use crate::places::Installation;

/// The time for an answer, which takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The value of [`Enabled::set_by`] where no file sets it.
pub(crate) const DEFAULTS: &str = "the defaults";

/// A hook's report on itself: `<hook> status --json`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Enabled {
    #[serde(rename = "enabled")]
    pub(crate) acts: bool,
    set_by: Option<String>,
    #[serde(default)]
    switches: Vec<Switch>,
    /// Faults of the configuration files.
    #[serde(default)]
    pub(crate) problems: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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
        // The project around this command is none of the installation's business.
        command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ID");
        let outside: &Path = if installation.home.is_dir() { &installation.home } else { Path::new("/") };
        let place = installation.project.as_deref().unwrap_or(outside);
        let (_, said) = child::heard(command.current_dir(place), b"", PATIENCE)
            .with_context(|| format!("asking {hook} for its status"))?;
        serde_json::from_slice(&said).with_context(|| format!("reading what {hook} says of its status"))
    }

    /// The file or switch that decides, as a person reads it.
    pub(crate) fn set_by(&self) -> &str {
        self.set_by.as_deref().unwrap_or(DEFAULTS)
    }

    /// The parts of the hook that were switched off by hand: a sentence for each, and the command that ends it.
    pub(crate) fn parts_off(&self, hook: &str) -> Vec<(String, String)> {
        // The hook's own switch is named by `set_by`.
        let own = format!("{hook} auto");
        let off = self.switches.iter().filter(|switch| switch.position == "off" && switch.ended_by != own);
        let part = |Switch { name, ended_by, .. }: &Switch| {
            (format!("{hook}: {name} is switched off by hand, whatever the files say"), ended_by.clone())
        };
        off.map(part).collect()
    }

    /// The line that switches the hook on, by what holds it off.
    pub(crate) fn way_on(&self, hook: &str, installation: &Installation) -> String {
        match self.set_by() {
            "its switch" => format!("to give the decision back to the files, type: {hook} auto"),
            by if by.ends_with("/OFF") => "to switch every hook on again: req resume".to_owned(),
            by if by.starts_with(".claude/") => {
                format!("to switch it on in this project: req enable --hook {hook} --local")
            }
            _ => format!("to switch it on: {}", installation.line(format_args!("enable {hook}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Enabled;
    use crate::places::{Installation, Scope};

    fn of(status: &str) -> Enabled {
        serde_json::from_str(status).unwrap()
    }

    #[test]
    fn way_on_fits_what_switched_the_hook_off() {
        let installation = Installation::scratch(Path::new("/home/me"), Scope::User);
        for (set_by, line) in [
            ("its switch", "a-hook auto"),
            ("~/.claude/hook-state/OFF", "req resume"),
            (".claude/requirements.yaml", "req enable --hook a-hook --local"),
            ("~/.claude/requirements.yaml", "cargo xtask enable a-hook"),
        ] {
            let off = of(&format!(r#"{{"enabled": false, "set_by": "{set_by}"}}"#));
            assert!(off.way_on("a-hook", &installation).ends_with(line), "{set_by}");
        }
    }

    #[test]
    fn reports_parts_that_are_off_but_not_the_hooks_own_switch() {
        let status = r#"{"enabled": false, "set_by": "its switch", "switches": [
            {"name": "pacing", "position": "off", "ended_by": "a-hook auto"},
            {"name": "weekly limit", "position": "off", "ended_by": "a-name weekly auto"},
            {"name": "5-hour limit", "position": "on", "ended_by": "a-name 5-hour auto"}]}"#;
        let expected = "a-hook: weekly limit is switched off by hand, whatever the files say".to_owned();
        assert_eq!(of(status).parts_off("a-hook"), [(expected, "a-name weekly auto".to_owned())]);
        let plain = of(r#"{"enabled": true}"#);
        assert!(plain.acts && plain.set_by() == "the defaults" && plain.parts_off("a-hook").is_empty());
    }
}
