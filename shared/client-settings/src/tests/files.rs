//! Settings files as people and programs leave them: any keys in any order, any spelling, any layout, with hooks, rules
//! and a status line of somebody else's, some of which look nearly like ours.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::reader::{Kind, Node, read};

/// A value, its scalars as they are spelled.
#[derive(Debug, Clone)]
pub(super) enum Tree {
    Scalar(String),
    List(Vec<Tree>),
    /// Keys as they are spelled, with their quotes.
    Object(Vec<(String, Tree)>),
}

/// Stands once in every generated file that is no blank one; no spelling of anything else contains it.
pub(super) const MARKER: &str = "123454321";

/// Keys of no interest to us; each may come more than once.
const KEYS: [&str; 10] = [
    "\"model\"",
    "\"env\"",
    "\"\"",
    "\"hooks \"",
    "\"allow\"",
    "\"Stop\"",
    "\"\\u0068ook\"",
    "\"ünï\"",
    "\"\\ud83d\"",
    "\"a\\\"b\\\\\"",
];

/// Pieces of strings, as they are spelled.
const PIECES: [&str; 20] = [
    "a",
    " ",
    "ü",
    "😀",
    "\u{2028}",
    "\\\"",
    "\\\\",
    "\\/",
    "\\n",
    "\\u0041",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\\udc00",
    "\\\\ud83d",
    "{",
    "]",
    ", ",
    "\\\": ",
    "// x",
    ": barbless a-gate; ",
];

const NUMBERS: [&str; 9] =
    ["0", "-0", "1.50", "1.50e+3", "1E5", "-0.0e-0", "12345678901234567890", "true", "null"];

const EVENTS: [&str; 7] = [
    "\"Stop\"",
    "\"PreToolUse\"",
    "\"PostToolUse\"",
    "\"Sess\\u0069onStart\"",
    "\"SessionEnd\"",
    "\"Notification\"",
    "\"Unheard\"",
];

/// Somebody else's entries; the first ones look nearly like ours.
const ENTRIES: [&str; 17] = [
    r#"{"type": "command", "command": "/home/me/.claude/hooks/a-gate"}"#,
    r#"{"type": "command", "command": "/opt/bin/a-gate", "args": []}"#,
    r#"{"type": "command", "command": "/home/me/.claude/hooks/a-gate-of-mine", "args": [], "timeout": 10}"#,
    r#"{"type": "command", "command": "/home/me/.claude/hooks/sub/a-gate", "args": []}"#,
    r#"{"type": "command", "command": "\"/home/me/.claude/hooks/b-watch\" --fast"}"#,
    r#"{"type": "command", "command": ": barbless-ish; true"}"#,
    r#"{"type": "command", "command": "true; : barbless d-team; x", "async": true}"#,
    r#"{"type": "prompt", "prompt": "/home/me/.claude/hooks/a-gate"}"#,
    r#"{"type": "prompt", "command": "/home/me/.claude/hooks/a-gate", "args": [], "prompt": "x"}"#,
    r#"{"type": "agent", "prompt": "look at it", "timeout": 1.50e+1, "model": "\ud83d"}"#,
    r#"{"type": "http", "url": "http://localhost:1/a-gate", "headers": {"X": "$Y"}, "allowedEnvVars": [ ]}"#,
    r#"{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"command": "a-gate"}}"#,
    r#"{"type": "command", "command": "echo \"ünïcode\" && x", "statusMessage": "w\u0061it", "once": true}"#,
    r#"{"type": "command", "command": ["/home/me/.claude/hooks/a-gate"], "args": []}"#,
    r#"{"type": "unheard", "hooks": []}"#,
    "{}",
    "null",
];

const MATCHERS: [&str; 7] =
    ["\"\"", "\"*\"", "\"Bash\"", "\"Bash|Edit\"", "\"mcp__.*\"", "\"startup|resume\"", "5"];

const RULES: [&str; 6] = [
    "\"Bash(ls *)\"",
    "\"Bash(req status*)\"",
    "\"Bash(req\\u0020satisfy *)\"",
    "\"Read(~/\\\\ud83d)\"",
    "\"\"",
    "7",
];

const STATUS_LINES: [&str; 6] = [
    r#"{"type": "command", "command": "my-line --short"}"#,
    r#"{"type": "command", "command": "~/bin/a-gate statusline", "padding": 0}"#,
    r#"{"command": "/home/me/.claude/hooks/a-gate-of-mine statusline", "type": "command"}"#,
    r#"{"type": "static", "text": "\ud83d"}"#,
    "{}",
    "null",
];

