//! Finds the forms in a message. A form is a paragraph or a list of its own that begins with FILE. Bold, bullets, numbers,
//! headings, backticks and a code fence around it are decoration.

use super::value::undecorated;

/// A form as it stands in a message. `None`: the label is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) file: String,
    pub(super) changes: Option<String>,
    pub(super) goal: Option<String>,
    pub(super) test: Option<String>,
    /// A line with a label that is none of ours.
    pub(super) has_strange_lines: bool,
}

/// A message: its forms, and everything else.
#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) blocks: Vec<Block>,
    pub(super) rest: String,
    /// It ends in a question, after its last form.
    pub(super) asks: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    File,
    Changes,
    Goal,
    Test,
}

/// The kind of the line before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing, a blank line, a heading, an item of a list: a form may begin.
    Break,
    /// A line of a form.
    Form,
    Text,
}

struct Reader {
    message: Message,
    /// The form that is being read, and the label of its last line.
    open: Option<(Block, Label)>,
    before: Before,
    /// The last label was a heading, whose value may follow after a blank line.
    is_headed: bool,
    ends_in_form: bool,
    is_fenced: bool,
}

pub(super) fn read(text: &str) -> Message {
    let mut reader = Reader::new(false);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        match fence(line) {
            Some(mark) => reader.fenced(&inside(&mut lines, mark)),
            None => reader.line(line),
        }
    }
    let is_question = text.trim_end().trim_end_matches(['*', '_']).ends_with('?');
    let asks = is_question && !reader.ends_in_form;
    Message { asks, ..reader.finish() }
}

/// The mark that opens a fence.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = line.chars().take_while(|char| *char == sign).count();
    (length >= 3 && !line[length..].contains(sign)).then(|| &line[..length])
}

/// The lines up to the fence's end.
fn inside<'a>(lines: &mut impl Iterator<Item = &'a str>, mark: &str) -> Vec<&'a str> {
    lines
        .take_while(|line| {
            !(line.trim().starts_with(mark) && line.trim().trim_start_matches(&mark[..1]).is_empty())
        })
        .collect()
}

impl Reader {
    fn new(is_fenced: bool) -> Self {
        Self {
            message: Message::default(),
            open: None,
            before: Before::Break,
            is_headed: false,
            ends_in_form: false,
            is_fenced,
        }
    }

    fn finish(mut self) -> Message {
        self.close();
        self.message
    }

    fn rest(&mut self, line: &str) {
        self.message.rest.push_str(line);
        self.message.rest.push('\n');
        self.ends_in_form = false;
    }

    fn close(&mut self) {
        self.message.blocks.extend(self.open.take().map(|(block, _)| block));
    }

    /// A fence counts if it holds nothing but forms.
    fn fenced(&mut self, lines: &[&str]) {
        self.close();
        let mut inner = Self::new(true);
        for line in lines {
            inner.line(line);
        }
        let inner = inner.finish();
        if inner.rest.trim().is_empty() {
            self.message.blocks.extend(inner.blocks);
        } else {
            for line in lines {
                self.rest(line);
            }
        }
        self.before = Before::Break;
    }

    fn line(&mut self, line: &str) {
        if is_blank(line) {
            self.before = Before::Break;
            return;
        }
        match label(line, self.is_fenced) {
            Some((Label::File, value)) if self.before != Before::Text => self.file(value),
            Some((label, value)) if self.open.is_some() => self.part(label, &value),
            _ => return self.other(line),
        }
        self.is_headed = is_heading(line);
        self.ends_in_form = true;
        self.before = Before::Form;
    }

    /// FILE begins a form. Several in a row are one form for several files.
    fn file(&mut self, value: String) {
        if let Some((block, Label::File)) = &mut self.open {
            append(&mut block.file, &value);
        } else {
            self.close();
            self.open = Some((Block { file: value, ..Block::default() }, Label::File));
        }
    }

    fn part(&mut self, label: Label, value: &str) {
        let Some((block, last)) = &mut self.open else { return };
        *last = label;
        append(block.value(label), value);
    }

