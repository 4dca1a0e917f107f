//! Replaces secrets before a text is kept or given to somebody else.
//!
//! A text is read once, byte by byte, in time proportional to its length; no pattern engine, nothing to set up. It goes by
//! form alone: a known beginning, an address, a telling name. A random text without any of these is kept, and so is the password
//! on a command line that only its program knows. Where the two errors cannot both be avoided the text loses: a journal with a
//! hole is still a journal.
//!
//! Here are the keys and tokens that are known by how they begin; `named` finds the values behind a telling name.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::find as position;

mod named;

use Tail::{Digit, Dotted, Exact, Path, Plain, Word};

const MASK: &str = "[masked]";

/// A text that still changes in this pass is given up: nothing of it is kept.
const MAX_PASSES: usize = 4;

/// A user's name without a password is a token from this length on, if it has a digit.
const MIN_LOGIN_TOKEN: usize = 16;

/// The text with `[masked]`, or `[masked: kind]`, in the place of what looks like a secret; the text itself where nothing
/// does. What was masked once stays as it is: masking it again changes nothing.
///
/// Mask first and cut afterwards: of a secret that was cut in half the rest may look like nothing.
///
/// Commit ids, checksums and UUIDs are kept, although a key can be written in hexadecimal digits too: they are in every
/// other line of what is worth keeping. Behind a telling name (`secret=`) they are masked.
pub fn masked(text: &str) -> Cow<'_, str> {
    let Some(mut clean) = pass(text) else { return Cow::Borrowed(text) };
    // A mask ends words that went on before; a second look at what is left makes sure that nothing new has come of it.
    for _ in 1..MAX_PASSES {
        match pass(&clean) {
            None => return Cow::Owned(clean),
            Some(cleaner) => clean = cleaner,
        }
    }
    Cow::Borrowed(MASK)
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    place: Range<usize>,
    /// Kind in a word or two for people; empty if unknown.
    kind: &'static str,
}

/// One pass from left to right: the text without its secrets; `None`: it has none. Each look moves on by at least one byte.
fn pass(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let (mut at, mut copied, mut clean) = (0, 0, String::new());
    while at < bytes.len() {
        let (found, next) = look(bytes, at);
        at = next;
        if let Some(Found { place, kind }) = found {
            clean.push_str(text.get(copied..place.start).unwrap_or_default());
            let parts = if kind.is_empty() { [MASK, "", ""] } else { ["[masked: ", kind, "]"] };
            clean.push_str(&parts.concat());
            (at, copied) = (place.end, place.end);
        }
    }
    (copied > 0).then(|| clean + text.get(copied..).unwrap_or_default())
}

/// Finding at this place, and the place to go on where there is none.
fn look(text: &[u8], at: usize) -> (Option<Found>, usize) {
    match text[at] {
        b'-' => (private_key(text, at), at + 1),
        b':' => (login(text, at), at + 1),
        b'[' => (None, at + mask_len(&text[at..]).unwrap_or(1)),
        byte if is_word(byte) => {
            let word = at..end_of(text, at, is_word);
            (token(text, &word).or_else(|| named::find(text, &word)), word.end)
        }
        _ => (None, at + 1),
    }
}

/// `user:password@`, or a token and `@`, behind the `://` of an address. Host and path stay.
fn login(text: &[u8], colon: usize) -> Option<Found> {
    let rest = &text[colon..];
    let start = colon + [&b"://"[..], b":\\/\\/"].iter().find(|sign| rest.starts_with(sign))?.len();
    let is_host = |byte: u8| !is_space(byte) && !is_quote(byte) && !b"/?#\\<>".contains(&byte);
    let login = &text[start..end_of(text, start, is_host)];
    let login = &login[..login.iter().rposition(|byte| *byte == b'@')?];
    let is_secret = match login.iter().position(|byte| *byte == b':') {
        Some(colon) => !named::is_placeholder(&login[colon + 1..]) && mask_len(login).is_none(),
        None => login.len() >= MIN_LOGIN_TOKEN && login.iter().any(u8::is_ascii_digit),
    };
    is_secret.then(|| Found { place: start..start + login.len(), kind: "" })
}

