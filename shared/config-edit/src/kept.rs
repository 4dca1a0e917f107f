//! Whether an edit has left alone what is not the key's own: each line of the rest is still there, in its order, and no
//! comment is lost beside a value that gave way to another.

use std::ops::Range;
use std::str::FromStr as _;

use serde_json::{Map, Value};
use yaml_edit::{YamlFile, YamlNode};

use super::value_at;

/// The lines of `before` that are not those of the key at `path` stand in `after`, whose content is
/// `values`, and so do the comments, but for those of a key that went.
pub(crate) fn is_rest_kept(before: &str, after: &str, path: &[String], values: &Map<String, Value>) -> bool {
    // The maps that held nothing else went, too.
    let gone = (1..=path.len()).find(|depth| value_at(values, &path[..*depth]).is_none());
    let own = own_lines(before, &path[..gone.unwrap_or(path.len())]);
    let (own, is_in_brackets) = own.unwrap_or_default();
    let rest = before.lines().enumerate().filter(|(line, _)| !own.contains(line)).map(|(_, line)| line);
    is_part(rest, after) && (gone.is_some() && !is_in_brackets || are_comments_kept(before, after))
}

fn is_part<'t>(part: impl Iterator<Item = &'t str>, whole: &str) -> bool {
    let mut whole = whole.lines();
    part.filter(|line| !line.trim().is_empty()).all(|line| whole.any(|other| other == line))
}

fn are_comments_kept(before: &str, after: &str) -> bool {
    let (Ok(before), Ok(after)) = (YamlFile::from_str(before), YamlFile::from_str(after)) else {
        return false;
    };
    let mut kept: Vec<String> = after.comments().map(|comment| comment.text().to_owned()).collect();
    before.comments().all(|comment| {
        let place = kept.iter().position(|kept| kept == comment.text());
        place.map(|place| kept.swap_remove(place)).is_some()
    })
}

/// The lines, from 0, that an edit of the key may change: those of its entry, or of the brackets around; and whether brackets.
fn own_lines(text: &str, path: &[String]) -> Option<(Range<usize>, bool)> {
    let mut map = YamlFile::from_str(text).ok()?.document()?.as_mapping()?;
    if map.is_flow_style() {
        let range = map.byte_range();
        return Some((lines(text, range.start as usize, range.end as usize)?, true));
    }
    let mut found = None;
    for (depth, key) in path.iter().enumerate() {
        let Some(entry) = map.find_entry_by_key(key) else { break };
        let start = entry.key_node()?.byte_range().start as usize;
        let value = entry.value_node();
        let end = value.as_ref().map_or(start, |value| value.byte_range().end as usize);
        let own = lines(text, start, end)?;
        match value {
            Some(YamlNode::Mapping(inner)) if depth + 1 < path.len() && !inner.is_flow_style() => {
                // A line is added below.
                (map, found) = (inner, None);
            }
            Some(YamlNode::Mapping(_)) if depth + 1 < path.len() => return Some((own, true)),
            _ => found = Some((own, false)),
        }
    }
    found
}

fn lines(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let last = text.get(..end)?.trim_end().len().max(start);
    let line = |offset: usize| text.get(..offset).map(|before| before.matches('\n').count());
    Some(line(start)?..line(last)? + 1)
}
