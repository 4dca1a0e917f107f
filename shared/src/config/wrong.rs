//! Finding the entries to leave out. Only when merging failed.

use figment::value::{Dict, Value};

use super::expected::{at, describe, describe_in_full, known_keys};
use super::problem::{Fault, MAX_PER_FILE, Problems};
use super::section::{COMMON_KEYS, Cleaned, SectionSpec};
use super::shape::Shape;
use super::tree::{get, leaves, put};

/// Leaves out of the layers what cannot be read, and says what it was. Where a file has more wrong entries than are told,
/// the rest of its section is left out unread.
pub(super) fn leave_out<T: Shape>(
    shape: &T,
    spec: SectionSpec,
    layers: &mut [Cleaned],
    problems: &mut Problems,
) {
    let schema = shape.schema();
    for index in 1..layers.len() {
        let (below, rest) = layers.split_at_mut(index);
        let below: Vec<&Dict> = below.iter().map(|cleaned| &cleaned.section).collect();
        let Cleaned { layer, section } = &mut rest[0];
        let reads = |entries: &Dict| shape.read(below.iter().copied().chain([entries])).is_some();
        let mut sieve = Sieve { reads: &reads, right: Dict::new(), wrong: Vec::new() };
        sieve.sift(&[], section);
        sieve.wrong.sort();
        for path in &sieve.wrong {
            if !problems.note(layer, &spec.in_file(path), fault_of(spec, &schema, path, get(section, path))) {
                break;
            }
        }
        *section = sieve.right;
        if !reads(section) {
            let what = "its entries cannot be read together; the level below counts".to_owned();
            problems.note(layer, &spec.in_file::<&str>(&[]), Fault::Unworkable(what));
            section.clear();
        }
    }
}

/// Sorts the entries of a layer: a map as a whole where it can be read, else entry by entry.
struct Sieve<'a> {
    /// The settings can be read with these entries on top of the layers below.
    reads: &'a dyn Fn(&Dict) -> bool,
    right: Dict,
    wrong: Vec<Vec<String>>,
}

impl Sieve<'_> {
    fn sift(&mut self, above: &[String], entries: &Dict) {
        let mut doubtful = Vec::new();
        for (key, value) in entries {
            if self.wrong.len() + doubtful.len() > MAX_PER_FILE {
                break;
            }
            let path = [above, std::slice::from_ref(key)].concat();
            match value {
                _ if self.takes(Dict::new(), &path, value) => {}
                Value::Dict(_, inner) if !inner.is_empty() => self.sift(&path, inner),
                _ => doubtful.push((path, value)),
            }
        }
        for (path, value) in doubtful {
            if !self.takes(self.beside(above), &path, value) {
                self.wrong.push(path);
            }
        }
    }

    /// What is right so far in the map at `above`: an entry may be wrong alone that is right beside the others.
    fn beside(&self, above: &[String]) -> Dict {
        let mut beside = Dict::new();
        match get(&self.right, above) {
            Some(right) => put(&mut beside, above, right.clone()),
            None if above.is_empty() => beside.clone_from(&self.right),
            None => {}
        }
        beside
    }

    /// Takes the entry if it can be read together with those `beside` it.
    fn takes(&mut self, mut beside: Dict, path: &[String], value: &Value) -> bool {
        put(&mut beside, path, value.clone());
        let is_right = (self.reads)(&beside);
        if is_right {
            put(&mut self.right, path, value.clone());
        }
        is_right
    }
}

fn fault_of(spec: SectionSpec, schema: &serde_json::Value, path: &[String], value: Option<&Value>) -> Fault {
    let is_common = |key: &str| COMMON_KEYS.iter().any(|(common, _)| *common == key);
    match (at(schema, path), value) {
        _ if path.len() == 1 && is_common(&path[0]) => Fault::Expected("true or false".to_owned()),
        (Ok(schema), Some(Value::Array(..))) => Fault::Expected(describe_in_full(schema)),
        (Ok(schema), _) => Fault::Expected(describe(schema)),
        (Err(map), _) => {
            let mut known = known_keys(map);
            if path.len() == 1 {
                known.retain(|key| !spec.root_keys.contains(key));
                known.extend(COMMON_KEYS.map(|(key, _)| key));
            }
            Fault::UnknownKey(path.last().and_then(|key| nearest(key, &known)))
        }
    }
}

/// The known word that was probably meant.
#[must_use]
pub fn nearest(word: &str, known: &[&str]) -> Option<String> {
    let close = known.iter().map(|known| (strsim::jaro_winkler(word, known), *known));
    let best = close.filter(|(score, _)| *score > 0.75).max_by(|left, right| left.0.total_cmp(&right.0));
    best.map(|(_, known)| known.to_owned())
}

/// The known key path, as in a file, that was probably meant by `path`, dotted.
pub(super) fn nearest_path(spec: SectionSpec, path: &str, known: &Dict) -> Option<String> {
    let depth = path.split('.').count();
    let known: Vec<Vec<String>> =
        leaves(known).into_iter().map(|leaf| spec.in_file(&leaf[..depth.min(leaf.len())])).collect();
    let known: Vec<String> = known.iter().map(|path| path.join(".")).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    nearest(&spec.dotted_in_file(path), &known)
}
