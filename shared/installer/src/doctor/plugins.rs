//! The plugins that are switched on, and the hooks each brings: where the client keeps them (its own files, as it
//! writes them), and what of a plugin it reads (tests/client-facts.md, 15).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use client_settings::{Entry, Program, Registered};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use shared::catalog::Catalog;

use super::level::{Kind, Level, foreign, json_of, text_of};
use super::world::World;

/// Where a plugin's hooks are, whether it names that file or not.
const USUAL: &str = "hooks/hooks.json";

/// A marketplace's list of plugins.
const LISTING: &str = ".claude-plugin/marketplace.json";

/// The hooks of every plugin that is switched on and has some.
pub(crate) fn read(world: &World<'_>, levels: &[Level]) -> Vec<Level> {
    let kept = world.config().join("plugins");
    let plugins = switched_on(levels).into_iter().filter_map(|name| find(&kept, &name, world.project()));
    plugins.flat_map(|plugin| plugin.levels(world)).collect()
}

/// A stronger level overrules a weaker one; `levels` begin with the weakest.
fn switched_on(levels: &[Level]) -> Vec<String> {
    let read = levels.iter().filter(|level| !level.is_elsewhere);
    let all = read.flat_map(|level| &level.survey.plugins);
    let last: BTreeMap<&String, bool> = all.map(|(name, flag)| (name, flag.is_on)).collect();
    last.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name.clone()).collect()
}

/// One plugin.
struct Plugin {
    name: String,
    /// Where it runs from.
    root: PathBuf,
    /// The list of its marketplace, where that is known.
    listing: Option<PathBuf>,
}

/// `NAME@MARKETPLACE`, for the project; `None`: the client finds nothing of it.
fn find(kept: &Path, plugin: &str, project: Option<&Path>) -> Option<Plugin> {
    let (name, market) = plugin.split_once('@')?;
    let is_plain = |part: &str| !part.is_empty() && !part.contains(['/', '\\']) && part != "..";
    if !is_plain(name) || !is_plain(market) {
        return None;
    }
    let known = json_of(&kept.join("known_marketplaces.json"));
    let listing = listing(&known[market]);
    let root = match listing.as_deref().and_then(|listing| of_a_folder(&known[market], listing, name)) {
        // The folder itself, and never the copy: without the folder the plugin is not loaded.
        Some(folder) => folder.is_dir().then_some(folder)?,
        None => installed(kept, plugin, project)
            .or_else(|| newest(&kept.join("cache").join(market).join(name)))?,
    };
    Some(Plugin { name: name.to_owned(), root, listing })
}

/// Where the list of a marketplace is.
fn listing(market: &Value) -> Option<PathBuf> {
    match (market["source"]["source"].as_str(), market["source"]["path"].as_str()) {
        (Some("directory"), Some(path)) => Some(Path::new(path).join(LISTING)),
        (Some("file"), Some(path)) => Some(PathBuf::from(path)),
        _ => Some(Path::new(market["installLocation"].as_str()?).join(LISTING)),
    }
}

/// The plugin's own folder, of a marketplace that is a folder of the user's.
fn of_a_folder(market: &Value, listing: &Path, name: &str) -> Option<PathBuf> {
    if !matches!(market["source"]["source"].as_str(), Some("directory" | "file")) {
        return None;
    }
    let root = Path::new(market["installLocation"].as_str().or_else(|| market["source"]["path"].as_str())?);
    let Ok(text) = text_of(listing) else { return Some(root.join(name)) };
    let place = listed(&text, name)?.source.as_str()?.to_owned();
    below(root, &place)
}

/// The copy the client has made: of the entries that are for everywhere or for this project the first one.
fn installed(kept: &Path, plugin: &str, project: Option<&Path>) -> Option<PathBuf> {
    let known = json_of(&kept.join("installed_plugins.json"));
    let is_meant = |entry: &&Value| {
        let its = entry["projectPath"].as_str().map(Path::new);
        its.is_none() || its == project
    };
    let entry = known["plugins"][plugin].as_array()?.iter().find(is_meant)?;
    Some(PathBuf::from(entry["installPath"].as_str()?)).filter(|path| path.is_dir())
}

/// The version that was copied last: what has no entry yet gets one at the next start.
fn newest(folder: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let dated = versions.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())));
    dated.max().map(|(_, path)| path)
}

/// A path that stays below a folder.
fn below(folder: &Path, path: &str) -> Option<PathBuf> {
    let stays = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(path).components().all(stays).then(|| folder.join(path.trim_start_matches("./")))
}

