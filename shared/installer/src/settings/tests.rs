//! What is chosen beside hooks, in a scratch home: the status line and its predecessor, rules and whose they are.

use std::fs;

use crate::catalog::{Catalog, HookEntry, PrintedStatusLine};
use shared::host::Host;

use super::{Change, Choice, Settings};
use crate::places::{Installation, Scope};

/// One hook that prints a status line and has a rule.
fn catalog() -> Catalog {
    let hook = Catalog::built_in().unwrap().hooks[0].clone();
    let hook = HookEntry {
        name: "a-pacer".to_owned(),
        status_line: Some(PrintedStatusLine {
            arguments: "statusline".to_owned(),
            chain: "statusline.chain".to_owned(),
        }),
        permissions: vec!["Bash(a-pacer status*)".to_owned()],
        ..hook
    };
    Catalog { hooks: vec![hook] }
}

struct World {
    _scratch: tempfile::TempDir,
    installation: Installation,
}

impl World {
    fn with(text: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let user = Installation::scratch(scratch.path(), Scope::User);
        let installation = Installation { catalog: catalog().leaked(), ..user };
        fs::create_dir_all(installation.settings.parent().unwrap()).unwrap();
        fs::write(&installation.settings, text).unwrap();
        Self { _scratch: scratch, installation }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.installation.settings).unwrap()
    }

    fn register(&self, status_line: bool, allow_rules: bool) {
        let hooks = self.installation.catalog.hooks.iter().collect();
        let choice = Choice { hooks, allow_rules, status_line };
        let settings = Settings::read(&self.installation).unwrap();
        settings.put(&Host::real(), &settings.to(&choice).unwrap()).unwrap();
    }

    fn unregister(&self) {
        let settings = Settings::read(&self.installation).unwrap();
        settings.put(&Host::real(), &Change::default()).unwrap();
    }

    /// The configuration; `None`: there is none.
    fn requirements(&self) -> Option<String> {
        fs::read_to_string(&self.installation.requirements).ok()
    }

    fn set_alone(&self) -> anyhow::Result<Option<std::path::PathBuf>> {
        let settings = Settings::read(&self.installation).unwrap();
        settings.put(&Host::real(), &settings.with_status_line(&self.installation.catalog.hooks[0])?)
    }

    /// Back to the newest backup.
    fn undo(&self) {
        let settings = Settings::read(&self.installation).unwrap();
        let backup = settings.newest_backup().unwrap();
        settings.put(&Host::real(), &settings.as_in(backup).unwrap()).unwrap();
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
    let ours = format!("{} statusline", world.installation.installed("a-pacer").display());
    assert_eq!(world.status_line(), ours);
    world.register(false, false);
    assert_eq!(world.status_line(), ours, "what is ours stays ours");
    world.unregister();
    assert_eq!(world.text(), "{\"model\": \"opus\"}\n");
}

const CHAINED: &str = "a-pacer:\n  statusline:\n    chain: \"mine \\\"x y\\\" é\"\n";
const MINE: &str = "{\"statusLine\": { \"padding\": 2, \"type\":\"command\",\n \"command\" : \"mine \\\"x y\\\" \\u00e9\" }, \"n\": 1}";

#[test]
fn the_command_of_another_ones_is_kept_in_the_configuration_while_ours_is_printed() {
    for before in [None, Some("# mine\nversion: \"1.0\"   # kept\n")] {
        let world = World::with(MINE);
        if let Some(text) = before {
            fs::write(&world.installation.requirements, text).unwrap();
        }
        world.register(false, false);
        assert_eq!(world.requirements().as_deref(), before, "never unasked");
        for _ in 0..2 {
            world.register(true, false);
            assert_eq!(world.requirements(), Some(before.unwrap_or_default().to_owned() + CHAINED));
            assert!(world.text().contains("\"padding\": 2, \"type\":\"command\""), "{}", world.text());
        }
        world.undo();
        assert_eq!((world.status_line(), world.requirements().as_deref()), ("mine \"x y\" é".into(), before));
        world.undo();
        assert_eq!(world.requirements(), Some(before.unwrap_or_default().to_owned() + CHAINED));
        world.unregister();
        assert_eq!((world.text().as_str(), world.requirements().as_deref()), (MINE, before));
    }
}

#[test]
fn later_changes_of_the_user_stay() {
    let world = World::with(MINE);
    world.register(true, false);
    let own = "a-pacer:\n  statusline:\n    chain: other\n";
    fs::write(&world.installation.requirements, own).unwrap();
    world.register(true, false);
    assert_eq!(world.requirements().as_deref(), Some(own));
    let padded = world.text().replace("\"padding\": 2", "\"padding\": 0");
    fs::write(&world.installation.settings, padded).unwrap();
    world.unregister();
    assert_eq!(world.requirements().as_deref(), Some(own));
    let left: serde_json::Value = serde_json::from_str(&world.text()).unwrap();
    assert_eq!((&left["statusLine"]["padding"], world.status_line()), (&0.into(), "mine \"x y\" é".into()));
}

#[test]
fn status_line_with_another_chained_command_is_not_replaced() {
    let world = World::with(MINE);
    fs::write(&world.installation.requirements, "a-pacer: {statusline: {chain: other}}\n").unwrap();
    let error = world.set_alone().unwrap_err().to_string();
    assert!(error.contains("names another command under a-pacer.statusline.chain: make one"), "{error}");
    assert_eq!(world.text(), MINE);
}

#[test]
fn ours_is_never_chained_nor_is_what_is_no_command() {
    let world = World::with("{\"statusLine\": {\"type\": \"static\", \"command\": \"x\"}}");
    world.register(true, false);
    assert_eq!(world.requirements(), None);
    assert_eq!(world.set_alone().unwrap(), None);
    assert_eq!(world.requirements(), None);
    world.unregister();
    assert_eq!(world.text(), "{\"statusLine\": {\"type\": \"static\", \"command\": \"x\"}}");
}

#[test]
fn a_status_line_set_alone_registers_nothing_and_outlives_other_choices() {
    let before =
        "{\"statusLine\": {\"type\": \"command\", \"command\": \"mine\"}, \"hooks\": {\"Stop\": []}}";
    let world = World::with(before);
    let settings = || Settings::read(&world.installation).unwrap();
    let set = || world.set_alone().unwrap();
    assert!(set().is_some());
    assert!(world.status_line().as_str().unwrap().ends_with("a-pacer statusline"));
    assert!(settings().hooks().is_empty(), "nothing is registered");
    assert_eq!(set(), None, "it is set");
    let none = settings().to(&Choice::default()).unwrap();
    settings().put(&Host::real(), &none).unwrap();
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

#[test]
fn timeout_of_the_user_stays_when_another_part_changes() {
    let world = World::with("{}");
    world.register(false, false);
    let edited = world.text().replacen("\"timeout\": ", "\"timeout\": 77", 1);
    fs::write(&world.installation.settings, &edited).unwrap();
    world.set_alone().unwrap();
    assert!(world.text().contains("\"timeout\": 77"), "{}", world.text());
    world.undo();
    assert_eq!(world.text(), edited);
    let settings = Settings::read(&world.installation).unwrap();
    let forget = |name: &str| settings.put(&Host::real(), &settings.without(&[name.to_owned()])).unwrap();
    assert_eq!(forget("another"), None);
    assert!(forget("a-pacer").is_some());
    assert_eq!(world.text(), "{}");
}
