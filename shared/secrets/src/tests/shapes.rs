//! Every form that must be recognized: alone, in the middle of a sentence, in JSON, and with JSON's escapes around it.

use super::{BASE62, BASE64, CAPITALS, DIGITS, HEX, URL64, assert_masked, masked, random, random_with};

/// A token that is one without anything around it.
fn tokens() -> Vec<String> {
    let token = |parts: [&str; 2], alphabet, length| parts.concat() + &random(alphabet, length);
    let with = |start: String, separator: &str, alphabet, length| {
        start + separator + &random_with(11, alphabet, length)
    };
    vec![
        token(["AK", "IA"], CAPITALS, 16),
        token(["AS", "IA"], CAPITALS, 16),
        random(BASE64, 40),
        token(["gh", "p_"], BASE62, 36),
        token(["gh", "o_"], BASE62, 36),
        token(["gh", "u_"], BASE62, 36),
        token(["gh", "s_"], BASE62, 36),
        token(["gh", "r_"], BASE62, 76),
        with(token(["github", "_pat_"], BASE62, 22), "_", BASE62, 59),
        token(["gl", "pat-"], URL64, 20),
        with(token(["xo", "xb-"], DIGITS, 12), "-", BASE62, 24),
        with(token(["xo", "xp-"], DIGITS, 12), "-", HEX, 32),
        token(["xo", "xa-"], DIGITS, 24),
        token(["xo", "xr-"], DIGITS, 24),
        token(["xo", "xs-"], BASE62, 24),
        token(["sk_", "live_"], BASE62, 24),
        token(["sk_", "test_"], BASE62, 24),
        token(["rk_", "live_"], BASE62, 24),
        token(["AI", "za"], URL64, 35),
        token(["ya", "29."], URL64, 60),
        token(["sk-ant-", "api03-"], URL64, 93),
        token(["s", "k-"], BASE62, 48),
        token(["sk-", "proj-"], URL64, 90),
        token(["np", "m_"], BASE62, 36),
        token(["pypi-", "AgEIcHlwaS5vcmc"], URL64, 80),
        token(["h", "f_"], BASE62, 34),
        with(token(["S", "G."], URL64, 22), ".", URL64, 43),
        token(["S", "K"], HEX, 32),
        with(random(DIGITS, 9), ":AA", URL64, 33),
        with(with(token(["", "M"], BASE62, 23), ".", BASE62, 6), ".", URL64, 38),
        token(["dop_", "v1_"], HEX, 64),
        token(["shp", "at_"], HEX, 32),
        token(["AGE-SECRET-", "KEY-1"], CAPITALS, 58),
        with(with(token(["ey", "J"], URL64, 33), ".", URL64, 60), ".", URL64, 43),
        with(token(["ey", "J"], URL64, 33), ".", URL64, 60) + ".",
        random(BASE62, 32),
        random(URL64, 43),
        random(BASE64, 86) + "==",
    ]
}

