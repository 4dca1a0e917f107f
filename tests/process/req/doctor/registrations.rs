//! Entries that look right and are not, and entries that look wrong and are right: in settings, and in a plugin.

use super::{GATE, Patient, Verdict, make_executable};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tests::binaries;
use tests::sandbox::Level;

/// The gate's own entries in the user's settings.
fn each_of_the_gate(settings: &mut Value, change: impl Fn(&mut Value)) {
    for groups in settings["hooks"].as_object_mut().unwrap().values_mut() {
        for group in groups.as_array_mut().unwrap() {
            let is_gates =
                group["hooks"][0]["command"].as_str().is_some_and(|command| command.ends_with(GATE));
            if is_gates {
                change(&mut group["hooks"][0]);
            }
        }
    }
}

#[test]
fn an_entry_with_anything_that_may_keep_it_from_being_heard_is_broken() {
    for (key, value, said) in [
        ("if", json!("Bash(zzz *)"), "does not always run it"),
        ("async", json!(true), "does not wait for it"),
        ("args", json!([1]), "`args` must be a list of texts"),
        ("timeout", json!(-1), "more than 0"),
        ("timeout", json!(0.001), "may be ended before it has answered"),
        ("statusMessage", json!(5), "`statusMessage` must be text"),
        ("not-known", json!(1), "it is not known"),
    ] {
        let patient = Patient::installed();
        patient.change(|settings| {
            each_of_the_gate(settings, |entry| entry[key] = value.clone());
        });
        patient.verdict().assert("broken", &["settings.json", said]);
    }
}

#[test]
fn a_difference_that_does_no_harm_is_none() {
    let patient = Patient::installed();
    patient.change(|settings| {
        each_of_the_gate(settings, |entry| {
            entry["async"] = json!(false);
            entry["statusMessage"] = json!("looking");
            entry["timeout"] = json!(600);
        });
        settings["hooks"]["Notification"] = Value::Null;
        for group in settings["hooks"]["Stop"].as_array_mut().unwrap() {
            group["matcher"] = json!(".*");
        }
    });
    let verdict = patient.verdict();
    assert_eq!(verdict.all("broken"), [""; 0]);
    assert_eq!(verdict.all("warning"), [""; 0]);
}

#[test]
fn a_gate_that_is_only_named_is_broken() {
    let patient = Patient::installed();
    let path = patient.deployed(GATE).display().to_string();
    for line in [format!("{path} >/dev/null; true"), format!("true {path}"), path.clone()] {
        patient.change(|settings| {
            each_of_the_gate(settings, |entry| *entry = json!({ "type": "command", "command": line }));
        });
        patient.verdict().assert("broken", &[GATE, "in a form that cannot be proved"]);
        // What each_of_the_gate finds again.
        patient.change(|settings| {
            for groups in settings["hooks"].as_object_mut().unwrap().values_mut() {
                for group in groups.as_array_mut().unwrap() {
                    if group["hooks"][0]["command"] == json!(line) {
                        group["hooks"][0]["command"] = json!(path);
                    }
                }
            }
        });
    }
}

#[test]
fn the_last_of_two_switches_counts() {
    let patient = Patient::installed();
    let text = patient.settings().to_string();
    let text = format!("{{\"disableAllHooks\":false,{},\"disableAllHooks\":true}}", &text[1..text.len() - 1]);
    fs::write(patient.sandbox.settings_path(Level::User), text).unwrap();
    patient.verdict().assert("broken", &["disableAllHooks", "runs no hook"]);
}

