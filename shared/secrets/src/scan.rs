//! One pass over a text, from left to right. What is found is replaced and not looked at again; what is not moves the pass
//! on by at least one byte, and whoever looks far ahead remembers how far it looked.

use std::ops::Range;

use super::bytes::{Escape, end_of, escape, from, is_word};
use super::login::Logins;
use super::named::{self, Line};
use super::pem::Keys;
use super::random::Runs;
use super::{Found, mask_len, tokens};

/// The text without what was found; `None` where nothing was.
pub(super) fn pass(text: &str) -> Option<String> {
    let mut scan = Scan {
        text,
        bytes: text.as_bytes(),
        at: 0,
        copied: 0,
        clean: String::new(),
        line: Line::default(),
        logins: Logins::default(),
        keys: Keys::default(),
        runs: Runs::default(),
    };
    while scan.at < text.len() {
        scan.step();
    }
    scan.finish()
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// Here it is.
    at: usize,
    /// The text up to here is in `clean`.
    copied: usize,
    clean: String,
    line: Line,
    logins: Logins,
    keys: Keys,
    runs: Runs,
}

impl Scan<'_> {
    fn step(&mut self) {
        match self.bytes[self.at] {
            b'-' => self.dash(),
            byte if is_word(byte) => self.word(),
            b':' => {
                let found = self.logins.find(self.bytes, self.at);
                self.mask_or_pass(found, self.at + 1);
            }
            b'[' => self.at += mask_len(from(self.bytes, self.at)).unwrap_or(1),
            b'\\' | b'%' | 0x1b => self.escape(),
            b'\n' | b';' | b'|' | b'&' => {
                self.line = Line::default();
                self.at += 1;
            }
            _ => self.at += 1,
        }
    }

    /// A private key, or an option whose value is a password.
    fn dash(&mut self) {
        let key = self.keys.find(self.bytes, self.at);
        let found = key.or_else(|| self.line.option(self.bytes, self.at));
        self.mask_or_pass(found, self.at + 1);
    }

    fn word(&mut self) {
        let word = self.at..end_of(self.bytes, self.at, is_word);
        let found = self.secret(&word);
        self.line.note(&self.bytes[word.clone()]);
        self.mask_or_pass(found, word.end);
    }

    fn secret(&mut self, word: &Range<usize>) -> Option<Found> {
        tokens::find(self.bytes, word)
            .or_else(|| named::find(self.bytes, word, &self.line))
            .or_else(|| self.runs.find(self.bytes, word))
    }

    fn escape(&mut self) {
        let Escape { length, slashes, is_break } = escape(from(self.bytes, self.at));
        let (letter, next) = (self.at + slashes, self.at + length);
        // After an even number of backslashes the letter may be the first of a word: `C:\\token=`.
        let is_either = slashes > 0 && slashes % 2 == 0 && next > letter;
        let whole = letter..end_of(self.bytes, letter, is_word);
        let found = if is_either { self.secret(&whole) } else { None };
        if is_break && found.is_none() {
            self.line = Line::default();
        }
        self.mask_or_pass(found, next);
    }

    fn mask_or_pass(&mut self, found: Option<Found>, next: usize) {
        match found {
            Some(Found { place, kind }) => self.mask(place, kind),
            None => self.at = next,
        }
    }

    fn mask(&mut self, place: Range<usize>, kind: &str) {
        self.clean.push_str(self.text.get(self.copied..place.start).unwrap_or_default());
        self.clean.push_str("[masked");
        if !kind.is_empty() {
            self.clean.push_str(": ");
            self.clean.push_str(kind);
        }
        self.clean.push(']');
        self.at = place.end;
        self.copied = place.end;
    }

    fn finish(mut self) -> Option<String> {
        if self.copied == 0 {
            return None;
        }
        self.clean.push_str(self.text.get(self.copied..).unwrap_or_default());
        Some(self.clean)
    }
}
