//! What is masked and what is not. Each secret is put together from parts when the test runs: none stands in this file.

use std::borrow::Cow;

use super::masked;

mod any_text;
mod kept;
mod shapes;

const BASE62: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";
const DIGITS: &str = "1234567890";

/// The same letters in every run, and no two calls with another seed or length alike.
fn random_with(seed: u64, alphabet: &str, length: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (length as u64) << 32 | 1;
    let letters = alphabet.as_bytes();
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(letters[usize::try_from(state >> 33).unwrap() % letters.len()])
    };
    (0..length).map(next).collect()
}

fn random(alphabet: &str, length: usize) -> String {
    random_with(7, alphabet, length)
}

/// Nothing that could be recognized of `secret` is left of `text`, and masking again changes nothing.
#[track_caller]
fn assert_masked(text: &str, secret: &str) {
    let clean = masked(text);
    let window = secret.len().min(8);
    let left = (0..=secret.len() - window).find(|at| clean.contains(&secret[*at..at + window]));
    assert!(left.is_none(), "{text:?} became {clean:?}, which has a part of {secret:?}");
    assert_eq!(masked(&clean), clean, "{text:?} is masked once");
}

#[track_caller]
fn assert_kept(text: &str) {
    let clean = masked(text);
    assert!(matches!(clean, Cow::Borrowed(_)) && clean == text, "{text:?} became {clean:?}");
}