#[test]
fn below_the_top_the_settings_of_that_folder_are_read_and_not_the_tops() {
    let patient = Patient::installed();
    let below = patient.sandbox.project().join("sub");
    fs::create_dir_all(below.join(".claude")).unwrap();
    fs::create_dir_all(patient.sandbox.project().join(".git")).unwrap();
    let doctor = || Verdict::of(patient.req(&["doctor", "--json"]).unset("CLAUDE_PROJECT_DIR").cwd(&below));
    patient.sandbox.settings(Level::Project, &json!({ "disableAllHooks": true }));
    doctor().assert("note", &["disableAllHooks", "not read in a session that is started below"]);
    fs::write(below.join(".claude/settings.json"), r#"{"disableAllHooks":true}"#).unwrap();
    doctor().assert("broken", &["sub/.claude/settings.json", "disableAllHooks", "runs no hook"]);
}

#[test]
fn settings_beyond_any_measure_are_not_read() {
    let patient = Patient::installed();
    let file = patient.sandbox.settings(Level::Project, &json!({}));
    fs::File::options().write(true).open(&file).unwrap().set_len(3 << 30).unwrap();
    patient.verdict().assert("broken", &["project/.claude/settings.json", "no file of settings"]);
}

#[test]
fn a_home_or_a_file_behind_a_link_is_the_same() {
    let patient = Patient::installed();
    let dotfiles = patient.sandbox.write_home("dotfiles/local.json", "{}");
    let local = patient.sandbox.settings_path(Level::Local);
    fs::create_dir_all(local.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(dotfiles, local).unwrap();
    let link = patient.sandbox.temporary_dir().join("home-link");
    std::os::unix::fs::symlink(patient.sandbox.home(), &link).unwrap();
    let verdict = Verdict::of(patient.req(&["doctor", "--json"]).env("HOME", link.display().to_string()));
    assert_eq!(verdict.all("broken"), [""; 0], "{:#}", verdict.report);
}

/// A plugin that is switched on, with the gate of this build and the entries of the archive's, changed.
fn plugin(patient: &Patient, program: &Path, change: impl Fn(&mut Value)) {
    let folder = ".claude/plugins/cache/box/barbless/0.1.0";
    let text = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../plugin/hooks/hooks.json")).unwrap();
    let mut hooks: Value = serde_json::from_slice(&text).unwrap();
    for groups in hooks["hooks"].as_object_mut().unwrap().values_mut() {
        let groups = groups.as_array_mut().unwrap();
        groups.retain(|group| group["hooks"][0]["command"].as_str().unwrap().ends_with(GATE));
    }
    hooks["hooks"].as_object_mut().unwrap().retain(|_, groups| !groups.as_array().unwrap().is_empty());
    each_of_the_gate(&mut hooks, change);
    patient.sandbox.write_home(format!("{folder}/hooks/hooks.json"), hooks.to_string());
    let gate = patient.sandbox.write_home(format!("{folder}/bin/{GATE}"), fs::read(program).unwrap());
    make_executable(&gate);
    patient.sandbox.settings(Level::User, &json!({ "enabledPlugins": { "barbless@box": true } }));
}

#[test]
fn a_plugin_alone_is_proved_by_its_own_req_and_nothing_is_to_be_installed() {
    let patient = Patient::bare();
    plugin(&patient, &binaries::path(GATE), |_| {});
    let verdict = patient.verdict();
    verdict.assert("ok", &[GATE, "(plugin)", "answered PreToolUse with"]);
    verdict.assert("ok", &["a plugin brings its own"]);
    assert_eq!(verdict.status, 0, "{:#}", verdict.report);
    let report = verdict.report.to_string();
    assert!(!report.contains("req hooks install") && !report.contains("req hooks enable"), "{report}");
    let status = patient.req(&["hooks", "status"]).run().stdout_text();
    let line = status.lines().find(|line| line.starts_with(GATE)).unwrap();
    assert!(line.contains("PreToolUse") && line.contains("on, by "), "{status}");
    assert_eq!(status.matches("(plugin)").count(), 1, "{status}");
    assert!(!status.contains("req hooks enable"), "{status}");
}

#[test]
fn a_plugins_entries_are_looked_at_like_those_of_settings() {
    type Change = fn(&mut Value);
    let rows: [(Change, &str); 5] = [
        (|entry| entry["async"] = json!(true), "does not wait for it"),
        (|entry| entry["if"] = json!("Bash(x)"), "does not always run it"),
        (|entry| entry["timeout"] = json!(0.001), "may be ended before"),
        (|entry| entry["args"] = json!(["status"]), "with arguments"),
        (
            |entry| *entry = json!({ "type": "command", "command": format!("${{CLAUDE_PLUGIN_ROOT}}/bin/{GATE} || true") }),
            "in a form that cannot be proved",
        ),
    ];
    for (change, said) in rows {
        let patient = Patient::bare();
        plugin(&patient, &binaries::path(GATE), change);
        let verdict = patient.verdict();
        verdict.assert("broken", &["hooks/hooks.json", said]);
        assert!(!verdict.report.to_string().contains("req hooks install"), "{:#}", verdict.report);
    }
}

#[test]
fn a_plugins_gate_of_other_bytes_is_not_proved_and_not_run() {
    let patient = Patient::bare();
    plugin(&patient, Path::new("/bin/true"), |_| {});
    let verdict = patient.verdict();
    verdict.assert("broken", &[GATE, "(plugin) is not proved", "was not run"]);
}
