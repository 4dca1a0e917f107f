//! The length of functions and the depth of nested conditions and loops. A block is what is indented below its head: one measure for
//! all languages, which formatted code obeys.

use std::collections::BTreeSet;

use super::Finding;
use super::view::{Family, Kind, View};

pub(super) const LONG: &str = "long-functions";
pub(super) const DEEP: &str = "deep-nesting";

const CONTROL: &str = "if else elif for foreach while switch match loop do try catch except when select with";

const NO_FUNCTION: &str = "class struct enum new return throw";

struct Block {
    is_function: bool,
    /// The lines of its head and its end, from 0.
    first: usize,
    last: usize,
    indent: usize,
    /// The conditions and loops around it, itself included.
    depth: usize,
}

/// Functions that the change makes longer than `most` lines. A function that was longer before is none, whatever its name now.
pub(super) fn long_functions(before: &View<'_>, after: &View<'_>, most: usize) -> Vec<Finding> {
    let there: Vec<&str> = longer(before, most).map(|(head, ..)| head).collect();
    let is_news = longer(after, most).count() > there.len();
    let new = longer(after, most).filter(|(head, ..)| is_news && !there.contains(head));
    new.map(|(_, first, length)| {
        let why = format!("this function has {length} lines of code; the limit is {most}");
        Finding::new(LONG, first + 1, why, "move steps of it into functions of their own")
    })
    .collect()
}

/// The heads, first lines and lengths of longer functions.
fn longer<'a>(view: &'a View<'a>, most: usize) -> impl Iterator<Item = (&'a str, usize, usize)> {
    let functions = blocks(view).into_iter().filter(|block| block.is_function);
    let measured = functions.map(|block| {
        let lines = &view.lines[block.first..=block.last];
        let length = lines.iter().filter(|line| line.kind == Kind::Code).count();
        (lines[0].text, block.first, length)
    });
    measured.filter(move |(_, _, length)| *length > most)
}

/// The outermost conditions and loops that the change brings deeper than `most`.
pub(super) fn deep_nesting(after: &View<'_>, added: &BTreeSet<usize>, most: usize) -> Vec<Finding> {
    let is_new =
        |block: &Block| !block.is_function && block.depth == most + 1 && added.contains(&block.first);
    let new = blocks(after).into_iter().filter(is_new);
    new.map(|block| {
        let why = format!("{} conditions and loops within each other; the limit is {most}", block.depth);
        Finding::new(DEEP, block.first + 1, why, "return early, or move the inner part into a function")
    })
    .collect()
}

fn blocks(view: &View<'_>) -> Vec<Block> {
    let (mut open, mut blocks): (Vec<Block>, Vec<Block>) = (Vec::new(), Vec::new());
    let code = view.lines.iter().enumerate().filter(|(_, line)| line.kind == Kind::Code);
    for (number, line) in code {
        let least = line.indent + usize::from(closes(line.text));
        while open.last().is_some_and(|block| block.indent >= least) {
            blocks.extend(open.pop());
        }
        for block in &mut open {
            block.last = number;
        }
        let is_function = is_function(line.text, view.family);
        if is_function || is_control(line.text, view.family) {
            let depth = open.last().map_or(0, |block| block.depth) + usize::from(!is_function);
            open.push(Block { is_function, first: number, last: number, indent: line.indent, depth });
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

fn is_control(code: &str, family: Family) -> bool {
    let begins_block = code.contains('{') || code.ends_with([':', ')']);
    family != Family::Hash && begins_block && words(code).next().is_some_and(|word| is_one_of(word, CONTROL))
}

fn is_function(code: &str, family: Family) -> bool {
    // A head inside a string literal does not count.
    let head = code.split(['"', '`']).next().unwrap_or(code);
    let has = |word: &str| words(head).any(|own| own == word);
    match family {
        Family::Hash => false,
        Family::Python => words(head).next() == Some("def"),
        Family::Braces(Some(word)) => has(word) && head.contains('('),
        Family::Braces(None) => {
            let is_named =
                has("function") || head.contains("=>") && (has("const") || has("let") || has("var"));
            is_named || is_method(head) && !is_control(code, family)
        }
    }
}

/// The words of a line of code, without those that may stand before any head.
fn words(code: &str) -> impl Iterator<Item = &str> {
    let words = code.split(|char: char| !(char.is_alphanumeric() || char == '_' || char == '$'));
    words.filter(|word| !matches!(*word, "" | "unsafe" | "async"))
}

/// `name(...) {`, and no call.
fn is_method(code: &str) -> bool {
    let Some((before, rest)) = code.split_once('(') else { return false };
    let is_head = code.ends_with('{') && rest.contains(')') && !code.contains('=');
    is_head && words(before).next().is_some() && !words(code).any(|word| is_one_of(word, NO_FUNCTION))
}

fn is_one_of(word: &str, list: &str) -> bool {
    list.split(' ').any(|own| own == word)
}