/// How a token goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// Letters and digits.
    Plain,
    /// With `_` and `-`.
    Word,
    /// The same, with a digit near its beginning: the prefix alone could be a word's.
    Digit,
    /// With dots too.
    Dotted,
    /// Letters and digits, exactly so many.
    Exact,
    /// A path; the address before it stays.
    Path,
}

/// Tokens: how they begin, how they go on, for how many bytes at least, what they are. A beginning stands before its own beginnings.
type Shape = (&'static [&'static str], Tail, usize, &'static str);

/// How many bytes behind a prefix are looked at for a digit.
const NEAR: usize = 32;

/// Minimum length of every shape without a dot, colon or slash.
const MIN_TOKEN: usize = 12;

/// An escape sequence before a word takes so many of its first bytes at most: `u001b`, `3D`, the `31m` of a colour.
const MAX_ESCAPE: usize = 6;

#[rustfmt::skip]
const SHAPES: &[Shape] = &[
    (&["AKIA", "ASIA", "ABIA", "ACCA"], Exact, 16, "AWS key"),
    (&["ghp_", "gho_", "ghu_", "ghr_", "github_pat_"], Word, 20, "GitHub token"),
    (&["ghs_"], Dotted, 20, "GitHub token"),
    (&["glpat-", "glrt-"], Dotted, 16, "GitLab token"),
    (&["gldt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-"], Word, 16, "GitLab token"),
    (&["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xox", "xoxp-", "xoxr-", "xoxs-"], Word, 10, "Slack token"),
    (&["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/",
       "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "webhook.office.com/webhookb2/",
       "hooks.zapier.com/hooks/catch/", "api.telegram.org/bot"], Path, 10, "webhook"),
    (&["eyJ"], Dotted, 20, "JWT"),
    (&["sk_live_", "sk_test_", "rk_live_", "rk_test_"], Word, 10, "Stripe key"),
    (&["AIza"], Word, 30, "Google key"),
    (&["ya29."], Dotted, 16, "Google token"),
    (&["sk-ant-"], Word, 16, "Anthropic key"),
    (&["sk-", "tvly-"], Digit, 20, "API key"),
    (&["SG."], Dotted, 32, "API key"),
    (&["key-", "SK", "dapi"], Exact, 32, "API key"),
    (&["whsec_", "xapp-", "pypi-AgE", "tskey-"], Word, 16, "API key"),
    (&["GOCSPX-", "dckr_pat_", "hvs.", "hvb.", "sq0atp-"], Word, 20, "API key"),
    (&["1//0", "xkeysib-", "ATATT3", "ATCTT3", "figd_", "glsa_", "glc_", "PMAK-", "sntrys_", "sntryu_", "sq0csp-"],
       Word, 30, "API key"),
    (&["NRAK-"], Plain, 24, "API key"),
    (&["hf_", "npm_", "shpat_", "shpca_", "shppa_", "shpss_", "AGE-SECRET-KEY-1", "lin_api_", "nfp_"],
       Plain, 30, "API key"),
    (&["gsk_", "xai-", "pplx-", "r8_", "rubygems_", "dop_v1_", "doo_v1_", "dor_v1_", "sbp_"], Plain, 32, "API key"),
];

/// The token that begins in this word: at its start, after a `_` or `-` in it, or after what an escape sequence takes of it.
fn token(text: &[u8], word: &Range<usize>) -> Option<Found> {
    let goes_on = text.get(word.end).is_some_and(|next| matches!(next, b'.' | b':' | b'/'));
    if word.len() < MIN_TOKEN && !goes_on {
        return None;
    }
    let is_escaped = word.start > 0 && matches!(text[word.start - 1], b'\\' | b'%' | b'[' | b';');
    let is_start = |at: &usize| {
        *at == word.start
            || matches!(text[*at - 1], b'_' | b'-') && text[*at] != b'-'
            || is_escaped && *at <= word.start + MAX_ESCAPE
    };
    word.clone().filter(is_start).find_map(|start| shaped(text, start, word.end))
}

