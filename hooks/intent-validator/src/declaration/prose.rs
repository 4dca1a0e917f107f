//! Free prose: a sentence that announces a change of the file, and why.

use super::doubts::{DOUBT, LATER, STOP};
use super::naming::{self, Named};
use super::speech::{self, Form, Kind, Tongue};
use super::text::{self, find_phrase, has_any};
use super::vocabulary;

/// What prose says about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// A change of it is announced, with a goal.
    Declared { changes: String, goal: String },
    /// A change of it is announced, for certain without a goal.
    NoGoal,
    /// It is named only where no change of it is meant.
    Excluded,
    /// It is not named.
    Nothing,
    /// A reader is needed.
    Unsure,
}

/// A goal that follows needs so many words.
const GOAL_WORDS: usize = 2;

/// So many reasons of one sentence are looked at, the last first.
const MOST_REASONS: usize = 8;

/// A sentence with its words as written and as compared.
struct Sentence<'a> {
    raw: Vec<&'a str>,
    low: Vec<String>,
    named: Vec<Named>,
    is_question: bool,
    /// It has a colon.
    is_spelled_out: bool,
}

impl<'a> Sentence<'a> {
    fn new(text: &'a str, file: &str) -> Self {
        let raw: Vec<&str> =
            text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).collect();
        let is_spelled_out = text.contains(": ") || text.contains(" :");
        let low = raw.iter().map(|word| text::plain(word)).collect();
        let named = raw.iter().map(|word| naming::word(word, file)).collect();
        Self { raw, low, named, is_spelled_out, is_question: text.trim_end().ends_with('?') }
    }

    fn ours(&self) -> Option<usize> {
        self.named.iter().position(|named| *named == Named::Ours)
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.raw.get(from..to).map(|words| words.join(" ")).unwrap_or_default()
    }
}

/// Reads prose; `goal` is one that was given under a label.
pub(super) fn read(prose: &str, file: &str, goal: Option<&str>) -> Said {
    let sentences: Vec<Sentence<'_>> =
        text::sentences(prose).into_iter().map(|text| Sentence::new(text, file)).collect();
    let found = sentences.iter().enumerate().find_map(|(at, sentence)| {
        declared(sentence, sentences.get(at + 1), goal).map(|said| (said, &sentences[at + 1..]))
    });
    let named: Vec<&Sentence<'_>> = sentences.iter().filter(|sentence| sentence.ours().is_some()).collect();
    let is_taken_back = named.iter().any(|sentence| is_excluded(sentence))
        || sentences.iter().any(|sentence| has_any(&sentence.low, vocabulary::TAKES_BACK));
    match found {
        Some((_, later)) if is_taken_back || later.iter().any(weighs_again) => Said::Unsure,
        Some((said, _)) => said,
        None if named.is_empty() => Said::Nothing,
        None if named.iter().all(|sentence| is_excluded(sentence)) && !announces_freely(&sentences) => {
            Said::Excluded
        }
        None if is_bare(&sentences, goal) => Said::NoGoal,
        None => Said::Unsure,
    }
}

fn weighs_again(sentence: &Sentence<'_>) -> bool {
    vocabulary::WEIGHS_AGAIN.iter().any(|start| find_phrase(&sentence.low, start, 0) == Some(0))
}

