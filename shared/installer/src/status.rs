//! `status`: what is built (where there is a source tree), deployed, registered and switched on, and where these differ. It reads
//! only; the checks are the doctor's. `--json` prints [`Status`].

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;
use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use crate::doctor::level::Level;
use crate::doctor::world::{Project, World};
use crate::doctor::{
    Finding, Severity, binaries, in_force, managed_settings, ours, registered_twice, shapes,
};
use crate::enabled::Enabled;
use crate::manifest::hash_of;
use crate::off::Silence;
use crate::prune::orphans;
use crate::say::{say, table};
use crate::voice::Voice;

/// The state of an installation, as `--json` prints it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Status {
    /// Of this form: 1.
    pub version: u32,
    /// One per hook of the catalog, in its order.
    pub hooks: Vec<HookStatus>,
    /// What is to be known beside them: sentences; empty when all is well.
    pub remarks: Vec<String>,
}

/// The state of one hook.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HookStatus {
    /// Its name.
    pub hook: String,
    /// A build for an installation lies in the source tree; null where there is no source tree.
    pub built: Option<bool>,
    /// Its binary is where Claude Code starts it.
    pub deployed: bool,
    /// The events it is registered for.
    pub registered: Vec<String>,
    /// Whose settings register it: `user`, `project`, `local`; `plugin`: a plugin that is enabled.
    pub scopes: Vec<String>,
    /// It acts; null when it cannot be asked.
    pub enabled: Option<bool>,
    /// What switched it on or off; null when it cannot be asked.
    pub enabled_by: Option<String>,
    /// Where these differ, and what to do: sentences; empty when all is well.
    pub drift: Vec<String>,
}

/// Where a build leaves the binary of that name, whether it was built or not.
pub type Built<'a> = &'a dyn Fn(&str) -> anyhow::Result<PathBuf>;

/// Prints the status, for people or as JSON. `built` is for who has the source tree.
pub fn run(
    host: &Host,
    json: bool,
    project: Option<&Path>,
    built: Option<Built<'_>>,
    voice: Voice,
) -> anyhow::Result<()> {
    let status = of(host, &managed_settings(), project, built, voice)?;
    if json {
        say(serde_json::to_string_pretty(&status)?);
    } else {
        print(&status, built.is_some());
    }
    Ok(())
}

/// The state of this user's installation, with the settings of `project` or of the project this was started in. `managed` is the
/// administrator's file.
pub fn of(
    host: &Host,
    managed: &Path,
    project: Option<&Path>,
    built: Option<Built<'_>>,
    voice: Voice,
) -> anyhow::Result<Status> {
    let catalog = Catalog::built_in()?;
    let world = World::read(host, &catalog, managed, project.map_or(Project::Here, Project::At), voice)?;
    let mut remarks = general(&world);
    let mut hooks = Vec::new();
    for hook in &catalog.hooks {
        let enabled = world.ask(hook)?;
        hooks.push(status_of(&world, built, hook, enabled.as_ref())?);
        let parts = enabled.iter().flat_map(|enabled| enabled.parts_off(&hook.name));
        remarks.extend(parts.map(|part| part.told()));
        remarks.extend(enabled.into_iter().flat_map(|enabled| enabled.problems));
    }
    Ok(Status { version: 1, hooks, remarks: once(remarks) })
}

