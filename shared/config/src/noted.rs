//! The problems that are found in layers, each with its line.

use secrets::masked;

use crate::layer::Layer;
use crate::problem::{Fault, Problem};

/// More problems of one file are not told: whoever made them knows after these, and each costs a look for its line.
pub(crate) const MAX_PER_FILE: usize = 20;

/// In a longer text lines are not looked for, in bytes: it is read once per problem.
const MAX_FOR_LINES: usize = 64 * 1024;

/// Problems, file by file, up to a bound.
#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<Problem>);

impl Problems {
    /// Notes what is wrong with the key at `path`. False: this file has had its share.
    pub(crate) fn note(&mut self, layer: &Layer, path: &[String], fault: Fault) -> bool {
        let has_room = self.0.iter().filter(|problem| problem.file == layer.file).count() < MAX_PER_FILE;
        if has_room {
            self.0.push(problem(layer, path, fault));
        }
        has_room
    }
}

/// A problem with the key at `path`, with its line.
pub(crate) fn problem(layer: &Layer, path: &[String], fault: Fault) -> Problem {
    let line = (layer.text.len() <= MAX_FOR_LINES).then(|| layer.line_of(path)).flatten();
    let key = path.iter().map(|key| printable(key)).collect::<Vec<_>>().join(".");
    Problem { level: layer.kind, file: layer.file.clone(), line, key, fault }
}

/// A key as it can be shown: a file may hold anything where a key stands.
fn printable(key: &str) -> String {
    masked(key).chars().filter(|char| !char.is_control()).take(60).collect()
}
