//! What says nothing: empty values, and those that stand for one that is still to come.

use super::text;

/// Values that hold a place, as they are compared.
const PLACEHOLDERS: &[&str] = &[
    "", "todo", "tbd", "tbc", "n/a", "na", "none", "nothing", "wip", "fixme", "xxx", "unknown", "later", "placeholder", "why",
    "what", "how", "same", "idem", "ditto", "null", "nil", "undefined", "empty", "not applicable", "to be determined",
    "to be defined", "to be decided", "to do", "not yet known", "see above", "see below", "as above", "same as above", "dito",
    "keine", "keiner", "kein", "nichts", "offen", "siehe oben", "ninguno", "ninguna", "nada", "pendiente", "aucun", "aucune",
    "rien", "à définir", "nenhum", "nenhuma", "nessuno", "nessuna", "da definire", "entfällt", "нет", "无", "無", "待定", "なし",
    "未定", "없음", "미정", "your goal", "your goal here", "the goal", "the changes", "the change", "the file", "the test",
    "goal", "changes", "file", "test", "tests", "goal here", "description", "what will be changed", "what you change",
    "what changes", "why you change it", "path of the file", "path", "path to file", "reason", "nada ainda", "n.a", "no",
    "not needed", "not required", "skipped", "skip", "see comment", "see code", "see diff", "see the diff", "see the code",
];

/// Whether a value says nothing.
pub(super) fn is_empty(value: &str) -> bool {
    let value = value.trim().trim_matches(['`', '*', '_', '"', '\'']).trim();
    let is_framed = [('<', '>'), ('[', ']'), ('{', '}'), ('(', ')')]
        .iter()
        .any(|(open, close)| value.starts_with(*open) && value.ends_with(*close) && value.matches(*open).count() == 1);
    if is_framed || value.chars().filter(|c| c.is_alphanumeric()).take(2).count() < 2 {
        // One sign of Chinese is a word, one letter is none; a word in frames is a place held.
        return true;
    }
    PLACEHOLDERS.contains(&text::words(value).join(" ").as_str())
}