/// A plugin in the list of its marketplace.
#[derive(Deserialize)]
struct Listed<'a> {
    name: String,
    #[serde(default)]
    source: Value,
    #[serde(borrow, default)]
    hooks: Option<&'a RawValue>,
}

fn listed<'a>(text: &'a str, name: &str) -> Option<Listed<'a>> {
    #[derive(Deserialize)]
    struct Listing<'a> {
        #[serde(borrow)]
        plugins: Vec<&'a RawValue>,
    }
    let all: Listing<'a> = serde_json::from_str(text).ok()?;
    let mut each =
        all.plugins.into_iter().filter_map(|one| serde_json::from_str::<Listed<'a>>(one.get()).ok());
    each.find(|one| one.name == name)
}

/// What a plugin says of itself.
#[derive(Deserialize)]
struct Manifest<'a> {
    #[serde(borrow, default)]
    hooks: Option<&'a RawValue>,
}

impl Plugin {
    /// Hooks in the marketplace's list stand for all others; else it is the usual file and what the manifest adds.
    fn levels(&self, world: &World<'_>) -> Vec<Level> {
        if let Some(found) = self.in_listing(world) {
            return found;
        }
        let file = self.root.join(".claude-plugin/plugin.json");
        let text = text_of(&file).unwrap_or_default();
        let manifest: Option<Manifest<'_>> = serde_json::from_str(&text).ok();
        let usual = self.root.join(USUAL);
        let mut found: Vec<Level> = self.file(&usual, world).into_iter().collect();
        if let Some(hooks) = manifest.and_then(|manifest| manifest.hooks) {
            found.extend(self.declared(&Declaration { file: &file, text: &text }, hooks, world));
        }
        found
    }

    fn in_listing(&self, world: &World<'_>) -> Option<Vec<Level>> {
        let file = self.listing.as_deref()?;
        let text = text_of(file).ok()?;
        let hooks = listed(&text, &self.name)?.hooks?;
        Some(self.declared(&Declaration { file, text: &text }, hooks, world))
    }

    /// A path, the hooks themselves, or a list of both.
    fn declared(&self, from: &Declaration<'_>, hooks: &RawValue, world: &World<'_>) -> Vec<Level> {
        if let Ok(path) = serde_json::from_str::<String>(hooks.get()) {
            let file = below(&self.root, &path).filter(|file| *file != self.root.join(USUAL));
            return file.and_then(|file| self.file(&file, world)).into_iter().collect();
        }
        if let Ok(several) = serde_json::from_str::<Vec<&RawValue>>(hooks.get()) {
            return several.into_iter().flat_map(|one| self.declared(from, one, world)).collect();
        }
        let shown = world.user().show(from.file);
        vec![self.level(Level::of_text(Kind::Plugin, &shown, &from.alone(hooks)), world)]
    }

    fn file(&self, file: &Path, world: &World<'_>) -> Option<Level> {
        file.is_file().then(|| self.level(foreign(Kind::Plugin, file, world), world))
    }

    fn level(&self, level: Level, world: &World<'_>) -> Level {
        let entries = level.survey.entries.iter();
        let ours = entries.filter_map(|entry| registered(entry, &self.root, world.catalog)).collect();
        Level { root: Some(self.root.clone()), ours, ..level }
    }
}

/// The entry as one of ours, as it is written: without a shell it starts a program of the plugin that has the name of a
/// hook. Whether the bytes are ours is another matter.
fn registered(entry: &Entry, root: &Path, catalog: &Catalog) -> Option<Registered> {
    let command = entry.command.as_deref().filter(|_| entry.is_command)?;
    let program = program_in(command, root)?;
    let name = program.file_name()?.to_str()?;
    let hook = catalog.hook(name.strip_suffix(".exe").unwrap_or(name))?;
    Some(Registered {
        name: hook.name.clone(),
        event: entry.event.clone(),
        matcher: entry.matcher.clone(),
        program: Program::Path(command.to_owned()),
        args: entry.args.clone()?,
        timeout_secs: entry.timeout_secs.clone(),
        status_message: entry.status_message.clone(),
        harmful_keys: entry.harmful_keys.clone(),
    })
}

/// What a plugin's entry starts, with the plugin's folder filled in.
pub(super) fn program_in(command: &str, root: &Path) -> Option<PathBuf> {
    below(root, command.strip_prefix("${CLAUDE_PLUGIN_ROOT}/")?)
}

/// A text in which hooks are declared among other things.
struct Declaration<'a> {
    file: &'a Path,
    text: &'a str,
}

