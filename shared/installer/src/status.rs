//! `status`: what is in the source tree, where there is one, what is deployed, what is registered, what is switched on, and
//! where these differ. It reads only. `--json` prints [`Status`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use client_settings::Registered;
use schemars::JsonSchema;
use serde::Serialize;
use shared::catalog::{Catalog, HookEntry};
use shared::host::{Host, Timestamp};

use crate::client_settings::Settings;
use crate::deploy::without_helper;
use crate::doctor::{Brought, managed_settings};
use crate::enabled::{Enabled, PartOff};
use crate::manifest::{Manifest, hash_of};
use crate::off::Silence;
use crate::places::{Installation, Scope};
use crate::prove::command_of;
use crate::prune::orphans;
use crate::registration::{is_same_program, lacks_message, program};
use crate::say::{list, say, table};
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
    /// Its binary is where the client starts it.
    pub deployed: bool,
    /// The events it is registered for.
    pub registered: Vec<String>,
    /// Whose settings register it: `user`, `project`, `local`; `plugin`: a plugin that is switched on.
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

/// The settings of one scope, and what is in them.
struct Level {
    place: Installation,
    settings: Settings,
}

impl Level {
    fn entries(&self, hook: &HookEntry) -> Vec<&Registered> {
        self.settings.present.hooks.iter().filter(|entry| entry.name == hook.name).collect()
    }
}

/// Prints the status, for people or as JSON. `built` is for who has the source tree.
///
/// # Errors
/// As [`of`].
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

/// The state of this user's installation, with the settings of `project` or of the project this was started in. `managed`: where an
/// administrator's settings would lie, which may switch a plugin on.
///
/// # Errors
/// The user's own settings cannot be read, or `project` is none.
pub fn of(
    host: &Host,
    managed: &Path,
    project: Option<&Path>,
    built: Option<Built<'_>>,
    voice: Voice,
) -> anyhow::Result<Status> {
    let catalog = Catalog::built_in()?;
    let installation = Installation::of_this_user(host, voice)?;
    let (levels, unreadable) = levels(host, &installation, &catalog, project)?;
    let manifest = Manifest::read(&installation)?;
    let brought = Brought::read(host, &catalog, managed, project)?;
    let hooks = catalog.hooks.iter().map(|hook| status_of(built, &levels, &brought, &manifest, hook));
    let hooks: Vec<HookStatus> = hooks.collect::<anyhow::Result<_>>()?;
    let mut remarks = unreadable;
    remarks.extend(self::remarks(host.now(), &installation, &levels, &manifest, &catalog));
    for hook in &catalog.hooks {
        let Some(enabled) = enabled(&levels, &brought, hook)? else { continue };
        remarks.extend(enabled.parts_off.iter().map(PartOff::told));
        remarks.extend(enabled.problems);
    }
    let mut told = BTreeSet::new();
    remarks.retain(|remark| told.insert(remark.clone()));
    Ok(Status { version: 1, hooks, remarks })
}

/// The user's settings, and those of the project, if there is one. A project's that cannot be read hides nothing else.
fn levels(
    host: &Host,
    installation: &Installation,
    catalog: &Catalog,
    project: Option<&Path>,
) -> anyhow::Result<(Vec<Level>, Vec<String>)> {
    let mut levels =
        vec![Level { settings: Settings::read(installation, catalog)?, place: installation.clone() }];
    let (mut places, mut unreadable) = (Vec::new(), Vec::new());
    for scope in [Scope::Project, Scope::Local] {
        let place = match project {
            Some(dir) => Some(installation.in_project(&host.environment, scope, dir)?),
            None => host.cwd().and_then(|dir| installation.in_project(&host.environment, scope, &dir).ok()),
        };
        places.extend(place.filter(|place| project.is_some() || place.settings.symlink_metadata().is_ok()));
    }
    for place in places {
        match Settings::read(&place, catalog) {
            Ok(settings) => levels.push(Level { place, settings }),
            Err(error) => unreadable.push(format!("{error:#}")),
        }
    }
    Ok((levels, unreadable))
}

/// The level that is closest to the work: its folder is where a hook is asked whether it acts.
fn nearest(levels: &[Level]) -> &Installation {
    &levels[levels.len() - 1].place
}

fn status_of(
    path_of: Option<Built<'_>>,
    levels: &[Level],
    brought: &Brought<'_>,
    manifest: &Manifest,
    hook: &HookEntry,
) -> anyhow::Result<HookStatus> {
    let installation = nearest(levels);
    let built = match path_of {
        Some(path_of) => hash_of(&path_of(&hook.name)?)?,
        None => None,
    };
    let deployed = hash_of(&installation.deployed(&hook.name))?;
    let enabled = enabled(levels, brought, hook)?;
    let by_plugin = brought.events(hook);
    let there: Vec<&Level> = levels.iter().filter(|level| !level.entries(hook).is_empty()).collect();
    let mut drift: Vec<String> =
        drift_of_file(installation, manifest, &hook.name, built.as_deref(), deployed.as_deref())
            .into_iter()
            .collect();
    if there.is_empty()
        && by_plugin.is_empty()
        && enabled.as_ref().is_some_and(|enabled| enabled.acts)
        && !hook.enabled
    {
        let line = installation.voice.line(format_args!("enable {}", hook.name));
        drift.push(format!("switched on, but not registered: {line}"));
    }
    if deployed.is_some() {
        for helper in &hook.helpers {
            drift.extend(drift_of_helper(installation, path_of, manifest, hook, helper)?);
        }
    }
    for level in &there {
        drift.extend(drift_of_entries(level, hook, deployed.is_some()));
    }
    drift.extend(brought.twice(hook).or_else(|| twice(&there)));
    let mut registered: Vec<String> =
        there.iter().flat_map(|level| level.entries(hook)).map(|entry| entry.event.clone()).collect();
    let mut scopes: Vec<String> = there.iter().map(|level| word(level.place.scope)).collect();
    scopes.extend((!by_plugin.is_empty()).then(|| "plugin".to_owned()));
    registered.extend(by_plugin);
    let mut told = BTreeSet::new();
    registered.retain(|event| told.insert(event.clone()));
    Ok(HookStatus {
        hook: hook.name.clone(),
        built: path_of.map(|_| built.is_some()),
        deployed: deployed.is_some(),
        registered,
        scopes,
        enabled: enabled.as_ref().map(|enabled| enabled.acts),
        enabled_by: enabled.map(|enabled| enabled.set_by),
        drift,
    })
}

