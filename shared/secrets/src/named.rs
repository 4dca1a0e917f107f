//! What stands behind a telling name is a secret, whatever it looks like: `password=`, `"apiKey": "`, `--token `. What stands
//! behind a name that tells less, such as `key`, is one if it looks random.

use std::ops::Range;

use super::bytes::{end_of, from, has_hump, is_base64, is_blank, is_word, skip_blanks};
use super::random::looks_random;
use super::value::{
    Start, Style, Value, begins_line, behind, ends_line, inside, is_call, is_code, is_number, is_placeholder,
    is_wordlike, read,
};
use super::{Found, headers};

/// A type between a name and its value is not longer, nor is a variable, in bytes.
const MAX_TYPE: usize = 64;

/// How much of a name's end is looked at.
const NAME_END: usize = 24;

/// A shorter value without quotation marks is none, in bytes.
const MIN_SECRET: usize = 3;

/// A shorter one that is written loosely could be anything that has a digit in it.
const MIN_LOOSE: usize = 6;

/// A shorter one behind a name that tells little is not looked at.
const MIN_RANDOM: usize = 16;

/// Hexadecimal digits behind such a name are a key from this length on.
const MIN_HEX: usize = 32;

const PASSWORDS: [&[u8]; 5] = [b"password", b"passwd", b"passphrase", b"passcode", b"pwd"];

const SECRETS: [&[u8]; 15] = [
    b"secret",
    b"token",
    b"apikey",
    b"accesskey",
    b"secretkey",
    b"privatekey",
    b"accountkey",
    b"sharedkey",
    b"signingkey",
    b"encryptionkey",
    b"masterkey",
    b"authkey",
    b"storagekey",
    b"credential",
    b"credentials",
];

const SHORT: [&[u8]; 4] = [b"pass", b"auth", b"pw", b"cred"];

const FAINT: [&[u8]; 9] =
    [b"key", b"sig", b"signature", b"hmac", b"jwt", b"sid", b"sessionid", b"auth", b"nonce"];

/// More options than a command is given are not passed over on the way to a password.
const MAX_OPTIONS: usize = 8;

/// Options that are given a name and a password in one: their letter, and what stands between both.
const JOINTS: [(u8, u8); 2] = [(b'u', b':'), (b'U', b'%')];

/// Their long names.
const USERS: [&[u8]; 3] = [b"--user ", b"--user=", b"--proxy-user "];

/// What a name tells of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// It is a password.
    Password,
    /// It is a secret.
    Secret,
    /// It may be one.
    Faint,
    /// It is a cookie.
    Cookie,
    /// It is the header `Authorization`.
    Authorization,
    /// It is a scheme of that header.
    Scheme,
}

/// What the line has said so far.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// The option that gives the program at work a password.
    option: Option<u8>,
    /// It is one of `.netrc`, where names and values are separated by blanks.
    is_login: bool,
}

impl Line {
    /// Takes note of a word that changes what the next ones mean.
    pub(super) fn note(&mut self, word: &[u8]) {
        match word {
            b"mysql" | b"mysqldump" | b"mysqladmin" | b"mysqlimport" | b"mariadb" | b"mongo" | b"mongosh"
            | b"mongodump" | b"mongorestore" | b"sshpass" | b"login" => self.option = Some(b'p'),
            b"sqlcmd" | b"unzip" | b"zip" => self.option = Some(b'P'),
            b"ldapsearch" | b"ldapadd" | b"ldapmodify" => self.option = Some(b'w'),
            b"redis-cli" => self.option = Some(b'a'),
            b"curl" => self.option = Some(b'u'),
            b"smbclient" | b"rpcclient" => self.option = Some(b'U'),
            b"openssl" => self.option = Some(b'k'),
            b"htpasswd" => self.option = Some(b'b'),
            b"machine" => self.is_login = true,
            _ => {}
        }
    }