/// Texts that give away the secret that stands at the `¤`.
const TELLING: &[&str] = &[
    "Server=db;Uid=me;Pwd=¤;Database=x",
    "postgres://me:¤@db.example:5432/app",
    "redis://:p/¤@cache:6379 is up",
    "https:\\/\\/me:¤@host\\/path",
    "Authorization: Bearer ¤\nHost: x",
    "curl -H 'Authorization: token ¤' https://x",
    "\"Authorization\": \"Bearer ¤\",",
    "Bearer ¤ was refused",
    "Cookie: theme=dark; sid=¤",
    "Set-Cookie: sid=¤; Path=/; HttpOnly\nDate: x",
    "curl -H 'Cookie: sid=¤' https://x",
    "curl --cookie \"sid=¤\" https://x",
    "password=¤ next",
    "passwd: ¤ # mine",
    "secret=¤&next=1",
    "https://x/y?a=1&token=¤&b=2",
    "?access_token%3D¤",
    "token=¤",
    "api_key=¤, other",
    "{\"apiKey\": \"¤\", \"n\": 1}",
    "{\\\"apiKey\\\": \\\"¤\\\"}",
    "login --password ¤ --verbose",
    "deploy --api-key=¤ now",
    "[\"--token\", \"¤\"]",
    "mysql -u me -p¤ db",
    "docker login -u me -p ¤",
    "curl -u me:¤ https://x",
    "redis-cli -a ¤ ping",
    "kubectl create secret generic s --from-literal=key=¤ -n x",
    "kubectl create secret generic s --from-literal='the.key=¤' -n x",
    "kubectl create secret generic s --from-literal key='¤'",
    "openssl enc -k ¤ -in f",
    "smbclient //h/s -U me%¤ -c ls",
    "smbclient //h/s --user=me%¤",
    "htpasswd -b f me ¤",
    "htpasswd -c -bB -C 12 'a file' me '¤' >/dev/null",
    "htpasswd -nb me ¤ | cat",
    "machine x login me password ¤",
    "FOO_SECRET=¤",
    "export X_TOKEN='¤'",
    "export X_TOKEN=\"¤",
    "X-Api-Key: ¤",
    "const apiKey: string = \"¤\";",
    "let token: &str = \"¤\";",
    "'password' => '¤',",
    "headers[\"X-Api-Key\"] = \"¤\"",
    "setHeader(\"X-Auth-Token\", \"¤\")",
    "if password == \"¤\" {",
    "<password>¤</password>",
    "IDENTIFIED BY PASSWORD '¤'",
    "the password is ¤, as you know",
    "PASSWORD=ab;¤",
    "\u{1b}[31mpassword\u{1b}[0m=x token=¤",
    "pässwörter: token=¤ü",
    "AccountPwd => ¤\n",
    "db_password: ¤,",
    "_authToken=¤",
    "set X_TOKEN=¤",
    "curl --user me:¤ https://host.example",
    "machine x\nlogin me\npassword ¤\n",
    "password = ¤;",
    "password=¤.",
];

/// Texts that give away a secret of another form; and the secret.
fn of_other_forms() -> Vec<(String, String)> {
    let hex = random(HEX, 32);
    let words = "correct horse battery staple".to_owned();
    let azure = random(BASE64, 86) + "==";
    let around =
        |before: &str, secret: &str, after: &str| ([before, secret, after].concat(), secret.to_owned());
    vec![
        around("https://hooks.slack.com/services/", &random(CAPITALS, 30), " is posted to"),
        around("https://discord.com/api/webhooks/123456789012345678/", &random(URL64, 68), ""),
        around("https://api.telegram.org/bot", &(random(DIGITS, 9) + ":AA" + &random(URL64, 33)), "/getMe"),
        around("AccountName=a;AccountKey=", &azure, ";EndpointSuffix=core"),
        around("aws_secret_access_key = ", &random(BASE64, 40), "\nregion = eu"),
        around("TWILIO_AUTH_TOKEN=", &hex, ""),
        around("https://", &random(BASE62, 24), "@github.com/a/b.git"),
        around("authorization: Basic ", "bWU6c3dvcmRmaXNo", ""),
        around("Authorization: Digest username=\"me\", response=\"", &hex, "\""),
        around("{'client_secret': '", &words, "'}"),
        around("login --password '", &words, "' now"),
        around("DB_PASS=", "topsecret_(x)", ""),
        around("  password: ", "swordfish", "\n  user: me"),
        around("db.password = ", "swordfish", "\n"),
        around("<d:password>", "swordfish", "</d:password>"),
        around("password=", "1234567", ""),
        around("sig=", &hex, "&se=2"),
        around("key: ", &random(BASE62, 24), ""),
    ]
}

fn telling() -> Vec<(String, String)> {
    let secret = random(BASE62, 14);
    let told = TELLING.iter().map(|text| (text.replace('¤', &secret), secret.clone()));
    told.chain(of_other_forms()).collect()
}

fn private_keys() -> Vec<(String, String)> {
    let lines: Vec<String> = (0..4).map(|seed| random_with(seed + 1, BASE64, 64)).collect();
    let mut keys = Vec::new();
    for label in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "PGP "] {
        let block = if label == "PGP " { " BLOCK" } else { "" };
        let (begin, end) =
            ["BEGIN", "END"].map(|side| format!("-----{side} {label}PRIVATE KEY{block}-----")).into();
        for joint in ["\n", "\\n", "\r\n", "\n    ", " ", "\n+"] {
            let body = lines.join(joint);
            keys.push((format!("a\n{begin}{joint}{body}{joint}{end}\nb"), lines[2].clone()));
            keys.push((format!("cut off: {begin}{joint}{body}"), lines[3].clone()));
        }
        let headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,ABCD\n\n";
        keys.push((format!("{begin}\n{headers}{}\n", lines.join("\n")), lines[3].clone()));
    }
    keys
}

