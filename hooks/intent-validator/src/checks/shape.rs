//! How long functions are, and how deep conditions and loops lie within each other. A block is what is indented below its head:
//! one measure for all languages, which formatted code obeys.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::view::{Family, Line, Tongue, View};

pub(super) const LONG: &str = "long-functions";
pub(super) const DEEP: &str = "deep-nesting";

/// Words that begin a condition or a loop.
const CONTROL: [&str; 16] = [
    "if", "else", "elif", "for", "foreach", "while", "switch", "match", "loop", "do", "try", "catch",
    "except", "when", "select", "with",
];

/// Words before a block in braces that is neither that nor a function.
const NO_FUNCTION: [&str; 6] = ["class", "struct", "enum", "new", "return", "throw"];

/// A block, from the line of its head to its last one, counted from 0.
struct Block {
    kind: Kind,
    first: usize,
    last: usize,
    indent: usize,
    /// The conditions and loops around it, itself included.
    depth: usize,
}

#[derive(PartialEq, Eq)]
enum Kind {
    Function(String),
    Control,
}

/// Functions that the change makes longer than `most` lines. Those that were longer before stood there, whatever their name now.
pub(super) fn long_functions(before: &View, after: &View, most: usize) -> Vec<Finding> {
    let there: BTreeMap<String, usize> =
        functions(before).into_iter().map(|(name, _, length)| (name, length)).collect();
    let was_long = there.values().filter(|length| **length > most).count();
    let long: Vec<_> = functions(after).into_iter().filter(|(_, _, length)| *length > most).collect();
    let is_news = long.len() > was_long;
    let crosses = |name: &str| there.get(name).is_none_or(|length| *length <= most);
    long.into_iter()
        .filter(|(name, ..)| is_news && crosses(name))
        .map(|(name, first, length)| {
            let why = format!("{name} has {length} lines of code; {most} are the limit");
            Finding::new(LONG, first + 1, why, "take steps of it out into functions of their own")
        })
        .collect()
}

/// Name, first line and lines of code of each function.
fn functions(view: &View) -> Vec<(String, usize, usize)> {
    let is_code = |line: &&Line| line.code.chars().any(|char| !char.is_whitespace() && char != '"');
    let named = |block: Block| match block.kind {
        Kind::Function(name) => {
            let lines = view.lines.get(block.first..=block.last).unwrap_or_default();
            Some((name, block.first, lines.iter().filter(is_code).count()))
        }
        Kind::Control => None,
    };
    blocks(view).into_iter().filter_map(named).collect()
}

/// Conditions and loops that the change brings deeper than `most`; of those within each other the outermost.
pub(super) fn deep_nesting(after: &View, added: &BTreeSet<usize>, most: usize) -> Vec<Finding> {
    let is_new = |block: &Block| {
        block.kind == Kind::Control && block.depth == most + 1 && added.contains(&block.first)
    };
    let new = blocks(after).into_iter().filter(is_new);
    new.map(|block| {
        let why = format!("{} conditions and loops within each other; {most} are the limit", block.depth);
        let fix = "return early, or take the inner part out into a function";
        Finding::new(DEEP, block.first + 1, why, fix)
    })
    .collect()
}

fn blocks(view: &View) -> Vec<Block> {
    let (mut open, mut blocks): (Vec<Block>, Vec<Block>) = (Vec::new(), Vec::new());
    let is_code = |line: &Line| !line.is_continued && !line.code.trim().is_empty();
    for (number, line) in view.lines.iter().enumerate().filter(|(_, line)| is_code(line)) {
        let code = line.code.trim();
        let least = line.indent + usize::from(closes(code));
        while open.last().is_some_and(|block| block.indent >= least) {
            blocks.extend(open.pop());
        }
        for block in &mut open {
            block.last = number;
        }
        if let Some(kind) = head(code, view.family) {
            let depth = open.last().map_or(0, |block| block.depth) + usize::from(kind == Kind::Control);
            open.push(Block { kind, first: number, last: number, indent: line.indent, depth });
        }
    }
    blocks.extend(open);
    blocks.sort_by_key(|block| block.first);
    blocks
}

/// A line that goes on with the block whose head is as deep: `}`, `{`, `)`, `) -> Result<()> {`.
fn closes(code: &str) -> bool {
    code.starts_with([')', ']']) || !code.contains(char::is_alphanumeric)
}

fn head(code: &str, family: Family) -> Option<Kind> {
    let words: Vec<&str> = words(code).collect();
    let first = words.iter().find(|word| !matches!(**word, "unsafe" | "async")).copied().unwrap_or_default();
    let begins_block = code.contains('{') || code.ends_with([':', ')']);
    if family == Family::Hash {
        return None;
    }
    if CONTROL.contains(&first) {
        return begins_block.then_some(Kind::Control);
    }
    let function = match family {
        Family::Indented => named_after(&words, "def").filter(|_| first == "def"),
        Family::Braces(Tongue::Word(word)) => named_after(&words, word).filter(|_| code.contains('(')),
        Family::Braces(Tongue::Script) => named_after(&words, "function")
            .or_else(|| assigned(&words).filter(|_| code.contains("=>")))
            .or_else(|| method(code, &words)),
        Family::Braces(Tongue::Plain) => method(code, &words),
        Family::Hash => None,
    };
    function.map(Kind::Function)
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|char: char| !(char.is_alphanumeric() || char == '_' || char == '$'))
        .filter(|word| !word.is_empty())
}

fn named_after(words: &[&str], word: &str) -> Option<String> {
    let at = words.iter().position(|own| *own == word)?;
    words.get(at + 1).map(|name| (*name).to_owned())
}

/// `const name = (...) =>`
fn assigned(words: &[&str]) -> Option<String> {
    ["const", "let", "var"].iter().find_map(|word| named_after(words, word))
}

/// `name(...) {`, and no call.
fn method(code: &str, words: &[&str]) -> Option<String> {
    let (before, rest) = code.split_once('(')?;
    let is_head = code.ends_with('{') && rest.contains(')') && !code.contains('=');
    let is_other = words.iter().any(|word| NO_FUNCTION.contains(word));
    self::words(before).last().filter(|_| is_head && !is_other).map(ToOwned::to_owned)
}
