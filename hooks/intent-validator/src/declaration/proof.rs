//! What core code wants beside a declaration: a test that is named, or the user's own words that permit to go without.

use super::quotes::{self, Quote};
use super::text::{self, has_any};
use super::values;
use super::{Heard, TestLack};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Proof {
    /// A test is named.
    Test(String),
    /// The user permits to go without.
    Permission(String),
    /// Neither, for certain.
    Lacking(TestLack),
    /// A reader is needed.
    Unsure,
}

impl Proof {
    /// What is quoted without a word about tests was not meant for a permission.
    fn without_quote(self) -> Self {
        match self {
            Self::Lacking(_) => Self::Lacking(TestLack::Nothing),
            found => found,
        }
    }
}

/// Words that put a test off, or say that there is none.
const PUT_OFF: &[&str] = &[
    "later",
    "afterwards",
    "follow up",
    "follow-up",
    "tomorrow",
    "todo",
    "tbd",
    "eventually",
    "in a second step",
    "next pr",
    "später",
    "danach",
    "folgt",
    "nachher",
    "más tarde",
    "después",
    "luego",
    "plus tard",
    "ensuite",
    "depois",
    "dopo",
    "to follow",
    "separate pr",
    "once this",
    "after this",
];

/// Words that say that no test is meant.
const NO_TEST: &[&str] = &[
    "no",
    "not",
    "none",
    "n/a",
    "without",
    "isn't",
    "aren't",
    "don't",
    "skip",
    "skipped",
    "skipping",
    "unnecessary",
    "needless",
    "manual",
    "manually",
    "by hand",
    "instead of",
    "untested",
    "kein",
    "keine",
    "ohne",
    "nicht",
    "entfällt",
    "sin",
    "ninguno",
    "no hay",
    "sans",
    "aucun",
    "pas",
    "sem",
    "nenhum",
    "não",
    "senza",
    "nessun",
    "non",
    "delete",
    "remove",
    "deleting",
    "removing",
    "see",
];

/// Words by which a sentence says that a test covers the change.
const COVERING: &[&str] = &[
    "cover",
    "covers",
    "covered",
    "covering",
    "coverage",
    "test",
    "tests",
    "tested",
    "extend",
    "extended",
    "extending",
    "add",
    "added",
    "adding",
    "red",
    "fails",
    "failing",
    "checks",
    "pins",
    "proves",
    "wrote",
    "written",
    "exercises",
    "asserts",
    "verified",
    "abgedeckt",
    "deckt",
    "prüft",
    "testet",
    "cubre",
    "prueba",
    "comprueba",
    "couvre",
    "couvert",
    "vérifie",
    "cobre",
    "testa",
    "copre",
    "verifica",
    "il",
    "der",
    "le",
    "el",
    "o",
];

/// Words that say of a test that it does not serve.
const SERVES_NOT: &[&str] = &[
    "broken",
    "deleted",
    "removed",
    "ignoring",
    "ignored",
    "outdated",
    "missing",
    "lacks",
    "nothing",
    "hardly",
    "barely",
    "irrelevant",
    "unrelated",
];

/// Words that turn what is said of a test into its opposite.
const NEGATING: &[&str] = &[
    "no", "not", "never", "nobody", "none", "neither", "nor", "without", "cannot", "dont", "didnt", "kein",
    "keine", "keinen", "nicht", "nie", "ohne", "nunca", "sin", "sans", "pas", "jamais", "aucun", "sem",
    "não", "senza", "non", "не", "нет",
];

/// The same where words are not set apart.
const NEGATING_WITHIN: &[&str] = &["没", "不", "未", "ない", "なし", "ません", "않", "없"];

/// What a test does, or fails to do.
const OF_SERVICE: &[&str] = &[
    "cover", "test", "reach", "check", "exercise", "run", "exist", "work", "apply", "help", "touch", "catch",
];

