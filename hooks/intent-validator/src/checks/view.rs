//! A text line by line as code, with strings and comments taken out. Not a parser: where a language goes beyond this, the end
//! of a line sets it right again.

/// How a language marks comments and blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Braces, `//` and `/* */`; how functions begin differs.
    Braces(Tongue),
    /// Python: indentation and `#`.
    Indented,
    /// Shell, Ruby and the like: `#`, and blocks that are not looked at.
    Hash,
}

/// How a function begins among the languages with braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    /// By this word.
    Word(&'static str),
    /// By `function`, an arrow, or a method's name.
    Script,
    /// By its name and parameters: C and its heirs.
    Plain,
}

impl Family {
    /// By the file's extension.
    pub(super) fn of(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit_once('.')?;
        Some(match extension.to_ascii_lowercase().as_str() {
            "rs" => Self::Braces(Tongue::Word("fn")),
            "go" | "swift" => Self::Braces(Tongue::Word("func")),
            "kt" => Self::Braces(Tongue::Word("fun")),
            "scala" => Self::Braces(Tongue::Word("def")),
            "php" => Self::Braces(Tongue::Word("function")),
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "tsx" | "mts" | "cts" => Self::Braces(Tongue::Script),
            "java" | "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" | "cs" => Self::Braces(Tongue::Plain),
            "py" | "pyi" => Self::Indented,
            "sh" | "bash" | "zsh" | "rb" => Self::Hash,
            _ => return None,
        })
    }
}

/// A line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Its code; what stands in strings is left out, the quotes stay.
    pub(super) code: String,
    /// What a comment on it says, without its mark; `None`: there is none, or one that documents.
    pub(super) comment: Option<String>,
    /// So many columns it is indented, a tab counting as four.
    pub(super) indent: usize,
    /// It begins within a string or a comment of several lines.
    pub(super) is_continued: bool,
    /// More stands on it than comments and documentation.
    pub(super) has_code: bool,
}

/// A text, line by line.
#[derive(Debug)]
pub(super) struct View {
    pub(super) family: Family,
    pub(super) lines: Vec<Line>,
}

/// What goes on beyond the end of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Open {
    Nothing,
    Comment { documents: bool },
    Text { end: String, documents: bool },
}

impl View {
    pub(super) fn of(text: &str, family: Family) -> Self {
        let mut reader = Reader { family, open: Open::Nothing, begins_block: true };
        let lines = text.lines().map(|line| reader.line(line)).collect();
        Self { family, lines }
    }
}

struct Reader {
    family: Family,
    open: Open,
    /// A text that begins here is documentation, in Python: nothing or the head of a block stands before it.
    begins_block: bool,
}

impl Reader {
    fn line(&mut self, text: &str) -> Line {
        let mut line = Line { is_continued: self.open != Open::Nothing, ..Line::default() };
        line.has_code = matches!(self.open, Open::Text { documents: false, .. });
        let columns = |char| if char == '\t' { 4 } else { 1 };
        line.indent = text.chars().take_while(|char| char.is_whitespace()).map(columns).sum();
        let mut rest = text;
        while !rest.is_empty() {
            rest = match self.open.clone() {
                Open::Nothing => self.in_code(rest, &mut line),
                Open::Comment { documents } => in_comment(rest, documents, &mut line, &mut self.open),
                Open::Text { end, documents } => in_text(rest, &end, documents, &mut line, &mut self.open),
            };
        }
        if matches!(&self.open, Open::Text { end, .. } if end.len() == 1 && end != "`") {
            // A plain string ends with its line.
            self.open = Open::Nothing;
        }
        if line.has_code {
            self.begins_block = line.code.trim_end().ends_with(':');
        }
        line
    }

