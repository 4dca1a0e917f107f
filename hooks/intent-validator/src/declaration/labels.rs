//! Labelled lines: `FILE:`, `CHANGES:`, `GOAL:`, `TEST:`, `USER PERMISSION:`, in the spellings and languages people use.

use super::naming::{self, Named};
use super::text::{self, has_any};
use super::{values, vocabulary};

/// A part that a label announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    File,
    Changes,
    Goal,
    Test,
    Permission,
    /// `Intent`: the file, where its value names one.
    Intent,
}

/// What is declared for one file, or for several at once.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) file: Option<String>,
    pub(super) changes: Option<String>,
    pub(super) goal: Option<String>,
    pub(super) test: Option<String>,
    pub(super) permission: Option<String>,
    /// What leads to it makes one doubt whether it is meant.
    pub(super) is_doubtful: bool,
    /// It is an item of a list of files.
    pub(super) is_item: bool,
}

impl Block {
    fn slot(&mut self, part: Part) -> &mut Option<String> {
        match part {
            Part::File | Part::Intent => &mut self.file,
            Part::Changes => &mut self.changes,
            Part::Goal => &mut self.goal,
            Part::Test => &mut self.test,
            Part::Permission => &mut self.permission,
        }
    }

    /// It has a file, changes and a goal.
    pub(super) fn is_whole(&self) -> bool {
        [&self.file, &self.changes, &self.goal]
            .iter()
            .all(|part| part.as_deref().is_some_and(|part| !values::is_empty(part)))
    }
}

/// What a text declares in labelled lines, and what else it says.
#[derive(Debug, Default)]
pub(super) struct Labelled {
    pub(super) blocks: Vec<Block>,
    pub(super) rest: String,
}

/// Reads labelled lines; where they make no whole declaration, labels within lines too.
pub(super) fn read(prose: &str, file: &str) -> Labelled {
    let by_lines = read_lines(prose, file);
    if by_lines.blocks.iter().any(Block::is_whole) {
        return by_lines;
    }
    read_lines(&break_before_labels(prose), file)
}

/// How a line stands to a label.
struct Line<'a> {
    part: Part,
    value: &'a str,
    /// Its value may come after an empty line.
    is_heading: bool,
    is_item: bool,
}

fn read_lines(prose: &str, file: &str) -> Labelled {
    let mut reader = Reader::default();
    for line in prose.lines() {
        match labelled(line) {
            Some(line) => reader.take(&line),
            None => reader.take_other(line, file),
        }
    }
    let mut found = Labelled { blocks: reader.blocks, rest: reader.rest };
    share_with_items(&mut found.blocks);
    found
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    rest: String,
    /// The part that the next line may go on with.
    open: Option<Open>,
}

struct Open {
    part: Part,
    is_heading: bool,
    is_item: bool,
}

impl Reader {
    fn take(&mut self, line: &Line<'_>) {
        let starts = match self.blocks.last() {
            None => true,
            Some(last) => matches!(line.part, Part::File | Part::Intent) && last.file.is_some(),
        };
        if starts {
            let declares = matches!(line.part, Part::File | Part::Changes | Part::Intent);
            let is_doubtful = declares && self.is_led_to_doubtfully();
            self.blocks.push(Block { is_doubtful, ..Block::default() });
        }
        self.add(line.part, line.value);
        self.open = Some(Open { part: line.part, is_heading: line.is_heading, is_item: line.is_item });
    }

    fn add(&mut self, part: Part, value: &str) {
        let Some(slot) = self.blocks.last_mut().map(|block| block.slot(part)) else { return };
        let value = value.trim();
        match slot {
            Some(there) if !there.is_empty() && !value.is_empty() => {
                there.push_str("; ");
                there.push_str(value);
            }
            Some(there) => there.push_str(value),
            None => *slot = Some(value.to_owned()),
        }
    }