/// Whether it is said, outside of quotes, that a test does not serve.
fn serves_not(text: &str) -> bool {
    let words = text::words(&outside_quotes(text));
    let fails = |pair: &[String]| {
        (pair[0].ends_with("n't") || pair[0] == "cannot" || pair[0] == "not")
            && OF_SERVICE.contains(&pair[1].as_str())
    };
    has_any(&words, SERVES_NOT) || words.windows(2).any(fails)
}

fn outside_quotes(text: &str) -> String {
    let mut plain = text.to_owned();
    for quote in quotes::in_text(text) {
        plain = plain.replacen(quote.text, " ", 1);
    }
    plain
}

/// Whether something is denied, outside of quotes and of the names of tests.
fn negates(text: &str) -> bool {
    let words = text::words(&outside_quotes(text));
    has_any(&words, NEGATING)
        || words.iter().any(|word| word.ends_with("n't"))
        || words
            .iter()
            .any(|word| !is_test_word(word) && NEGATING_WITHIN.iter().any(|part| word.contains(part)))
}

/// The proof that lies in what stands behind the labels for test and permission.
pub(super) fn of_labels(test: Option<&str>, permission: Option<&str>, heard: &Heard<'_>) -> Proof {
    let by_test = test.map(|test| of_test_value(test, heard));
    if let Some(Proof::Test(_) | Proof::Permission(_)) = &by_test {
        return by_test.unwrap_or(Proof::Unsure);
    }
    let by_permission = permission.map(|permission| match of_permission(permission, &[], heard) {
        // Without marks it is a quote all the same.
        Proof::Lacking(_) if !heard.user_is_whole && !values::is_empty(permission) => Proof::Unsure,
        found => found,
    });
    match (by_test, by_permission) {
        (_, Some(Proof::Permission(quote))) => Proof::Permission(quote),
        (Some(Proof::Unsure), _) | (_, Some(Proof::Unsure)) => Proof::Unsure,
        (_, Some(proof)) | (Some(proof), None) => proof,
        (None, None) => Proof::Lacking(TestLack::Nothing),
    }
}

/// The proof that lies in the value of a TEST label.
pub(super) fn of_test_value(value: &str, heard: &Heard<'_>) -> Proof {
    if values::is_empty(value) {
        return Proof::Lacking(TestLack::Nothing);
    }
    let words = text::words(value);
    let is_put_off = has_any(&words, PUT_OFF);
    let denies = words.first().is_some_and(|first| NO_TEST.contains(&first.as_str()))
        || has_any(
            &words,
            &[
                "no test",
                "no tests",
                "not tested",
                "not covered",
                "not required",
                "not needed",
                "not necessary",
            ],
        );
    match (names_test(value, heard.file), denies || is_put_off || serves_not(value) || negates(value)) {
        (true, false) => Proof::Test(value.trim().to_owned()),
        (true, true) => Proof::Unsure,
        (false, _) => without_name(value, &words, denies || is_put_off, heard),
    }
}

fn without_name(value: &str, words: &[String], denies: bool, heard: &Heard<'_>) -> Proof {
    let quoted = of_permission(value, &[], heard);
    let speaks_of_user =
        has_any(words, &["user", "you", "nutzer", "usuario", "utilisateur", "usuário", "utente"]);
    match quoted {
        Proof::Lacking(TestLack::Nothing) => {}
        // What is quoted may be the name of a test.
        Proof::Lacking(_) if !denies && !speaks_of_user => return Proof::Unsure,
        found => return found,
    }
    let is_promise = has_any(
        words,
        &["i'll add", "i will add", "i'll write", "i will write", "will be added", "will follow"],
    );
    let by_hand =
        has_any(words, &["by hand", "manually", "manual", "manuell", "von hand", "a mano", "à la main"]);
    if denies || speaks_of_user || is_promise || by_hand {
        Proof::Lacking(TestLack::Nothing)
    } else {
        Proof::Unsure
    }
}

