//! Generated files: whatever is set or taken out, no other line changes, and no text makes it fail.

use proptest::prelude::*;

use crate::{set_at, unset_at};

/// A line of a generated file, and whose it is: a comment's or an empty line's of nobody, a value's of its key.
#[derive(Debug, Clone)]
struct Line {
    text: String,
    owner: Option<Vec<String>>,
}

/// The value of a key.
#[derive(Debug, Clone)]
enum Held {
    /// On the key's own line.
    Inline(&'static str),
    /// On lines below, each with so much more indentation.
    Lines(&'static str, &'static [&'static str]),
    Map(Vec<(Comment, &'static str, Held)>),
}

/// The lines above a key.
#[derive(Debug, Clone, Copy)]
enum Comment {
    None,
    Empty,
    Own,
}

const NAMES: [&str; 7] = ["a", "b", "key", "\"quoted\"", "'a b'", "dot.ted", "ü"];

const INLINE: [&str; 14] = [
    "1",
    "true # why",
    "",
    "  # nothing",
    "\"a # b\"  # c",
    "'it''s'",
    "plain words # c",
    "[1, [2], \"]\"]   # c",
    "{x: 1, y: [2]} # c",
    "{ a: 1, b: { key: 2 } }",
    "&anchor 5",
    "!!str 5",
    "http://x.y/#z",
    "{}",
];

const LINES: [(&str, &[&str]); 7] = [
    ("", &["- 1", "- x # c", "# between", "- {a: 1}"]),
    ("|", &["text", "# no comment", "", "more"]),
    (">-  # folded", &["text", "more"]),
    ("|+", &["kept", ""]),
    ("\"open", &["goes on # no comment", "closed\"  # c"]),
    ("plain", &["goes on  # c"]),
    ("[1,", &["2, 3", "] # c"]),
];

fn held() -> impl Strategy<Value = Held> {
    let leaf = prop_oneof![
        4 => prop::sample::select(&INLINE[..]).prop_map(Held::Inline),
        1 => prop::sample::select(&LINES[..]).prop_map(|(first, lines)| Held::Lines(first, lines)),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| map_of(inner).prop_map(Held::Map))
}

fn map_of(inner: impl Strategy<Value = Held>) -> impl Strategy<Value = Vec<(Comment, &'static str, Held)>> {
    let comment = prop::sample::select(vec![Comment::None, Comment::None, Comment::Empty, Comment::Own]);
    let entry = (comment, prop::sample::select(&NAMES[..]), inner);
    prop::collection::vec(entry, 1..4).prop_map(|mut entries| {
        let mut seen = Vec::new();
        entries.retain(|(_, name, _)| {
            !seen.contains(name) && {
                seen.push(*name);
                true
            }
        });
        entries
    })
}

fn bare(name: &str) -> String {
    name.trim_matches(['"', '\'']).to_owned()
}

fn write(entries: &[(Comment, &'static str, Held)], above: &[String], depth: usize, lines: &mut Vec<Line>) {
    let indent = "  ".repeat(depth);
    for (comment, name, held) in entries {
        match comment {
            Comment::None => {}
            Comment::Empty => lines.push(Line { text: String::new(), owner: None }),
            Comment::Own => lines.push(Line { text: format!("{indent}# about {name}"), owner: None }),
        }
        let path = [above, &[bare(name)]].concat();
        let mut own = |text: String| lines.push(Line { text, owner: Some(path.clone()) });
        match held {
            Held::Inline("") => own(format!("{indent}{name}:")),
            Held::Inline(value) => own(format!("{indent}{name}: {value}")),
            Held::Lines(first, more) => {
                own(format!("{indent}{name}: {first}"));
                more.iter().for_each(|line| own(format!("{indent}   {line}")));
                // Behind a kept text it looks like nobody's, and stays as that.
                if more.last() == Some(&"") {
                    lines.last_mut().unwrap().owner = None;
                }
            }
            Held::Map(inner) => {
                own(format!("{indent}{name}:"));
                write(inner, &path, depth + 1, lines);
            }
        }
    }
}

#[derive(Debug, Clone)]
struct File {
    lines: Vec<Line>,
    line_end: &'static str,
    has_last_end: bool,
    has_mark: bool,
}

impl File {
    fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        let last = if self.has_last_end { self.line_end } else { "" };
        format!("{mark}{}{last}", lines.join(self.line_end))
    }

    fn paths(&self) -> Vec<Vec<String>> {
        self.lines.iter().filter_map(|line| line.owner.clone()).collect()
    }
}

fn any_file() -> impl Strategy<Value = File> {
    (map_of(held()), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(entries, crlf, last, mark)| {
        let mut lines = Vec::new();
        write(&entries, &[], 0, &mut lines);
        let line_end = if crlf { "\r\n" } else { "\n" };
        File { lines, line_end, has_last_end: last, has_mark: mark }
    })
}

/// The lines that are nobody's or of keys that are not touched, in their order; without those inside the value at `path`.
fn untouched<'f>(file: &'f File, path: &[String], is_touched: &dyn Fn(&[String]) -> bool) -> Vec<&'f str> {
    let is_own = |line: &Line| line.owner.as_deref().is_some_and(|owner| owner.starts_with(path));
    let own = file.lines.iter().position(is_own)..=file.lines.iter().rposition(is_own);
    let stays = |(number, line): &(usize, &Line)| match &line.owner {
        Some(owner) => !is_touched(owner),
        None => !own.contains(&Some(*number)),
    };
    file.lines.iter().enumerate().filter(stays).map(|(_, line)| line.text.as_str()).collect()
}

/// The lines of `part` are all in `whole`, in their order; how many others are there. Empty lines are nobody's.
fn others(whole: &str, part: &[&str]) -> Option<usize> {
    let mut wanted = part.iter().filter(|line| !line.trim().is_empty()).peekable();
    let mut others = 0;
    let whole = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    for line in whole.lines().filter(|line| !line.trim().is_empty()) {
        match wanted.peek() {
            Some(next) if **next == line => drop(wanted.next()),
            _ => others += 1,
        }
    }
    wanted.peek().is_none().then_some(others)
}

/// The longest path of the file on the way to this one.
fn deepest(paths: &[Vec<String>], path: &[String]) -> Vec<String> {
    let on_the_way = paths.iter().filter(|other| path.starts_with(other));
    on_the_way.max_by_key(|other| other.len()).cloned().unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn setting_touches_no_line_but_the_keys_own(
        file in any_file(),
        pick in any::<prop::sample::Index>(),
        more in prop::collection::vec(prop::sample::select(&["a", "b", "new", "c d"][..]), 0..3),
        value in prop::sample::select(&["1", "[a, b]", "{ x: 1 }", "\"t # x\"", "null"][..]),
    ) {
        let text = file.text();
        let paths = file.paths();
        let mut path = pick.get(&paths).clone();
        path.extend(more.iter().map(|key| (*key).to_owned()));
        let there = deepest(&paths, &path);
        let is_map = paths.iter().any(|other| other.len() > there.len() && other.starts_with(&there));
        // A map that gets a new key keeps its own line; other values give way, or stand on the same line.
        let touched = |owner: &[String]| {
            if there == path { owner.starts_with(&path) } else { owner == there && !is_map }
        };
        match set_at(&text, &path, value) {
            Ok(edited) => {
                let most = 1 + path.len() - there.len();
                let others = others(&edited, &untouched(&file, &path, &touched));
                prop_assert!(others.is_some_and(|others| others <= most), "{text}\n=> {path:?}: {value}\n{edited}");
                prop_assert_eq!(edited.starts_with('\u{feff}'), file.has_mark);
                let is_lf = edited.replace("\r\n", "").contains('\n');
                prop_assert!(file.line_end == "\n" || file.lines.len() == 1 || !is_lf, "{edited:?}");
            }
            Err(error) => {
                let own = file.lines.iter().filter(|line| line.owner.as_deref().is_none_or(&touched));
                let has_comments = own.clone().any(|line| line.text.contains('#'));
                let is_no_map = there != path && !is_map;
                prop_assert!(has_comments || is_no_map || text.contains("|+"), "{text}\n=> {path:?}: {error}");
            }
        }
    }

    #[test]
    fn taking_out_touches_no_line_but_the_keys_own_and_those_of_its_empty_maps(
        file in any_file(),
        pick in any::<prop::sample::Index>(),
    ) {
        let text = file.text();
        let paths = file.paths();
        let path = pick.get(&paths).clone();
        match unset_at(&text, &path) {
            Ok(edited) => {
                // Above it only maps that held nothing else go.
                let remains = |above: &[String]| paths.iter().any(|other| {
                    other.starts_with(above) && !above.starts_with(other) && !other.starts_with(&path) && !path.starts_with(other)
                });
                let touched = |owner: &[String]| owner.starts_with(&path) || path.starts_with(owner) && !remains(owner);
                // With an emptied map go the comments in it.
                let gone = (1..=path.len()).find(|depth| !remains(&path[..*depth])).unwrap_or(path.len());
                let kept = untouched(&file, &path[..gone], &touched);
                prop_assert_eq!(others(&edited, &kept), Some(0), "{}\n=> {:?}\n{}", text, path, edited);
                prop_assert_eq!(edited.starts_with('\u{feff}'), file.has_mark);
            }
            // Empty lines behind a text that keeps them are part of it.
            Err(error) => prop_assert!(text.contains("|+"), "{text}\n=> {path:?}: {error}"),
        }
    }

    #[test]
    fn no_text_makes_it_fail(text in "[-a-z:# '\"\\[\\]{},&*!|>%?ü\u{feff}\r\n\t]{0,40}", key in "[a-z]") {
        for path in [vec![key.clone()], vec![key.clone(), "x".to_owned()]] {
            let _ = set_at(&text, &path, "1");
            let _ = unset_at(&text, &path);
        }
    }
}
