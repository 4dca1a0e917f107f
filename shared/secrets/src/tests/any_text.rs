//! Whatever the text: no panic, masked once for all, in time that grows with its length.

use std::borrow::Cow;

use proptest::prelude::*;

use super::{BASE62, assert_masked, masked, random_with};

/// Texts that the scanner looks for, and texts that could lead it astray.
#[rustfmt::skip]
const PIECES: [&str; 55] = [
    "%", "password", "token", "apiKey", "X_SECRET", "key", "pass", "Authorization", "Cookie", "Bearer ",
    "basic ", "=", ":", " = ", ": ", "==", "=>", ",", ";", "&", "<", ">", "\"", "'", "`", "\\", "\\\"",
    "\\n", "\\\\", "\\\\n", "\\u0041", "\\x1b[", "AKIA", "\n", " ", "-", "--", " -p", "://", "@", "/", "[",
    "]", "[masked]", "[masked: ", "(", ")", "$", "%3D", "eyJ", "sk-", "SG.", "é",
    "-----BEGIN PRIVATE KEY-----", "-----END ",
];

/// The seeds of random pieces are below. A token of another seed is no piece, so nothing of it stands beside it.
const PIECE_SEEDS: u64 = 1000;

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => proptest::sample::select(&PIECES[..]).prop_map(ToOwned::to_owned),
        2 => (1..PIECE_SEEDS, 1_usize..50).prop_map(|(seed, length)| random_with(seed, BASE62, length)),
        1 => "[a-z]{1,9}",
        1 => "\\PC{0,3}",
    ]
}

/// Texts without a meaning, made of all that has one.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::collection::vec(piece(), 0..30).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

/// Each begins something and does not end it.
#[rustfmt::skip]
const ENDLESS: [&str; 68] = [
    "a", "A1b2", "-", "sk-", "sk-a_", "eyJ-", "eyJ.", "SG.", "ya29.", "ghp_", "token:", "token:${",
    "token==", "token,", "\"token\",", "key=", "key:", "key:'", "password ", "password=\\\"", "token='$",
    "token:a,", "<token>", "<token", "cookie:", "cookie=", "cookie=a", "authorization:",
    "authorization: bearer ", "bearer ", "basic:", "://", "://a:b/", "://[", "://[masked]", "://a@", "a:b@",
    "[masked", "[masked: ", "[masked]", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n", "-----END ", "\\", "\\n", "\\\\n", "\\\\na", "\\\\033[1;", "\\\\n\"",
    "\\\"", "%", "%3D", "\u{1b}[", "\u{1b}[1;", "&a", "token=a&b", "token=a;b,", "é", "(", "password: a = ",
    "token: T = ", "AKIA", "hooks.slack.com/services/", "1//0", "token=(", "a=\"", "token\\",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn masking_again_changes_nothing_and_what_is_not_changed_is_not_copied(text in text()) {
        let once = masked(&text);
        let twice = masked(&once);
        prop_assert_eq!(&once, &twice);
        prop_assert!(matches!(twice, Cow::Borrowed(_)));
        prop_assert!(once != text || matches!(once, Cow::Borrowed(_)) || text == "[masked]", "{}", text);
    }

    #[test]
    fn a_token_is_found_in_any_surroundings(before in text(), after in text(), seed in PIECE_SEEDS..10_000) {
        let token = ["gh", "p_"].concat() + &random_with(seed, BASE62, 36);
        assert_masked(&format!("{before} {token} {after}"), &token);
    }

    #[test]
    fn words_and_numbers_are_no_secrets(words in proptest::collection::vec("[a-z]{1,12}|[0-9]{1,6}|[A-Z][a-z]{2,9}", 0..40)) {
        let text = words.join(" ");
        prop_assert!(matches!(masked(&text), Cow::Borrowed(_)), "{}", text);
    }
}

/// At a cost by the square of the length each of them would take minutes.
#[test]
fn a_long_text_without_an_end_costs_no_more_than_its_length() {
    const LENGTH: usize = 1 << 16;
    for unit in ENDLESS {
        let text = unit.repeat(LENGTH / unit.len());
        let once = masked(&text);
        assert!(masked(&once) == once, "{unit:?}");
    }
}