/// The proof that lies in a text that claims the user's permission, with what stands behind `>` beside it.
pub(super) fn of_permission(value: &str, beside: &[String], heard: &Heard<'_>) -> Proof {
    let quoted = quotes::in_text(value);
    let whole = value.trim();
    let candidates =
        quoted.iter().map(|quote| quote.text).chain([whole]).chain(beside.iter().map(String::as_str));
    let (mut is_unsure, mut is_beside) = (false, false);
    for candidate in candidates.take(quotes::MOST) {
        match quotes::find(candidate, heard.user) {
            Quote::Permits => return Proof::Permission(candidate.trim().to_owned()),
            Quote::Doubtful => is_unsure = true,
            Quote::Beside => is_beside = true,
            Quote::NotFound => {}
        }
    }
    match quoted.iter().map(|quote| quote.text).chain(beside.iter().map(String::as_str)).next() {
        _ if is_unsure => Proof::Unsure,
        _ if is_beside => Proof::Lacking(TestLack::Nothing),
        Some(quote) => Proof::Lacking(TestLack::QuoteNotFound(quote.to_owned())),
        None => Proof::Lacking(TestLack::Nothing),
    }
}

/// The proof that lies in prose.
pub(super) fn of_prose(prose: &str, beside: &[String], heard: &Heard<'_>) -> Proof {
    let sentences = text::sentences(prose);
    if let Some(sentence) = sentences.iter().find(|sentence| is_covered_by(sentence, heard.file)) {
        return Proof::Test((*sentence).to_owned());
    }
    let speaking =
        || sentences.iter().filter(|sentence| quotes::speaks_of_tests(sentence) || claims(sentence));
    let is_dismissed = beside.is_empty() && speaking().all(|sentence| dismisses(sentence, heard.user));
    if is_dismissed {
        return Proof::Lacking(TestLack::Nothing);
    }
    if !sentences.iter().any(|sentence| quotes::speaks_of_tests(sentence)) && beside.is_empty() {
        return of_permission(prose, &[], heard).without_quote();
    }
    of_claims(prose, beside, heard)
}

/// Whether a sentence only says that there is no test yet: in the speaker's own words, with no name and no quote in it, and
/// with nothing that the user could have said.
fn dismisses(sentence: &str, user: &[String]) -> bool {
    let words = text::words(sentence);
    let puts_off = has_any(
        &words,
        &[
            "skip",
            "skipping",
            "later",
            "tomorrow",
            "afterwards",
            "without tests",
            "without a test",
            "no tests",
            "no test",
        ],
    );
    let names = sentence.contains([':', ';', '_', '('])
        || !quotes::in_text(sentence).is_empty()
        || sentence.split_whitespace().any(is_test_word);
    let leans = has_any(
        &words,
        &["existing", "already", "cover", "covers", "covered", "exercise", "exercises", "suite", "you"],
    );
    let is_open = claims(sentence) || user.iter().any(|said| quotes::speaks_of_tests(said));
    puts_off && !names && !leans && !is_open
}

/// A test is spoken of, but none is named: what remains is a quote.
fn of_claims(prose: &str, beside: &[String], heard: &Heard<'_>) -> Proof {
    let quoted = quotes::in_text(prose);
    let of_tests = quoted.iter().map(|quote| quote.text).chain(beside.iter().map(String::as_str));
    let mut not_found = None;
    for quote in of_tests.filter(|quote| quotes::speaks_of_tests(quote)).take(quotes::MOST) {
        match quotes::find(quote, heard.user) {
            Quote::Permits => return Proof::Permission(quote.to_owned()),
            Quote::Doubtful | Quote::Beside => return Proof::Unsure,
            Quote::NotFound => not_found = Some(quote),
        }
    }
    // Without the claim that the user said it, a quote may be the name of a test.
    match not_found
        .filter(|_| text::sentences(prose).iter().any(|sentence| claims(sentence) && speaks(sentence)))
    {
        Some(quote) => Proof::Lacking(TestLack::QuoteNotFound(quote.to_owned())),
        None => Proof::Unsure,
    }
}

fn speaks(sentence: &str) -> bool {
    quotes::in_text(sentence).iter().any(|quote| quotes::speaks_of_tests(quote.text))
}