#[test]
fn a_token_is_masked_wherever_it_stands() {
    for token in tokens() {
        for text in [
            token.clone(),
            format!("it is {token} and no other"),
            format!("it is {token}."),
            format!("({token})"),
            format!("\"{token}\""),
            format!("{{\"a\":\"{token}\"}}"),
            format!("one\\n{token}\\ntwo"),
            format!("one\\\\n{token}\\\\ntwo"),
            format!("'[d]\\\\\\n{token}\\\\\\n'"),
            format!("one\\\\\\\\t{token}\\\\\\\\r"),
            format!("\\\\u00e9{token}\\\\u0020"),
            format!("\u{1b}[31m{token}\u{1b}[0m"),
            format!("\\u001b[1;31m{token}\\x1b[0m and \\\\033[31m{token}\\e[0m"),
            format!("a={token}&b=1"),
            format!("VALUE={token}"),
            format!("x%3D{token}"),
            format!("https://host.example/path?x={token}"),
            format!("https://{token}@host.example/"),
            format!("é{token}é"),
            format!("two: {token} {token}"),
        ] {
            assert_masked(&text, &token);
        }
    }
}

#[test]
fn what_stands_around_a_secret_gives_it_away_and_stays() {
    for (text, secret) in telling() {
        assert_masked(&text, &secret);
        let wrapped = format!("before\n{text}\nafter");
        assert_masked(&wrapped, &secret);
        let clean = masked(&wrapped);
        assert!(clean.starts_with("before\n") && clean.ends_with("\nafter"), "{clean:?}");
    }
}

#[test]
fn a_private_key_is_masked_whole_cut_off_and_in_one_line() {
    for (text, secret) in private_keys() {
        assert_masked(&text, &secret);
    }
    let (text, _) = &private_keys()[0];
    assert_eq!(masked(text), "a\n[masked: private key]\nb");
}

#[test]
fn a_mask_says_what_it_hides_where_that_is_known_and_leaves_the_rest() {
    let token = ["gh", "p_"].concat() + &random(BASE62, 36);
    assert_eq!(masked(&format!("push with {token}.")), "push with [masked: GitHub token].");
    let secret = random(BASE62, 14);
    for (before, after) in [
        ("password=", " and so on"),
        ("a: 1, \"token\": \"", "\"}"),
        ("https://", "@host.example/path"),
        ("Authorization: Bearer ", ""),
        ("https://hooks.slack.com/services/", " is the address"),
    ] {
        let secret = if before.ends_with("//") { format!("me:{secret}") } else { secret.clone() };
        assert_eq!(
            masked(&format!("{before}{secret}{after}")),
            format!("{before}[masked]{after}").replace("services/[masked]", "services/[masked: webhook]")
        );
    }
}

#[test]
fn nearly_every_random_text_of_forty_letters_is_seen_as_one() {
    let small = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (alphabet, least) in [(BASE64, 985), (BASE62, 985), (URL64, 985), (small, 930), (CAPITALS, 850)] {
        // A slash or plus at the beginning stays.
        let is_found = |seed: &u64| masked(&random_with(seed + 1, alphabet, 40)).len() < 12;
        let found = (0..1000).filter(is_found).count();
        assert!(found >= least, "{found} of 1000 in {alphabet}");
    }
}

#[test]
fn behind_backslashes_a_letter_is_an_escape_or_the_first_of_a_name() {
    let secret = random(BASE62, 14);
    let check = |text: &str| assert_masked(&text.replace('¤', &secret), &secret);
    for slashes in [2, 4] {
        for name in ["token", "nonce_token", "refresh-token", "password", "npassword"] {
            check(&format!("C:{}{name}=¤ x", "\\".repeat(slashes)));
        }
    }
    for slashes in 1..=5 {
        for letter in ["n", "t", "r", "u001b"] {
            check(&format!("a{}{letter}password=¤ x", "\\".repeat(slashes)));
        }
    }
}
