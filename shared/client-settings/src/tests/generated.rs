//! Generated settings files: install and uninstall give the same bytes back, and what the user changes in between stays.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use super::{on, ours, owner};
use crate::{Owner, Program, Registration, Wanted, arrange, read};

/// Stands in every generated file that is not blank.
const MARKER: &str = "123454321";

const RULES: [&str; 2] = ["Bash(req status*)", "Bash(req satisfy *)"];

/// Keys of no interest to us; each may come more than once.
const KEYS: [&str; 7] =
    [r#""model""#, r#""env""#, r#""""#, r#""hooks ""#, r#""Stop""#, r#""\u0068ook""#, r#""ünï""#];

/// Pieces of strings, as spelled.
const PIECES: [&str; 13] =
    ["a", " ", "ü", "😀", "\\\"", "\\\\", "\\n", "\\ud83d\\ude00", "\\\\ud83d", "{", "]", "\\\": ", "// x"];

const SCALARS: [&str; 7] = ["0", "-0.0e-0", "1.50e+3", "12345678901234567890", "true", "null", "[ ]"];

/// Somebody else's groups; many look nearly like ours.
const GROUPS: [&str; 10] = [
    r#"{"hooks": [{"type": "command", "command": "/home/me/.claude/hooks/a-gate"}]}"#,
    r#"{"hooks": [{"type": "command", "command": "/opt/bin/a-gate", "args": []}], "matcher": "*"}"#,
    r#"{"matcher":"Bash","hooks":[{"type":"command","command":"/home/me/.claude/hooks/a-gate-2","args":[]}]}"#,
    r#"{"hooks": [{"type": "command", "command": ": barbless-ish; true", "async": true}]}"#,
    r#"{"hooks": [{"type": "prompt", "command": "/home/me/.claude/hooks/a-gate", "args": [], "prompt": "?"}]}"#,
    r#"{"hooks": [ {"type": "http", "url": "http://localhost:1/a-gate", "headers": {"X": "$Y"}} , {} ]}"#,
    r#"{ "hooks": [ ] }"#,
    "{}",
    "null",
    "\"x\"",
];

const PERMISSIONS: [&str; 5] = [
    "{ }",
    r#"{"allow": [ ]}"#,
    r#"{"deny": ["Bash(req status*)"], "\u0061llow": ["Bash(ls *)", 7, "Bash(req\u0020satisfy *)"]}"#,
    r#"{"defaultMode":"plan"}"#,
    r#"{"allow":["Read(~/\\ud83d)"],"ask":[]}"#,
];

const STATUS_LINES: [&str; 4] = [
    r#"{"type": "command", "command": "my-line --short"}"#,
    r#"{"command": "~/bin/a-gate statusline", "padding": 0, "type": "command"}"#,
    r#"{"type": "static", "text": "?"}"#,
    "null",
];

/// Parts that are registered together.
fn hook(name: &str) -> Vec<Registration> {
    let line = ": barbless d-team; exec \"$HOME/.claude/hooks/d-team\"";
    match name {
        "a-gate" => vec![on("Stop", None, name, 10), on("PreToolUse", Some("Bash|Edit"), name, 5)],
        "b-watch" => vec![on("PreToolUse", None, name, 360), on("SessionEnd", None, name, 5)],
        _ => vec![Registration { program: Program::Shell(line.to_owned()), ..on("Stop", None, "", 10) }],
    }
}

const PARTS: [&str; 5] = ["a-gate", "b-watch", "d-team", "rules", "status line"];

/// A file through the changes of an installer.
struct World {
    text: Option<String>,
    earlier: Vec<Option<String>>,
    rules: Vec<String>,
    line_before: Option<String>,
}

impl World {
    fn new(text: Option<&str>) -> Self {
        let there = read(text.unwrap_or_default(), &owner()).unwrap();
        let rules = RULES.map(str::to_owned).into_iter().filter(|rule| !there.rules.contains(rule));
        let line_before = there.status_line.map(|line| line.raw);
        Self { text: text.map(str::to_owned), earlier: Vec::new(), rules: rules.collect(), line_before }
    }

    fn owner(&self) -> Owner {
        Owner { rules: self.rules.clone(), status_line_before: self.line_before.clone(), ..owner() }
    }

    /// Changes the file, and keeps the text before as a backup.
    fn change(&mut self, parts: &[&str]) {
        let has = |part: &str| parts.contains(&part);
        let hooks = PARTS[..3].iter().filter(|part| has(part));
        let wanted = Wanted {
            hooks: hooks.flat_map(|part| hook(part)).collect(),
            rules: if has("rules") { self.rules.clone() } else { Vec::new() },
            status_line: has("status line").then(ours),
            leaves_entries: false,
        };
        let text = arrange(self.text.as_deref(), &self.owner(), &wanted, &self.earlier).unwrap();
        let there =
            read(text.as_deref().unwrap_or_default(), &self.owner()).unwrap().as_wanted(&self.owner());
        let counts = |of: &Wanted| (of.hooks.len(), of.rules.len(), of.status_line.clone());
        assert_eq!(counts(&there), counts(&wanted), "{text:?}");
        if text != self.text {
            self.earlier.insert(0, std::mem::replace(&mut self.text, text));
        }
    }
}

/// Changes that users make to a file in between, made in its text without the engine.
fn edited(text: &str, is_at_the_top: bool) -> String {
    let at_the_top = ("{", "{\r\n   \"added\": [1],");
    let (old, new) = if is_at_the_top { at_the_top } else { (MARKER, "[\"another\\n\", { }]") };
    text.replacen(old, new, 1)
}

fn any_of(texts: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    select(texts.to_vec()).prop_map(str::to_owned)
}

fn any_file() -> impl Strategy<Value = Option<String>> {
    let blank = any_of(&["", "\n", "\r\n", " \n\t", "\u{feff}", "\u{feff}\n"]);
    prop_oneof![1 => Just(None), 2 => blank.prop_map(Some), 37 => written().prop_map(Some)]
}

fn any_parts() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(PARTS.to_vec(), 0..=PARTS.len())
}

