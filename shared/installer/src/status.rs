//! `status`: what is built (where there is a source tree), installed, registered and switched on, and where these differ. It reads
//! only; the checks are the doctor's. `--json` prints [`Status`].

use std::path::{Path, PathBuf};

use crate::catalog::{Catalog, HookEntry};
use schemars::JsonSchema;
use serde::Serialize;
use shared::host::Host;

use crate::doctor::world::{Level, Project, World};
use crate::doctor::{Finding, Severity, managed_settings, programs, registrations, switches};
use crate::files::hash_of;
use crate::places::{Scope, executable};
use crate::programs::orphans;
use crate::prove::Enabled;
use crate::say::{Voice, blocks, say};

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
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Status {
    /// The version of this form: 1.
    pub version: u32,
    /// One per hook of the catalog, in its order.
    pub hooks: Vec<HookStatus>,
    /// Further sentences; empty when all is well.
    pub remarks: Vec<String>,
}

/// The state of one hook.
#[derive(Debug, Clone, Serialize, JsonSchema)]
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

/// Prints the status, for people or as JSON.
pub(crate) fn run(host: &Host, wanted: &Arguments, voice: Voice) -> anyhow::Result<()> {
    let catalog = Catalog::built_in()?;
    let project = wanted.project.as_deref().map_or(Project::Here, Project::At);
    let world = World::read(host, &catalog, &managed_settings(), project, voice)?;
    let status = of(&world, wanted.built.as_deref())?;
    if wanted.json {
        say(serde_json::to_string_pretty(&status)?);
    } else {
        print(&status);
    }
    Ok(())
}

fn of(world: &World<'_>, built: Option<&Path>) -> anyhow::Result<Status> {
    let mut remarks = general(world);
    let mut hooks = Vec::new();
    for hook in &world.catalog.hooks {
        let enabled = world.ask(hook)?;
        hooks.push(status_of(world, built, hook, enabled.as_ref())?);
        remarks.extend(enabled.into_iter().flat_map(|enabled| enabled.problems));
    }
    Ok(Status { version: 1, hooks, remarks: once(remarks) })
}

fn status_of(
    world: &World<'_>,
    built: Option<&Path>,
    hook: &HookEntry,
    enabled: Option<&Enabled>,
) -> anyhow::Result<HookStatus> {
    let is_there = |level: &&Level| level.scope.is_some() && level.registers(&hook.name);
    let there: Vec<&Level> = world.levels.iter().filter(is_there).collect();
    let entries =
        there.iter().flat_map(|level| level.ours()).filter(|entry| entry.name.as_ref() == Some(&hook.name));
    let by_plugin = hook.events.iter().filter(|_| world.plugin().is_some()).map(|entry| &entry.event);
    let events = entries.map(|entry| &entry.event).chain(by_plugin).cloned().collect();
    let mut scopes: Vec<String> = there.iter().filter_map(|level| level.scope).map(Scope::word).collect();
    scopes.extend(world.plugin().map(|_| "plugin".to_owned()));
    let hash = |folder: &Path| hash_of(&folder.join(executable(&hook.name)));
    let (built_hash, deployed) = (built.map(hash).transpose()?.flatten(), hash(&world.user().hooks)?);
    let found = findings(world, hook, scopes.is_empty(), enabled);
    let mut drift: Vec<String> = found.iter().map(|found| sentence(hook, found)).collect();
    if built_hash.is_some() && deployed.is_some() && built_hash != deployed {
        let again = world.user().voice.deploy_again();
        drift.push(format!("the last build differs from what is installed: {again}"));
    }
    Ok(HookStatus {
        hook: hook.name.clone(),
        built: built.map(|_| built_hash.is_some()),
        deployed: deployed.is_some(),
        registered: once(events),
        scopes,
        enabled: enabled.map(|enabled| enabled.acts),
        enabled_by: enabled.map(|enabled| enabled.set_by().to_owned()),
        drift,
    })
}

/// The differences in one hook.
fn findings(
    world: &World<'_>,
    hook: &HookEntry,
    is_nowhere: bool,
    enabled: Option<&Enabled>,
) -> Vec<Finding> {
    let mut found = programs::of_hook(world, hook);
    found.extend(world.levels.iter().flat_map(|level| registrations::of_hook(level, hook)));
    found.extend(registrations::twice(world, hook));
    if is_nowhere && !hook.enabled && enabled.is_some_and(|enabled| enabled.acts) {
        let line = world.user().line(format_args!("enable {}", hook.name));
        found.push(Finding::warning("switched on, but not registered").next(line));
    }
    found.retain(|finding| finding.severity > Severity::Ok);
    found
}

/// The finding without the name of its hook, with what to do.
fn sentence(hook: &HookEntry, found: &Finding) -> String {
    let what = found.what.strip_prefix(&format!("{}: ", hook.name)).unwrap_or(&found.what);
    found.next.as_ref().map_or_else(|| what.to_owned(), |next| format!("{what}: {next}"))
}

/// The remarks that concern no single hook.
fn general(world: &World<'_>) -> Vec<String> {
    let mut found: Vec<Finding> = world.levels.iter().flat_map(registrations::unreadable).collect();
    found.extend(switches::in_force(&world.levels, true));
    found.extend(world.levels.iter().flat_map(|level| registrations::gone(level, &world.catalog.hooks)));
    found.extend(switches::off_file(world));
    let worth_saying = found.iter().filter(|finding| finding.severity >= Severity::Warning);
    let mut remarks: Vec<String> = worth_saying.map(Finding::sentence).collect();
    if world.registered().is_empty() {
        remarks.push(format!("no hook is registered: {}", world.user().line("install")));
    }
    let voice = world.user().voice;
    let orphans = orphans(&world.manifest, world.catalog).into_iter();
    remarks.extend(orphans.map(|orphan| format!("no hook of this version owns {orphan}: {}", voice.prune())));
    remarks
}

fn once(texts: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

fn print(status: &Status) {
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let has_source_tree = status.hooks.iter().any(|hook| hook.built.is_some());
    let row = |hook: &HookStatus| {
        let enabled = match (hook.enabled, &hook.enabled_by) {
            (Some(enabled), Some(by)) => format!("{}, by {by}", if enabled { "on" } else { "off" }),
            _ => "-".to_owned(),
        };
        let registered = match hook.scopes.as_slice() {
            [] => "no".to_owned(),
            [only] if only == "user" => hook.registered.join(", "),
            scopes => format!("{} ({})", hook.registered.join(", "), scopes.join(", ")),
        };
        let mut row = vec![hook.hook.clone(), yes(hook.deployed), registered, enabled];
        row.extend(hook.built.map(yes));
        row
    };
    let mut heads = vec!["hook", "installed", "registered", "switched on"];
    heads.extend(has_source_tree.then_some("built"));
    say(blocks(&heads, &status.hooks.iter().map(row).collect::<Vec<_>>()));
    for hook in &status.hooks {
        hook.drift.iter().for_each(|drift| say(format_args!("{}: {drift}", hook.hook)));
    }
    status.remarks.iter().for_each(say);
}
