//! How a change is announced and a reason given: openings, verbs and conjunctions of six languages.

use super::doubts::REASONS;
use super::text::find_phrase;
use super::verbs::{FOREIGN_SAYS, FOREIGN_TOUCHES, MENDS, SAYS, TOUCHES};

/// How much the verb of an announcement says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// With its object it is the change: add, remove, rename.
    Says,
    /// It says only that something changes: modify, update, fix.
    Touches,
}

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    English,
    German,
    Spanish,
    French,
    Portuguese,
    Italian,
}

/// The form of an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A verb in its plain form follows.
    Plain,
    /// One that ends in -ing follows.
    Ing,
    /// The verb is its last word.
    Within,
}

const OPENINGS: &[(&str, Tongue, Form)] = &[
    ("i will", Tongue::English, Form::Plain),
    ("i'll", Tongue::English, Form::Plain),
    ("i am going to", Tongue::English, Form::Plain),
    ("i'm going to", Tongue::English, Form::Plain),
    ("i am about to", Tongue::English, Form::Plain),
    ("i'm about to", Tongue::English, Form::Plain),
    ("let me", Tongue::English, Form::Plain),
    ("let's", Tongue::English, Form::Plain),
    ("i shall", Tongue::English, Form::Plain),
    ("we will", Tongue::English, Form::Plain),
    ("we'll", Tongue::English, Form::Plain),
    ("now i", Tongue::English, Form::Plain),
    ("i now", Tongue::English, Form::Plain),
    ("i'm", Tongue::English, Form::Ing),
    ("i am", Tongue::English, Form::Ing),
    ("now", Tongue::English, Form::Ing),
    ("voy a", Tongue::Spanish, Form::Plain),
    ("vamos a", Tongue::Spanish, Form::Plain),
    ("je vais", Tongue::French, Form::Plain),
    ("vou", Tongue::Portuguese, Form::Plain),
    ("ich", Tongue::German, Form::Plain),
    ("je", Tongue::French, Form::Plain),
    ("j'ajoute", Tongue::French, Form::Within),
    ("j'adapte", Tongue::French, Form::Within),
    ("añado", Tongue::Spanish, Form::Within),
    ("agrego", Tongue::Spanish, Form::Within),
    ("elimino", Tongue::Spanish, Form::Within),
    ("reemplazo", Tongue::Spanish, Form::Within),
    ("aggiungo", Tongue::Italian, Form::Within),
    ("rimuovo", Tongue::Italian, Form::Within),
    ("sostituisco", Tongue::Italian, Form::Within),
    ("adiciono", Tongue::Portuguese, Form::Within),
    ("acrescento", Tongue::Portuguese, Form::Within),
    ("substituo", Tongue::Portuguese, Form::Within),
];

/// What a goal may start with behind "to".
const ENDS: &[&str] = &[
    "avoid",
    "prevent",
    "improve",
    "ensure",
    "make",
    "keep",
    "allow",
    "let",
    "enable",
    "stop",
    "fix",
    "reduce",
    "support",
    "protect",
    "guarantee",
    "speed",
    "simplify",
    "satisfy",
    "save",
    "catch",
    "match",
    "meet",
    "comply",
    "shrink",
    "cut",
    "unblock",
    "help",
    "eliminate",
    "resolve",
    "spare",
    "get",
];

/// The first opening of an announcement: where it starts, where it ends, and what it is.
pub(super) fn opening(words: &[String]) -> Option<(usize, usize, Tongue, Form)> {
    (0..words.len()).find_map(|at| {
        OPENINGS.iter().find_map(|(phrase, tongue, form)| {
            if !phrase.starts_with(words[at].as_str()) {
                return None;
            }
            let len = phrase.split(' ').count();
            let here = words.get(at..at + len)?;
            if !here.iter().map(String::as_str).eq(phrase.split(' ')) {
                return None;
            }
            let next = words[at + len..].iter().take(4).find(|word| !is_adverb(word));
            let verb = if *form == Form::Within { here.last() } else { next };
            verb.and_then(|word| verb_kind(word, *tongue, *form)).map(|_| (at, at + len, *tongue, *form))
        })
    })
}

/// What a verb says in the form that its opening asks for; `None`: it announces no change.
pub(super) fn verb_kind(word: &str, tongue: Tongue, form: Form) -> Option<Kind> {
    match (tongue, form) {
        (Tongue::English, Form::Ing) => word.ends_with("ing").then(|| kind_of(word)).flatten(),
        (Tongue::English, _) => among(word, SAYS, TOUCHES),
        _ => among(word, FOREIGN_SAYS, FOREIGN_TOUCHES),
    }
}

