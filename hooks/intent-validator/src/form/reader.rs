//! Finds the forms in a message: lines that begin with a label. Marks before a label (bold, bullets, numbers, headings, check
//! boxes, a table's bar) and code fences are decoration; a quotation (`>`) and a comment in code are not.

use super::{Form, LABELS, Part};

/// A message: its forms, and everything else.
#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) forms: Vec<Form>,
    pub(super) rest: String,
    /// The message ends in a question, after its last form.
    pub(super) asks: bool,
}

#[derive(Default)]
struct Reader {
    message: Message,
    /// The form that is being read, with its last label.
    open: Option<(Form, Part)>,
    is_attached: bool,
    /// The text directly above announces an example.
    is_example: bool,
    is_fenced: bool,
}

pub(super) fn read(text: &str) -> Message {
    let mut reader = Reader::default();
    text.lines().for_each(|line| reader.line(line));
    reader.close();
    let last = text.trim_end().lines().last().unwrap_or_default();
    let is_question = last.trim_end_matches(['*', '_']).ends_with('?');
    let asks = is_question && reader.message.rest.trim_end().ends_with(last);
    Message { asks, ..reader.message }
}

impl Reader {
    fn close(&mut self) {
        let form = self.open.take().map(|(form, _)| form);
        self.message.forms.extend(form.filter(|form| form.has(Part::File)));
    }

    fn rest(&mut self, line: &str) {
        self.message.rest.push_str(line);
        self.message.rest.push('\n');
    }

    fn line(&mut self, line: &str) {
        if ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence)) {
            self.close();
            self.is_attached = false;
            self.is_fenced = !self.is_fenced;
        } else if is_blank(line) {
            self.is_attached = false;
            self.is_example = false;
            // Labels before FILE stand directly above it.
            self.open.take_if(|(form, _)| !form.has(Part::File));
        } else if let Some((label, value)) = label(line, self.is_fenced).filter(|_| !self.is_example) {
            self.labelled(label, &value);
        } else {
            self.unlabelled(line);
        }
    }

    fn labelled(&mut self, part: Part, value: &str) {
        let is_next = self.open.as_ref().is_some_and(|(form, last)| {
            if part == Part::File { form.has(part) && *last != part } else { !form.text(part).is_empty() }
        });
        if is_next {
            self.close();
        }
        let (form, last) = self.open.get_or_insert_with(|| (Form::default(), part));
        *last = part;
        form.append(part, value);
        self.is_attached = true;
    }

    /// A line without a label goes on with the value above it: wrapped text, a list, or the value of a label that stands alone.
    fn unlabelled(&mut self, line: &str) {
        if let Some((form, part)) = &mut self.open {
            let is_text = matches!(part, Part::Changes | Part::Goal);
            let is_listed = is_text || !line.starts_with(char::is_alphabetic);
            if form.text(*part).is_empty() || self.is_attached && is_listed {
                form.append(*part, line);
                form.has_other_labels |= line.contains(": ");
                self.is_attached = true;
                return;
            }
        }
        self.close();
        self.rest(line);
        self.is_example |= line.to_ascii_lowercase().contains("example");
    }
}

/// Nothing, or a rule across the page.
fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || (line.len() >= 3 && line.chars().all(|char| "-=*_|: ".contains(char)))
}

/// The label of a line and the value behind it. A heading or bold line may be the label alone.
fn label(line: &str, is_fenced: bool) -> Option<(Part, String)> {
    let bare = line.trim_start_matches(|char| is_decoration(char, is_fenced));
    let end = bare.find(|char: char| !char.is_ascii_alphabetic()).unwrap_or(bare.len());
    let label = named(&bare[..end])?;
    let opened = &line.trim_start()[..line.trim_start().len() - bare.len()];
    let after = bare[end..].trim_start_matches(['*', '_', '`', ' ']);
    let colon = if opened.starts_with('|') { '|' } else { ':' };
    // Only those that were opened: a path may begin with such a mark.
    let marks = &opened[opened.trim_end_matches('_').len()..];
    match after.strip_prefix([colon, ':', '\u{ff1a}']) {
        Some(value) => {
            let value = value.strip_prefix(marks).unwrap_or(value).trim_matches(['*', '|', ' ', '\t']);
            Some((label, value.strip_suffix(marks).unwrap_or(value).to_owned()))
        }
        None => (opened.contains(['#', '*']) && after.is_empty()).then(|| (label, String::new())),
    }
}

/// A sign before a label that says nothing: neither a letter nor the mark of a quotation or of a comment in code.
fn is_decoration(char: char, is_fenced: bool) -> bool {
    let is_mark = !char.is_alphabetic() && !">\"'“„«/<({;".contains(char);
    is_mark && !(is_fenced && char == '#')
}

/// `FILE` and `FILES`, `CHANGE` and `CHANGES`, in any case.
fn named(word: &str) -> Option<Part> {
    let word = word.to_ascii_uppercase();
    let singular = |word: &str| word.strip_suffix('S').unwrap_or(word).to_owned();
    LABELS.iter().find(|(label, _)| singular(label) == singular(&word)).map(|(_, part)| *part)
}