    /// The value of an option that begins at this `-`.
    pub(super) fn option(&self, text: &[u8], at: usize) -> Option<Found> {
        if at == 0 || !is_blank(text[at - 1]) {
            return None;
        }
        if let Some(place) = literal(text, at) {
            return Some(Found::at(place));
        }
        let option = self.option?;
        if option == b'b' {
            return batch(text, at).map(Found::at);
        }
        let rest = from(text, at);
        let joint = JOINTS.iter().find(|(with, _)| *with == option).map(|(_, joint)| *joint);
        let long = USERS.iter().find(|name| joint.is_some() && rest.starts_with(name));
        let short = || rest.starts_with(&[b'-', option]).then_some(2);
        let length = long.map(|name| name.len()).or_else(short)?;
        // `-key` and the like are others; with the rest the value may stand close to its option.
        let is_other = option == b'k' && !rest.get(length).copied().is_some_and(is_blank);
        let value = read(text, Start { style: Style::Bare, at: skip_blanks(text, at + length) });
        let secret = &text[value.place.clone()];
        let is_secret = !matches!(secret, [b'-', ..])
            && !is_placeholder(secret)
            && joint.is_none_or(|joint| secret.contains(&joint));
        (is_secret && !is_other).then(|| Found::at(value.place))
    }
}

/// What `--from-literal=name=value` of `kubectl` gives: it is what secrets are made with.
fn literal(text: &[u8], at: usize) -> Option<Range<usize>> {
    let sign = from(text, at).strip_prefix(b"--from-literal")?;
    let at = match sign {
        [b'=', ..] => text.len() - sign.len() + 1,
        [blank, ..] if is_blank(*blank) => skip_blanks(text, text.len() - sign.len()),
        _ => return None,
    };
    let whole = read(text, Start { style: Style::Bare, at }).place;
    let name = end_of(text, whole.start, |byte| is_word(byte) || byte == b'.');
    if text.get(name) != Some(&b'=') {
        return None;
    }
    let start = Start { style: Style::Bare, at: name + 1 };
    // In quotes as a whole it goes to where they end.
    let place = if whole.start > at { name + 1..whole.end } else { read(text, start).place };
    is_secret(text, &place).then_some(place)
}

fn is_secret(text: &[u8], place: &Range<usize>) -> bool {
    text.get(place.clone()).is_some_and(|secret| !secret.is_empty() && !is_placeholder(secret))
}

/// The password on a line of `htpasswd -b [file] user password`, whose options begin here; with `-n` there is no file.
fn batch(text: &[u8], at: usize) -> Option<Range<usize>> {
    let word = |at: usize| read(text, Start { style: Style::Bare, at: skip_blanks(text, at) });
    let (mut is_batch, mut has_file, mut at) = (false, true, at);
    for _ in 0..MAX_OPTIONS {
        if text.get(at) != Some(&b'-') {
            break;
        }
        let end = end_of(text, at, is_word);
        is_batch |= text[at..end].contains(&b'b');
        has_file &= !text[at..end].contains(&b'n');
        let end = if text[at..end].ends_with(b"C") { word(end).place.end } else { end };
        at = skip_blanks(text, end);
    }
    for _ in 0..=usize::from(has_file) {
        let passed = word(at);
        at = (passed.place.end + usize::from(passed.is_quoted)).min(text.len());
    }
    let place = word(at).place;
    (is_batch && is_secret(text, &place)).then_some(place)
}

/// The secret behind the name `word`, if it is a telling one.
pub(super) fn find(text: &[u8], word: &Range<usize>, line: &Line) -> Option<Found> {
    let telling = telling(&text[word.clone()])?;
    let start = behind(text, word)?;
    let place = match telling {
        Telling::Cookie => headers::cookie(text, word, start),
        Telling::Authorization => headers::authorization(text, word, start),
        Telling::Scheme => headers::credentials(text, word, start),
        Telling::Faint => key(text, start),
        Telling::Password | Telling::Secret => {
            let name = Name { text, place: word.clone(), telling };
            let values = [Some(start), name.behind_type(), name.told(start)].into_iter().flatten();
            values
                .map(|start| read(text, start))
                .find(|value| name.is_given(value, line))
                .map(|value| value.place)
        }
    };
    place.map(Found::at)
}

