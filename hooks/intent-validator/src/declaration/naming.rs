//! Whether a text names a file, and whether it names others.

use super::text;

/// Endings by which a word is taken for a file.
const ENDINGS: &[&str] = &[
    "py", "js", "ts", "tsx", "jsx", "mjs", "cjs", "go", "java", "c", "cc", "cpp", "h", "hpp", "rs", "rb",
    "php", "cs", "swift", "kt", "scala", "sh", "bash", "zsh", "lua", "vue", "svelte", "sql", "ipynb", "ex",
    "exs", "dart", "md", "json", "yaml", "yml", "toml", "txt", "html", "css", "scss", "xml", "cfg", "ini",
    "lock", "csv", "proto", "erl", "hs", "ml", "pl", "r", "jl", "m", "mm", "gradle", "tf", "env",
];

/// Names of programs that look like files.
const NO_FILES: &[&str] =
    &["node.js", "vue.js", "next.js", "nuxt.js", "express.js", "d3.js", "three.js", "react.js", "asp.net"];

/// Names that many files carry: they are told apart by their folder alone.
const COMMON_STEMS: &[&str] =
    &["index", "main", "mod", "lib", "init", "app", "utils", "types", "handler", "config", "setup"];

/// What a word is to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// It names this file.
    Ours,
    /// It names another file.
    Other,
    /// It names none.
    None,
}

/// What `word` is to `file` (from the project's root, with `/`).
pub(super) fn word(word: &str, file: &str) -> Named {
    let is_ticked = word.contains('`');
    let word = bare(word);
    if word.is_empty() {
        return Named::None;
    }
    let path = as_path(word);
    if names(&path, file) || (is_ticked && names_stem(&path, file)) {
        return Named::Ours;
    }
    if looks_like_a_file(&path) { Named::Other } else { Named::None }
}

/// Whether a path as it was written is `file`: the whole of it, its end from a folder on, or an absolute path that ends in it.
pub(super) fn names(written: &str, file: &str) -> bool {
    let path = as_path(written);
    if path.is_empty() {
        return false;
    }
    path == file || ends_in(file, &path) || (is_absolute(&path) && ends_in(&path, file))
}

/// Whether the value of a label, or what was recorded, is `file` and nothing else.
pub(super) fn value_names(value: &str, file: &str) -> bool {
    let value = value.trim();
    value == file || names(value, file) || names(bare(value), file)
}

/// Whether the text speaks of something that the file may be called after, other files set aside.
pub(super) fn hints(text: &str, file: &str) -> bool {
    let parts = hinting_parts(file);
    text.split_whitespace().filter(|w| word(w, file) != Named::Other).any(|word| {
        let word = word.to_lowercase();
        parts.iter().any(|part| word.contains(part.as_str()))
    })
}

/// Whether the text names the file.
pub(super) fn is_named(text: &str, file: &str) -> bool {
    text.contains(file) || text.split_whitespace().any(|w| word(w, file) == Named::Ours)
}

fn hinting_parts(file: &str) -> Vec<String> {
    let (folder, base) = file.rsplit_once('/').unwrap_or(("", file));
    let stem = base.split('.').next().unwrap_or(base);
    let mut parts = split_name(stem);
    let is_common = COMMON_STEMS.contains(&stem.to_lowercase().as_str());
    if is_common || parts.is_empty() {
        parts.extend(folder.split('/').flat_map(split_name));
    }
    parts
}

/// The words of a name in `snake_case`, `kebab-case` or `camelCase`, cut so that inflected forms are found too.
fn split_name(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        let is_break = !c.is_alphanumeric() || (c.is_uppercase() && was_small);
        if is_break {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| c.is_alphanumeric()) {
            part.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase();
    }
    parts.retain(|part| part.chars().count() >= 3);
    parts.iter().map(|part| part.chars().take(5).collect()).collect()
}

fn looks_like_a_file(path: &str) -> bool {
    if path.contains("://") || NO_FILES.contains(&path.to_lowercase().as_str()) {
        return false;
    }
    let base = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, ending)) = base.rsplit_once('.') else { return false };
    !stem.is_empty()
        && ENDINGS.contains(&ending.to_lowercase().as_str())
        && stem.chars().any(char::is_alphabetic)
}

fn names_stem(path: &str, file: &str) -> bool {
    let base = file.rsplit('/').next().unwrap_or(file);
    let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
    stem == path && !COMMON_STEMS.contains(&stem) && stem.len() > 2
}