/// What a file holds before us; `None`: there is no file.
pub(super) fn any_file() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        1 => Just(None),
        2 => select(vec!["", "\n", "\r\n", " \n\t", "\u{feff}", "\u{feff}\n"]).prop_map(|text| Some(text.to_owned())),
        37 => written().prop_map(Some),
    ]
}

/// A file that is neither missing nor blank.
pub(super) fn written() -> impl Strategy<Value = String> {
    (
        settings(),
        layout(),
        any::<bool>(),
        select(vec!["", "\n", " "]),
        select(vec!["", "\n", "\r\n", "\n\n "]),
    )
        .prop_map(|(tree, layout, mark, before, after)| {
            let mark = if mark { "\u{feff}" } else { "" };
            format!("{mark}{before}{}{after}", tree.render(layout))
        })
}

fn settings() -> impl Strategy<Value = Tree> {
    let foreign = vec((select(KEYS.to_vec()), value()), 0..5);
    let marker = prop::option::weighted(0.9, Just(("\"marker\"", Tree::Scalar(MARKER.to_owned()))));
    let hooks = prop::option::weighted(0.8, (select(vec!["\"hooks\"", "\"h\\u006foks\""]), hooks()));
    let rules = prop::option::of((Just("\"permissions\""), permissions()));
    let status_line = prop::option::of((Just("\"statusLine\""), one_of(&STATUS_LINES)));
    let ours = (marker, hooks, rules, status_line);
    (foreign, ours, any::<prop::sample::Index>()).prop_map(|(mut all, (marker, hooks, rules, line), at)| {
        for special in [marker, hooks, rules, line].into_iter().flatten() {
            all.insert(at.index(all.len() + 1), special);
        }
        Tree::Object(all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    })
}

fn value() -> impl Strategy<Value = Tree> {
    let keys = || select(KEYS.to_vec()).prop_map(str::to_owned);
    let tree = scalar().prop_recursive(5, 20, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Tree::List),
            vec((keys(), inner), 0..4).prop_map(Tree::Object),
        ]
    });
    let deep = (scalar(), 0..90_usize)
        .prop_map(|(leaf, depth)| (0..depth).fold(leaf, |inner, _| Tree::List(vec![inner])));
    prop_oneof![30 => tree, 1 => deep]
}

