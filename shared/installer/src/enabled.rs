//! Whether a hook is switched on, asked of the deployed hook itself: nobody else knows all its layers and switches.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use serde::Deserialize;

use crate::child;
use crate::manifest::Manifest;
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
    /// What is wrong in the configuration files, as the hook tells it.
    pub problems: Vec<String>,
}

/// What `<hook> status --json` prints, as far as it matters here.
#[derive(Deserialize)]
struct Status {
    enabled: bool,
    set_by: Option<String>,
    #[serde(default)]
    problems: Vec<String>,
}

impl Enabled {
    /// Asks the deployed hook, in the project whose settings are meant or outside of any. `None` if it is not deployed, or not as it was.
    pub fn ask(installation: &Installation, hook: &str) -> anyhow::Result<Option<Self>> {
        if !Manifest::read(installation)?.vouches_for(installation, hook) {
            return Ok(None);
        }
        let mut command = Command::new(installation.deployed(hook));
        command.args(["status", "--json"]);
        // A project the user happens to be in is none of an installation's business.
        command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ID");
        let outside: &Path = if installation.home.is_dir() { &installation.home } else { Path::new("/") };
        let place = installation.project.as_deref().unwrap_or(outside);
        let (_, said) = child::heard(command.current_dir(place), b"", PATIENCE)
            .with_context(|| format!("asking {hook} for its status"))?;
        let status: Status = serde_json::from_slice(&said)
            .with_context(|| format!("reading what {hook} says of its status"))?;
        Ok(Some(status.into()))
    }
}

impl From<Status> for Enabled {
    fn from(status: Status) -> Self {
        let set_by = status.set_by.unwrap_or_else(|| "the defaults".to_owned());
        Self { acts: status.enabled, set_by, problems: status.problems }
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
        format!("to switch it on: {}", installation.line(format_args!("enable {hook}")))
    }
}
