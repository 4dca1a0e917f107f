//! A text line by line: code, comment, documentation, or the inside of a text of several lines. Not a parser: only what begins a
//! line counts as a comment.

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