    fn in_code<'a>(&mut self, rest: &'a str, line: &mut Line) -> &'a str {
        let family = self.family;
        let braces = matches!(family, Family::Braces(_));
        if braces && rest.starts_with("//") {
            note(line, &rest[2..], rest.starts_with("///") || rest.starts_with("//!"));
            return "";
        }
        if braces && let Some(after) = rest.strip_prefix("/*") {
            self.open = Open::Comment { documents: after.starts_with('*') || after.starts_with('!') };
            return after;
        }
        if !braces && rest.starts_with('#') && line.code.chars().next_back().is_none_or(char::is_whitespace) {
            note(line, &rest[1..], rest.starts_with("#!"));
            line.has_code |= rest.starts_with("#!");
            return "";
        }
        if let Some(end) = text_end(rest, family) {
            let is_first = family == Family::Indented && end.len() == 3 && line.code.trim().is_empty();
            let documents = is_first && self.begins_block;
            line.has_code |= !documents;
            line.code.push('"');
            let opening = opening_len(rest, &end);
            self.open = Open::Text { end, documents };
            return &rest[opening..];
        }
        if let Some(after) = character(rest, family) {
            line.code.push('"');
            line.has_code = true;
            return after;
        }
        let char = rest.chars().next().unwrap_or_default();
        line.code.push(char);
        line.has_code |= !char.is_whitespace();
        &rest[char.len_utf8()..]
    }
}

fn note(line: &mut Line, comment: &str, documents: bool) {
    if !documents {
        line.comment = Some(comment.to_owned());
    }
}

fn in_comment<'a>(rest: &'a str, documents: bool, line: &mut Line, open: &mut Open) -> &'a str {
    let (said, after) = match rest.split_once("*/") {
        Some((said, after)) => {
            *open = Open::Nothing;
            (said, after)
        }
        None => (rest, ""),
    };
    note(line, said, documents);
    after
}

fn in_text<'a>(rest: &'a str, end: &str, documents: bool, line: &mut Line, open: &mut Open) -> &'a str {
    if let Some(after) = rest.strip_prefix(end) {
        *open = Open::Nothing;
        line.code.push('"');
        line.has_code |= !documents;
        return after;
    }
    // In a raw string a backslash means itself.
    if rest.starts_with('\\') && !end.starts_with("\"#") {
        let escaped = rest[1..].chars().next().map_or(0, char::len_utf8);
        return &rest[1 + escaped..];
    }
    &rest[rest.chars().next().map_or(0, char::len_utf8)..]
}

/// What ends the string that begins here; `None`: none does.
fn text_end(rest: &str, family: Family) -> Option<String> {
    if family == Family::Braces(Tongue::Word("fn"))
        && let Some(raw) = rest.strip_prefix('r')
    {
        let hashes = raw.bytes().take_while(|byte| *byte == b'#').count();
        if hashes > 0 && raw[hashes..].starts_with('"') {
            return Some(format!("\"{}", "#".repeat(hashes)));
        }
    }
    let ends: &[&str] = match family {
        Family::Indented => &["\"\"\"", "'''", "\"", "'"],
        Family::Hash | Family::Braces(Tongue::Word("function")) => &["\"", "'"],
        Family::Braces(Tongue::Script) => &["\"", "'", "`"],
        Family::Braces(Tongue::Word("func")) => &["\"\"\"", "\"", "`"],
        Family::Braces(_) => &["\"\"\"", "\""],
    };
    ends.iter().find(|end| rest.starts_with(**end)).map(|end| (*end).to_owned())
}

fn opening_len(rest: &str, end: &str) -> usize {
    if rest.starts_with('r') && end.starts_with("\"#") { 1 + end.len() } else { end.len() }
}

/// What follows a character in quotes, where a quote may be something else (a lifetime) too.
fn character(rest: &str, family: Family) -> Option<&str> {
    if !matches!(family, Family::Braces(_)) {
        return None;
    }
    let inside = rest.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    if first == '\\' {
        let after = &inside[1 + inside[1..].chars().next()?.len_utf8()..];
        return after.split_once('\'').map(|(_, after)| after);
    }
    inside[first.len_utf8()..].strip_prefix('\'')
}
