//! What is no secret stays as it is, and the text is not even copied.

use std::fs;
use std::path::Path;

use super::{CAPITALS, HEX, assert_kept, random};

#[test]
fn prose_stays() {
    for text in [
        "",
        "The token bucket is empty: 61 calls in the last minute.",
        "The next token is back in 2 s.",
        "To stop, include the token ACK-X7K2 in that message.",
        "ACK-X7K2",
        "a secret is a secret: keep it",
        "The password: required, at least 12 characters.",
        "Your password is too short.",
        "The password is required.",
        "Use --password to set the password, --token is optional.",
        "Basic authentication is off; bearer tokens are accepted.",
        "Authorization: the process of deciding who may do what",
        "Authorization: Bearer tokens are preferred",
        "Cookie: a small cake",
        "cookies: 3, tokens: 4096, max_tokens: 8192, input_tokens=512",
        "It passes: 12 tests; by-pass: none",
        "key: value, primary_key = customer_id, sort-key: created_at",
        "the author=me, the monkey: 3",
        "secret santa, token ring, pass the salt",
        "I set the token; then I ran the tests.",
        "The login password reset page.",
        "Password policy",
    ] {
        assert_kept(text);
    }
}

#[test]
fn ids_and_versions_stay() {
    let hex = |length| random(HEX, length);
    for text in [
        "5e55104e-0000-4000-8000-000000000001".to_owned(),
        "session-bf41c52e-72c4-4f61-aed6-2ac9c7e341c4.jsonl".to_owned(),
        format!("agent-{}", hex(17)),
        "toolu_".to_owned() + "01" + "A1b2C3d4E5f6G7h8J9k0L1m2",
        "toolu_".to_owned() + "vrtx_01" + "A1b2C3d4E5f6G7h8J9k0L1m2",
        "msg_".to_owned() + "01" + "X9y8Z7w6V5u4T3s2R1q0P9n8",
        format!("commit {}", hex(40)),
        format!("sha256:{}", hex(64)),
        format!("index {}..{} 100644", hex(10), hex(10)),
        format!("{}  target/release/req", hex(64)),
        "v1.2.3-rc.1+build.20261121, >=0.2, 2.1.329, 1.95.0-x86_64-unknown-linux-gnu".to_owned(),
        "2026-11-21T22:26:40.123Z".to_owned(),
        "0x7fff5fbff8c0 at 00:1a:2b:3c:4d:5e".to_owned(),
    ] {
        assert_kept(&text);
    }
}

#[test]
fn paths_and_addresses_stay() {
    for text in [
        "~/project/shared/src/protocol/answer/documented.schema.json",
        "/usr/lib/python3.11/site-packages/sphinx/ext/autosummary/templates/module_with_long_name.rst",
        "src/components/HeaderNavigation/MobileMenuButton2.test.tsx",
        "/tmp/claude-1000/-Users-me-project/5e55104e-0000-4000-8000-000000000001/scratchpad",
        "C:\\Users\\me\\AppData\\Local\\Temp\\new_folder\\readme.txt",
        "node_modules/.pnpm/@babel+helper-validator-identifier@7.25.9/node_modules",
        "https://example.com/a/b?page=2&sort=name#top",
        "http://localhost:8080/path@2x.png and ssh://git@github.com/org/repo.git",
        "git@github.com:org/repo.git",
        "http://[::1]:8080/a@b",
        "token_file=, password-stdin, secret_name, TOKEN_COUNT=5",
        "PWD=~/project OLDPWD=/tmp PWD=C:\\Users",
    ] {
        assert_kept(text);
    }
}

#[test]
fn code_that_handles_secrets_without_holding_one_stays() {
    for text in [
        "let token = lexer.next_token();",
        "fn login(user: &str, password: &str) -> Result<Token, Error>",
        "connect(password=password, token=self.token)",
        "struct Login { password: String, token: Option<Token>, secret: Vec<u8> }",
        "password: process.env.PASSWORD,",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "export TOKEN=\"$GITHUB_TOKEN\" PASSWORD=${PASSWORD:-none}",
        "curl -H \"Authorization: Bearer $TOKEN\" https://x",
        "password: <your password>",
        "password: ********",
        "Token::new(Secret::Empty)",
        "if token == other { secret != mine }",
        "const token = req.headers.get('authorization')",
        "mkdir -p target/debug && cargo test -p shared -- --nocapture",
        "ssh -p 2222 host; docker run -p 8080:80 image",
        "openssl req -key file.pem -keyout out.pem -newkey rsa:2048",
        "smbclient //h/s -U me -c ls",
        "htpasswd -c file me",
        "htpasswd -b",
        "kubectl create configmap s --from-literal=key",
        "kubectl create configmap s --from-literal=",
        "--from-literal=",
        "ThisIsAVeryLongRustTypeNameWithManyWordsInItAndNoDigits",
        "AbstractSingletonProxyFactoryBean2ImplementationDetails",
        "a_long_test_name_that_says_what_it_does_in_so_many_words_2",
        "SOME_VERY_LONG_CONSTANT_NAME_WITH_UTF8_IN_IT_AND_MORE",
        "data-testid=\"sidebar-navigation-item-settings-advanced-2\"",
        "================================================================",
        "0123456789012345678901234567890123456789",
        "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    ] {
        assert_kept(text);
    }
}

#[test]
fn a_mask_stays_as_it_is() {
    for text in [
        "[masked]",
        "password=[masked]",
        "[masked: private key]",
        "x [masked: GitHub token] y",
        "[masked",
        "[masked: ",
    ] {
        assert_kept(text);
    }
}

#[test]
fn our_own_messages_stay() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/messages");
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() > 10);
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        assert_kept(&text);
        assert_kept(
            &text
                .replace("{token}", "ACK-X7K2")
                .replace("{rule}", "per_skill.token")
                .replace("{bucket}", "`secret-scanner`"),
        );
    }
    assert_kept(&random(CAPITALS, 8));
}
