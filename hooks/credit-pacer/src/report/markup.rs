//! HTML and SVG as a tree: what is put in as text or as a value is escaped, every tag is closed.

use std::fmt::{self, Display, Write as _};

/// An element.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Node>,
}

/// What stands in an element.
#[derive(Debug, Clone)]
enum Node {
    Element(Element),
    Text(String),
    /// The page's own style sheet, which is no text of anybody's.
    Style(&'static str),
}

/// Elements that hold nothing and are not closed.
const VOID: [&str; 2] = ["meta", "br"];

/// An element without anything.
pub(crate) const fn el(name: &'static str) -> Element {
    Element { name, attributes: Vec::new(), children: Vec::new() }
}

/// The style sheet.
pub(crate) fn style(sheet: &'static str) -> Element {
    let mut style = el("style");
    style.children.push(Node::Style(sheet));
    style
}

impl Element {
    /// With an attribute.
    pub(crate) fn with(mut self, name: &'static str, value: impl Display) -> Self {
        self.attributes.push((name, value.to_string()));
        self
    }

    /// Of a class.
    pub(crate) fn class(self, name: &str) -> Self {
        self.with("class", name)
    }

    /// With a text in it.
    pub(crate) fn text(mut self, text: impl Display) -> Self {
        self.children.push(Node::Text(text.to_string()));
        self
    }

    /// With an element in it.
    pub(crate) fn add(mut self, child: Self) -> Self {
        self.children.push(Node::Element(child));
        self
    }

    /// With elements in it.
    pub(crate) fn add_all(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children.into_iter().map(Node::Element));
        self
    }
}

impl Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "<{}", self.name)?;
        for (name, value) in &self.attributes {
            write!(formatter, " {name}=\"")?;
            escape(formatter, value)?;
            formatter.write_char('"')?;
        }
        formatter.write_char('>')?;
        if VOID.contains(&self.name) {
            return Ok(());
        }
        for child in &self.children {
            match child {
                Node::Element(element) => element.fmt(formatter)?,
                Node::Text(text) => escape(formatter, text)?,
                Node::Style(sheet) => formatter.write_str(sheet)?,
            }
        }
        write!(formatter, "</{}>", self.name)
    }
}

/// Characters that mean something in markup, and those that no page may hold.
fn escape(formatter: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for character in text.chars() {
        match character {
            '&' => formatter.write_str("&amp;")?,
            '<' => formatter.write_str("&lt;")?,
            '>' => formatter.write_str("&gt;")?,
            '"' => formatter.write_str("&quot;")?,
            '\'' => formatter.write_str("&#39;")?,
            '\n' | '\t' => formatter.write_char(character)?,
            character if character.is_control() => formatter.write_char('\u{fffd}')?,
            character => formatter.write_char(character)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::el;

    #[test]
    fn what_is_put_in_stays_text() {
        let element = el("p").with("title", "\"><script>").add(el("br")).text("a < b & 'c'\u{0}");
        assert_eq!(
            element.to_string(),
            "<p title=\"&quot;&gt;&lt;script&gt;\"><br>a &lt; b &amp; &#39;c&#39;\u{fffd}</p>"
        );
    }
}
