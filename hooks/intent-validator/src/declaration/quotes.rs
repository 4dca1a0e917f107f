//! Quotes: where they stand, whether the user said it, and whether that permits to go without a test.

use super::dispensing::{
    AGREEING, BESIDE, DISPENSING, DISPENSING_WITHIN, FORBIDDING, TAGS, TURNING, WEIGHING,
};
use super::text::{self, find_phrase, has_any};

/// So many quotes of one message are looked up.
pub(super) const MOST: usize = 16;

/// A longer passage is no quote, in bytes.
const LONGEST: usize = 600;

/// A passage in quotation marks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage<'a> {
    /// What stands between the marks.
    pub(super) text: &'a str,
}

/// What becomes of a quote that is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// The user said it, and it permits.
    Permits,
    /// The user said it, but what it permits is not certain.
    Doubtful,
    /// The user said it, about something else: nothing in that message lets anything go, or agrees to anything.
    Beside,
    /// The user did not say it.
    NotFound,
}

/// Words for tests.
const OF_TESTS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "tested",
    "tdd",
    "spec",
    "specs",
    "unittest",
    "unittests",
    "testen",
    "prueba",
    "pruebas",
    "teste",
    "testes",
    "tester",
    "testar",
    "testear",
    "testare",
    "getest",
    "test-driven",
    "testfall",
    "testfälle",
    "toetsen",
];

/// Parts of words for tests where words are not set apart, or are bent.
const OF_TESTS_WITHIN: &[&str] = &["テスト", "测试", "測試", "테스트", "тест", "unit-test", "unittest"];

/// Words by which one sees that a message is in the language whose words for letting go are known best.
const ENGLISH: &[&str] =
    &["the", "and", "to", "of", "is", "it", "this", "that", "for", "you", "i", "with", "are", "please", "be"];

/// The passages of a text that stand in quotation marks of any kind, each within one line.
pub(super) fn in_text(text: &str) -> Vec<Passage<'_>> {
    text.lines().flat_map(in_line).collect()
}

fn in_line(line: &str) -> Vec<Passage<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut before = ' ';
    while let Some(c) = line.get(from..).and_then(|rest| rest.chars().next()) {
        let start = from + c.len_utf8();
        let opens = !closing(c).is_empty() && (c != '\'' || !before.is_alphanumeric());
        match opens.then(|| end_of(&line[start..], c)).flatten() {
            Some((len, mark)) => {
                found.push(Passage { text: &line[start..start + len] });
                from = start + len + mark;
            }
            None => from = start,
        }
        before = c;
    }
    found
}

/// The marks that close what `open` opens.
fn closing(open: char) -> &'static [char] {
    match open {
        '"' => &['"'],
        '`' => &['`'],
        '\'' => &['\''],
        '“' => &['”', '“'],
        '”' => &['”'],
        '„' => &['“', '”'],
        '‘' => &['’'],
        '‚' => &['‘', '’'],
        '«' => &['»'],
        '»' => &['«'],
        '‹' => &['›'],
        '「' => &['」'],
        '『' => &['』'],
        '《' => &['》'],
        '＂' => &['＂'],
        _ => &[],
    }
}

/// How long the passage is, and the mark that closes it. An apostrophe within a word closes nothing.
fn end_of(rest: &str, open: char) -> Option<(usize, usize)> {
    let marks = closing(open);
    let mut chars = rest.char_indices().take_while(|(at, _)| *at < LONGEST).peekable();
    while let Some((at, c)) = chars.next() {
        let within = matches!(c, '\'' | '’') && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if marks.contains(&c) && !within {
            return (at > 0).then(|| (at, c.len_utf8()));
        }
    }
    None
}

/// Whether a text speaks of tests.
pub(super) fn speaks_of_tests(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || "-_/.:,;()\"“”".contains(c)).map(text::plain);
    words.into_iter().any(|word| {
        OF_TESTS.contains(&word.as_str()) || OF_TESTS_WITHIN.iter().any(|part| word.contains(part))
    })
}

/// Looks a quote up in what the user said.
pub(super) fn find(quote: &str, user: &[String]) -> Quote {
    let quote = even(quote);
    let quote = quote.trim_matches(|c: char| c == '"' || c == '\'' || c.is_whitespace());
    if quote.len() > LONGEST || !is_two_words(quote) {
        return Quote::NotFound;
    }
    let mut found = Quote::NotFound;
    let mut is_taken_up = false;
    for said in user.iter().rev() {
        let said = even(said);
        for (at, _) in said.match_indices(quote).take(MOST) {
            if !is_whole(&said, at, quote.len()) {
                continue;
            }
            if !is_taken_up && permits(&said, at, quote) && !wants_beside(&said, at, quote.len()) {
                return Quote::Permits;
            }
            match found {
                Quote::Doubtful => {}
                _ if is_beside(&said) => found = Quote::Beside,
                _ => found = Quote::Doubtful,
            }
        }
        // What was said of tests later may take back what was said before.
        is_taken_up |= speaks_of_tests(&said);
    }
    found
}

