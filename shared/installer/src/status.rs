//! `status`: what is built (where there is a source tree), installed, registered and switched on, and where these differ. It reads
//! only; the checks are the doctor's. `--json` prints [`Status`].

use std::path::{Path, PathBuf};

use crate::catalog::HookEntry;
use serde::Serialize;
use shared::host::Host;

use crate::doctor::world::{Level, World};
use crate::doctor::{self, Finding, Severity, managed_settings};
use crate::files::hash_of;
use crate::places::{Installation, Scope, executable};
use crate::say::{Voice, say};

#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Arguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The project whose settings are looked at too; else the one this command is started in
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// The folder that cargo builds the programs into
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) built: Option<PathBuf>,
}

/// The state of an installation, as `--json` prints it.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// The version of this form: 1.
    pub version: u32,
    /// One per hook of the catalog, in its order.
    pub hooks: Vec<HookStatus>,
    /// Further sentences; empty when all is well.
    pub remarks: Vec<String>,
}

/// The state of one hook.
#[derive(Debug, Clone, Serialize)]
pub struct HookStatus {
    /// The hook's name.
    pub hook: String,
    /// A build for an installation lies in the source tree; null where there is no source tree.
    pub built: Option<bool>,
    /// The binary is where Claude Code starts it.
    pub deployed: bool,
    /// The events it is registered for.
    pub registered: Vec<String>,
    /// The settings that register it: `user`, `project`, `local`; `plugin`: a plugin that is enabled.
    pub scopes: Vec<String>,
    /// It acts; null when it cannot be asked.
    pub enabled: Option<bool>,
    /// The source of its switch; null when the hook cannot be asked.
    pub enabled_by: Option<String>,
    /// Sentences about differences, with the next step; empty when all is well.
    pub drift: Vec<String>,
}

pub(crate) fn run(host: &Host, wanted: &Arguments, voice: Voice) -> anyhow::Result<()> {
    if let Some(dir) = &wanted.project {
        Installation::of_this_user(host, voice)?.in_project(&host.environment, Scope::Project, dir)?;
    }
    let project = wanted.project.clone().or_else(|| doctor::around(host));
    let world = World::read(host, &managed_settings(), project.as_deref(), voice)?;
    let status = of(&world, wanted.built.as_deref())?;
    if wanted.json {
        say(serde_json::to_string_pretty(&status)?);
    } else {
        print(&status);
    }
    Ok(())
}

fn of(world: &World<'_>, built: Option<&Path>) -> anyhow::Result<Status> {
    let sections = doctor::standing(world);
    let findings = sections.iter().flat_map(|section| &section.findings);
    let mut rest: Vec<&Finding> = findings.filter(|finding| finding.severity > Severity::Ok).collect();
    let mut hooks = Vec::new();
    for hook in &world.catalog.hooks {
        let about = |finding: &mut &Finding| finding.about(&hook.name).is_some();
        let drift: Vec<&Finding> = rest.extract_if(.., about).collect();
        hooks.push(status_of(world, built, hook, &drift)?);
    }
    Ok(Status { version: 1, hooks, remarks: rest.into_iter().map(Finding::sentence).collect() })
}

fn status_of(
    world: &World<'_>,
    built: Option<&Path>,
    hook: &HookEntry,
    found: &[&Finding],
) -> anyhow::Result<HookStatus> {
    let there: Vec<&Level> = world.levels.iter().filter(|level| level.registers(&hook.name)).collect();
    let by_plugin = world.plugin().is_some();
    let serves = |level: &Level, event: &str| {
        level.contents.ours().any(|entry| entry.name.as_ref() == Some(&hook.name) && entry.event == event)
    };
    let is_registered = |event: &&String| by_plugin || there.iter().any(|level| serves(level, event));
    let mut registered: Vec<String> =
        hook.events.iter().map(|entry| &entry.event).filter(is_registered).cloned().collect();
    registered.dedup();
    let scopes = there.iter().filter_map(|level| level.scope()).map(Scope::word);
    let hash = |folder: &Path| hash_of(&folder.join(executable(&hook.name)));
    let (built_hash, installed) = (built.map(hash).transpose()?.flatten(), hash(&world.user().hooks)?);
    let mut drift: Vec<String> = found.iter().map(|finding| finding.sentence()).collect();
    if built_hash.is_some() && installed.is_some() && built_hash != installed {
        let again = world.user().voice.install_again();
        drift.push(format!("{}: the last build differs from what is installed; {again}", hook.name));
    }
    let asked = world.asked.get(&hook.name).and_then(|asked| asked.as_ref().ok());
    Ok(HookStatus {
        hook: hook.name.clone(),
        built: built.map(|_| built_hash.is_some()),
        deployed: installed.is_some(),
        registered,
        scopes: scopes.chain(by_plugin.then(|| "plugin".to_owned())).collect(),
        enabled: asked.map(|asked| asked.acts),
        enabled_by: asked.map(|asked| asked.set_by().to_owned()),
        drift,
    })
}

fn print(status: &Status) {
    let yes = |is: bool| if is { "yes" } else { "no" };
    for hook in &status.hooks {
        let enabled = match (hook.enabled, &hook.enabled_by) {
            (Some(enabled), Some(by)) => format!("{}, by {by}", if enabled { "on" } else { "off" }),
            _ => "-".to_owned(),
        };
        let registered = match hook.scopes.as_slice() {
            [] => "no".to_owned(),
            [only] if only == "user" => hook.registered.join(", "),
            scopes => format!("{} ({})", hook.registered.join(", "), scopes.join(", ")),
        };
        let built = hook.built.map(|built| format!("\n  built        {}", yes(built))).unwrap_or_default();
        say(format_args!(
            "{}\n  installed    {}\n  registered   {registered}\n  switched on  {enabled}{built}",
            hook.hook,
            yes(hook.deployed)
        ));
    }
    let drifts = status.hooks.iter().flat_map(|hook| &hook.drift);
    drifts.chain(&status.remarks).for_each(say);
}