fn written() -> impl Strategy<Value = String> {
    let string = vec(select(PIECES.to_vec()), 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let scalar = prop_oneof![string, any_of(&SCALARS)];
    let others = vec((any_of(&KEYS), scalar), 0..4);
    let events =
        subsequence(vec!["\"Stop\"", "\"PreToolUse\"", "\"Sess\\u0069onStart\"", "\"Unheard\""], 0..4);
    let hooks = (events, vec(vec(any_of(&GROUPS), 0..4), 4), layout());
    let hooks = hooks.prop_map(|(events, groups, layout)| {
        let of_event = |(event, groups): (&&str, &Vec<String>)| {
            ((*event).to_owned(), layout.brackets(['[', ']'], groups, 2))
        };
        layout.object(events.iter().zip(&groups).map(of_event).collect(), 1)
    });
    let of =
        |key: &'static str, values: &[&'static str]| prop::option::of((Just(key.to_owned()), any_of(values)));
    let hooks = prop::option::weighted(0.8, (Just("\"hooks\"".to_owned()), hooks));
    let ours = (hooks, of("\"permissions\"", &PERMISSIONS), of("\"statusLine\"", &STATUS_LINES));
    let ends = (select(vec!["", "\u{feff}", "\n"]), select(vec!["", "\n", "\r\n", "\n\n "]));
    (others, ours, any::<Index>(), layout(), ends).prop_map(|(mut all, ours, at, layout, (before, after))| {
        let marker = Some(("\"marker\"".to_owned(), MARKER.to_owned()));
        for special in [ours.0, ours.1, ours.2, marker].into_iter().flatten() {
            all.insert(at.index(all.len() + 1), special);
        }
        format!("{before}{}{after}", layout.object(all, 0))
    })
}

/// White space of a file.
#[derive(Debug)]
struct Layout {
    unit: Option<String>,
    line_end: &'static str,
    colon: &'static str,
    comma: &'static str,
    hollow: &'static str,
}

fn layout() -> impl Strategy<Value = Layout> {
    let unit = prop_oneof![
        2 => (0..5_usize).prop_map(|width| Some(" ".repeat(width))),
        1 => Just(Some("\t".to_owned())),
        1 => Just(None),
    ];
    let signs =
        (select(vec![":", ": ", " :\r"]), select(vec![",", ", ", "\t,"]), select(vec!["", " ", "\n"]));
    let layout = |(unit, line_end, (colon, comma, hollow))| Layout { unit, line_end, colon, comma, hollow };
    (unit, select(vec!["\n", "\r\n"]), signs).prop_map(layout)
}

impl Layout {
    fn object(&self, members: Vec<(String, String)>, depth: usize) -> String {
        let members = members.into_iter().map(|(key, value)| key + self.colon + &value);
        self.brackets(['{', '}'], &members.collect::<Vec<_>>(), depth)
    }

    fn brackets(&self, [open, close]: [char; 2], items: &[String], depth: usize) -> String {
        if items.is_empty() {
            return format!("{open}{}{close}", self.hollow);
        }
        let line = |depth: usize| {
            self.unit.as_ref().map(|unit| self.line_end.to_owned() + &unit.repeat(depth)).unwrap_or_default()
        };
        let (inner, outer) = (line(depth + 1), line(depth));
        let comma = if self.unit.is_some() { "," } else { self.comma };
        format!("{open}{inner}{}{outer}{close}", items.join(&format!("{comma}{inner}")))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn installed_changed_and_uninstalled_file_has_its_bytes_again(
        before in any_file(),
        steps in vec(any_parts(), 1..5),
    ) {
        let mut world = World::new(before.as_deref());
        for parts in &steps {
            world.change(parts);
            let text = world.text.clone();
            world.change(parts);
            prop_assert_eq!(&world.text, &text, "a second time changes nothing");
        }
        world.change(&[]);
        prop_assert_eq!(world.text, before);
    }

    #[test]
    fn change_of_the_user_stays_to_the_byte(
        before in written(),
        parts in any_parts(),
        fewer in any_parts(),
        is_at_the_top in any::<bool>(),
    ) {
        let mut world = World::new(Some(&before));
        world.change(&parts);
        world.text = world.text.map(|text| edited(&text, is_at_the_top));
        world.change(&fewer);
        world.change(&[]);
        prop_assert_eq!(world.text, Some(edited(&before, is_at_the_top)));
    }
}
