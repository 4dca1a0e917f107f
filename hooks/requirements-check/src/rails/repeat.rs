//! The words of a `for`, which the commands inside know as a variable only.

/// Longer lines are not unrolled, in bytes.
const MAX_LINE: usize = 4096;
/// Nor what comes to more lines.
const MAX_LINES: usize = 32;
/// Nor with longer words, in bytes: each may stand many times in the line, and loops in loops multiply it.
const MAX_WORD: usize = 256;

/// The line once for each word of its loops, with that word in the variable's place. `None`: there is no loop, its words
/// are not in the line, or there are too many.
pub(super) fn unrolled(text: &str) -> Option<Vec<String>> {
    if text.len() > MAX_LINE {
        return None;
    }
    let mut waiting = vec![(text.to_owned(), 0)];
    let mut lines = Vec::new();
    while let Some((line, from)) = waiting.pop() {
        match Loop::next(&line, from) {
            None => lines.push(line),
            Some(found) if found.is_unreadable() => return None,
            Some(found) => {
                waiting.extend(found.words.iter().map(|word| (found.with(&line, word), found.end)));
            }
        }
        let is_long = |(line, _): &(String, usize)| line.len() > 4 * MAX_LINE;
        if lines.len() + waiting.len() > MAX_LINES || waiting.iter().any(is_long) {
            return None;
        }
    }
    lines.retain(|line| line != text);
    (!lines.is_empty()).then_some(lines)
}

/// `for name in words`.
struct Loop<'a> {
    name: &'a str,
    words: Vec<&'a str>,
    /// Where the words end in the line.
    end: usize,
}

impl<'a> Loop<'a> {
    /// The first one from there.
    fn next(line: &'a str, from: usize) -> Option<Self> {
        let rest = line.get(from..)?;
        rest.match_indices("for ").find_map(|(at, keyword)| {
            let is_start = !rest[..at].ends_with(|c: char| is_name(c) || "-./".contains(c));
            let begin = from + at + keyword.len();
            Self::read(line, begin).filter(|_| is_start)
        })
    }

    fn read(line: &'a str, begin: usize) -> Option<Self> {
        let header = line[begin..].split([';', '\n']).next()?;
        let end = begin + header.len();
        let header = header.trim_start();
        let (name, rest) = header.split_at(header.find(|c: char| !is_name(c))?);
        let words = rest.trim_start().strip_prefix("in ")?.split_whitespace();
        let words: Vec<&str> = words.map(|word| word.trim_matches(['\'', '"'])).collect();
        (!name.is_empty() && !words.is_empty() && end < line.len()).then_some(Self { name, words, end })
    }

    /// Its words are not known, or too many or too long.
    fn is_unreadable(&self) -> bool {
        let is_unreadable = |word: &&str| word.contains(['$', '`', '(']) || word.len() > MAX_WORD;
        self.words.len() > MAX_LINES || self.words.iter().any(is_unreadable)
    }

    /// The line with the word in place of the variable.
    fn with(&self, line: &str, word: &str) -> String {
        let (header, body) = line.split_at(self.end);
        let mut pieces = body.split('$');
        let mut unrolled = header.to_owned() + pieces.next().unwrap_or_default();
        for piece in pieces {
            let braced = || piece.strip_prefix('{')?.strip_prefix(self.name)?.strip_prefix('}');
            let bare = || piece.strip_prefix(self.name).filter(|rest| !rest.starts_with(is_name));
            match bare().or_else(braced) {
                Some(rest) => unrolled.extend([word, rest]),
                None => unrolled.extend(["$", piece]),
            }
        }
        unrolled
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::unrolled;

    #[test]
    fn each_word_stands_in_place_of_the_variable() {
        let of = |line| {
            let mut lines = unrolled(line).unwrap_or_default();
            lines.sort();
            lines
        };
        assert_eq!(of("for f in a 'b'; do x $f ${f} $fx; done").len(), 2);
        assert_eq!(of("for f in a 'b'; do x $f ${f} $fx; done")[1], "for f in a 'b'; do x b b $fx; done");
        let nested = of("for d in a b; do for f in $d/c d; do x \"$f\"; done; done");
        assert_eq!(nested.len(), 4);
        assert!(nested[0].ends_with("x \"a/c\"; done; done"), "{nested:?}");
    }

    #[test]
    fn what_cannot_be_unrolled_is_said() {
        let nested = (1..100).map(|n| format!("for v{n} in $v{0}$v{0}$v{0}x", n - 1));
        let grows: Vec<String> = nested.collect();
        let many = (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        for line in [
            "x",
            "for f in a",
            "for f in $X; do x $f; done",
            "for f in $(ls); do x $f; done",
            "for ((i = 0; i < 3; i++)); do x; done",
            "for in a; do x; done",
            "wait-for f in a; x",
            &format!("for f in {many}; do x $f; done"),
            &format!("for f in {}; do x $f; done", "y".repeat(300)),
            &format!("for v0 in yy; {}; do x $v99; done", grows.join("; ")),
            &format!("for f in a; do x {}; done", "y".repeat(5000)),
        ] {
            assert_eq!(unrolled(line), None, "{line}");
        }
    }
}