/// What an English verb says, in its plain form or with -ing.
pub(super) fn kind_of(word: &str) -> Option<Kind> {
    among(word, SAYS, TOUCHES).or_else(|| {
        let stem = word.strip_suffix("ing")?;
        let doubled = stem.char_indices().next_back().map_or("", |(at, _)| &stem[..at]);
        among(stem, SAYS, TOUCHES)
            .or_else(|| among(&format!("{stem}e"), SAYS, TOUCHES))
            .or_else(|| among(doubled, SAYS, TOUCHES))
    })
}

fn among(word: &str, says: &[&str], touches: &[&str]) -> Option<Kind> {
    if touches.contains(&word) { Some(Kind::Touches) } else { says.contains(&word).then_some(Kind::Says) }
}

pub(super) fn is_adverb(word: &str) -> bool {
    [
        "now",
        "also",
        "just",
        "simply",
        "therefore",
        "thus",
        "go",
        "ahead",
        "and",
        "quickly",
        "jetzt",
        "ahora",
        "maintenant",
        "agora",
    ]
    .contains(&word)
}

/// Words before an opening that leave it the speaker's own.
pub(super) fn leads_in(word: &str) -> bool {
    [
        "ok",
        "okay",
        "now",
        "so",
        "next",
        "right",
        "great",
        "good",
        "fine",
        "alright",
        "done",
        "thus",
        "therefore",
        "here",
        "and",
        "sure",
        "first",
        "yes",
        "jetzt",
        "nun",
        "also",
        "ahora",
        "bien",
        "vale",
        "maintenant",
        "alors",
        "agora",
        "então",
        "adesso",
        "ora",
        "in",
    ]
    .contains(&word)
}

/// With these the file itself comes to be.
pub(super) fn makes(word: &str) -> bool {
    ["create", "creating", "write", "writing"].contains(&word)
}

pub(super) fn is_preposition(word: &str) -> bool {
    [
        "of", "for", "from", "to", "like", "as", "with", "using", "in", "by", "about", "against", "per",
        "and", "or", "on",
    ]
    .contains(&word)
}

/// Words that may mean a file named before.
pub(super) fn refers_back(word: &str) -> bool {
    ["it", "there", "that", "this", "here", "same", "its", "them", "both", "anyway"].contains(&word)
}

pub(super) fn mends(word: &str) -> bool {
    MENDS.contains(&word)
}

pub(super) fn is_first_person(word: &str) -> bool {
    ["i", "i'll", "i'm", "i'd", "we", "we'll", "we're", "let", "let's", "ich"].contains(&word)
}

pub(super) fn is_article(word: &str) -> bool {
    [
        "the", "a", "file", "module", "script", "new", "our", "my", "files", "scripts", "modules", "two",
        "three", "four", "both", "these", "places", "der", "die", "das", "datei", "el", "la", "archivo",
        "fichero", "le", "fichier", "o", "arquivo", "il",
    ]
    .contains(&word)
}

/// With `from` the verb changes what it takes from.
pub(super) fn takes_away(verb: &str) -> bool {
    ["remove", "removing", "delete", "deleting", "drop", "dropping", "strip", "stripping"].contains(&verb)
}

/// Words behind which `to FILE` is no place of a change.
pub(super) fn refers(word: &str) -> bool {
    [
        "reference",
        "references",
        "link",
        "links",
        "call",
        "calls",
        "pointer",
        "pointers",
        "path",
        "access",
        "mention",
        "related",
        "according",
        "similar",
        "due",
        "next",
        "compared",
        "relative",
        "import",
        "switch",
        "back",
        "move",
        "identical",
        "over",
        "dependency",
        "dependencies",
        "comment",
        "note",
        "redirect",
        "redirects",
        "alias",
        "symlink",
        "equivalent",
        "close",
    ]
    .contains(&word)
}

/// Whether some reason may be given, in whatever language: a wide net.
pub(super) fn gives_reason(words: &[String]) -> bool {
    let aims = words.windows(2).any(|pair| pair[0] == "to" && ENDS.contains(&pair[1].as_str()));
    let is_reference =
        |at: usize| words[at] == "as" && words.get(at + 1).is_some_and(|next| is_told_before(next));
    aims || (0..words.len()).any(|at| REASONS.contains(&words[at].as_str()) && !is_reference(at))
}

/// `as` before these gives no reason.
fn is_told_before(word: &str) -> bool {
    [
        "declared",
        "announced",
        "said",
        "discussed",
        "planned",
        "agreed",
        "above",
        "before",
        "described",
        "promised",
    ]
    .contains(&word)
}

