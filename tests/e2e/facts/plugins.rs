//! Question 15: where an installed plugin is kept, and which of its hooks run.

use super::stage::Stage;
use crate::registered::{committed, plugin};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tests::messages_api::Script;
use tests::recording::Behaviour;
use tests::sandbox::{Level, Sandbox};
use tests::settings::Settings;

/// A marketplace in a folder, whose plugins' hooks note their id at a session's start.
struct Market<'a> {
    stage: &'a Stage,
    root: PathBuf,
    plugins: Vec<Value>,
}

impl<'a> Market<'a> {
    fn new(stage: &'a Stage) -> Self {
        Self { stage, root: stage.sandbox.root().join("box"), plugins: Vec::new() }
    }

    /// Hooks that note this id, as a manifest has them.
    fn events(&self, id: &str) -> Value {
        let hook = self.stage.recorder.hook(id, Behaviour::default().noting(&["CLAUDE_PLUGIN_ROOT"]));
        Settings::new().hook("SessionStart", &hook).json()["hooks"].clone()
    }

    /// The same as a file of hooks has them.
    fn file(&self, id: &str) -> Value {
        json!({ "hooks": self.events(id) })
    }

    fn write(&self, path: &str, content: &Value) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content.to_string()).unwrap();
    }

    /// A plugin whose manifest and whose entry in the list say these things too.
    fn plugin(&mut self, name: &str, mut manifest: Value, mut listed: Value) {
        manifest["name"] = name.into();
        manifest["version"] = "0.1.0".into();
        self.write(&format!("{name}/.claude-plugin/plugin.json"), &manifest);
        listed["name"] = name.into();
        listed["source"] = format!("./{name}").into();
        self.plugins.push(listed);
        let list = json!({ "name": "box", "owner": { "name": "o" }, "plugins": self.plugins });
        self.write(".claude-plugin/marketplace.json", &list);
    }
}

fn json_in(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn kept(sandbox: &Sandbox, file: &str) -> Value {
    json_in(&sandbox.home().join(".claude/plugins").join(file))
}

/// Which hooks ran, each with the plugin folder it was given.
fn ran(stage: &Stage) -> Vec<(String, PathBuf)> {
    let runs = stage.recorder.all_runs().into_iter();
    let folder = |run: &tests::recording::Run| PathBuf::from(&run.start.env["CLAUDE_PLUGIN_ROOT"]);
    let mut ran: Vec<_> = runs.map(|(id, run)| (id, folder(&run))).collect();
    ran.sort();
    ran
}

#[test]
fn of_a_folder_the_files_run_where_they_are_and_the_scope_says_who_has_switched_it_on() {
    let stage = Stage::new(Script::new());
    let mut market = Market::new(&stage);
    market.write("added/hooks/hooks.json", &market.file("usual"));
    market.write("added/more/h.json", &market.file("named"));
    market.plugin("added", json!({ "hooks": ["./more/h.json", market.events("inline")] }), json!({}));
    market.write("listed/hooks/hooks.json", &market.file("never"));
    market.plugin(
        "listed",
        json!({ "hooks": market.events("never-either") }),
        json!({ "hooks": market.events("list") }),
    );
    market.plugin("plain", json!({ "hooks": market.events("local") }), json!({}));
    let (sandbox, root) = (&stage.sandbox, market.root.clone());
    let client = stage.client();

    plugin(sandbox, &format!("marketplace add {}", root.display()));
    plugin(sandbox, "install added@box");
    plugin(sandbox, "install listed@box --scope project");
    plugin(sandbox, "install plain@box --scope local");
    client.ask("work").outcome.assert_exit(0);

    let at = |id: &str, plugin: &str| (id.to_owned(), root.join(plugin));
    let expected = [
        at("inline", "added"),
        at("list", "listed"),
        at("local", "plain"),
        at("named", "added"),
        at("usual", "added"),
    ];
    assert_eq!(ran(&stage), expected);
    for (level, name) in [(Level::User, "added"), (Level::Project, "listed"), (Level::Local, "plain")] {
        let settings = json_in(&sandbox.settings_path(level));
        assert_eq!(settings["enabledPlugins"], json!({ format!("{name}@box"): true }), "{settings}");
    }
    let market = &kept(sandbox, "known_marketplaces.json")["box"];
    assert_eq!(market["source"], json!({ "source": "directory", "path": root }));
    assert_eq!(market["installLocation"], json!(root));
    let installed = &kept(sandbox, "installed_plugins.json")["plugins"];
    for (name, project) in
        [("added", Value::Null), ("listed", json!(sandbox.project())), ("plain", json!(sandbox.project()))]
    {
        let entry = &installed[format!("{name}@box")][0];
        let copy = sandbox.home().join(format!(".claude/plugins/cache/box/{name}/0.1.0"));
        assert_eq!((&entry["installPath"], &entry["projectPath"]), (&json!(copy), &project), "{installed}");
        assert!(copy.is_dir());
    }
}

#[test]
fn without_the_folder_of_the_marketplace_its_plugins_do_not_run() {
    let stage = Stage::new(Script::new());
    let mut market = Market::new(&stage);
    market.plugin("one", json!({ "hooks": market.events("one") }), json!({}));
    let client = stage.client();
    plugin(&stage.sandbox, &format!("marketplace add {}", market.root.display()));
    plugin(&stage.sandbox, "install one@box");
    fs::remove_dir_all(&market.root).unwrap();

    client.ask("work").outcome.assert_exit(0);

    assert_eq!(ran(&stage), []);
}

#[test]
fn of_a_repository_the_copy_runs() {
    let stage = Stage::new(Script::new());
    let mut market = Market::new(&stage);
    market.plugin("one", json!({ "hooks": market.events("manifest") }), json!({}));
    market.plugin("two", json!({}), json!({ "hooks": market.events("list") }));
    let sandbox = &stage.sandbox;
    let address = committed(sandbox, &market.root);
    let client = stage.client();

    plugin(sandbox, &format!("marketplace add {address}"));
    plugin(sandbox, "install one@box");
    plugin(sandbox, "install two@box");
    client.ask("work").outcome.assert_exit(0);

    let folder = sandbox.home().join(".claude/plugins");
    let copy = |name: &str| folder.join(format!("cache/box/{name}/0.1.0"));
    assert_eq!(ran(&stage), [("list".to_owned(), copy("two")), ("manifest".to_owned(), copy("one"))]);
    let market = &kept(sandbox, "known_marketplaces.json")["box"];
    assert_eq!(market["source"]["source"], "git");
    assert_eq!(market["installLocation"], json!(folder.join("marketplaces/box")));
}
