//! Texts that are masked and texts that are not. Each secret is put together from parts when the test runs: none stands in this file.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use super::{SHAPES, Tail, masked};

mod any_text;

const BASE62: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX: &str = "0123456789abcdef";

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

/// Texts that give away the secret that stands at the `¤`.
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "Server=db;Uid=me;Pwd=¤;Database=x", "postgres://me:¤@db.example:5432/app",
    "https:\\/\\/me:¤@host\\/path", "https://¤0123@github.com/a/b.git", "Authorization: Bearer ¤\nHost: x",
    "curl -H 'Authorization: token ¤' https://x", "\"Authorization\": \"Bearer ¤\",",
    "Bearer ¤ was refused", "Cookie: theme=dark; sid=¤", "Set-Cookie: sid=¤; Path=/; HttpOnly\nDate: x",
    "curl -H 'Cookie: sid=¤' https://x", "curl --cookie \"sid=¤\" https://x", "password=¤ next",
    "passwd: ¤ # mine", "secret=¤&next=1", "https://x/y?a=1&token=¤&b=2", "?access_token%3D¤",
    "api_key=¤, other", "{\"apiKey\": \"¤\", \"n\": 1}", "{\\\"apiKey\\\": \\\"¤\\\"}",
    "login --password ¤ --verbose", "deploy --api-key=¤ now", "[\"--token\", \"¤\"]", "FOO_SECRET=¤",
    "export X_TOKEN='¤'", "export X_TOKEN=\"¤", "X-Api-Key: ¤", "const apiKey: string = \"¤\";",
    "let token: &str = \"¤\";", "var token string = \"¤\"", "client := Client{Token: \"¤\"}",
    "password := \"¤\"", "'password' => '¤',", "headers[\"X-Api-Key\"] = \"¤\"",
    "setHeader(\"X-Auth-Token\", \"¤\")", "auth = (\"token\", \"¤\")", "if password == \"¤\" {",
    "<password>¤</password>", "<add key=\"ApiKey\" value=\"¤\"/>",
    "<property name='db.password' value='¤' />", "AccountPwd => ¤\n", "db_password: ¤,", "_authToken=¤",
    "set X_TOKEN=¤", "  dbPass: ¤", "C:\\\\token=¤ x", "a\\npassword=¤ x", "password=¤.",
];

#[test]
fn masks_what_a_name_or_an_address_gives_away_and_keeps_the_rest() {
    let secret = random_with(7, BASE62, 14);
    let hex = random_with(7, HEX, 32);
    let told = TELLING.iter().map(|text| (text.replace('¤', &secret), secret.clone()));
    let others = [
        ("TWILIO_AUTH_TOKEN=¤", hex.clone()),
        ("sig=¤&se=2", hex.clone()),
        ("signing_key: ¤", hex.clone()),
        ("key = \"¤\"", hex),
        ("key: ¤", random_with(7, BASE62, 24)),
        ("AccountKey=¤;EndpointSuffix=core", random_with(7, BASE64, 86) + "=="),
        ("aws_secret_access_key = ¤\nregion = eu", random_with(7, BASE64, 40)),
        ("{'client_secret': '¤'}", "correct horse battery staple".to_owned()),
        ("DB_PASS=¤", "topsecret_(x)".to_owned()),
        ("It is done: passwd: ¤ is there.", ["ENEIzxs", "MsCraUZ"].concat()),
        ("  password: ¤\n  user: me", "swordfish".to_owned()),
        ("db.password = ¤\n", "swordfish".to_owned()),
        ("https://hooks.slack.com/services/¤ is posted to", random_with(7, BASE62, 30)),
    ];
    let others = others.into_iter().map(|(text, secret)| (text.replace('¤', &secret), secret));
    for (text, secret) in told.chain(others) {
        let wrapped = format!("before\n{text}\nafter");
        assert_masked(&wrapped, &secret);
        let clean = masked(&wrapped);
        assert!(clean.starts_with("before\n") && clean.ends_with("\nafter"), "{clean:?}");
    }
}

