//! Secrets of the forms that the table of `secrets` knows. Each is put together when the tests run, from parts that are none: what stands in this file
//! is no secret in anybody's eyes, and neither is what it makes.

use crate::dice::Dice;

const BASE62: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";

/// A form with `¤` where the random letters stand and `|` where nothing stands; which letters, and how many.
const FORMS: [(&str, &str, usize); 46] = [
    ("AK|IA¤", CAPITALS, 16),
    ("AS|IA¤", CAPITALS, 16),
    ("aws_secret_access_key = ¤", BASE64, 40),
    ("gh|p_¤", BASE62, 36),
    ("gh|o_¤", BASE62, 36),
    ("gh|s_¤", BASE62, 36),
    ("github|_pat_¤", BASE62, 82),
    ("gl|pat-¤", URL64, 20),
    ("xo|xb-123456789012-¤", BASE62, 24),
    ("xo|xp-123456789012-¤", HEX, 32),
    ("https://hooks.slack|.com/services/T12345678/B12345678/¤", BASE62, 24),
    ("sk_|live_¤", BASE62, 24),
    ("rk_|live_¤", BASE62, 24),
    ("AI|za¤", URL64, 35),
    ("ya|29.¤", URL64, 64),
    ("sk-|ant-api03-¤", URL64, 93),
    ("s|k-¤", BASE62, 48),
    ("sk-|proj-¤", URL64, 80),
    ("np|m_¤", BASE62, 36),
    ("py|pi-AgEIcHlwaS5vcmc¤", URL64, 80),
    ("h|f_¤", BASE62, 34),
    ("S|G.ngeVfQFYQlKU0ufo8x5d1A.¤", URL64, 43),
    ("S|K¤", HEX, 32),
    ("TWILIO_AUTH_TOKEN=¤", HEX, 32),
    ("dop|_v1_¤", HEX, 64),
    ("shp|at_¤", HEX, 32),
    ("DefaultEndpointsProtocol=https;AccountName=a;Account|Key=¤==;EndpointSuffix=x", BASE64, 86),
    ("ey|JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.¤", URL64, 43),
    ("-----BEGIN RSA PRIV|ATE KEY-----\n¤\n-----END RSA PRIV|ATE KEY-----", BASE64, 64),
    ("-----BEGIN OPENSSH PRIV|ATE KEY-----\\n¤\\n-----END OPENSSH PRIV|ATE KEY-----\\n", BASE64, 64),
    ("-----BEGIN PRIV|ATE KEY-----\n¤", BASE64, 64),
    ("AGE-SECRET|-KEY-1¤", CAPITALS, 58),
    ("postgres://me:¤@db.example:5432/app", BASE62, 16),
    ("https://¤@github.com/a/b.git", BASE62, 24),
    ("Authorization: Bearer ¤", BASE62, 20),
    ("curl -H 'Authorization: Basic ¤' https://host.example", BASE64, 24),
    ("Cookie: theme=dark; sid=¤", BASE62, 20),
    ("Set-Cookie: sid=¤; Path=/; HttpOnly", BASE62, 20),
    ("password=¤", BASE62, 14),
    ("passwd: ¤", BASE62, 14),
    ("https://host.example/?access_token=¤&page=2", BASE62, 20),
    ("{\"apiKey\": \"¤\"}", BASE62, 20),
    ("{\\\"client_secret\\\": \\\"¤\\\"}", BASE62, 20),
    ("FOO_SECRET=¤", BASE62, 14),
    ("export X_TOKEN='¤'", BASE62, 14),
    ("api_key: '¤'", BASE62, 20),
];

pub(crate) struct Secret {
    /// As it stands somewhere.
    pub(crate) text: String,
    /// What nobody may see of it.
    pub(crate) random: String,
}

/// One of each form, the same in every run.
pub(crate) fn secrets() -> Vec<Secret> {
    let mut dice = Dice::seeded(11);
    let of_form = |(form, letters, length): &(&str, &str, usize)| {
        let letters = letters.as_bytes();
        let letter = |byte: u8| char::from(letters[usize::from(byte) % letters.len()]);
        let random: String = dice.bytes(*length).into_iter().map(letter).collect();
        Secret { text: form.replace('|', "").replace('¤', &random), random }
    };
    FORMS.iter().map(of_form).collect()
}