/// What is behind a name that tells little, if it looks like a key and not like the name of one.
fn key(text: &[u8], start: Start) -> Option<Range<usize>> {
    let at = inside(text, start.at);
    let end = end_of(text, at, |byte| is_base64(byte) || byte == b'.');
    let value = &text[at..end];
    let is_hex = || value.len() >= MIN_HEX && value.iter().all(u8::is_ascii_hexdigit);
    let is_key = start.style != Style::Bare && value.len() >= MIN_RANDOM && (looks_random(value) || is_hex());
    is_key.then(|| at..end_of(text, end, |byte| byte == b'='))
}

/// What the name tells, by how it ends.
fn telling(name: &[u8]) -> Option<Telling> {
    if !may_tell(name) {
        return None;
    }
    let mut end = [0_u8; NAME_END];
    let mut start = NAME_END;
    for byte in name.iter().rev().filter(|byte| byte.is_ascii_alphanumeric()).take(NAME_END) {
        start -= 1;
        end[start] = byte.to_ascii_lowercase();
    }
    let end = &end[start..];
    let ends_in = |names: &[&[u8]]| names.iter().any(|name| end.ends_with(name));
    match end {
        b"bearer" | b"basic" => Some(Telling::Scheme),
        _ if end.ends_with(b"authorization") => Some(Telling::Authorization),
        _ if end.ends_with(b"cookie") => Some(Telling::Cookie),
        _ if ends_in(&PASSWORDS) => Some(Telling::Password),
        _ if ends_in(&SECRETS) || is_short(name) => Some(Telling::Secret),
        _ if ends_in(&FAINT) => Some(Telling::Faint),
        _ => None,
    }
}

/// Its last two letters are those of a name that tells something: most words are done with here.
fn may_tell(name: &[u8]) -> bool {
    let [.., before, last] = name else { return false };
    matches!(
        [before.to_ascii_lowercase(), last.to_ascii_lowercase()],
        [b'r' | b'w' | b'e', b'd']
            | [b's' | b'd' | b'r' | b'c' | b'i', b'e']
            | [b'e' | b'w', b't']
            | [b'e' | b'o', b'n']
            | [b'e', b'y' | b'r']
            | [b'a', b'l' | b'c']
            | [b'l' | b's', b's']
            | [b't', b'h']
            | [b'p', b'w']
            | [b'i', b'g' | b'd' | b'c']
    )
}

/// A short name tells something only where it is a word of its own: `pass`, `DB_PASS`, `dbPass`, not `bypass`.
fn is_short(name: &[u8]) -> bool {
    SHORT.iter().any(|short| {
        let Some(start) = name.len().checked_sub(short.len()) else { return false };
        let (before, end) = name.split_at(start);
        let begins = match before.last() {
            None | Some(b'_' | b'-') => true,
            Some(before) => before.is_ascii_lowercase() && end[0].is_ascii_uppercase(),
        };
        begins && end.eq_ignore_ascii_case(short)
    })
}

/// A name that says: what I am given is a secret.
struct Name<'a> {
    text: &'a [u8],
    place: Range<usize>,
    telling: Telling,
}

