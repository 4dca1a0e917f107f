//! Keys and tokens known by how they begin.

use std::ops::Range;

use super::{Found, end_of, is_word};
use Tail::{Digit, Dotted, Exact, Path, Plain, Word};

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

/// Names of the secrets of this module.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(.., kind)| *kind)
}

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

#[cfg(test)]
mod tests {
    use super::{Exact, Path, SHAPES};
    use crate::masked;

    #[test]
    fn each_token_of_the_table_is_found_and_none_that_is_shorter() {
        for (prefixes, tail, length, kind) in SHAPES {
            for prefix in *prefixes {
                let token = format!("{prefix}{}", &"A1".repeat(*length)[..*length]);
                let kept = if *tail == Path { prefix } else { "" };
                assert_eq!(masked(&format!("x {token} y")), format!("x {kept}[masked: {kind}] y"), "{token}");
                let shorter = &token[..token.len() - 1];
                assert_eq!(masked(shorter), shorter);
                assert_eq!(masked(&format!("{token}1")) == format!("{token}1"), *tail == Exact, "{token}");
            }
        }
    }
}