fn shaped(text: &[u8], start: usize, word_end: usize) -> Option<Found> {
    // Most prefixes differ in their first byte: no call is needed to see that.
    let begins =
        |prefix: &&&str| prefix.as_bytes()[0] == text[start] && text[start..].starts_with(prefix.as_bytes());
    SHAPES.iter().find_map(|(prefixes, tail, length, kind)| {
        let tail_start = start + prefixes.iter().find(begins)?.len();
        let end = tail.end(text, tail_start..word_end, *length)?;
        let start = if *tail == Path { tail_start } else { start };
        Some(Found { place: start..end, kind })
    })
}

impl Tail {
    /// End of the token whose prefix ends where this rest of its word begins; `None` if it is none.
    fn end(self, text: &[u8], Range { start, end: word_end }: Range<usize>, length: usize) -> Option<usize> {
        let belongs = |byte: u8| match self {
            Plain | Exact => byte.is_ascii_alphanumeric(),
            Word | Digit => is_word(byte),
            Dotted => is_word(byte) || byte == b'.',
            Path => is_word(byte) || matches!(byte, b'/' | b':'),
        };
        // Many tokens in one word would else cost the square of their number.
        let is_whole = matches!(self, Word | Digit) && start < word_end;
        let tail = &text[start..if is_whole { word_end } else { end_of(text, start, belongs) }];
        // A dot may end the sentence.
        let tail = &tail[..tail.iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1)];
        let is_token = match self {
            Exact => tail.len() == length,
            Digit => tail.len() >= length && tail.iter().take(NEAR).any(u8::is_ascii_digit),
            _ => tail.len() >= length,
        };
        is_token.then_some(start + tail.len())
    }
}

const PRIVATE_KEY: &str = "private key";

const DASHES: &[u8] = b"-----";
const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// A key that has its end is not longer, in bytes.
const MAX_KEY: usize = 32 * 1024;

/// A name between the dashes is not longer.
const MAX_LABEL: usize = 64;

/// The private key between `BEGIN` and `END` that begins here: whole, cut off, or written into one line with `\n`.
fn private_key(text: &[u8], at: usize) -> Option<Found> {
    let label = text[at..].strip_prefix(BEGIN)?;
    let length = position(&label[..label.len().min(MAX_LABEL)], DASHES)?;
    position(&label[..length], b"PRIVATE KEY")?;
    let body = at + BEGIN.len() + length + DASHES.len();
    let near = &text[body..text.len().min(body + MAX_KEY)];
    let end = match position(near, END) {
        Some(end) => {
            let label_at = body + end + END.len();
            let has_label = text[label_at..].starts_with(&label[..length + DASHES.len()]);
            label_at + if has_label { length + DASHES.len() } else { 0 }
        }
        // A key that is cut off goes on as long as the text could be one.
        None => end_of(text, body, is_of_key),
    };
    Some(Found { place: at..end, kind: PRIVATE_KEY })
}

/// Base64, a header of a key, or what stands around its lines in code.
fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || is_space(byte) || b"+/=_.\\\"',:|>-#*".contains(&byte)
}

/// The length of the mask that `text` begins with.
fn mask_len(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"[masked")?;
    if rest.first() == Some(&b']') {
        return Some(MASK.len());
    }
    let rest = rest.strip_prefix(b": ")?;
    let is_here = |kind: &&str| rest.strip_prefix(kind.as_bytes()).is_some_and(|rest| rest.starts_with(b"]"));
    let kind = SHAPES.iter().map(|(.., kind)| *kind).chain([PRIVATE_KEY]).find(is_here)?;
    Some(MASK.len() + 2 + kind.len())
}

/// Part of a name or token: ASCII letters, digits, `_` and `-`; so no place is ever inside a character.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// White space of any kind, or what nobody types.
const fn is_space(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// End of the characters that `belongs`, from `at` on.
fn end_of(text: &[u8], at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests;