/// Whether a reason is given in so many words: a narrower net, for texts that do not remind of the file.
pub(super) fn gives_plain_reason(words: &[String]) -> bool {
    const VAGUE: &[&str] = &["for", "as", "which", "da", "um", "per", "bo", "att", "por", "order", "how"];
    let plain: Vec<String> = words.iter().filter(|word| !VAGUE.contains(&word.as_str())).cloned().collect();
    gives_reason(&plain)
}

impl Tongue {
    /// Whether the absence of a reason can be told in this language.
    pub(super) fn is_well_known(self) -> bool {
        self == Self::English
    }

    /// Words before a file that make it the place of a change.
    pub(super) fn is_place(self, word: &str) -> bool {
        let places: &[&str] = match self {
            Self::English => &["in", "into", "inside", "within"],
            Self::German => &["in", "im", "jetzt", "nun"],
            Self::Spanish => &["en", "a"],
            Self::French => &["dans", "à"],
            Self::Portuguese => &["em", "no", "ao"],
            Self::Italian => &["in", "nel", "a"],
        };
        places.contains(&word)
    }

    /// Where reasons start in `words` from `from` on, and how many words start them.
    pub(super) fn reasons(self, words: &[String], from: usize) -> Vec<(usize, usize)> {
        (from..words.len()).filter_map(|at| self.reason_at(words, at).map(|len| (at, len))).collect()
    }

    fn reason_at(self, words: &[String], at: usize) -> Option<usize> {
        let next = words.get(at + 1).map_or("", String::as_str);
        let len = self
            .conjunctions()
            .iter()
            .filter(|phrase| find_phrase(&words[at..words.len().min(at + 4)], phrase, 0) == Some(0))
            .map(|phrase| phrase.split(' ').count())
            .max();
        let is_other_so = |next: &str| {
            ["far", "on", "much", "many", "called", "long", "i", "i'll", "let", "we"].contains(&next)
                || at
                    .checked_sub(1)
                    .is_some_and(|at| ["do", "doing", "or", "not"].contains(&words[at].as_str()))
        };
        match (self, words[at].as_str()) {
            (Self::English, "so") if next != "that" && is_other_so(next) => None,
            (Self::English, "since") if ["then", "yesterday", "last", "version"].contains(&next) => None,
            (Self::English, "to") if ENDS.contains(&next) => Some(1),
            _ => len,
        }
    }

    fn conjunctions(self) -> &'static [&'static str] {
        match self {
            Self::English => &["so", "so that", "because", "in order to", "since", "otherwise"],
            Self::German => &["damit", "weil", "sodass", "denn"],
            Self::Spanish => &["porque", "para que", "ya que", "así"],
            Self::French => &[
                "parce que",
                "parce qu'un",
                "car",
                "puisque",
                "afin",
                "afin de",
                "afin que",
                "pour",
                "pour que",
            ],
            Self::Portuguese => &["porque", "para que", "pois", "já que", "assim"],
            Self::Italian => &["perché", "affinché", "così"],
        }
    }

    /// What makes clear, behind a verb that says little, that the change itself follows.
    pub(super) fn says_how(self, words: &[String]) -> bool {
        let how: &[&str] = match self {
            Self::English => &["to", "so", "by", "from"],
            Self::German => &["indem", "damit", "um", "sodass"],
            Self::Spanish => &["para", "y"],
            Self::French => &["pour", "et"],
            Self::Portuguese => &["para", "e"],
            Self::Italian => &["per", "e"],
        };
        words.iter().any(|word| how.contains(&word.as_str()))
    }

    /// Whether a sentence that follows starts to give the reason.
    pub(super) fn starts_reason(self, words: &[String]) -> bool {
        let starts: &[&str] = match self {
            Self::English => &[
                "this way",
                "that way",
                "otherwise",
                "the reason",
                "reason",
                "the goal",
                "the aim",
                "the point is",
                "because",
                "this lets",
                "this makes",
                "this prevents",
                "this avoids",
                "this keeps",
                "this stops",
                "this ensures",
                "this will",
                "that lets",
                "that makes",
                "that prevents",
                "that avoids",
                "that keeps",
                "that stops",
                "the purpose",
                "so that",
                "it's needed because",
            ],
            Self::German => &["so", "sonst", "der grund", "das ziel", "dadurch", "damit"],
            Self::Spanish => &["así", "el motivo", "el objetivo", "de lo contrario"],
            Self::French => &["ainsi", "sinon", "le but", "la raison"],
            Self::Portuguese => &["assim", "o motivo", "o objetivo"],
            Self::Italian => &["così", "altrimenti", "lo scopo", "il motivo"],
        };
        starts.iter().any(|start| find_phrase(&words[..words.len().min(4)], start, 0) == Some(0))
    }
}
