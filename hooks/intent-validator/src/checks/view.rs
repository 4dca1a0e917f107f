//! A text line by line: code, comment, documentation, or the inside of a text of several lines; and its functions, conditions and loops.
//! No parser: only what begins a line counts as a comment, and a block is what is indented below its head, which formatted code
//! obeys in all languages.

use std::collections::BTreeSet;

use super::Finding;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Braces, `//` and `/* */`, and the word before a function's name, where there is one.
    Braces(Option<&'static str>),
    Python,
    /// `#`; its blocks are not measured.
    Hash,
}

const FAMILIES: [(&str, Family); 8] = [
    ("rs", Family::Braces(Some("fn"))),
    ("go swift", Family::Braces(Some("func"))),
    ("kt", Family::Braces(Some("fun"))),
    ("scala", Family::Braces(Some("def"))),
    ("php", Family::Braces(Some("function"))),
    ("js mjs cjs jsx ts tsx mts cts java c cc cpp cxx h hpp cs", Family::Braces(None)),
    ("py pyi", Family::Python),
    ("sh bash zsh rb", Family::Hash),
];

/// The beginning of a line, its kind, and the end of what goes on beyond the line.
type Mark = (&'static str, Kind, &'static str);

const OF_BRACES: [Mark; 6] = [
    ("///", Kind::Doc, ""),
    ("//!", Kind::Doc, ""),
    ("//", Kind::Comment, ""),
    ("/**", Kind::Doc, "*/"),
    ("/*!", Kind::Doc, "*/"),
    ("/*", Kind::Comment, "*/"),
];

/// The last two only at the beginning of a block.
const OF_PYTHON: [Mark; 4] = [
    ("#!", Kind::Code, ""),
    ("#", Kind::Comment, ""),
    ("\"\"\"", Kind::Doc, "\"\"\""),
    ("'''", Kind::Doc, "'''"),
];

const LONG_TEXTS: [(&str, &str); 4] = [("\"\"\"", "\"\"\""), ("'''", "'''"), ("`", "`"), ("r#\"", "\"#")];

impl Family {
    pub(super) fn of(path: &str) -> Option<Self> {
        let extension = path.rsplit_once('.')?.1.to_ascii_lowercase();
        let is_own = |known: &&str| known.split(' ').any(|known| known == extension);
        FAMILIES.into_iter().find(|(known, _)| is_own(known)).map(|(_, family)| family)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Comment,
    Doc,
    Text,
    Code,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) kind: Kind,
    /// Without the blanks around it; of a comment, without its marks.
    pub(super) text: &'a str,
    pub(super) indent: usize,
}

pub(super) struct View<'a> {
    pub(super) family: Family,
    pub(super) lines: Vec<Line<'a>>,
}

impl<'a> View<'a> {
    pub(super) fn of(text: &'a str, family: Family) -> Self {
        let mut reader = Reader { family, open: None, begins_block: true };
        Self { family, lines: text.lines().map(|line| reader.line(line)).collect() }
    }
}

struct Reader {
    family: Family,
    /// The text or comment that goes on, and its end.
    open: Option<(Kind, &'static str)>,
    begins_block: bool,
}

impl Reader {
    fn line<'a>(&mut self, line: &'a str) -> Line<'a> {
        let columns = |char: char| if char == '\t' { 4 } else { 1 };
        let indent = line.chars().take_while(|char| char.is_whitespace()).map(columns).sum();
        let (kind, text) = match self.open {
            Some((kind, end)) => self.inside(line.trim(), kind, end),
            None => self.fresh(line.trim()),
        };
        if kind == Kind::Code {
            self.begins_block = text.ends_with(':');
        }
        Line { kind, text, indent }
    }

    fn inside<'a>(&mut self, text: &'a str, kind: Kind, end: &str) -> (Kind, &'a str) {
        let Some((before, after)) = text.split_once(end) else { return (kind, text) };
        self.open = None;
        if kind == Kind::Text || !after.trim().is_empty() {
            (Kind::Code, text)
        } else {
            (kind, before.trim())
        }
    }

    fn fresh<'a>(&mut self, text: &'a str) -> (Kind, &'a str) {
        if text.is_empty() {
            return (Kind::Blank, text);
        }
        let marks: &[Mark] = match self.family {
            Family::Braces(_) => &OF_BRACES,
            Family::Python if self.begins_block => &OF_PYTHON,
            Family::Python | Family::Hash => &OF_PYTHON[..2],
        };
        if let Some((mark, kind, end)) = marks.iter().find(|(mark, ..)| text.starts_with(mark)) {
            let rest = &text[mark.len()..];
            if end.is_empty() {
                return (*kind, rest);
            }
            self.open = Some((*kind, end));
            return self.inside(rest, *kind, end);
        }
        let is_open = |(begin, end): &(&str, &str)| {
            let last = text.rsplit(begin).next().unwrap_or_default();
            if begin == end {
                text.matches(begin).count() % 2 == 1
            } else {
                text.contains(begin) && !last.contains(end)
            }
        };
        self.open = LONG_TEXTS.into_iter().find(is_open).map(|(_, end)| (Kind::Text, end));
        (Kind::Code, text)
    }
}

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

pub(super) fn is_control(code: &str, family: Family) -> bool {
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
