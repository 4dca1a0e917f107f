//! Spellings that a parser takes for the same or does not take at all, and that keep their bytes.

use super::{installed, owner, register, registered};

#[test]
fn half_surrogate_pairs_escaped_backslashes_and_whole_pairs_keep_their_bytes() {
    for string in [
        r"\ud83d",
        r"\udc00",
        r"\uDE00\uD83D",
        r"\ud83d\ud83d\ude00",
        r"\ud83d\u0041",
        r"\ud83dx",
        r"\\ud83d",
        r"\\\ud83d",
        r"\ud83d\\",
        r"\ud83d\ude00",
        r"\\\\udc00\\",
        r"\ud83d\n\udc00",
        r"\ud83dü\udc00",
    ] {
        for before in [
            format!(r#"{{"a":"{string}"}}"#),
            format!(r#"{{"{string}":1,"{string}":2}}"#),
            format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"prompt","prompt":"{string}"}}]}}]}}}}"#),
            format!("\u{feff}{{\r\n  \"{string}\": \"ü{string}\",\r\n  \"hooks\": {{}}\r\n}}\r\n"),
        ] {
            let after = installed(&before);
            assert_eq!(after.matches(string).count(), before.matches(string).count(), "{after}");
            let earlier = [Some(before.clone())];
            assert_eq!(super::unregister(&after, &owner(), &earlier).unwrap(), Some(before));
        }
    }
}

#[test]
fn keys_are_what_they_mean_however_they_are_spelled() {
    let before = r#"{"h\u006foks":{"St\u006fp":[]}}"#;
    let after = installed(before);
    assert!(after.starts_with(r#"{"h\u006foks":{"St\u006fp":[{"hooks":"#), "{after}");
    assert_eq!(after.matches("Stop").count(), 0);
    assert_eq!(registered(&after, &owner()).unwrap()[0].event, "Stop");
    let ours = after.replace(r"/.claude/hooks/a-gate", r"/.claude\/hooks\u002fa-gate");
    assert_eq!(registered(&ours, &owner()).unwrap().len(), 2);
    assert_eq!(
        super::unregister(&ours, &owner(), &[Some(before.to_owned())]).unwrap().as_deref(),
        Some(before)
    );
}

#[test]
fn the_style_is_that_of_the_file_and_not_of_a_text_in_it() {
    let dense = installed(r#"{"a":": x","b":"\": y"}"#);
    assert!(dense.contains(r#","hooks":{"Stop":[{"hooks":["#), "{dense}");
    assert_eq!(register(&dense, &owner(), &[]).unwrap(), r#"{"a":": x","b":"\": y"}"#);
}

#[test]
fn depth_and_size_do_no_harm() {
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(400), "]".repeat(400));
    let wide = format!(r#"{{"a":"{}"}}"#, "x".repeat(1 << 20));
    for before in [deep, wide] {
        assert_eq!(register(&installed(&before), &owner(), &[]).unwrap(), before);
    }
}
