//! Secrets behind a telling name: `password=`, `"apiKey": "`, `--token `, `<password>`, `key="ApiKey" value="`.
//! A value behind a vaguer name, such as `key`, is a secret if it looks random.

use std::ops::Range;

use super::{Found, end_of, is_quote, is_space, is_word, mask_len};

/// A value is judged by its beginning of this length, in bytes: names behind each other would else cost the square of their number.
const MAX_LOOK: usize = 1024;

/// A type between a name and its value is not longer, nor is a placeholder, in bytes.
const MAX_TYPE: usize = 64;

/// A shorter value without quotation marks is none, in bytes.
const MIN_SECRET: usize = 3;

/// A shorter one in what may be code could be anything that has a digit in it.
const MIN_LOOSE: usize = 6;

/// A shorter one behind a vague name is not looked at.
const MIN_RANDOM: usize = 16;

/// Hexadecimal digits behind such a name are a key from this length on.
const MIN_HEX: usize = 32;

/// Ends of telling names.
#[rustfmt::skip]
const TELLING: [&str; 23] = [
    "password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "apikey", "accesskey", "secretkey",
    "privatekey", "accountkey", "sharedkey", "signingkey", "encryptionkey", "masterkey", "authkey", "storagekey",
    "credential", "credentials", "userpass", "dbpass", "adminpass",
];

/// Names that tell something only where they are a word of their own: `DB_PASS`, not `bypass`.
const SHORT: [&str; 4] = ["pass", "auth", "pw", "cred"];

/// Ends of vague names.
const VAGUE: [&str; 9] = ["key", "sig", "signature", "hmac", "jwt", "sid", "sessionid", "auth", "nonce"];

/// Values that are no secret: types, states, and the words a sentence goes on with.
const WORDS: &str = "a an and any are as auto basic bearer bool boolean bytes char default disabled empty enabled expired \
    false field file flag for from has if in include int integer invalid is it missing must nil no none \
    not null number object of omit on option optional or prompt required rotate same-origin self so \
    stdin str string text that the this to true undefined varchar was yes";

/// A value: its place without quotation marks, and whether it has some.
struct Value {
    place: Range<usize>,
    is_quoted: bool,
}

pub(super) fn find(text: &[u8], word: &Range<usize>) -> Option<Found> {
    let name = &text[word.clone()];
    let ends_with = |end: &str| ends_with_one_of(name, &[end]);
    let place = if ["bearer", "basic"].iter().any(|scheme| name.eq_ignore_ascii_case(scheme.as_bytes())) {
        credential(text, end_of(text, word.end, is_blank))
    } else if ends_with("authorization") {
        let (_, at) = joint(text, word).filter(|(is_loose, _)| !is_loose)?;
        let at = at + usize::from(text.get(at).copied().is_some_and(is_quote));
        let scheme = end_of(text, at, is_word);
        credential(text, end_of(text, scheme, is_blank)).or_else(|| credential(text, at))
    } else if ends_with("cookie") {
        cookie(text, word)
    } else if ends_with_one_of(name, &TELLING) || is_short(name) {
        telling(text, word)
    } else if ends_with_one_of(name, &VAGUE) {
        random(text, word)
    } else {
        None
    };
    place.map(|place| Found { place, kind: "" })
}

/// The name ends with one of these, whatever its case and its signs.
fn ends_with_one_of(name: &[u8], ends: &[&str]) -> bool {
    let mut letters =
        name.iter().rev().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase);
    let Some(last) = letters.next() else { return false };
    // Most words are done with at their last letter.
    let mut likely = ends.iter().filter(|end| end.as_bytes().last() == Some(&last));
    likely.any(|end| letters.clone().take(end.len() - 1).eq(end.bytes().rev().skip(1)))
}

/// The last word of the name is one of the short ones: `DB_PASS`, `dbPass`.
fn is_short(name: &[u8]) -> bool {
    let is_hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let sign = name.iter().rposition(|byte| matches!(byte, b'_' | b'-')).map_or(0, |at| at + 1);
    let hump = name.windows(2).rposition(is_hump).map_or(0, |at| at + 1);
    SHORT.iter().any(|short| name[sign.max(hump)..].eq_ignore_ascii_case(short.as_bytes()))
}