    /// A line without a label goes on with the value above it: with text that is wrapped, and with a list or an empty value's line.
    fn other(&mut self, line: &str) {
        if let Some((block, label)) = &mut self.open {
            let is_attached = self.before == Before::Form;
            let is_text = matches!(label, Label::Changes | Label::Goal);
            let value = block.value(*label);
            let is_empty = value.is_empty();
            let is_listed = is_item(line) || line.starts_with([' ', '\t']);
            if is_attached && (is_text || is_empty || is_listed)
                || is_empty && (self.is_headed || is_item(line))
            {
                append(value, line);
                block.has_strange_lines |= line.contains(": ");
                self.before = Before::Form;
                return;
            }
        }
        self.close();
        self.rest(line);
        self.before = if is_heading(line) || is_item(line) { Before::Break } else { Before::Text };
    }
}

impl Block {
    fn value(&mut self, label: Label) -> &mut String {
        match label {
            Label::File => &mut self.file,
            Label::Changes => self.changes.get_or_insert_default(),
            Label::Goal => self.goal.get_or_insert_default(),
            Label::Test => self.test.get_or_insert_default(),
        }
    }
}

fn append(value: &mut String, line: &str) {
    if !value.is_empty() {
        value.push('\n');
    }
    value.push_str(line.trim());
}

/// Nothing, or a rule across the page.
fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || (line.len() >= 3 && line.chars().all(|char| "-=*_".contains(char)))
}

/// `# Heading`, or a line that is bold from end to end.
fn is_heading(line: &str) -> bool {
    let line = without_bullet(line.trim());
    line.starts_with('#') || undecorated(line).len() + 4 <= line.len()
}

fn is_item(line: &str) -> bool {
    without_bullet(line.trim()).len() < line.trim().len()
}

/// The label of a line and the value behind it.
fn label(line: &str, is_fenced: bool) -> Option<(Label, String)> {
    let line = line.trim();
    let bare = undecorated_start(line, is_fenced);
    let end = bare.find(|char: char| !char.is_ascii_alphabetic()).unwrap_or(bare.len());
    let label = named(&bare[..end])?;
    let after = bare[end..].trim_start_matches(MARKS).trim_start();
    let Some(value) = after.strip_prefix(':') else {
        return (is_heading(line) && after.is_empty()).then(|| (label, String::new()));
    };
    let opened = &line[..line.len() - bare.len()];
    Some((label, closed(value.trim(), opened).to_owned()))
}

const MARKS: [char; 3] = ['*', '_', '`'];

/// Without bullets, numbers, and the marks that open a heading, bold text or code.
fn undecorated_start(line: &str, is_fenced: bool) -> &str {
    let rest = if is_fenced { line } else { line.trim_start_matches('#').trim_start() };
    let rest = without_bullet(rest).trim_start_matches(MARKS);
    if rest.len() < line.len() { undecorated_start(rest, is_fenced) } else { rest }
}

/// The value without the marks that close what was opened before its label.
fn closed<'a>(value: &'a str, opened: &str) -> &'a str {
    let marks = ["**", "__", "`", "*"].iter().filter(|mark| opened.contains(**mark));
    let value = marks.fold(value, |value, mark| {
        let value =
            value.strip_prefix(mark).filter(|rest| rest.matches(mark).count() % 2 == 0).unwrap_or(value);
        if value.matches(mark).count() % 2 == 1 { value.strip_suffix(mark).unwrap_or(value) } else { value }
    });
    value.trim()
}

/// `FILE` and `FILES`, in any case.
fn named(word: &str) -> Option<Label> {
    let word = word.to_ascii_uppercase();
    match word.strip_suffix('S').unwrap_or(&word) {
        "FILE" => Some(Label::File),
        "CHANGE" => Some(Label::Changes),
        "GOAL" => Some(Label::Goal),
        "TEST" => Some(Label::Test),
        _ => None,
    }
}

/// Without `-`, `*`, `+`, `•`, `1.` or `1)`.
fn without_bullet(line: &str) -> &str {
    let digits = line.len() - line.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    let mark = if digits > 0 {
        line[digits..].strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+', '•'])
    };
    mark.and_then(|rest| rest.strip_prefix([' ', '\t'])).map_or(line, str::trim_start)
}