fn ends_in(whole: &str, end: &str) -> bool {
    whole.strip_suffix(end).is_some_and(|before| before.ends_with('/'))
}

fn is_absolute(path: &str) -> bool {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    path.starts_with(['/', '~']) || is_drive
}

fn as_path(word: &str) -> String {
    let path = word.replace('\\', "/");
    path.strip_prefix("./").map_or(path.clone(), str::to_owned)
}

/// A word without marks around it, and without a line number or a symbol behind it.
fn bare(word: &str) -> &str {
    let is_mark = |c: char| "`*\"'“”„‘’«»()[]{}<>,;:!?|".contains(c);
    let mut word = word.trim_matches(is_mark).trim_end_matches(['.', '…']).trim_matches(is_mark);
    for tail in ["'s", "’s"] {
        word = word.strip_suffix(tail).unwrap_or(word).trim_matches(is_mark);
    }
    let cut = |word: &'_ str| word.find("::").or_else(|| word.find('#')).or_else(|| number_behind(word));
    match cut(word) {
        Some(at) if at > 0 => &word[..at],
        _ => word,
    }
}

fn number_behind(word: &str) -> Option<usize> {
    let (path, number) = word.split_once(':').filter(|(path, _)| path.len() > 1)?;
    number.starts_with(|c: char| c.is_ascii_digit()).then_some(path.len())
}

/// Words that may stand beside paths in the value of a FILE label.
const BESIDE: &[&str] = &[
    "and", "und", "et", "y", "e", "en", "i", "new", "neu", "nouveau", "nuevo", "novo", "file", "line",
    "lines", "the", "both", "also",
];

/// Words by which a file is taken out of a list.
const TAKEN_OUT: &[&str] = &[
    "not",
    "no",
    "except",
    "without",
    "instead",
    "but",
    "never",
    "unchanged",
    "untouched",
    "only",
    "read",
    "nicht",
    "kein",
    "ohne",
    "statt",
    "nur",
    "außer",
    "sin",
    "salvo",
    "pas",
    "sans",
    "sauf",
    "não",
    "sem",
    "non",
    "senza",
    "tranne",
    "later",
];

/// What the value of a FILE label is to the file.
pub(super) fn listed(value: &str, file: &str) -> Listed {
    if value_names(value, file) {
        return Listed::Ours;
    }
    let value = &spread(value);
    let (mut is_ours, mut is_other, mut is_more) = (false, false, false);
    for w in value.split(|c: char| c.is_whitespace() || ",;".contains(c)).filter(|w| !w.is_empty()) {
        match word(w, file) {
            Named::Ours => is_ours = true,
            Named::Other => is_other = true,
            Named::None => is_more |= !is_beside(w),
        }
    }
    match (is_ours, is_other) {
        _ if is_more && !is_explained(value, file) => Listed::Unsure,
        (true, _) => Listed::Ours,
        (false, true) => Listed::Other,
        (false, false) => Listed::Nothing,
    }
}

/// A list in braces written out: `src/{a,b}.ts` as `src/a.ts src/b.ts`.
fn spread(value: &str) -> String {
    let parts = value.split_once('{').and_then(|(start, rest)| Some((start, rest.split_once('}')?)));
    let Some((start, (list, end))) = parts else { return value.to_owned() };
    let is_path = !format!("{start}{list}{end}").trim().contains(char::is_whitespace)
        && list.contains(',')
        && list.len() <= 200;
    if !is_path {
        return value.to_owned();
    }
    list.split(',').map(|name| [start, name.trim(), end].concat()).collect::<Vec<_>>().join(" ")
}

/// The file comes first, and what follows is set off from it and takes nothing back.
fn is_explained(value: &str, file: &str) -> bool {
    let mut words = value.split_whitespace();
    let Some(first) = words.next() else { return false };
    let Some(second) = words.next() else { return false };
    let is_set_off = first.ends_with([',', ':', ';']) || second.starts_with(['(', '-', '–', '—', '[', '#']);
    let is_kept = !text::words(value).iter().any(|word| TAKEN_OUT.contains(&word.as_str()));
    is_set_off && is_kept && word(first, file) != Named::None
}

fn is_beside(word: &str) -> bool {
    let plain = text::plain(word);
    plain.is_empty() || plain.chars().all(|c| c.is_ascii_digit()) || BESIDE.contains(&plain.as_str())
}

/// What a list of files is to one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    /// It is among them.
    Ours,
    /// It is not.
    Other,
    /// There is no file.
    Nothing,
    /// Something else stands there.
    Unsure,
}