fn scalar() -> impl Strategy<Value = Tree> {
    let string = vec(select(PIECES.to_vec()), 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let number = select(NUMBERS.to_vec()).prop_map(str::to_owned);
    prop_oneof![number, string].prop_map(Tree::Scalar)
}

fn hooks() -> impl Strategy<Value = Tree> {
    let events = subsequence(EVENTS.to_vec(), 0..4).prop_shuffle();
    let event = |name: &str| (Just(name.to_owned()), vec(group(), 0..4).prop_map(Tree::List));
    events.prop_flat_map(move |names| names.into_iter().map(event).collect::<Vec<_>>()).prop_map(Tree::Object)
}

fn group() -> impl Strategy<Value = Tree> {
    let matcher = prop::option::of((Just("\"matcher\"".to_owned()), one_of(&MATCHERS)));
    let entries = (Just("\"hooks\"".to_owned()), vec(one_of(&ENTRIES), 0..3).prop_map(Tree::List));
    let more = prop::option::weighted(0.1, (Just("\"description\"".to_owned()), value()));
    let keys = (more, matcher, entries).prop_map(|(more, matcher, entries)| {
        Tree::Object([more, matcher, Some(entries)].into_iter().flatten().collect())
    });
    prop_oneof![20 => keys, 1 => one_of(&["null", "{}", "[]", "\"x\""])]
}

fn permissions() -> impl Strategy<Value = Tree> {
    let rules = || vec(one_of(&RULES), 0..4).prop_map(Tree::List);
    let of = |key: &str| prop::option::of((Just(key.to_owned()), rules()));
    let mode = prop::option::of((Just("\"defaultMode\"".to_owned()), scalar()));
    (of("\"deny\""), of("\"\\u0061llow\""), mode)
        .prop_map(|(deny, allow, mode)| Tree::Object([deny, allow, mode].into_iter().flatten().collect()))
}

fn one_of(texts: &[&str]) -> impl Strategy<Value = Tree> + use<> {
    select(texts.iter().map(|text| Tree::from(&read(text))).collect::<Vec<_>>())
}

/// How a file is laid out.
#[derive(Debug, Clone)]
pub(super) enum Layout {
    /// Each item on a line of its own.
    Lines { unit: String, hollow: &'static str, line_end: &'static str },
    /// Everything on one line.
    OneLine { colon: &'static str, comma: &'static str, hollow: &'static str },
    /// White space of any kind between all tokens, from this seed.
    Chaos(u64),
}

fn layout() -> impl Strategy<Value = Layout> {
    let hollow = || select(vec!["", " ", "\n"]);
    let unit = prop_oneof![
        9 => (0..9_usize).prop_map(|width| " ".repeat(width)),
        1 => Just("\t".to_owned()),
        1 => Just("\t\t".to_owned())
    ];
    let lines = (unit, hollow(), select(vec!["\n", "\r\n"]))
        .prop_map(|(unit, hollow, line_end)| Layout::Lines { unit, hollow, line_end });
    let one_line = (select(vec![(":", ","), (": ", ", "), (": ", ","), (" :", " ,")]), hollow())
        .prop_map(|((colon, comma), hollow)| Layout::OneLine { colon, comma, hollow });
    prop_oneof![4 => lines, 2 => one_line, 3 => any::<u64>().prop_map(Layout::Chaos)]
}

impl From<&Node<'_>> for Tree {
    fn from(node: &Node<'_>) -> Self {
        match &node.kind {
            Kind::Scalar => Self::Scalar(node.source.to_owned()),
            Kind::List(list) => Self::List(list.iter().map(Self::from).collect()),
            Kind::Object(members) => {
                let member =
                    |member: &super::reader::Member<'_>| (member.key.to_owned(), Self::from(&member.value));
                Self::Object(members.iter().map(member).collect())
            }
        }
    }
}

impl Tree {
    pub(super) fn render(&self, mut layout: Layout) -> String {
        let mut text = String::new();
        self.write(&mut text, &mut layout, 0);
        text
    }

    fn write(&self, text: &mut String, layout: &mut Layout, depth: usize) {
        match self {
            Self::Scalar(source) => text.push_str(source),
            Self::List(list) => layout.brackets(text, ['[', ']'], depth, list, |value, text, layout| {
                value.write(text, layout, depth + 1);
            }),
            Self::Object(members) => {
                layout.brackets(text, ['{', '}'], depth, members, |(key, value), text, layout| {
                    text.push_str(key);
                    text.push_str(&layout.colon());
                    value.write(text, layout, depth + 1);
                });
            }
        }
    }
}

impl Layout {
    fn brackets<T>(
        &mut self,
        text: &mut String,
        [open, close]: [char; 2],
        depth: usize,
        items: &[T],
        write: impl Fn(&T, &mut String, &mut Self),
    ) {
        text.push(open);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                text.push_str(&self.comma());
            }
            text.push_str(&self.line(depth + 1));
            write(item, text, self);
        }
        text.push_str(&if items.is_empty() { self.hollow() } else { self.line(depth) });
        text.push(close);
    }

    fn colon(&mut self) -> String {
        match self {
            Self::Lines { .. } => ": ".to_owned(),
            Self::OneLine { colon, .. } => (*colon).to_owned(),
            Self::Chaos(seed) => format!("{}:{}", blank(seed), blank(seed)),
        }
    }

    fn comma(&mut self) -> String {
        match self {
            Self::Lines { .. } => ",".to_owned(),
            Self::OneLine { comma, .. } => (*comma).to_owned(),
            Self::Chaos(seed) => format!("{},", blank(seed)),
        }
    }

    /// What stands before an item, or before the closing bracket.
    fn line(&mut self, depth: usize) -> String {
        match self {
            Self::Lines { unit, line_end, .. } => format!("{line_end}{}", unit.repeat(depth)),
            Self::OneLine { .. } => String::new(),
            Self::Chaos(seed) => blank(seed),
        }
    }

    /// What stands between brackets that hold nothing.
    fn hollow(&mut self) -> String {
        match self {
            Self::Lines { hollow, .. } | Self::OneLine { hollow, .. } => (*hollow).to_owned(),
            Self::Chaos(seed) => blank(seed),
        }
    }
}

/// The next white space of this seed: a step of a linear congruential generator.
fn blank(seed: &mut u64) -> String {
    const BLANKS: [&str; 12] = ["", "", " ", " ", "\n", "\n  ", "\r\n", "\r\n\t", "\t", "   ", "\n\n", "\r"];
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    BLANKS[usize::try_from(*seed >> 33).unwrap_or_default() % BLANKS.len()].to_owned()
}
