//! A message taken apart: prose, what stands in fences, what is quoted with `>`; sentences and words.

/// A message without what is no prose.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// The prose, line by line as it was written.
    pub(super) prose: String,
    /// What stands behind `>`, one passage after the other.
    pub(super) quoted: Vec<String>,
    /// What stands in code fences that name no language of programming.
    pub(super) fences: Vec<String>,
}

/// So much of a message is read, from its end, in bytes.
pub(super) const READ: usize = 16 * 1024;

/// The end of a message, from the beginning of a line that stands in no fence; nothing where there is none.
pub(super) fn tail(text: &str) -> &str {
    if text.len() <= READ {
        return text;
    }
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if fence.is_none() && at + READ >= text.len() {
            return &text[at..];
        }
        let bare = line.trim_start();
        match (fence_mark(bare), fence) {
            (Some(mark), None) => fence = Some(mark),
            (Some(mark), Some(opened)) if closes(bare, mark, opened) => fence = None,
            _ => {}
        }
        at += line.len();
    }
    ""
}

/// Whether a line that starts with `mark` closes what `opened` opened.
fn closes(bare: &str, mark: &str, opened: &str) -> bool {
    mark.starts_with(opened) && bare.trim_end().len() == mark.len()
}

/// Takes a message apart. A fence that is never closed goes to the end.
pub(super) fn take_apart(text: &str) -> Message {
    let mut message = Message::default();
    let mut fence: Option<(&str, Option<String>)> = None;
    let mut was_quoted = false;
    for line in text.lines() {
        let bare = line.trim_start();
        let mark = fence_mark(bare);
        if let Some((opened_with, body)) = &mut fence {
            if mark.is_some_and(|mark| closes(bare, mark, opened_with)) {
                message.fences.extend(body.take());
                fence = None;
            } else if let Some(body) = body {
                body.push_str(line);
                body.push('\n');
            }
            continue;
        }
        if let Some(mark) = mark {
            let language = bare[mark.len()..].trim();
            fence =
                Some((mark, matches!(language, "" | "text" | "txt" | "md" | "markdown").then(String::new)));
            message.prose.push('\n');
            was_quoted = false;
            continue;
        }
        if let Some(passage) = bare.strip_prefix('>') {
            keep_quoted(&mut message.quoted, passage, was_quoted);
            was_quoted = true;
            message.prose.push('\n');
            continue;
        }
        was_quoted = false;
        message.prose.push_str(line);
        message.prose.push('\n');
    }
    message
}

fn keep_quoted(quoted: &mut Vec<String>, passage: &str, goes_on: bool) {
    let passage = passage.trim();
    match quoted.last_mut().filter(|_| goes_on) {
        Some(last) => {
            last.push(' ');
            last.push_str(passage);
        }
        None => quoted.push(passage.to_owned()),
    }
}

/// The marks that open or close a fence at the start of a line.
fn fence_mark(line: &str) -> Option<&str> {
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let mark = &line[..line.len() - line.trim_start_matches(first).len()];
    // Three backticks around a word within one line are no fence.
    (mark.len() >= 3 && !line[mark.len()..].contains('`')).then_some(mark)
}

/// The sentences of a text, with the mark that ends them. A line break ends one where a list item or an empty line follows.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = at + c.len_utf8();
        let next = chars.peek().map(|(_, next)| *next);
        let ends = match c {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' => true,
            '\n' => starts_anew(&text[after..]),
            _ => false,
        };
        if ends {
            push_sentence(&mut found, &text[start..after]);
            start = after;
        }
    }
    push_sentence(&mut found, &text[start..]);
    found
}

fn push_sentence<'a>(found: &mut Vec<&'a str>, sentence: &'a str) {
    let sentence = sentence.trim();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence);
    }
}

fn starts_anew(rest: &str) -> bool {
    let line = rest.split('\n').next().unwrap_or_default().trim_start();
    let is_item = line.starts_with(['-', '*', '+', '•', '#', '|']);
    is_item || line.trim_end().is_empty() || is_numbered(line)
}

/// A line that starts with `1.` or `2)`.
pub(super) fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len()
        && line.len() - rest.len() <= 3
        && rest.starts_with([')', '.'])
        && rest[1..].starts_with(' ')
}

/// A word as it is compared: small, one kind of apostrophe, without the marks around it.
pub(super) fn plain(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    word.chars().map(|c| if c == '’' { '\'' } else { c }).flat_map(char::to_lowercase).collect()
}

/// The words of a text, each as it is compared.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect()
}

/// Where `phrase` (words with one space between) stands in `words`, from `from` on.
pub(super) fn find_phrase(words: &[String], phrase: &str, from: usize) -> Option<usize> {
    // The first word alone settles most places.
    let (first, rest) = phrase.split_once(' ').map_or((phrase, None), |(first, rest)| (first, Some(rest)));
    let goes_on = |at: usize| {
        rest.is_none_or(|rest| {
            rest.split(' ').zip(at + 1..).all(|(word, at)| words.get(at).is_some_and(|w| w == word))
        })
    };
    (from..words.len()).find(|at| words[*at] == first && goes_on(*at))
}

/// Whether one of the phrases stands in `words`.
pub(super) fn has_any(words: &[String], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| find_phrase(words, phrase, 0).is_some())
}

/// Most of its letters are Latin ones, so that words can be counted.
pub(super) fn is_latin(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (latin, other) = letters.fold((0_usize, 0_usize), |(latin, other), c| {
        if u32::from(c) < 0x250 { (latin + 1, other) } else { (latin, other + 1) }
    });
    other * 4 <= latin
}