impl Declaration<'_> {
    /// These hooks in the form of a file that has nothing else, on the lines they stand on.
    fn alone(&self, hooks: &RawValue) -> String {
        let start = hooks.get().as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        let lines = self.text.bytes().take(start).filter(|byte| *byte == b'\n').count();
        format!("{}{{\"hooks\":{}}}", "\n".repeat(lines), hooks.get())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use shared::catalog::Catalog;
    use shared::host::{Clock, Environment, Host, Timestamp};

    use super::{find, read, switched_on};
    use crate::doctor::level::{Kind, Level};
    use crate::doctor::world::World;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_plugin_is_on_where_the_strongest_level_that_names_it_says_so() {
        let of =
            |kind, on: bool| Level::of_text(kind, "f", &format!(r#"{{"enabledPlugins":{{"a@m":{on}}}}}"#));
        assert_eq!(switched_on(&[of(Kind::User, true)]), ["a@m"]);
        assert_eq!(switched_on(&[of(Kind::User, true), of(Kind::Project, false)]), [""; 0]);
        assert_eq!(switched_on(&[of(Kind::User, false), of(Kind::Local, true)]), ["a@m"]);
    }

    fn root(kept: &Path, plugin: &str) -> Option<PathBuf> {
        find(kept, plugin, Some(Path::new("/code/this"))).map(|plugin| plugin.root)
    }

    /// The client's record of copies: of each its project, where it is for one, and its folder.
    fn copies(kept: &Path, copies: &[(Option<&str>, &Path)]) {
        let entry = |(project, path): &(Option<&str>, &Path)| {
            let project = project.map(|project| format!(r#""projectPath":"{project}","#)).unwrap_or_default();
            format!(r#"{{{project}"installPath":"{}"}}"#, path.display())
        };
        let entries: Vec<String> = copies.iter().map(entry).collect();
        let text = format!(r#"{{"version":2,"plugins":{{"a@m":[{}]}}}}"#, entries.join(","));
        write(&kept.join("installed_plugins.json"), &text);
    }

    #[test]
    fn a_copy_is_the_first_that_is_for_everywhere_or_for_this_project() {
        let scratch = tempfile::tempdir().unwrap();
        let kept = scratch.path();
        assert_eq!(root(kept, "a@m"), None);
        let [one, two] = ["cache/m/a/0.1.0", "cache/m/a/0.2.0"].map(|path| kept.join(path));
        fs::create_dir_all(&one).unwrap();
        assert_eq!(root(kept, "a@m"), Some(one.clone()), "the next session makes the entry");
        fs::create_dir_all(&two).unwrap();
        let (other, this) = (Some("/code/other"), Some("/code/this"));
        for (entries, expected) in [
            ([(None, &*one), (other, &*two)], &one),
            ([(other, &*one), (None, &*two)], &two),
            ([(None, &*one), (this, &*two)], &one),
            ([(this, &*two), (None, &*one)], &two),
        ] {
            copies(kept, &entries);
            assert_eq!(root(kept, "a@m").as_ref(), Some(expected), "{entries:?}");
        }
    }

    /// A marketplace of one plugin `a`, declared so, in a folder of the user's.
    fn folder(kept: &Path, kind: &str, path: &str, plugin: &str) -> PathBuf {
        let source = kept.join("source");
        write(&source.join(".claude-plugin/marketplace.json"), &format!("{{\"plugins\":[\n{plugin}]}}"));
        fs::create_dir_all(source.join("a")).unwrap();
        let [at, root] = [source.join(path), source].map(|path| path.display().to_string());
        let market =
            format!(r#"{{"m":{{"source":{{"source":"{kind}","path":"{at}"}},"installLocation":"{root}"}}}}"#);
        write(&kept.join("known_marketplaces.json"), &market);
        PathBuf::from(root)
    }

    #[test]
    fn a_marketplace_that_is_a_folder_is_read_where_it_is_and_the_copy_does_not_stand_in() {
        for (kind, path) in [("directory", ""), ("file", ".claude-plugin/marketplace.json")] {
            let scratch = tempfile::tempdir().unwrap();
            let kept = scratch.path();
            let source = folder(kept, kind, path, r#"{"name":"a","source":"./a"}"#);
            let copy = kept.join("cache/m/a/0.1.0");
            fs::create_dir_all(&copy).unwrap();
            copies(kept, &[(None, &copy)]);
            assert_eq!(root(kept, "a@m"), Some(source.join("a")), "{kind}");
            fs::remove_dir_all(&source).unwrap();
            assert_eq!(root(kept, "a@m"), None, "{kind}");
        }
    }

    #[test]
    fn what_such_a_marketplace_takes_from_elsewhere_is_a_copy() {
        let scratch = tempfile::tempdir().unwrap();
        let kept = scratch.path();
        folder(kept, "directory", "", r#"{"name":"a","source":{"source":"github","repo":"o/r"}}"#);
        let copy = kept.join("cache/m/a/0.1.0");
        fs::create_dir_all(&copy).unwrap();
        assert_eq!(root(kept, "a@m"), Some(copy));
    }

    #[test]
    fn a_name_or_a_path_that_leads_out_of_the_folder_is_no_plugin() {
        let scratch = tempfile::tempdir().unwrap();
        for name in ["a", "../a@m", "a@..", "@m", "a@"] {
            assert_eq!(root(scratch.path(), name), None, "{name}");
        }
        folder(scratch.path(), "directory", "", r#"{"name":"a","source":"../a"}"#);
        assert_eq!(root(scratch.path(), "a@m"), None);
    }

    /// Hooks on one event, as a file of them has them and as a manifest has them.
    fn on(event: &str) -> [String; 2] {
        let events = format!(r#"{{"{event}":[{{"hooks":[{{"type":"command","command":"x"}}]}}]}}"#);
        [format!(r#"{{"hooks":{events}}}"#), events]
    }

    /// The hooks that are found of a plugin with a usual file, a further file and this manifest, in a marketplace that
    /// lists it so: each with its file's name and its line.
    fn hooks(manifest: &str, listed: &str) -> Vec<(String, String, usize)> {
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path().canonicalize().unwrap();
        let kept = home.join(".claude/plugins");
        let listed = format!(r#"{{"name":"a","source":"./a"{listed}}}"#);
        let plugin = folder(&kept, "directory", "", &listed).join("a");
        write(&plugin.join("hooks/hooks.json"), &on("Stop")[0]);
        write(&plugin.join("more/h.json"), &on("SessionEnd")[0]);
        write(&plugin.join(".claude-plugin/plugin.json"), manifest);
        write(&home.join(".claude/settings.json"), r#"{"enabledPlugins":{"a@m":true}}"#);
        let now = Timestamp::from_secs(1_800_000_000);
        let environment = Environment { home: Some(home.clone()), ..Environment::default() };
        let host = Host { started: now, clock: Clock::Fixed(now), environment };
        let catalog = Catalog::built_in().unwrap();
        let world = World::read(&host, &catalog, &home.join("none")).unwrap();
        let user: Vec<Level> =
            world.levels.iter().filter(|level| level.kind == Kind::User).cloned().collect();
        let levels = read(&world, &user);
        assert!(
            levels.iter().all(|level| level.root.as_ref() == Some(&plugin) && level.unreadable.is_none())
        );
        let entries =
            levels.iter().flat_map(|level| level.survey.entries.iter().map(move |entry| (level, entry)));
        let told = entries.map(|(level, entry)| {
            (entry.event.clone(), level.shown.rsplit('/').next().unwrap().to_owned(), entry.line)
        });
        told.collect()
    }

    #[test]
    fn a_plugins_hooks_are_those_of_the_usual_file_and_what_its_manifest_adds() {
        type Expected<'a> = &'a [(&'a str, &'a str, usize)];
        let usual = ("Stop", "hooks.json", 1);
        let named = ("SessionEnd", "h.json", 1);
        let inline = &on("SessionStart")[1];
        let rows: [(String, Expected<'_>); 7] = [
            (String::new(), &[usual]),
            (r#"{"name":"a"}"#.to_owned(), &[usual]),
            (r#"{"hooks":"./hooks/hooks.json"}"#.to_owned(), &[usual]),
            (r#"{"hooks":"./more/h.json"}"#.to_owned(), &[usual, named]),
            (r#"{"hooks":"../a/more/h.json"}"#.to_owned(), &[usual]),
            (format!("{{\n\"hooks\":\n{inline}}}"), &[usual, ("SessionStart", "plugin.json", 3)]),
            (
                format!("{{\"hooks\":[\"./more/h.json\",\n{inline}]}}"),
                &[usual, named, ("SessionStart", "plugin.json", 2)],
            ),
        ];
        for (manifest, expected) in rows {
            let found = hooks(&manifest, "");
            let found: Vec<_> = found.iter().map(|(event, file, line)| (&**event, &**file, *line)).collect();
            assert_eq!(found, expected, "{manifest}");
        }
    }

    #[test]
    fn hooks_in_the_marketplaces_list_stand_for_all_others() {
        let inline = &on("SessionStart")[1];
        let manifest = r#"{"hooks":"./more/h.json"}"#;
        let found = hooks(manifest, &format!(",\n\"hooks\":{inline}"));
        assert_eq!(found, [("SessionStart".to_owned(), "marketplace.json".to_owned(), 3)]);
    }
}
