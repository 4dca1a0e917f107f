//! Finds the forms in a message: lines that begin with a label. Marks before a label (bold, bullets, numbers, headings, check
//! boxes, a table's bar) and a code fence around a form are decoration; a quotation (`>`) is not.

/// A form as it stands in a message. `None`: the label is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) file: Option<String>,
    pub(super) changes: Option<String>,
    pub(super) goal: Option<String>,
    pub(super) test: Option<String>,
    /// A line with a label that is none of ours.
    pub(super) has_other_labels: bool,
}

/// A message: its forms, and everything else.
#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) blocks: Vec<Block>,
    pub(super) rest: String,
    /// The message ends in a question, after its last form.
    pub(super) asks: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    File,
    Changes,
    Goal,
    Test,
}

#[derive(Default)]
struct Reader {
    message: Message,
    /// The form that is being read, with its last label.
    open: Option<(Block, Label)>,
    /// The line before belongs to the open form.
    is_attached: bool,
    /// The text directly above announces an example.
    is_example: bool,
    is_fenced: bool,
}

pub(super) fn read(text: &str) -> Message {
    let mut reader = Reader::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        match fence(line) {
            Some(mark) => reader.fenced(&inside(&mut lines, mark)),
            None => reader.line(line),
        }
    }
    reader.close();
    let last = text.trim_end().lines().last().unwrap_or_default();
    let is_question = last.trim_end_matches(['*', '_']).ends_with('?');
    let asks = is_question && reader.message.rest.trim_end().ends_with(last);
    Message { asks, ..reader.message }
}

/// The mark that opens a fence.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(sign).len();
    (length >= 3 && !line[length..].contains(sign)).then(|| &line[..length])
}

/// The lines up to the fence's end.
fn inside<'a>(lines: &mut impl Iterator<Item = &'a str>, mark: &str) -> Vec<&'a str> {
    let ends = |line: &str| line.starts_with(mark) && line.trim_start_matches(&mark[..1]).trim().is_empty();
    lines.take_while(|line| !ends(line.trim_start())).collect()
}

impl Reader {
    /// Keeps what was read, if it has a FILE.
    fn close(&mut self) {
        let block = self.open.take().map(|(block, _)| block);
        self.message.blocks.extend(block.filter(|block| block.file.is_some()));
    }

    fn rest(&mut self, line: &str) {
        self.message.rest.push_str(line);
        self.message.rest.push('\n');
    }

    /// A fence counts if it holds nothing but forms.
    fn fenced(&mut self, lines: &[&str]) {
        self.close();
        let mut inner = Self { is_fenced: true, ..Self::default() };
        for line in lines {
            inner.line(line);
        }
        inner.close();
        if inner.message.rest.trim().is_empty() && !self.is_example {
            self.message.blocks.extend(inner.message.blocks);
        } else {
            for line in lines {
                self.rest(line);
            }
        }
        self.is_attached = false;
    }

    fn line(&mut self, line: &str) {
        if is_blank(line) {
            self.is_attached = false;
            self.is_example = false;
            // Labels before FILE stand directly above it.
            self.open.take_if(|(block, _)| block.file.is_none());
        } else if let Some((label, value)) = label(line, self.is_fenced).filter(|_| !self.is_example) {
            self.labelled(label, &value);
        } else {
            self.unlabelled(line);
        }
    }

    /// A label that the form has already begins the next form. FILE in several lines in a row is one FILE.
    fn labelled(&mut self, label: Label, value: &str) {
        let is_next = self.open.as_mut().is_some_and(|(block, last)| {
            let there = block.part(label);
            if label == Label::File {
                there.is_some() && *last != label
            } else {
                there.as_ref().is_some_and(|text| !text.is_empty())
            }
        });
        if is_next {
            self.close();
        }
        let (block, last) = self.open.get_or_insert_with(|| (Block::default(), label));
        *last = label;
        append(block.part(label), value);
        self.is_attached = true;
    }

    /// A line without a label goes on with the value above it: wrapped text, a list, or the value of a label that stands alone.
    fn unlabelled(&mut self, line: &str) {
        if let Some((block, label)) = &mut self.open {
            let is_text = matches!(label, Label::Changes | Label::Goal);
            let value = block.part(*label);
            let is_empty = value.as_ref().is_none_or(String::is_empty);
            let is_listed = is_text || is_item(line) || line.starts_with([' ', '\t']);
            if is_empty || (self.is_attached && is_listed) {
                append(value, line);
                block.has_other_labels |= line.contains(": ");
                self.is_attached = true;
                return;
            }
        }
        self.close();
        self.rest(line);
        self.is_example |= line.to_ascii_lowercase().contains("example");
    }
}

impl Block {
    const fn part(&mut self, label: Label) -> &mut Option<String> {
        match label {
            Label::File => &mut self.file,
            Label::Changes => &mut self.changes,
            Label::Goal => &mut self.goal,
            Label::Test => &mut self.test,
        }
    }
}

fn append(value: &mut Option<String>, line: &str) {
    let value = value.get_or_insert_default();
    if !value.is_empty() {
        value.push('\n');
    }
    value.push_str(line.trim());
}

/// Nothing, or a rule across the page.
fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || (line.len() >= 3 && line.chars().all(|char| "-=*_|: ".contains(char)))
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit() || "-*+•.)".contains(char));
    rest.len() < line.len() && rest.starts_with([' ', '\t'])
}

/// The label of a line and the value behind it. A heading or bold line may be the label alone.
fn label(line: &str, is_fenced: bool) -> Option<(Label, String)> {
    let bare = line.trim_start_matches(|char| is_decoration(char, is_fenced));
    let end = bare.find(|char: char| !char.is_ascii_alphabetic()).unwrap_or(bare.len());
    let label = named(&bare[..end])?;
    let opened = &line.trim_start()[..line.trim_start().len() - bare.len()];
    let after = bare[end..].trim_start_matches(['*', '_', '`', ' ']);
    let colon = if opened.starts_with('|') { '|' } else { ':' };
    match after.strip_prefix([colon, ':', '\u{ff1a}']) {
        Some(value) => Some((label, closed(value.trim().trim_end_matches(['|', ' '])).to_owned())),
        None => (opened.contains(['#', '*']) && after.is_empty()).then(|| (label, String::new())),
    }
}

/// A sign before a label that says nothing: neither a letter nor the mark of a quotation or of a comment in code.
fn is_decoration(char: char, is_fenced: bool) -> bool {
    let is_mark = !char.is_alphabetic() && !">\"'“„«/<({;".contains(char);
    is_mark && !(is_fenced && char == '#')
}

/// The value without a mark that was opened before it, or before its label.
fn closed(value: &str) -> &str {
    ["**", "__", "`", "*"].iter().fold(value, |value, mark| {
        let is_odd = value.matches(mark).count() % 2 == 1;
        let bare = value.strip_prefix(mark).or_else(|| value.strip_suffix(mark));
        bare.filter(|_| is_odd).unwrap_or(value).trim()
    })
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