/// The beginning of the value behind a name, and whether only a quoted one counts, as in `name == "value"`.
fn joint(text: &[u8], name: &Range<usize>) -> Option<(bool, usize)> {
    let slashes = end_of(text, name.end, |byte| byte == b'\\');
    let is_quoted = text.get(slashes).copied().is_some_and(is_quote);
    let closed = if is_quoted { slashes + 1 } else { name.end };
    let closed = closed + usize::from(text.get(closed) == Some(&b']'));
    let sign = end_of(text, closed, is_blank);
    let before = name.start.checked_sub(1).map(|before| text[before]);
    let (is_loose, length) = match &text[sign..] {
        [b':', b':', ..] => return None,
        [b'=' | b'!', b'=', b'=', ..] => (true, 3),
        [b'=' | b'!', b'=', ..] => (true, 2),
        [b':' | b'+', b'=', ..] | [b'=', b'>', ..] => (false, 2),
        [b'=' | b':', ..] => (false, 1),
        [b'%', b'3', b'D' | b'd', ..] => (false, 3),
        [b',', ..] if is_quoted => (true, 1),
        [b'>', ..] if matches!(before, Some(b'<' | b':')) => (false, 1),
        // An attribute that stands beside the one with the name: `key="ApiKey" value="..."`.
        rest if is_quoted && rest.starts_with(b"value") => {
            let equals = end_of(text, sign + b"value".len(), is_blank);
            (text.get(equals) == Some(&b'=')).then_some((true, equals + 1 - sign))?
        }
        _ if before == Some(b'-') && sign > closed => (false, 0),
        _ => return None,
    };
    Some((is_loose, end_of(text, sign + length, is_blank)))
}

/// `name: Type = "value"` and `name string = "value"`: where the value begins.
fn behind_type(text: &[u8], name: &Range<usize>) -> Option<usize> {
    let near = &text[..text.len().min(name.end + MAX_TYPE)];
    let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"_&'<>.[]*| ?:".contains(&byte);
    let equals = end_of(near, name.end, is_type);
    let is_typed = text.get(name.end).is_some_and(|byte| matches!(byte, b':' | b' '));
    (is_typed && text.get(equals) == Some(&b'=') && text.get(equals + 1) != Some(&b'='))
        .then(|| end_of(text, equals + 1, is_blank))
}

impl Value {
    fn at(text: &[u8], at: usize) -> Self {
        let has_letter =
            matches!(&text[at..], [b'b' | b'f' | b'r' | b'u' | b'$' | b'@', mark, ..] if is_quote(*mark));
        let slashes = at + usize::from(has_letter);
        let mark_at = end_of(text, slashes, |byte| byte == b'\\');
        let Some(mark) = text.get(mark_at).copied().filter(|byte| is_quote(*byte)) else {
            return Self { place: at..unquoted_end(text, at), is_quoted: false };
        };
        let start = mark_at + if text[mark_at..].starts_with(&[mark; 3]) { 3 } else { 1 };
        Self { place: start..closing(text, start, mark, mark_at > slashes), is_quoted: true }
    }
}

fn near(text: &[u8], at: usize) -> &[u8] {
    &text[..text.len().min(at + MAX_LOOK)]
}

