//! What is chosen beside hooks, in a scratch home: the status line and its predecessor, rules and whose they are.

use std::fs;
use std::path::Path;

use shared::catalog::{Catalog, HookEntry};
use shared::host::Host;

use super::{Choice, Settings};
use crate::manifest::Manifest;
use crate::places::{Installation, Scope};
use crate::voice::Voice;

fn installation(folder: &Path) -> Installation {
    let claude = folder.join(".claude");
    Installation {
        voice: Voice::Xtask,
        home: folder.to_owned(),
        hooks: claude.join("hooks"),
        bin: folder.join(".local/bin"),
        scope: Scope::User,
        project: None,
        settings: claude.join("settings.json"),
        requirements: claude.join("requirements.yaml"),
        state: claude.join("hook-state"),
    }
}

/// One hook that prints a status line and has a rule.
fn catalog() -> Catalog {
    let hook = Catalog::built_in().unwrap().hooks.remove(0);
    let hook = HookEntry {
        name: "a-pacer".to_owned(),
        status_line: Some("statusline".to_owned()),
        permissions: vec!["Bash(a-pacer status*)".to_owned()],
        ..hook
    };
    Catalog { hooks: vec![hook] }
}

struct World {
    _scratch: tempfile::TempDir,
    installation: Installation,
    catalog: Catalog,
}

impl World {
    fn with(text: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let installation = installation(scratch.path());
        fs::create_dir_all(installation.settings.parent().unwrap()).unwrap();
        fs::write(&installation.settings, text).unwrap();
        Self { _scratch: scratch, installation, catalog: catalog() }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.installation.settings).unwrap()
    }

    fn register(&self, status_line: bool, allow_rules: bool) {
        let hooks = self.catalog.hooks.iter().collect();
        let choice = Choice { hooks, allow_rules, status_line };
        let settings = Settings::read(&self.installation, &self.catalog).unwrap();
        settings.register(&Host::real(), &self.installation, &self.catalog, &choice).unwrap();
    }

    fn unregister(&self) {
        let settings = Settings::read(&self.installation, &self.catalog).unwrap();
        settings.unregister(&Host::real(), &self.installation).unwrap();
    }

    fn status_line(&self) -> serde_json::Value {
        let value: serde_json::Value = serde_json::from_str(&self.text()).unwrap();
        value["statusLine"]["command"].clone()
    }
}

#[test]
fn a_status_line_is_set_where_none_is_and_goes_again() {
    let world = World::with("{\"model\": \"opus\"}\n");
    world.register(true, false);
    let ours = format!("{} statusline", world.installation.deployed("a-pacer").display());
    assert_eq!(world.status_line(), ours);
    world.register(false, false);
    assert_eq!(world.status_line(), ours, "what is ours stays ours");
    world.unregister();
    assert_eq!(world.text(), "{\"model\": \"opus\"}\n");
}

#[test]
fn another_ones_status_line_comes_back_as_it_was_even_after_edits() {
    let before = "{\"statusLine\": { \"type\":\"command\",\n \"command\" : \"mine --x\" }, \"n\": 1}";
    let world = World::with(before);
    world.register(false, false);
    assert_eq!(world.status_line(), "mine --x", "never replaced unasked");
    world.register(true, false);
    assert!(world.status_line().as_str().unwrap().ends_with("a-pacer statusline"));
    fs::write(&world.installation.settings, world.text().replace("\"n\": 1", "\"n\": 2")).unwrap();
    world.unregister();
    assert_eq!(world.text(), before.replace("\"n\": 1", "\"n\": 2"));
    assert!(Manifest::read(&world.installation).unwrap().settings.is_empty());
}

#[test]
fn a_status_line_set_alone_registers_nothing_and_outlives_other_choices() {
    let before =
        "{\"statusLine\": {\"type\": \"command\", \"command\": \"mine\"}, \"hooks\": {\"Stop\": []}}";
    let world = World::with(before);
    let settings = || Settings::read(&world.installation, &world.catalog).unwrap();
    let set =
        || settings().set_status_line(&Host::real(), &world.installation, &world.catalog.hooks[0]).unwrap();
    assert!(set().is_some());
    assert!(world.status_line().as_str().unwrap().ends_with("a-pacer statusline"));
    assert!(settings().present.hooks.is_empty(), "nothing is registered");
    assert_eq!(set(), None, "it is set");
    settings().register(&Host::real(), &world.installation, &world.catalog, &Choice::default()).unwrap();
    assert!(world.status_line().as_str().unwrap().ends_with("a-pacer statusline"));
    world.unregister();
    assert_eq!(world.text(), before);
}

#[test]
fn only_a_rule_that_was_added_is_taken_out() {
    let own = "{\"permissions\": {\"allow\": [\"Bash(a-pacer status*)\"]}}";
    let world = World::with(own);
    world.register(false, true);
    world.unregister();
    assert_eq!(world.text(), own);

    let world = World::with("{}");
    world.register(false, true);
    assert!(world.text().contains("Bash(a-pacer status*)"));
    world.register(false, false);
    assert!(world.text().contains("Bash(a-pacer status*)"), "what was allowed stays allowed");
    let edited =
        world.text().replace("[\n      \"Bash(a-pacer", "[\n      \"Bash(ls)\",\n      \"Bash(a-pacer");
    assert!(edited.contains("Bash(ls)"));
    fs::write(&world.installation.settings, edited).unwrap();
    world.unregister();
    let left: serde_json::Value = serde_json::from_str(&world.text()).unwrap();
    assert_eq!(left, serde_json::json!({ "permissions": { "allow": ["Bash(ls)"] } }));
}