/// Whether a sentence claims that the user said or permitted something.
fn claims(sentence: &str) -> bool {
    let words = text::words(sentence);
    has_any(
        &words,
        &[
            "you said",
            "you wrote",
            "you told",
            "user said",
            "user wrote",
            "user told",
            "permission",
            "you've said",
        ],
    ) || has_any(
        &words,
        &["your words", "said the user", "erlaubnis", "permiso", "permissão", "permesso", "user"],
    )
}

fn is_covered_by(sentence: &str, file: &str) -> bool {
    let words = text::words(sentence);
    let is_doubtful = sentence.trim_end().ends_with('?')
        || has_any(&words, PUT_OFF)
        || words.iter().any(|word| NO_TEST.contains(&word.as_str()))
        || has_any(
            &words,
            &["would", "could", "might", "should", "pass", "passes", "passed", "still green", "run", "if"],
        )
        || serves_not(sentence)
        || has_any(
            &words,
            &["i'd", "but", "only", "ran", "nobody", "no one", "please", "you", "like", "other"],
        );
    !is_doubtful && names_test(sentence, file) && words.iter().any(|word| COVERING.contains(&word.as_str()))
}

/// Whether a test file or a test function other than the changed file is named.
fn names_test(value: &str, file: &str) -> bool {
    let separators = |c: char| c.is_whitespace() || ",;()[]\"“”„«»「」『』、，；（）【】".contains(c);
    let is_own =
        |word: &str| super::naming::word(word, file) == super::naming::Named::Ours && !word.contains("::");
    value.split(separators).any(|word| is_test_word(word) && (!is_own(word) || is_test_word(file)))
}

/// Whether a word names a test file or a test function.
pub(super) fn is_test_word(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '/' && c != '.');
    let path = word.replace('\\', "/");
    let (path, symbol) = path.split_once("::").map_or((path.as_str(), ""), |(path, symbol)| (path, symbol));
    is_test_file(path)
        || is_test_function(path)
        || (!path.is_empty() && symbol.split("::").any(is_test_function))
}

/// Whether a file is a test by its name or its folder.
pub(crate) fn is_test_file(path: &str) -> bool {
    let path = path.trim_end_matches('.');
    let (folder, base) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, ending)) = base.split_once('.') else { return false };
    if stem.is_empty()
        || ending.is_empty()
        || !ending.chars().all(|c| c.is_alphanumeric() || "._-".contains(c))
    {
        return false;
    }
    let is_test_folder = |part: &str| {
        let part = part.to_lowercase();
        let last = part.rsplit('.').next().unwrap_or_default();
        last == "tests" || ["test", "spec", "specs", "__tests__", "e2e", "selftests"].contains(&part.as_str())
    };
    is_test_name(stem) || is_test_ending(ending) || folder.split('/').any(is_test_folder)
}

fn is_test_ending(ending: &str) -> bool {
    ["test.", "spec.", "tests.", "e2e."].iter().any(|kind| ending.starts_with(kind))
}

fn is_test_name(stem: &str) -> bool {
    let small = stem.to_lowercase();
    ["test", "tests", "spec"].contains(&small.as_str())
        || ["test_", "test-", "tests_"].iter().any(|start| small.starts_with(start))
        || ["_test", "-test", "_spec", "-spec", "_tests"].iter().any(|end| small.ends_with(end))
        || ends_in_hump(stem)
}

/// `FooTest`, `FooTests`, `FooSpec`; not `Contest`.
fn ends_in_hump(stem: &str) -> bool {
    ["Test", "Tests", "Spec", "IT"].iter().any(|end| {
        stem.strip_suffix(end)
            .is_some_and(|before| before.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))
    })
}

fn is_test_function(word: &str) -> bool {
    let name = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let go = name
        .strip_prefix("Test")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c == '_'));
    is_name && (go || name.strip_prefix("test_").is_some_and(|rest| rest.len() > 2) || ends_in_hump(name))
}