fn status_of(
    world: &World<'_>,
    path_of: Option<Built<'_>>,
    hook: &HookEntry,
    enabled: Option<&Enabled>,
) -> anyhow::Result<HookStatus> {
    let is_ours = |level: &&Level| level.place.is_some() && level.registers(&hook.name);
    let there: Vec<&Level> = world.levels.iter().filter(is_ours).collect();
    let entries =
        there.iter().flat_map(|level| level.ours()).filter(|entry| entry.name.as_ref() == Some(&hook.name));
    let by_plugin = hook.events.iter().filter(|_| world.plugin().is_some()).map(|entry| &entry.event);
    let events = entries.map(|entry| &entry.event).chain(by_plugin).cloned().collect();
    let mut scopes: Vec<String> = there.iter().filter_map(|level| word(level)).collect();
    scopes.extend(world.plugin().map(|_| "plugin".to_owned()));
    let built = path_of.map(|path_of| hash_of(&path_of(&hook.name)?)).transpose()?.flatten();
    let deployed = hash_of(&world.user().deployed(&hook.name))?;
    let mut drift: Vec<String> =
        findings(world, hook, scopes.is_empty(), enabled).iter().map(|found| sentence(hook, found)).collect();
    if built.is_some() && deployed.is_some() && built != deployed {
        let again = world.user().voice.deploy_again();
        drift.push(format!("the last build differs from what is deployed: {again}"));
    }
    Ok(HookStatus {
        hook: hook.name.clone(),
        built: path_of.map(|_| built.is_some()),
        deployed: deployed.is_some(),
        registered: once(events),
        scopes,
        enabled: enabled.map(|enabled| enabled.acts),
        enabled_by: enabled.map(|enabled| enabled.set_by().to_owned()),
        drift,
    })
}

/// Where the states of one hook differ.
fn findings(
    world: &World<'_>,
    hook: &HookEntry,
    is_nowhere: bool,
    enabled: Option<&Enabled>,
) -> Vec<Finding> {
    let files = [&hook.name].into_iter().chain(&hook.helpers);
    let mut found: Vec<Finding> = files.filter_map(|file| binaries::of_program(world, file)).collect();
    found.extend(binaries::missing_helpers(world, hook));
    found.extend(world.levels.iter().flat_map(|level| ours::findings(level, hook)));
    found.extend(registered_twice(world, hook));
    if is_nowhere && !hook.enabled && enabled.is_some_and(|enabled| enabled.acts) {
        let line = world.user().voice.line(format_args!("enable {}", hook.name));
        found.push(Finding::warning("switched on, but not registered").next(line));
    }
    found.retain(|finding| finding.severity > Severity::Ok);
    found
}

/// The finding behind the name of its hook, with what to do.
fn sentence(hook: &HookEntry, found: &Finding) -> String {
    let what = found.what.strip_prefix(&format!("{}: ", hook.name)).unwrap_or(&found.what);
    match &found.next {
        Some(next) => format!("{what}: {next}"),
        None => what.to_owned(),
    }
}

/// What concerns no single hook.
fn general(world: &World<'_>) -> Vec<String> {
    let user = world.user();
    let mut found: Vec<Finding> = world.levels.iter().flat_map(shapes::findings).collect();
    found.extend(in_force::findings(&world.levels, true));
    found.extend(world.levels.iter().flat_map(|level| ours::gone(level, &world.catalog.hooks)));
    let worth_saying = found.iter().filter(|finding| finding.severity >= Severity::Warning);
    let mut remarks: Vec<String> = worth_saying.map(Finding::sentence).collect();
    if let Some(silence) = Silence::in_force([&*user.state, &*user.own_state()], world.host.now()) {
        remarks.push(format!("{}: {}; to end it: req resume", user.show(&silence.file), silence.words()));
    }
    let (origin, prune) = (user.voice.origin(), user.voice.prune());
    let orphans = orphans(&world.manifest, world.catalog).into_iter();
    remarks.extend(orphans.map(|orphan| format!("no hook of {origin} owns {orphan}: {prune}")));
    remarks
}

/// The scope's word; the administrator's has none.
fn word(level: &Level) -> Option<String> {
    Some(level.place.as_ref()?.scope.to_possible_value()?.get_name().to_owned())
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

fn print(status: &Status, has_source_tree: bool) {
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
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
        row.splice(1..1, hook.built.map(yes));
        row
    };
    let mut heads = vec!["hook", "deployed", "registered", "switched on"];
    heads.splice(1..1, has_source_tree.then_some("built"));
    say(table(&heads, status.hooks.iter().map(row).collect()));
    for hook in &status.hooks {
        hook.drift.iter().for_each(|drift| say(format_args!("{}: {drift}", hook.hook)));
    }
    status.remarks.iter().for_each(say);
}