/// A sentence that does not name the file announces something without naming another file.
fn announces_freely(sentences: &[Sentence<'_>]) -> bool {
    sentences.iter().filter(|sentence| sentence.ours().is_none()).any(|sentence| {
        let speaks_of_self = sentence.low.iter().any(|word| speech::is_first_person(word));
        let is_change = speaks_of_self && sentence.low.iter().any(|word| speech::kind_of(word).is_some());
        let refers_back = sentence.low.iter().any(|word| speech::refers_back(word));
        is_change && refers_back && !sentence.named.contains(&Named::Other)
    })
}

/// The file is named in a question, a negation, a report, a condition, or a plan for later.
fn is_excluded(sentence: &Sentence<'_>) -> bool {
    let Some(ours) = sentence.ours() else { return false };
    let before = &sentence.low[..ours];
    let negates = ["will not", "won't", "not going to", "don't", "do not", "never", "no need to", "not"];
    let is_reported = ["i have", "i've", "i already", "i changed", "i modified", "i updated"];
    let starts = |phrases: &[&str]| {
        phrases.iter().any(|phrase| find_phrase(before, phrase, 0).is_some_and(|at| at <= 1))
    };
    let is_mine = before.iter().any(|word| speech::is_first_person(word));
    let is_changed = before.iter().any(|word| speech::kind_of(word).is_some() || word == "touch");
    sentence.is_question
        || (is_mine && is_changed && has_any(before, &negates))
        || starts(&is_reported)
        || (is_mine && has_any(before, &["would", "could", "might"]))
        || (is_mine && is_changed && has_any(before, &["later", "tomorrow", "afterwards", "next time"]))
}

/// One sentence and no more, which announces a change and gives no reason.
fn is_bare(sentences: &[Sentence<'_>], goal: Option<&str>) -> bool {
    let ([sentence], None) = (sentences, goal) else { return false };
    let Some(announced) = announcement(sentence) else { return false };
    let is_reasonless = !speech::gives_reason(&sentence.low) && announced.tongue.is_well_known();
    is_reasonless
        && !announced.mends
        && sentence.low.len() <= 25
        && is_clean(sentence, &announced, sentence.low.len())
}

/// Where and how a sentence announces.
#[derive(Clone, Copy)]
struct Announced {
    start: usize,
    verb: usize,
    kind: Kind,
    tongue: Tongue,
    /// The verb itself may be the goal: fix, prevent, avoid.
    mends: bool,
    /// The file itself is what does it: `parser.py will ...`.
    is_subject: bool,
}

fn announcement(sentence: &Sentence<'_>) -> Option<Announced> {
    by_speaker(sentence).or_else(|| by_file(sentence))
}

/// The file is the subject: `parser.py is going to ...`.
fn by_file(sentence: &Sentence<'_>) -> Option<Announced> {
    let start = sentence.ours()?;
    let is_first = start == 0 || sentence.raw[start - 1].ends_with([',', ':', ';']);
    let after = ["will", "is going to"].iter().find_map(|phrase| {
        (find_phrase(&sentence.low, phrase, start) == Some(start + 1))
            .then(|| start + 1 + phrase.split(' ').count())
    })?;
    let kind =
        speech::verb_kind(sentence.low.get(after)?, Tongue::English, Form::Plain).filter(|_| is_first)?;
    Some(Announced { start, verb: after, kind, tongue: Tongue::English, mends: true, is_subject: true })
}

fn by_speaker(sentence: &Sentence<'_>) -> Option<Announced> {
    let (start, after, tongue, form) = speech::opening(&sentence.low)?;
    let verb = if form == Form::Within {
        after - 1
    } else {
        (after..sentence.low.len()).take(4).find(|at| !speech::is_adverb(&sentence.low[*at]))?
    };
    let kind = speech::verb_kind(&sentence.low[verb], tongue, form)?;
    let is_led_to = sentence.low[..start].iter().rev().zip(sentence.raw[..start].iter().rev());
    for ((low, raw), named) in is_led_to.zip(sentence.named[..start].iter().rev()) {
        if raw.ends_with([',', ';', ':', '—', '–']) {
            break;
        }
        if !speech::leads_in(low) && *named != Named::Ours {
            return None;
        }
    }
    let mends = speech::mends(&sentence.low[verb]);
    Some(Announced { start, verb, kind, tongue, mends, is_subject: false })
}

/// The words up to `end` leave no doubt that the change is made now, and in this file.
fn is_clean(sentence: &Sentence<'_>, announced: &Announced, end: usize) -> bool {
    let Some(ours) = sentence.ours() else { return false };
    let is_quoted =
        sentence.raw[..=announced.start].iter().any(|word| word.contains(['"', '“', '„', '«', '»', '「']));
    let is_other = sentence.raw[..end]
        .iter()
        .zip(&sentence.named)
        .any(|(raw, named)| *named == Named::Other && !super::proof::is_test_word(raw))
        && !is_listed(sentence, ours, end);
    let reach = announced.verb.max(ours);
    let is_doubted = sentence.low[..reach].iter().any(|word| DOUBT.contains(&word.as_str()));
    !sentence.is_question
        && !is_quoted
        && !has_any(
            &sentence.low[announced.verb..reach.max(announced.verb + 2).min(end)],
            vocabulary::INQUIRES,
        )
        && !has_any(&sentence.low[..announced.start], vocabulary::LEADS_TO_DOUBT)
        && !is_other
        && !is_doubted
        && !has_any(&sentence.low, LATER)
        && is_target(sentence, announced, ours)
}

/// The files named up to `end` stand in one list with ours.
fn is_listed(sentence: &Sentence<'_>, ours: usize, end: usize) -> bool {
    let (start, stop) = list_around(sentence, ours);
    let is_outside = |at: &usize| *at < start || *at >= stop;
    !(0..end).filter(is_outside).any(|at| sentence.named[at] == Named::Other)
}

/// From where to where files are named one after the other.
fn list_around(sentence: &Sentence<'_>, ours: usize) -> (usize, usize) {
    let belongs = |at: usize| sentence.named[at] != Named::None || sentence.low[at] == "and";
    let start = (0..ours).rev().take_while(|at| belongs(*at)).last().unwrap_or(ours);
    let stop = (ours..sentence.low.len()).find(|at| !belongs(*at)).unwrap_or(sentence.low.len());
    (start, stop)
}

/// The file is what is changed, not what something comes from or is compared with.
fn is_target(sentence: &Sentence<'_>, announced: &Announced, ours: usize) -> bool {
    let is_owner = sentence.raw[ours].trim_end_matches(['`', ',', '.']).ends_with("'s")
        || sentence.raw[ours].contains("’s");
    if announced.is_subject {
        return !is_owner;
    }
    let (first, _) = list_around(sentence, ours);
    let before = sentence.low[..first].iter().rposition(|word| !speech::is_article(word));
    let next = sentence.low.get(ours + 1).map_or("", String::as_str);
    let Some(at) = before else { return false };
    if is_owner {
        return false;
    }
    let word = sentence.low[at].as_str();
    let giver = at.checked_sub(1).map_or("", |at| sentence.low[at].as_str());
    match word {
        _ if at == announced.verb => true,
        "from" => speech::takes_away(&sentence.low[announced.verb]),
        "to" => !speech::refers(giver) && !["in", "from", "into"].contains(&next),
        _ if is_named_noun(sentence, announced, at) => true,
        _ => announced.tongue.is_place(word),
    }
}

/// `the migration FILE` right behind a verb that takes the file itself.
fn is_named_noun(sentence: &Sentence<'_>, announced: &Announced, noun: usize) -> bool {
    let Some(between) = sentence.low.get(announced.verb + 1..=noun) else { return false };
    let takes_file = announced.kind == Kind::Touches || speech::makes(&sentence.low[announced.verb]);
    let is_phrase = sentence.low.get(announced.verb + 1).is_some_and(|word| speech::is_article(word));
    takes_file && is_phrase && between.len() <= 3 && !between.iter().any(|word| speech::is_preposition(word))
}

fn declared(sentence: &Sentence<'_>, next: Option<&Sentence<'_>>, goal: Option<&str>) -> Option<Said> {
    let ours = sentence.ours()?;
    let announced = announcement(sentence)?;
    let from = announced.verb.max(ours) + 1;
    let said =
        |end: usize, goal: String| Said::Declared { changes: sentence.text(announced.verb, end), goal };
    if let Some(goal) = reason_before(sentence, &announced) {
        let end = sentence.low.len();
        let is_whole = has_content(sentence, &announced, end) && is_clean(sentence, &announced, end);
        return is_whole.then(|| said(end, goal));
    }
    for (at, len) in announced.tongue.reasons(&sentence.low, from).into_iter().rev().take(MOST_REASONS) {
        let goal_words = sentence.low.len() - (at + len);
        if goal_words >= GOAL_WORDS
            && has_content(sentence, &announced, at)
            && is_clean(sentence, &announced, at)
        {
            return Some(said(at, sentence.text(at + len, sentence.raw.len())));
        }
    }
    let end = sentence.low.len();
    if !has_content(sentence, &announced, end) || !is_clean(sentence, &announced, end) {
        return None;
    }
    if let Some(goal) = goal {
        return Some(said(end, goal.to_owned()));
    }
    let next = next.filter(|next| {
        announced.tongue.starts_reason(&next.low) && next.low.len() > GOAL_WORDS && !next.is_question
    })?;
    Some(said(end, next.text(0, next.raw.len())))
}

/// The reason that comes first: `Since ..., I will ...`.
fn reason_before(sentence: &Sentence<'_>, announced: &Announced) -> Option<String> {
    let starts = sentence.low.first().is_some_and(|first| ["since", "because"].contains(&first.as_str()));
    let end = announced.start;
    let is_clause = starts && end > GOAL_WORDS + 1 && sentence.raw[end - 1].ends_with(',');
    is_clause.then(|| sentence.text(1, end))
}

/// Between the verb and `end` it is said what is changed.
fn has_content(sentence: &Sentence<'_>, announced: &Announced, end: usize) -> bool {
    let from = announced.verb + 1;
    let Some(range) = sentence.low.get(from..end) else { return false };
    let content = range.iter().zip(&sentence.named[from..end]);
    let count =
        content.filter(|(word, named)| **named == Named::None && !STOP.contains(&word.as_str())).count();
    let makes = speech::makes(&sentence.low[announced.verb]);
    match announced.kind {
        Kind::Says if makes => count >= 2,
        Kind::Says => count >= 1,
        Kind::Touches => count >= 2 && (announced.tongue.says_how(range) || sentence.is_spelled_out),
    }
}