/// End of the quotation, or of the line if nobody closes it.
fn closing(text: &[u8], start: usize, mark: u8, is_escaped: bool) -> usize {
    let mut at = start;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' if is_escaped && text.get(at + 1) == Some(&mark) => return at,
            b'\\' if text.get(at + 1).is_some_and(u8::is_ascii) => at += 1,
            byte if *byte == mark => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

fn unquoted_end(text: &[u8], start: usize) -> usize {
    let belongs = |byte| !is_space(byte) && !is_quote(byte) && !b"&;,<\\".contains(&byte);
    let end = end_of(text, start, belongs);
    let closers = text[start..end].iter().rev().take_while(|byte| b")]}.".contains(byte)).count();
    if mask_len(&text[start..end]).is_some() { end } else { end - closers }
}

fn telling(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let starts = joint(text, name).into_iter().chain(behind_type(text, name).map(|at| (true, at)));
    let is_one = |(is_loose, at): &(bool, usize)| {
        let value = Value::at(near(text, *at), *at);
        let secret = &text[value.place.clone()];
        if is_placeholder(secret) || matches!(&text[name.clone()], b"PWD" | b"OLDPWD") {
            return false;
        }
        match (value.is_quoted, is_loose) {
            (true, true) => !is_wordlike(secret),
            (quoted, loose) => quoted || !loose && is_bare_secret(text, name, &value.place),
        }
    };
    starts.filter(is_one).map(|(_, at)| Value::at(text, at).place).next()
}

/// A value without quotation marks is a secret where it stands in no code, looks random, or is all there is on its line.
fn is_bare_secret(text: &[u8], name: &Range<usize>, place: &Range<usize>) -> bool {
    let secret = &text[place.clone()];
    if secret.len() < MIN_SECRET || secret[0] == b'-' || secret.starts_with(b"~/") {
        return false;
    }
    // `--password=...` and `DB_PASSWORD=...` stand in no code: whatever they are given is the secret itself.
    let is_option = name.start > 0 && text[name.start - 1] == b'-';
    if is_option || !text[name.clone()].iter().any(u8::is_ascii_lowercase) {
        return secret.len() >= MIN_LOOSE || !secret.iter().all(u8::is_ascii_digit);
    }
    // A small letter stands before a capital once in a `newName`, more often in a value that nobody made up.
    let is_hump = |pair: &&[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let is_random = secret.iter().any(u8::is_ascii_digit) || secret.windows(2).filter(is_hump).count() > 1;
    let is_title = secret[0].is_ascii_uppercase() && secret[1..].iter().any(u8::is_ascii_lowercase);
    !is_code(secret)
        && (is_random && secret.len() >= MIN_LOOSE || !is_title && is_line(text, name.start, place.end))
}

/// Value behind a vague name, if it looks like a key and not like the name of one.
fn random(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let (_, at) = joint(text, name).filter(|(is_loose, _)| !is_loose)?;
    let key = &text[Value::at(near(text, at), at).place];
    let has = |is_one: fn(&u8) -> bool| key.iter().any(is_one);
    let is_base64 = key.iter().all(|byte| is_word(*byte) || b"+/=.".contains(byte));
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    let is_hex = key.len() >= MIN_HEX && key.iter().all(u8::is_ascii_hexdigit);
    (key.len() >= MIN_RANDOM && is_base64 && (is_mixed || is_hex)).then(|| Value::at(text, at).place)
}

/// All of a cookie line, if it is one: `name=value` at least.
fn cookie(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let (_, at) = joint(text, name)?;
    let mark = |at: usize| text.get(at).copied().filter(|byte| is_quote(*byte));
    let start = at + usize::from(mark(at).is_some());
    let end = mark(at).or(name.start.checked_sub(1).and_then(mark));
    let key = end_of(near(text, start), start, |byte| is_word(byte) || byte == b'.');
    let is_pair = key > start && matches!(text.get(key..key + 2), Some([b'=', next]) if !is_space(*next));
    let belongs = |byte: u8| !matches!(byte, b'\n' | b'\r') && Some(byte) != end;
    is_pair.then(|| start..end_of(text, start, belongs))
}

/// The word that begins here, if it is no word of a sentence.
fn credential(text: &[u8], at: usize) -> Option<Range<usize>> {
    let word = &text[at..unquoted_end(near(text, at), at)];
    let has_sign = word.iter().any(|byte| byte.is_ascii_digit() || b"=+/_".contains(byte));
    let is_mixed =
        || word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_credential =
        word.len() >= MIN_LOOSE && !is_placeholder(word) && (has_sign || is_mixed() || word.len() >= 24);
    is_credential.then(|| at..unquoted_end(text, at))
}

/// Nothing that is kept secret: a word from the list, a variable, a template, a mask.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let is_variable = |name: &[u8]| {
        let has = |is_one: fn(&u8) -> bool| name.iter().any(is_one);
        // Small letters and digits together are rather a password that begins with a `$`.
        name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && has(u8::is_ascii_alphabetic)
            && !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit))
    };
    let is_reference = match value {
        [b'$', name @ ..] | [b'%', name @ .., b'%'] | [b'{', name @ .., b'}'] if is_variable(name) => true,
        [b'<', .., b'>'] | [] | [b'$', b'{' | b'(', ..] | [b'{', b'{', ..] | [b'%', b'(', ..] => true,
        [first, rest @ ..] => !first.is_ascii_digit() && rest.iter().all(|byte| byte == first),
    };
    let word = value.strip_suffix(b".").unwrap_or(value);
    let is_listed = || WORDS.split(' ').any(|listed| word.eq_ignore_ascii_case(listed.as_bytes()));
    value.len() <= MAX_TYPE && (is_reference || mask_len(value).is_some() || is_listed())
}

/// A value of letters only, as a word has, or a name of several words.
fn is_wordlike(value: &[u8]) -> bool {
    let belongs = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.');
    value.len() < MAX_TYPE && value.iter().all(belongs)
}

/// A call, a type, a list, or a variable that holds the secret: `self.token`.
fn is_code(value: &[u8]) -> bool {
    let is_path = value.iter().all(|byte| is_word(*byte) || *byte == b'.');
    value.iter().any(|byte| b"(|[".contains(byte))
        || value.windows(2).any(|pair| pair == b"::")
        || matches!(value, [b'&' | b'*' | b'{' | b'!', ..])
        || is_path && ends_with_one_of(value, &TELLING)
}

/// Name and value are all there is on their line, as in a file of settings.
fn is_line(text: &[u8], name: usize, value_end: usize) -> bool {
    let before = &text[name.saturating_sub(MAX_TYPE)..name];
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let margin = end_of(before, line, |byte| is_blank(byte) || b"-+>|".contains(&byte));
    let closers = end_of(text, value_end, |byte| b",;)]}".contains(&byte));
    let rest = &text[end_of(text, closers, |byte| is_blank(byte) || byte == b'\r')..];
    let ends = matches!(rest, [] | [b'\n' | b'#', ..] | [b'/', b'/', ..] | [b'\\', b'n' | b'r', ..]);
    ends && !before[margin..].iter().any(|byte| is_space(*byte))
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