/// Elsewhere in the message tests are spoken of as if they were wanted.
fn wants_beside(said: &str, at: usize, len: usize) -> bool {
    let clauses =
        [&said[..at], &said[at + len..]].into_iter().flat_map(|rest| rest.split(['.', ';', '!', '?']));
    clauses.filter(|clause| speaks_of_tests(clause)).any(|clause| {
        let words = text::words(clause);
        has_any(&words, FORBIDDING) || !dispenses(clause)
    })
}

/// A message that neither speaks of tests, nor lets anything go, nor agrees to what was asked.
fn is_beside(said: &str) -> bool {
    let words = text::words(said);
    // A shorter one may answer a question.
    words.len() > 4
        && text::is_latin(said)
        && has_any(&words, ENGLISH)
        && !speaks_of_tests(said)
        && !has_any(&words, DISPENSING)
        && !has_any(&words, AGREEING)
}

/// White space collapsed, typographic quotation marks and apostrophes made plain.
fn even(text: &str) -> String {
    let plain = |c: char| match c {
        '“' | '”' | '„' | '«' | '»' | '＂' => '"',
        '‘' | '’' | '‚' | '‹' | '›' => '\'',
        c => c,
    };
    let mut even = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !even.is_empty() {
            even.push(' ');
        }
        even.extend(word.chars().map(plain));
    }
    even
}

/// Two words; where words are not set apart, four signs.
fn is_two_words(quote: &str) -> bool {
    let is_apart = text::is_latin(quote);
    text::words(quote).len() >= 2 || (!is_apart && quote.chars().filter(|c| c.is_alphanumeric()).count() >= 4)
}

/// The quote does not begin or end within a word.
fn is_whole(said: &str, at: usize, len: usize) -> bool {
    let is_cut = |a: Option<char>, b: Option<char>| matches!((a, b), (Some(a), Some(b)) if is_spaced(a) && is_spaced(b));
    let (before, rest) = said.split_at(at);
    let (quote, after) = rest.split_at(len);
    !is_cut(before.chars().next_back(), quote.chars().next())
        && !is_cut(quote.chars().next_back(), after.chars().next())
}

/// A letter of a script that sets words apart.
fn is_spaced(c: char) -> bool {
    c.is_alphanumeric() && u32::from(c) < 0x2000
}

/// Whether what the user said permits to go without a test, where it was said.
fn permits(said: &str, at: usize, quote: &str) -> bool {
    let ends = |c: char| ".,;:!?\n—–(".contains(c);
    let before = &said[..at];
    let before = before.rfind(ends).map_or(before, |end| &before[end..]);
    let after = &said[at + quote.len()..];
    let after_len = after.find(ends).unwrap_or(after.len());
    let clause: Vec<String> = text::words(before).into_iter().chain(text::words(quote)).collect();
    let around = [text::words(before), text::words(&after[..after_len])];
    let is_turned = around.iter().any(|words| has_any(words, TURNING)) || has_any(&clause, FORBIDDING);
    let is_apart = around.iter().flatten().all(|word| lets_stand(word));
    !is_turned
        && is_apart
        && !is_weighed(said, at, quote.len())
        && !quote.ends_with('?')
        && speaks_of_tests(quote)
        && dispenses(quote)
}

/// Words of the same clause beside which a quote means what it says. Beside others it may be part of a report, or of a name.
fn lets_stand(word: &str) -> bool {
    BESIDE.contains(&word) || !text::is_latin(word)
}

/// The sentence of the user asks, tells what somebody did, or takes something out.
fn is_weighed(said: &str, at: usize, len: usize) -> bool {
    let ends = |(at, c): (usize, char), text: &str| {
        matches!(c, '!' | '?') || (c == '.' && text[at + 1..].chars().next().is_none_or(char::is_whitespace))
    };
    let before = &said[..at];
    let start = before.char_indices().rev().find(|end| ends(*end, said)).map_or(0, |(at, _)| at + 1);
    let after = &said[at + len..];
    let stop = after.char_indices().find(|end| ends(*end, after)).map(|(at, _)| at);
    let sentence = &said[start..at + len + stop.unwrap_or(after.len())];
    let is_tag = |stop: usize| text::words(&after[..stop]).iter().all(|word| TAGS.contains(&word.as_str()));
    let is_asked = stop.is_some_and(|stop| {
        after[stop..].starts_with('?') && !(after[..stop].starts_with(',') && is_tag(stop))
    });
    is_asked || has_any(&text::words(sentence), WEIGHING)
}

fn dispenses(quote: &str) -> bool {
    let words = text::words(quote);
    let turned = [
        "fail", "fails", "failing", "failed", "break", "breaks", "broken", "missing", "pass", "passes",
        "red", "why", "if", "unless",
    ];
    let is_let_go = has_any(&words, DISPENSING) || DISPENSING_WITHIN.iter().any(|part| quote.contains(part));
    is_let_go && turned.iter().all(|word| find_phrase(&words, word, 0).is_none())
}
