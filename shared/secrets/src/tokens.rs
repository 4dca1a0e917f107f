//! Keys and tokens known by how they begin: a table, and a few forms that need more than a beginning.

use std::ops::Range;

use super::{Found, end_of, is_word};

/// How a token goes on.
#[derive(Debug, Clone, Copy)]
enum Tail {
    /// Letters and digits, at least so many.
    Plain(usize),
    /// With `_` and `-`, to the end of the word.
    Word(usize),
    /// The same, with a digit near its beginning: the prefix alone could be a word's.
    WordWithDigit(usize),
    /// With dots too.
    Dotted(usize),
    /// Exactly so many capitals and digits.
    Capitals(usize),
    /// Exactly so many hexadecimal digits.
    Hex(usize),
    /// A path; the address before it stays.
    Path(usize),
}

/// Tokens: how they begin, how they go on, what they are. A beginning stands before its own beginnings.
type Shape = (&'static [&'static str], Tail, &'static str);

/// How many bytes behind a prefix are looked at for a digit.
const NEAR: usize = 32;

/// Minimum length of every shape without a dot, colon or slash.
const MIN_TOKEN: usize = 12;

const SHAPES: &[Shape] = &[
    (&["AKIA", "ASIA", "ABIA", "ACCA"], Tail::Capitals(16), "AWS key"),
    (&["ghp_", "gho_", "ghu_", "ghr_", "github_pat_"], Tail::Word(20), "GitHub token"),
    (&["ghs_"], Tail::Dotted(20), "GitHub token"),
    (&["glpat-", "glrt-"], Tail::Dotted(16), "GitLab token"),
    (
        &["gldt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-"],
        Tail::Word(16),
        "GitLab token",
    ),
    (
        &["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xox", "xoxp-", "xoxr-", "xoxs-"],
        Tail::Word(10),
        "Slack token",
    ),
    (&["xapp-"], Tail::Word(16), "Slack token"),
    (
        &[
            "hooks.slack.com/services/",
            "hooks.slack.com/workflows/",
            "hooks.slack.com/triggers/",
            "discord.com/api/webhooks/",
            "discordapp.com/api/webhooks/",
            "webhook.office.com/webhookb2/",
            "hooks.zapier.com/hooks/catch/",
        ],
        Tail::Path(10),
        "webhook",
    ),
    (&["api.telegram.org/bot"], Tail::Path(10), "Telegram token"),
    (&["eyJ"], Tail::Dotted(20), "JWT"),
    (&["sk_live_", "sk_test_", "rk_live_", "rk_test_"], Tail::Word(10), "Stripe key"),
    (&["whsec_"], Tail::Word(16), "Stripe key"),
    (&["AIza"], Tail::Word(30), "Google key"),
    (&["GOCSPX-"], Tail::Word(20), "Google key"),
    (&["ya29."], Tail::Dotted(16), "Google token"),
    (&["1//0"], Tail::Word(30), "Google token"),
    (&["sk-ant-"], Tail::Word(16), "Anthropic key"),
    (&["sk-", "tvly-"], Tail::WordWithDigit(20), "API key"),
    (&["gsk_", "xai-", "pplx-", "r8_"], Tail::Plain(32), "API key"),
    (&["hf_"], Tail::Plain(30), "Hugging Face token"),
    (&["npm_"], Tail::Plain(30), "npm token"),
    (&["pypi-AgE"], Tail::Word(16), "PyPI token"),
    (&["rubygems_"], Tail::Plain(32), "RubyGems key"),
    (&["dckr_pat_"], Tail::Word(20), "Docker token"),
    (&["SG."], Tail::Dotted(32), "SendGrid key"),
    (&["xkeysib-"], Tail::Word(32), "mail key"),
    (&["key-"], Tail::Hex(32), "mail key"),
    (&["SK"], Tail::Hex(32), "Twilio key"),
    (&["dop_v1_", "doo_v1_", "dor_v1_"], Tail::Plain(32), "DigitalOcean token"),
    (&["shpat_", "shpca_", "shppa_", "shpss_"], Tail::Plain(30), "Shopify token"),
    (&["AGE-SECRET-KEY-1"], Tail::Plain(30), "age key"),
    (&["hvs.", "hvb."], Tail::Word(20), "Vault token"),
    (&["tskey-"], Tail::Word(16), "Tailscale key"),
    (&["dapi"], Tail::Hex(32), "Databricks token"),
    (&["ATATT3", "ATCTT3"], Tail::Word(30), "Atlassian token"),
    (&["lin_api_"], Tail::Plain(30), "Linear key"),
    (&["figd_"], Tail::Word(30), "Figma token"),
    (&["sbp_"], Tail::Plain(32), "Supabase token"),
    (&["glsa_", "glc_"], Tail::Word(30), "Grafana token"),
    (&["NRAK-"], Tail::Plain(24), "New Relic key"),
    (&["PMAK-"], Tail::Word(30), "Postman key"),
    (&["nfp_"], Tail::Plain(30), "Netlify token"),
    (&["sntrys_", "sntryu_"], Tail::Word(30), "Sentry token"),
    (&["sq0csp-"], Tail::Word(30), "Square key"),
    (&["sq0atp-"], Tail::Word(20), "Square key"),
];