    fn take_other(&mut self, line: &str, file: &str) {
        if self.goes_on(line) {
            return;
        }
        self.open = None;
        if let Some((path, changes)) = item(line, file).filter(|_| self.lists_files()) {
            self.blocks.push(Block {
                file: Some(path.to_owned()),
                changes: Some(changes.to_owned()),
                is_item: true,
                ..Block::default()
            });
            return;
        }
        self.rest.push_str(line);
        self.rest.push('\n');
    }

    /// Whether the line belongs to the value of the label before it.
    fn goes_on(&mut self, line: &str) -> bool {
        let Some(open) = &self.open else { return false };
        let part = open.part;
        let is_empty =
            self.blocks.last_mut().is_some_and(|block| block.slot(part).as_deref().is_none_or(str::is_empty));
        let bare = line.trim();
        if bare.is_empty() {
            return is_empty && open.is_heading;
        }
        let is_listed = bare.starts_with(['-', '*', '•', '+']) || text::is_numbered(bare);
        let is_indented = line.starts_with("  ") || line.starts_with('\t');
        let belongs = is_empty || is_indented || (is_listed && !open.is_item);
        if belongs {
            self.add(part, bare.trim_start_matches(['-', '*', '•', '+']));
        }
        belongs
    }

    /// What stood last before the first label makes one doubt whether it is meant.
    fn is_led_to_doubtfully(&self) -> bool {
        let last = self.rest.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let last = text::sentences(last).into_iter().next_back().unwrap_or_default();
        last.ends_with('?') || has_any(&text::words(last), vocabulary::LEADS_TO_DOUBT)
    }

    /// The line before says that a list of edits follows.
    fn lists_files(&self) -> bool {
        if self.blocks.last().is_some_and(|block| block.is_item) {
            return true;
        }
        let last = self.rest.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let words = text::words(last);
        self.blocks.is_empty()
            && last.trim_end().ends_with(':')
            && has_any(
                &words,
                &["edit", "edits", "change", "changes", "modify", "update", "touch", "editing", "changing"],
            )
            && !has_any(&words, vocabulary::LEADS_TO_DOUBT)
    }
}

/// The goal, test and permission behind a list of files hold for all of them.
fn share_with_items(blocks: &mut [Block]) {
    let Some(last) = blocks.iter().rposition(|block| block.is_item) else { return };
    let shared = (blocks[last].goal.clone(), blocks[last].test.clone(), blocks[last].permission.clone());
    for block in blocks.iter_mut().filter(|block| block.is_item) {
        block.goal = block.goal.take().or_else(|| shared.0.clone());
        block.test = block.test.take().or_else(|| shared.1.clone());
        block.permission = block.permission.take().or_else(|| shared.2.clone());
    }
}

/// An item of a list that names a file and says what happens to it.
fn item<'a>(line: &'a str, file: &str) -> Option<(&'a str, &'a str)> {
    let bare = line.trim_start();
    let listed = lead(bare);
    let (path, changes) = listed.split_once(": ").filter(|_| listed.len() < bare.len())?;
    let is_file = !path.contains(' ') && naming::word(path, file) != Named::None;
    (is_file && !changes.trim().is_empty()).then_some((path, changes))
}

/// A line without the marks of lists and headings before it.
fn lead(line: &str) -> &str {
    let mut line = line.trim();
    if text::is_numbered(line) {
        line = line.trim_start_matches(|c: char| c.is_ascii_digit())[1..].trim_start();
    }
    loop {
        let next = ["- ", "* ", "+ ", "• ", "– ", "#", "[ ] ", "[x] "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark));
        match next {
            Some(rest) => line = rest.trim_start(),
            None => return line,
        }
    }
}

