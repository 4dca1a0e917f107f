//! How long functions are, and how deep conditions and loops lie within each other.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::view::{Family, Line, Tongue, View};

/// Words that begin a condition or a loop.
const CONTROL: [&str; 16] = [
    "if", "else", "elif", "for", "foreach", "while", "switch", "match", "loop", "do", "try", "catch",
    "except", "when", "select", "with",
];

/// Words that begin a block which is neither that nor a function.
const NO_FUNCTION: [&str; 12] = [
    "class",
    "struct",
    "enum",
    "interface",
    "namespace",
    "record",
    "return",
    "new",
    "throw",
    "union",
    "extern",
    "using",
];

/// A block of the text, from the line of its head to its last one, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    kind: Kind,
    first: usize,
    last: usize,
    /// Conditions and loops it lies in, itself included where it is one.
    depth: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Function(String),
    Control,
    Other,
}

/// Functions that the change makes longer than `most` lines: those that were longer before are what stood there, whatever they are
/// called now.
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
            Finding::new("long-functions", first + 1, why, "take steps of it out into functions of their own")
        })
        .collect()
}

fn functions(view: &View) -> Vec<(String, usize, usize)> {
    // Empty lines, comments and what stands in long strings are no code.
    let is_code = |line: &&Line| line.code.chars().any(|char| !char.is_whitespace() && char != '"');
    let named = |block: Block| match block.kind {
        Kind::Function(name) => {
            let lines = view.lines.get(block.first..=block.last).unwrap_or_default();
            Some((name, block.first, lines.iter().filter(is_code).count()))
        }
        Kind::Control | Kind::Other => None,
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
        Finding::new(
            "deep-nesting",
            block.first + 1,
            why,
            "return early, or take the inner part out into a function",
        )
    })
    .collect()
}

fn blocks(view: &View) -> Vec<Block> {
    match view.family {
        Family::Braces(tongue) => braced(view, tongue),
        Family::Indented => indented(view),
        Family::Hash => Vec::new(),
    }
}

/// A block that is not closed yet.
struct Opened {
    kind: Kind,
    first: usize,
    depth: usize,
    /// Parentheses that were open when it began.
    parentheses: usize,
}

fn braced(view: &View, tongue: Tongue) -> Vec<Block> {
    let mut stack: Vec<Opened> = Vec::new();
    let mut blocks = Vec::new();
    let (mut head, mut head_line) = (String::new(), 0);
    let mut parentheses = 0_usize;
    for (number, line) in view.lines.iter().enumerate() {
        for char in line.code.chars() {
            match char {
                '{' => {
                    let outside = stack.last().map_or(0, |block| block.parentheses);
                    let kind = kind_of(&head, tongue, parentheses > outside);
                    let depth =
                        stack.last().map_or(0, |block| block.depth) + usize::from(kind == Kind::Control);
                    stack.push(Opened { kind, first: head_line, depth, parentheses });
                    head.clear();
                }
                '}' => {
                    head.clear();
                    if let Some(Opened { kind, first, depth, parentheses: were }) = stack.pop() {
                        parentheses = were;
                        blocks.push(Block { kind, first, last: number, depth });
                    }
                }
                ';' if parentheses == stack.last().map_or(0, |block| block.parentheses) => head.clear(),
                char => {
                    parentheses = match char {
                        '(' => parentheses + 1,
                        ')' => parentheses.saturating_sub(1),
                        _ => parentheses,
                    };
                    if head.trim().is_empty() && !char.is_whitespace() {
                        head_line = number;
                    }
                    head.push(char);
                }
            }
        }
        head.push(' ');
    }
    blocks
}

/// What a block is by what stands before its brace. In an open parenthesis it is an argument.
fn kind_of(head: &str, tongue: Tongue, is_argument: bool) -> Kind {
    let words: Vec<&str> = words(head).collect();
    let first =
        words.iter().find(|word| **word != "unsafe" && **word != "async").copied().unwrap_or_default();
    if CONTROL.contains(&first) {
        return Kind::Control;
    }
    if is_argument {
        return Kind::Other;
    }
    let function = match tongue {
        Tongue::Word(word) => name_behind(&words, word).filter(|_| head.contains('(')),
        Tongue::Script => name_behind(&words, "function")
            .or_else(|| head.trim_end().ends_with("=>").then(|| assigned(&words)).flatten())
            .or_else(|| method(head, &words)),
        Tongue::Plain => method(head, &words),
    };
    function.map_or(Kind::Other, Kind::Function)
}

fn words(head: &str) -> impl Iterator<Item = &str> {
    head.split(|char: char| !(char.is_alphanumeric() || char == '_' || char == '$'))
        .filter(|word| !word.is_empty())
}

fn name_behind(words: &[&str], word: &str) -> Option<String> {
    let at = words.iter().position(|own| *own == word)?;
    words.get(at + 1).map(|name| (*name).to_owned())
}

/// The name that an arrow function is given: `const name = (...) =>`.
fn assigned(words: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| matches!(*word, "const" | "let" | "var"))?;
    words.get(at + 1).map(|name| (*name).to_owned())
}

/// `name(...)` with nothing behind it that makes it a call.
fn method(head: &str, words: &[&str]) -> Option<String> {
    if head.contains('=') || words.iter().any(|word| NO_FUNCTION.contains(word)) {
        return None;
    }
    let (before, rest) = head.split_once('(')?;
    let name = self::words(before).last()?;
    rest.contains(')').then(|| name.to_owned())
}

fn indented(view: &View) -> Vec<Block> {
    let mut stack: Vec<(usize, Opened)> = Vec::new();
    let mut blocks = Vec::new();
    let mut last = 0;
    let mut parentheses = 0_usize;
    for (number, line) in view.lines.iter().enumerate() {
        let code = line.code.trim();
        if !code.is_empty() && !line.is_continued && parentheses == 0 {
            while stack.last().is_some_and(|(indent, _)| *indent >= line.indent) {
                blocks.extend(stack.pop().map(|(_, block)| closed(block, last)));
            }
            if let Some(kind) = python_head(code) {
                let depth =
                    stack.last().map_or(0, |(_, block)| block.depth) + usize::from(kind == Kind::Control);
                stack.push((line.indent, Opened { kind, first: number, depth, parentheses: 0 }));
            }
        }
        if !code.is_empty() {
            last = number;
        }
        for char in code.chars() {
            parentheses = match char {
                '(' | '[' | '{' => parentheses + 1,
                ')' | ']' | '}' => parentheses.saturating_sub(1),
                _ => parentheses,
            };
        }
    }
    blocks.extend(stack.into_iter().map(|(_, block)| closed(block, last)));
    blocks
}

fn closed(Opened { kind, first, depth, .. }: Opened, last: usize) -> Block {
    Block { kind, first, last, depth }
}

fn python_head(code: &str) -> Option<Kind> {
    let words: Vec<&str> = words(code).collect();
    let first = words.iter().find(|word| **word != "async")?;
    match *first {
        "def" => name_behind(&words, "def").map(Kind::Function),
        "class" => Some(Kind::Other),
        word if CONTROL.contains(&word) && (code.ends_with(':') || code.contains('(')) => Some(Kind::Control),
        _ => None,
    }
}