#[test]
fn masks_a_token_wherever_it_stands_and_names_it() {
    let token = ["gh", "p_"].concat() + &random_with(7, BASE62, 36);
    assert_eq!(masked(&format!("push with {token}.")), "push with [masked: GitHub token].");
    for (before, after) in [
        ("", ""),
        ("(", ")"),
        ("{\"a\":\"", "\"}"),
        ("one\\n", "\\ntwo"),
        ("one\\\\n", "\\\\ntwo"),
        ("\u{1b}[31m", "\u{1b}[0m"),
        ("\u{1b}[1;31m", ""),
        ("\\u001b[1;31m", "\\x1b[0m"),
        ("a=", "&b=1"),
        ("x%3D", ""),
        ("https://host.example/path?x=", ""),
        ("é", "é"),
    ] {
        assert_masked(&format!("{before}{token}{after}"), &token);
    }
}

#[test]
fn masks_a_private_key_whole_cut_off_and_in_one_line() {
    let lines: Vec<String> = (0..4).map(|seed| random_with(seed + 1, BASE64, 64)).collect();
    let [begin, end] = ["BEGIN", "END"].map(|side| format!("-----{side} RSA PRIVATE KEY-----"));
    for joint in ["\n", "\\n", "\r\n", "\n    ", " ", "\n+"] {
        let body = lines.join(joint);
        let whole = format!("a\n{begin}{joint}{body}{joint}{end}\nb");
        assert_eq!(masked(&whole), "a\n[masked: private key]\nb");
        assert_masked(&format!("cut off: {begin}{joint}{body}"), &lines[3]);
    }
    assert_masked(&format!("{begin}\nProc-Type: 4,ENCRYPTED\n\n{}\n", lines.join("\n")), &lines[3]);
}

#[test]
fn keeps_what_is_no_secret() {
    let hex = |length| random_with(7, HEX, length);
    for text in [
        "",
        "The token bucket is empty: 61 calls in the last minute.",
        "To stop, include the token ACK-X7K2 in that message.",
        "a secret is a secret: keep it",
        "The password: required, at least 12 characters.",
        "Use --password to set the password, --token is optional.",
        "Basic authentication is off; bearer tokens are accepted.",
        "Authorization: the process of deciding who may do what",
        "Authorization: Bearer tokens are preferred",
        "Cookie: a small cake",
        "cookies: 3, tokens: 4096, max_tokens: 8192, input_tokens=512",
        "It passes: 12 tests; by-pass: none",
        "key: value, primary_key = customer_id, sort-key: created_at",
        "5e55104e-0000-4000-8000-000000000001",
        &format!("commit {}, sha256:{}", hex(40), hex(64)),
        "v1.2.3-rc.1+build.20261121, 2026-11-21T22:26:40.123Z",
        "src/components/HeaderNavigation/MobileMenuButton2.test.tsx",
        "http://localhost:8080/path@2x.png and ssh://git@github.com/org/repo.git",
        "token_file=, password-stdin, secret_name, TOKEN_COUNT=5",
        "PWD=~/project OLDPWD=/tmp",
        "(per_skill.token: ~/.claude/requirements.yaml:1)",
        "let token = lexer.next_token();",
        "fn login(user: &str, password: &str) -> Result<Token, Error>",
        "connect(password=password, token=self.token)",
        "struct Login { password: String, token: Option<Token>, secret: Vec<u8> }",
        "    password: String,\n",
        "password: process.env.PASSWORD,",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "export TOKEN=\"$GITHUB_TOKEN\" PASSWORD=${PASSWORD:-none}",
        "curl -H \"Authorization: Bearer $TOKEN\" https://x",
        "password: <your password>",
        "password: ********",
        "if token == other { secret != mine }",
        "const token = req.headers.get('authorization')",
        "[masked] password=[masked] [masked: private key] x [masked: GitHub token] y [masked [masked: ",
    ] {
        assert_kept(text);
    }
}

#[test]
fn keeps_our_own_messages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/messages");
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() > 10);
    for file in files {
        assert_kept(&fs::read_to_string(file).unwrap().replace("{token}", "ACK-X7K2"));
    }
}

#[test]
fn each_token_of_the_table_is_found_and_none_that_is_shorter() {
    for (prefixes, tail, length, kind) in SHAPES {
        for prefix in *prefixes {
            let token = format!("{prefix}{}", &"A1".repeat(*length)[..*length]);
            let kept = if *tail == Tail::Path { prefix } else { "" };
            assert_eq!(masked(&format!("x {token} y")), format!("x {kept}[masked: {kind}] y"), "{token}");
            let shorter = &token[..token.len() - 1];
            assert_eq!(masked(shorter), shorter);
            assert_eq!(masked(&format!("{token}1")) == format!("{token}1"), *tail == Tail::Exact, "{token}");
        }
    }
}
