//! A wrong value, an unknown key or an unreadable file at any level: the layers below hold, and the problem says which
//! file, line and key, and what was expected. It never repeats the value.

use crate::driver::notice;
use crate::gate::{Gate, WORDS};
use tests::sandbox::Level;

const LEVELS: [Level; 3] = [Level::User, Level::Project, Level::Local];

/// Never to be seen in any text.
const SECRET: &str = "hunter2-the-value";

/// A gate that insists by the layers below `level`: by each of them, as far as there are any.
fn gate_insisting_below(level: Level) -> Gate {
    let gate = Gate::unconfigured();
    for below in LEVELS.into_iter().take_while(|below| *below != level) {
        gate.sandbox.requirements(below, "stop-momentum: {enabled: true, enforce_ack: true}\n");
    }
    gate
}

/// How many blocks the layers below `level` ask for; with a global file alone only that file can enable the gate.
const fn blocks_below(level: Level) -> usize {
    match level {
        Level::User => 1,
        Level::Project | Level::Local => 3,
    }
}

/// The file as a notice names it.
fn shown(level: Level) -> String {
    match level {
        Level::User => "~/.claude/requirements.yaml".to_owned(),
        Level::Project => ".claude/requirements.yaml".to_owned(),
        Level::Local => ".claude/requirements.local.yaml".to_owned(),
    }
}

/// With this file at each level the layers below hold, and the notice has the given texts, `FILE` being the file.
#[track_caller]
fn the_layers_below_hold(yaml: &str, told: &[&str]) {
    for level in LEVELS {
        let gate = gate_insisting_below(level);
        gate.sandbox.requirements(level, yaml);
        let first = gate.stop(WORDS);
        let text = notice(first.as_ref());
        for part in told {
            let part = part.replace("FILE", &shown(level));
            assert!(text.contains(&part), "{level:?}: no `{part}` in `{text}`");
        }
        assert!(!first.unwrap_or_default().to_string().contains(SECRET), "{level:?}: {text}");
        let blocks = 1 + gate.blocks_in_a_row();
        assert_eq!(blocks, blocks_below(level), "{level:?}");
        assert!(!gate.journal().contains(SECRET), "{level:?}");
    }
}

#[test]
fn a_wrong_value_leaves_the_layers_below_and_names_file_line_key_and_what_was_expected() {
    let yaml = format!("stop-momentum:\n  enabled: true\n  enforce_ack: {SECRET}\n");
    the_layers_below_hold(
        &yaml,
        &["FILE:3: stop-momentum.enforce_ack: expected true or false; the level below counts"],
    );
}

#[test]
fn a_file_that_is_no_yaml_is_skipped_as_a_whole() {
    let deep = "[".repeat(70) + &"]".repeat(70);
    for (yaml, line, why) in [
        (format!("stop-momentum: {{enabled: false}}\nkey: \"{SECRET}\n"), true, "not valid YAML"),
        (format!("stop-momentum: {{enabled: false}}\n\t{SECRET}: [\n"), true, "not valid YAML"),
        (format!("- {SECRET}\n"), true, "not a map of settings"),
        (format!("stop-momentum: {{enabled: false, a: {deep}}}\n"), true, "nested deeper than 64 levels"),
        (format!("stop-momentum: {{enabled: false}}\n# {}\n", "x".repeat(1024 * 1024)), false, "too large"),
    ] {
        for level in [Level::Project, Level::Local] {
            let gate = gate_insisting_below(level);
            gate.sandbox.requirements(level, &yaml);
            let text = notice(gate.stop(WORDS).as_ref());
            let file = shown(level);
            assert!(text.contains(why) && text.contains("; the file is skipped"), "{text}");
            assert!(text.contains(&format!("{file}:")) && !text.contains(SECRET), "{text}");
            assert_eq!(text.contains(&format!("{file}: ")), !line, "a line where it is known: {text}");
            assert_eq!(1 + gate.blocks_in_a_row(), 3, "{why}");
        }
    }
}

#[test]
fn a_later_layer_wins_in_either_direction() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 1}\n");
    gate.sandbox.requirements(Level::Project, "stop-momentum: {max_blocks: 4}\n");
    assert_eq!(gate.blocks_in_a_row(), 4);
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 4}\n");
    gate.sandbox.requirements(Level::Project, "stop-momentum: {max_blocks: 6}\n");
    gate.sandbox.requirements(Level::Local, "stop-momentum: {max_blocks: 2}\n");
    assert_eq!(gate.blocks_in_a_row(), 2);
}