impl Name<'_> {
    fn word(&self) -> &[u8] {
        &self.text[self.place.clone()]
    }

    /// `name: Type = "value"`: the type is none, but what is quoted behind it may be one.
    fn behind_type(&self) -> Option<Start> {
        let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"_&'<>.[]| ?:".contains(&byte);
        let rest = from(self.text, self.place.end);
        let end = end_of(&rest[..rest.len().min(MAX_TYPE)], 0, is_type);
        let is_typed = rest.starts_with(b":") && matches!(rest[end..], [b'=', b' ', ..]);
        let at = skip_blanks(self.text, self.place.end + end + 1);
        is_typed.then_some(Start { style: Style::Quoted, at })
    }

    /// "The password is hunter2."
    fn told(&self, start: Start) -> Option<Start> {
        let is = self.telling == Telling::Password && start.style == Style::Bare;
        let rest =
            from(self.text, start.at).strip_prefix(b"is").filter(|rest| is && rest.first() == Some(&b' '))?;
        let at = skip_blanks(self.text, self.text.len() - rest.len());
        Some(Start { style: Style::Loose, at })
    }

    fn is_given(&self, value: &Value, line: &Line) -> bool {
        let secret = &self.text[value.place.clone()];
        if is_placeholder(secret) || self.is_folder(secret) {
            return false;
        }
        match value.style {
            Style::Bare => self.is_given_barely(value, line),
            Style::Quoted => value.is_quoted && (self.is_option() || !is_wordlike(secret)),
            _ if value.is_quoted => true,
            _ if secret.len() < MIN_SECRET || self.is_count(secret) => false,
            Style::Tight => self.is_in_no_code() || !is_call(secret) && !self.is_named_by(secret),
            Style::Loose => !is_call(secret) && !self.is_named_by(secret) && self.is_given_loosely(value),
            Style::Element => true,
        }
    }

    /// Between a name and its value there are blanks: a setting, a line of code, or a sentence.
    fn is_given_loosely(&self, value: &Value) -> bool {
        let secret = &self.text[value.place.clone()];
        let is_password = self.telling == Telling::Password;
        if is_wordlike(secret) {
            let refers = (secret.contains(&b'_') || has_hump(secret)) && telling(secret).is_some();
            return self.is_line(value) && !refers && (is_password || !is_title(secret));
        }
        if is_code(secret) {
            return is_password && self.is_line(value);
        }
        is_password || secret.len() >= MIN_LOOSE
    }

    /// Nothing but blanks between a name and its value: an option, a line of `.netrc`, SQL.
    fn is_given_barely(&self, value: &Value, line: &Line) -> bool {
        let secret = &self.text[value.place.clone()];
        let is_password = self.telling == Telling::Password;
        if value.is_quoted {
            return self.is_option() || is_password && self.text[value.place.start - 1] != b'`';
        }
        let is_of_netrc = || is_password && (line.is_login || self.is_line(value) && !is_wordlike(secret));
        secret.len() >= MIN_SECRET && secret[0] != b'-' && (self.is_option() || is_of_netrc())
    }

    /// Name and value are all there is on their line.
    fn is_line(&self, value: &Value) -> bool {
        begins_line(self.text, self.place.start) && ends_line(self.text, value.place.end)
    }

    fn is_option(&self) -> bool {
        self.place.start > 0 && self.text[self.place.start - 1] == b'-'
    }

    /// `--password=...` and `DB_PASSWORD=...` stand in no code, so whatever they are given is the secret itself.
    fn is_in_no_code(&self) -> bool {
        self.is_option() || !self.word().iter().any(u8::is_ascii_lowercase)
    }

    /// The value is a variable that holds the secret, not the secret: `password=self.password`, `password: password`.
    fn is_named_by(&self, value: &[u8]) -> bool {
        let is_path = value.iter().all(|byte| is_word(*byte) || *byte == b'.');
        let is_member = || value.contains(&b'.') && telling(value).is_some();
        is_path && value.len() < MAX_TYPE && (value.eq_ignore_ascii_case(self.word()) || is_member())
    }

    /// The folder a shell is in, not a password.
    fn is_folder(&self, value: &[u8]) -> bool {
        let is_path = matches!(value, [b'/' | b'~' | b'.', ..] | [_, b':', b'\\' | b'/', ..]);
        is_path && matches!(self.word(), b"PWD" | b"OLDPWD")
    }

    /// A count, not a secret: a password may be a number, but hardly one of three digits.
    fn is_count(&self, value: &[u8]) -> bool {
        let min = if self.telling == Telling::Password { 4 } else { MIN_LOOSE };
        value.len() < min && is_number(value)
    }
}

/// What a type or a sentence begins with: a capital and small letters.
fn is_title(value: &[u8]) -> bool {
    value[0].is_ascii_uppercase() && value[1..].iter().any(u8::is_ascii_lowercase)
}
