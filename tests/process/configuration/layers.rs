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
fn a_value_out_of_bounds_and_a_word_that_is_none_say_what_is_right() {
    the_layers_below_hold(
        &format!("stop-momentum:\n  enabled: true\n  max_blocks: 7\n  only_when: {SECRET}\n"),
        &[
            "FILE:3: stop-momentum.max_blocks: expected a whole number from 1 to 6",
            "FILE:4: stop-momentum.only_when: expected one of: always, unfinished",
        ],
    );
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_known_one() {
    the_layers_below_hold(
        &format!(
            "version: \"1.0\"\nstop-momentum:\n  enabled: true\n  enforce_akc: {SECRET}\n  zzz: {SECRET}\n"
        ),
        &[
            "FILE:4: stop-momentum.enforce_akc: no such key; did you mean enforce_ack?",
            "FILE:5: stop-momentum.zzz: no such key",
        ],
    );
}

#[test]
fn a_value_in_place_of_a_map_and_a_map_in_place_of_a_value_are_left_out() {
    the_layers_below_hold(
        &format!("stop-momentum:\n  enabled: true\n  max_blocks: {{key: {SECRET}}}\n  only_when: []\n"),
        &["FILE:3: stop-momentum.max_blocks", "FILE:4: stop-momentum.only_when: expected one of"],
    );
    for level in [Level::Project, Level::Local] {
        let gate = gate_insisting_below(level);
        gate.sandbox.requirements(level, &format!("stop-momentum: {SECRET}\n"));
        let text = notice(gate.stop(WORDS).as_ref());
        assert!(text.contains(":1: stop-momentum: expected a map of settings"), "{text}");
        assert_eq!(1 + gate.blocks_in_a_row(), 3);
    }
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
fn a_fault_in_another_hooks_section_costs_this_one_nothing() {
    let deep = "[".repeat(70) + &"]".repeat(70);
    for other in ["other: a: b", "other:\n  - a\n  b: c", "other: \"\\q\"", &format!("other: {deep}")] {
        for yaml in [
            format!("stop-momentum: {{enabled: true, max_blocks: 2}}\n{other}\n"),
            format!("{other}\nstop-momentum: {{enabled: true, max_blocks: 2}}\n"),
        ] {
            let gate = Gate::new(&yaml);
            let first = gate.stop(WORDS);
            assert_eq!(notice(first.as_ref()), "", "{yaml}");
            assert_eq!(1 + gate.blocks_in_a_row(), 2, "{yaml}");
        }
    }
}

#[test]
fn a_section_that_seems_to_stand_in_anothers_quotes_or_brackets_is_none() {
    for other in ["other: \"a\n SECTION\n \"\n", "other: 'a\n SECTION\n '\n", "other: |\n  SECTION\n"] {
        let gate = Gate::new(&other.replace("SECTION", "stop-momentum: yes"));
        assert_eq!(notice(gate.stop(WORDS).as_ref()), "", "{other}");
    }
}

#[test]
fn a_file_that_is_no_text_is_skipped_as_a_whole() {
    for level in [Level::Project, Level::Local] {
        let gate = gate_insisting_below(level);
        std::fs::create_dir_all(gate.sandbox.project().join(".claude")).unwrap();
        std::fs::write(gate.sandbox.requirements_path(level), b"stop-momentum: {enabled: false}\n\xff\xfe")
            .unwrap();
        assert!(notice(gate.stop(WORDS).as_ref()).contains("not UTF-8 text; the file is skipped"));
        assert_eq!(1 + gate.blocks_in_a_row(), 3);
    }
}

#[test]
fn an_alias_bomb_is_refused_at_once() {
    let bomb = (1..30).fold("a0: &a0 [x, x]\n".to_owned(), |text, level| {
        let below = level - 1;
        format!("{text}a{level}: &a{level} [*a{below}, *a{below}, *a{below}]\n")
    });
    let gate = gate_insisting_below(Level::Project);
    gate.sandbox.requirements(Level::Project, &bomb);
    assert!(notice(gate.stop(WORDS).as_ref()).contains("the file is skipped"));
}

#[test]
fn a_damaged_global_file_leaves_the_defaults_and_says_so() {
    let gate = Gate::new(&format!("stop-momentum: {{enabled: true\n{SECRET}: [\n"));
    let answer = gate.stop(WORDS);
    assert!(notice(answer.as_ref()).contains("~/.claude/requirements.yaml:"), "{answer:?}");
    assert!(!answer.unwrap().to_string().contains("\"decision\""), "the gate is off by default");
}

#[test]
fn a_byte_order_mark_windows_line_ends_and_an_empty_file_are_no_problem() {
    for yaml in ["\u{feff}stop-momentum: {enabled: true}\n", "stop-momentum:\r\n  enabled: true\r\n"] {
        let gate = Gate::new(yaml);
        gate.sandbox.requirements(Level::Project, "");
        gate.sandbox.requirements(Level::Local, "# nothing\n");
        let answer = gate.stop(WORDS);
        assert_eq!(notice(answer.as_ref()), "", "{yaml:?}");
        crate::gate::reason(answer.as_ref());
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

#[test]
fn another_hooks_section_and_keys_are_none_of_this_ones_business() {
    let gate =
        Gate::new("stop-momentum: {enabled: true}\ncredit-pacer: {nonsense: [1]}\nunheard-of: {a: 1}\n");
    assert_eq!(notice(gate.stop(WORDS).as_ref()), "");
}