/// The bytes with which a shape begins, one bit each: most words are done with here.
const FIRST_BYTES: u128 = {
    let (mut bytes, mut shape) = (0, 0);
    while shape < SHAPES.len() {
        let (prefixes, mut at) = (SHAPES[shape].0, 0);
        while at < prefixes.len() {
            bytes |= 1 << prefixes[at].as_bytes()[0];
            at += 1;
        }
        shape += 1;
    }
    bytes
};

/// Name for the secrets of this module.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(_, _, kind)| *kind)
}

/// An escape sequence before a word takes so many of its first bytes at most: `u001b`, `3D`, the `31m` of a colour.
const MAX_ESCAPE: usize = 6;

/// The token that begins in this word: at its start, after a `_` or `-` in it, or after what an escape sequence takes of it.
pub(super) fn find(text: &[u8], word: &Range<usize>) -> Option<Found> {
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
    word.clone().filter(is_start).find_map(|start| shaped(text, start, word))
}

fn shaped(text: &[u8], start: usize, word: &Range<usize>) -> Option<Found> {
    let first = text[start];
    if FIRST_BYTES >> (first & 0x7f) & 1 == 0 {
        return None;
    }
    let begins = |prefix: &&&str| text[start..].starts_with(prefix.as_bytes());
    SHAPES.iter().find_map(|(prefixes, tail, kind)| {
        let tail_start = start + prefixes.iter().find(begins)?.len();
        let end = tail.end(text, tail_start, word.end)?;
        let start = if matches!(tail, Tail::Path(_)) { tail_start } else { start };
        Some(Found { place: start..end, kind })
    })
}

impl Tail {
    /// End of the token whose prefix ends at `start`; `None` if it is none.
    fn end(self, text: &[u8], start: usize, word_end: usize) -> Option<usize> {
        let word_end = word_end.max(start);
        let (end, is_token) = match self {
            Self::Plain(min) => {
                at_least(min, start, end_of(text, start, |byte| byte.is_ascii_alphanumeric()))
            }
            Self::Word(min) => at_least(min, start, end_of_word(text, start, word_end)),
            Self::WordWithDigit(min) => {
                let end = end_of_word(text, start, word_end);
                let near = &text[start..end.min(start + NEAR)];
                (end, end - start >= min && near.iter().any(u8::is_ascii_digit))
            }
            Self::Dotted(min) => at_least(
                min,
                start,
                trimmed(text, start, end_of(text, start, |byte| is_word(byte) || byte == b'.')),
            ),
            Self::Capitals(count) => {
                exactly(count, text, start, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            }
            Self::Hex(count) => exactly(count, text, start, |byte| byte.is_ascii_hexdigit()),
            Self::Path(min) => {
                at_least(min, start, end_of(text, start, |byte| is_word(byte) || matches!(byte, b'/' | b':')))
            }
        };
        is_token.then_some(end)
    }
}

/// The prefix may end behind the word it began in, as `ya29.` does.
fn end_of_word(text: &[u8], start: usize, word_end: usize) -> usize {
    if start < word_end { word_end } else { end_of(text, start, is_word) }
}

const fn at_least(min: usize, start: usize, end: usize) -> (usize, bool) {
    (end, end - start >= min)
}

fn exactly(count: usize, text: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> (usize, bool) {
    let end = end_of(text, start, belongs);
    let ends = !text.get(end).is_some_and(u8::is_ascii_alphanumeric);
    (end, end - start == count && ends)
}

/// Without the dot that ends the sentence.
fn trimmed(text: &[u8], start: usize, end: usize) -> usize {
    let dots = text[start..end].iter().rev().take_while(|byte| **byte == b'.').count();
    end - dots
}

#[cfg(test)]
mod tests {
    use super::{SHAPES, Tail};
    use crate::masked;

    fn shortest(tail: Tail) -> String {
        match tail {
            Tail::Plain(min)
            | Tail::Word(min)
            | Tail::WordWithDigit(min)
            | Tail::Dotted(min)
            | Tail::Path(min) => "a1".repeat(min).split_at(min).0.to_owned(),
            Tail::Capitals(count) => "A".repeat(count),
            Tail::Hex(count) => "a".repeat(count),
        }
    }

    #[test]
    fn each_token_of_the_table_is_found_and_none_that_is_shorter() {
        let tokens = SHAPES
            .iter()
            .flat_map(|(prefixes, tail, kind)| prefixes.iter().map(move |prefix| (prefix, tail, kind)));
        for (prefix, tail, kind) in tokens {
            let token = format!("{prefix}{}", shortest(*tail));
            let kept = if matches!(tail, Tail::Path(_)) { *prefix } else { "" };
            assert_eq!(masked(&format!("x {token} y")), format!("x {kept}[masked: {kind}] y"), "{token}");
            let shorter = &token[..token.len() - 1];
            assert_eq!(masked(shorter), shorter);
        }
    }
}