fn labelled(line: &str) -> Option<Line<'_>> {
    let bare = line.trim();
    if let Some(row) = bare.strip_prefix('|') {
        let (label, value) = row.trim_end_matches('|').split_once('|')?;
        let part = part_of(label)?;
        return Some(Line { part, value: value.trim(), is_heading: false, is_item: false });
    }
    let led = lead(bare);
    let is_item = led.len() < bare.len() && !bare.starts_with('#');
    for mark in [":", "：", " - ", " – ", " — "] {
        let Some((label, value)) = led.split_once(mark) else { continue };
        let Some(part) = part_of(label) else { continue };
        let value = without_emphasis(label, value);
        let is_named =
            part != Part::Intent || value.split_whitespace().any(|w| naming::word(w, "") == Named::Other);
        return is_named.then_some(Line {
            part,
            value,
            is_heading: value.is_empty() && mark == ":" && is_bold(label),
            is_item,
        });
    }
    let is_heading = bare.starts_with('#') || (is_bold(led) && led.ends_with('*'));
    let part = part_of(led).filter(|part| is_heading && *part != Part::Intent)?;
    Some(Line { part, value: "", is_heading, is_item })
}

fn is_bold(label: &str) -> bool {
    label.trim_start().starts_with(['*', '_'])
}

/// The value without the mark that closes the label's emphasis, and without the bar that separates it from the next.
fn without_emphasis<'a>(label: &str, value: &'a str) -> &'a str {
    let opened = label.trim_start();
    let marks = &opened[..opened.len() - opened.trim_start_matches(['*', '_', '`']).len()];
    let is_closed = !marks.is_empty() && opened.len() > marks.len() && opened.trim_end().ends_with(marks);
    let value = value.trim();
    let value = if is_closed { value } else { value.strip_prefix(marks).unwrap_or(value).trim_start() };
    value.trim_end_matches([' ', '|'])
}

/// The part a label stands for.
fn part_of(label: &str) -> Option<Part> {
    if label.len() > 80 {
        return None;
    }
    let label = label.trim().trim_matches(['*', '_', '`', '#', ' ']);
    let label = label.strip_suffix("(s)").unwrap_or(label);
    let words = text::words(label);
    let label = words.join(" ");
    vocabulary::LABELS
        .iter()
        .find_map(|(part, labels)| labels.contains(&label.as_str()).then_some(*part))
        .or_else(|| is_permission(&label, words.len()).then_some(Part::Permission))
}

fn is_permission(label: &str, words: usize) -> bool {
    words <= 9 && vocabulary::PERMISSION.iter().any(|word| label.contains(word))
}

/// The text with a line break before each label that stands within a line.
fn break_before_labels(prose: &str) -> String {
    let mut broken = String::with_capacity(prose.len() + 16);
    for line in prose.lines() {
        let mut from = 0;
        if !line.trim_start().starts_with('|') {
            for (at, _) in line.match_indices([':', '：']) {
                if let Some(start) = label_before(line, from, at) {
                    broken.push_str(&line[from..start]);
                    broken.push('\n');
                    from = start;
                }
            }
        }
        broken.push_str(&line[from..]);
        broken.push('\n');
    }
    broken
}

/// Where the label starts that ends at `at`, if one does, behind a mark that separates.
fn label_before(line: &str, from: usize, at: usize) -> Option<usize> {
    // A label is short: further back nothing is looked for, so that a line of colons costs no more than its length.
    let near = (at.saturating_sub(100)..=at).find(|near| line.is_char_boundary(*near)).unwrap_or(at);
    let from = from.max(near);
    let before = &line[from..at];
    let is_mark = |c: char| "|;.,。；、".contains(c);
    let mark = before.rfind(is_mark).filter(|mark| before.len() - mark <= 80)?;
    let mark_len = before[mark..].chars().next().map_or(0, char::len_utf8);
    let label = &before[mark + mark_len..];
    let is_apart = label.starts_with(' ') || mark_len > 1;
    let starts_large =
        !label.trim_start_matches([' ', '*', '_', '`']).starts_with(|c: char| c.is_lowercase());
    (is_apart && starts_large && part_of(label).is_some()).then_some(from + mark + mark_len)
}