/// Asks what is installed, or else what a plugin starts. `None`: neither is there with bytes that are known.
fn enabled(levels: &[Level], brought: &Brought<'_>, hook: &HookEntry) -> anyhow::Result<Option<Enabled>> {
    let installation = nearest(levels);
    if let Some(enabled) = Enabled::ask(installation, &hook.name)? {
        return Ok(Some(enabled));
    }
    let program = brought.program(hook);
    program.map(|program| Enabled::ask_program(&program, installation, &hook.name)).transpose()
}

fn word(scope: Scope) -> String {
    scope.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// The client adds up the hooks of all levels. A project's entry steps back for the user's own; two own ones both run.
fn twice(there: &[&Level]) -> Option<String> {
    let own: Vec<String> = there
        .iter()
        .filter(|level| level.place.scope != Scope::Project)
        .map(|level| level.place.show(&level.place.settings))
        .collect();
    let last = there.last().filter(|_| own.len() > 1)?;
    Some(format!("registered in {}, so it runs twice: {}", list(&own), last.place.line("uninstall")))
}

fn drift_of_file(
    installation: &Installation,
    manifest: &Manifest,
    binary: &str,
    built: Option<&str>,
    deployed: Option<&str>,
) -> Option<String> {
    let (deployed, again) = (deployed?, installation.voice.deploy_again());
    if !manifest.vouches_for(installation, binary) {
        return Some(format!("the deployed file is not what was installed: {again}"));
    }
    if built.is_some_and(|built| built != deployed) {
        return Some(format!("the last build differs from what is deployed: {again}"));
    }
    let version = manifest.files.get(binary).map(|deployed| &deployed.version);
    let ours = shared::version::ours();
    let another = version.filter(|version| *version != ours);
    another.map(|version| format!("version {version} is installed, this is {ours}"))
}

fn drift_of_helper(
    installation: &Installation,
    path_of: Option<Built<'_>>,
    manifest: &Manifest,
    hook: &HookEntry,
    helper: &str,
) -> anyhow::Result<Option<String>> {
    let built = match path_of {
        Some(path_of) => hash_of(&path_of(helper)?)?,
        None => None,
    };
    let Some(deployed) = hash_of(&installation.deployed(helper))? else {
        let again = installation.voice.deploy_again();
        return Ok(Some(format!("{helper} is not deployed, so {}: {again}", without_helper(&hook.name))));
    };
    let drift = drift_of_file(installation, manifest, helper, built.as_deref(), Some(&deployed));
    Ok(drift.map(|drift| format!("{helper}: {drift}")))
}

fn drift_of_entries(level: &Level, hook: &HookEntry, is_deployed: bool) -> Vec<String> {
    let (place, entries) = (&level.place, level.entries(hook));
    let again = place.line(format_args!("enable {}", hook.name));
    let mut drift = Vec::new();
    if !is_deployed {
        drift.push(format!("registered, but not deployed: {}", place.voice.deploy_again()));
    }
    let wanted = program(place, &hook.name).ok();
    let is_it =
        |entry: &&Registered| wanted.as_ref().is_some_and(|wanted| is_same_program(&entry.program, wanted));
    if let Some(elsewhere) = entries.iter().find(|entry| !is_it(entry)) {
        drift.push(format!("registered as {}: {again}", command_of(elsewhere)));
    }
    if let Some(harmful) = entries.iter().find_map(|entry| entry.harmful_keys.first()) {
        drift.push(format!("registered with `{harmful}`, so it stops nothing: {again}"));
    }
    let is_registered = |event: &str, matcher: &Option<String>| {
        entries.iter().any(|entry| entry.covers(event, matcher.as_deref()))
    };
    let missing = hook.events.iter().find(|wanted| !is_registered(&wanted.event, &wanted.matcher));
    if let Some(missing) = missing {
        drift.push(format!("not registered on {}: {again}", missing.event));
    }
    if let Some(silent) =
        hook.events.iter().find(|wanted| entries.iter().any(|entry| lacks_message(entry, wanted)))
    {
        drift.push(format!("registered on {} without what is shown while it waits: {again}", silent.event));
    }
    drift
}

fn remarks(
    now: Timestamp,
    installation: &Installation,
    levels: &[Level],
    manifest: &Manifest,
    catalog: &Catalog,
) -> Vec<String> {
    let mut remarks: Vec<String> = levels.iter().flat_map(|level| level.settings.obstacles()).collect();
    let own = installation.hooks.with_file_name("hook-state");
    if let Some(silence) = Silence::in_force([&*installation.state, &*own], now) {
        let file = installation.show(&silence.file);
        remarks.push(format!("{file}: {}; to end it: req resume", silence.words()));
    }
    let voice = installation.voice;
    let orphans = orphans(manifest, catalog).into_iter();
    remarks.extend(
        orphans.map(|orphan| format!("no hook of {} owns {orphan}: {}", voice.origin(), voice.prune())),
    );
    remarks
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
