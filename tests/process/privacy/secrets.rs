//! Secrets of some forms that the table of `secrets` knows; the crate's own tests have them all. Each is put together when the tests run, from parts that are none: what stands in this file
//! is no secret in anybody's eyes, and neither is what it makes.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use std::collections::HashSet;

const BASE62: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A form with `¤` where the random letters stand and `|` where nothing stands; which letters, and how many.
const FORMS: [(&str, &str, usize); 12] = [
    ("AK|IA¤", CAPITALS, 16),
    ("aws_secret_access_key = ¤", BASE64, 40),
    ("gh|p_¤", BASE62, 36),
    ("https://hooks.slack|.com/services/T12345678/B12345678/¤", BASE62, 24),
    ("sk-|ant-api03-¤", URL64, 93),
    ("-----BEGIN RSA PRIV|ATE KEY-----\n¤\n-----END RSA PRIV|ATE KEY-----", BASE64, 64),
    ("postgres://me:¤@db.example:5432/app", BASE62, 16),
    ("Authorization: Bearer ¤", BASE62, 20),
    ("Set-Cookie: sid=¤; Path=/; HttpOnly", BASE62, 20),
    ("password=¤", BASE62, 14),
    ("{\"apiKey\": \"¤\"}", BASE62, 20),
    ("export X_TOKEN='¤'", BASE62, 14),
];

pub(crate) struct Secret {
    /// As it stands somewhere.
    pub(crate) text: String,
    /// What nobody may see of it.
    pub(crate) random: String,
}

/// One of each form, the same in every run.
pub(crate) fn secrets() -> Vec<Secret> {
    let mut dice = StdRng::seed_from_u64(11);
    let of_form = |(form, letters, length): &(&str, &str, usize)| {
        let letter = |_| char::from(letters.as_bytes()[dice.random_range(0..letters.len())]);
        let random: String = (0..*length).map(letter).collect();
        Secret { text: form.replace('|', "").replace('¤', &random), random }
    };
    FORMS.iter().map(of_form).collect()
}

/// So many letters of a secret in a row are enough to know it by.
const WINDOW: usize = 8;

/// The first of the texts that holds enough of one of the secrets to know it by.
pub(crate) fn holder<'a>(secrets: &[Secret], mut texts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let pieces: HashSet<&[u8]> =
        secrets.iter().flat_map(|secret| secret.random.as_bytes().windows(WINDOW)).collect();
    texts.find(|text| text.as_bytes().windows(WINDOW).any(|piece| pieces.contains(piece)))
}
