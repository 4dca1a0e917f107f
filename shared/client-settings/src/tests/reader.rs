//! A reader of JSON for these tests alone: it keeps every scalar as it is spelled, every key as often as it stands there,
//! and the bytes of everything. It shares no code with the engine. What is no JSON fails the test.

/// A value, with its bytes.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    pub(super) source: &'a str,
    pub(super) kind: Kind<'a>,
}

#[derive(Debug, Clone)]
pub(super) enum Kind<'a> {
    Scalar,
    List(Vec<Node<'a>>),
    Object(Vec<Member<'a>>),
}

/// A key and its value, with the bytes of both.
#[derive(Debug, Clone)]
pub(super) struct Member<'a> {
    /// As it is spelled, with its quotes.
    pub(super) key: &'a str,
    pub(super) source: &'a str,
    pub(super) value: Node<'a>,
}

/// The one value of a text.
#[track_caller]
pub(super) fn read(text: &str) -> Node<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str::<serde::de::IgnoredAny>(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    Reader { text, at: 0 }.value()
}

/// The text that a string means; one with half a surrogate pair stands for itself.
pub(super) fn decoded(string: &str) -> String {
    serde_json::from_str(string).unwrap_or_else(|_| string.to_owned())
}

impl<'a> Node<'a> {
    pub(super) fn members(&self) -> &[Member<'a>] {
        if let Kind::Object(members) = &self.kind { members } else { &[] }
    }

    pub(super) fn elements(&self) -> &[Node<'a>] {
        if let Kind::List(elements) = &self.kind { elements } else { &[] }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Node<'a>> {
        self.members().iter().find(|member| decoded(member.key) == name).map(|member| &member.value)
    }

    /// The text that the string under this key means.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).filter(|node| node.source.starts_with('"')).map(|node| decoded(node.source))
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Node<'a> {
        let start = self.next();
        let kind = match self.text.as_bytes()[start] {
            b'{' => Kind::Object(self.items(b'}', Self::member)),
            b'[' => Kind::List(self.items(b']', Self::value)),
            b'"' => {
                self.string();
                Kind::Scalar
            }
            _ => {
                let rest = &self.text[start..];
                self.at += rest.find([',', ']', '}', ' ', '\t', '\r', '\n']).unwrap_or(rest.len());
                Kind::Scalar
            }
        };
        Node { source: &self.text[start..self.at], kind }
    }

    fn member(&mut self) -> Member<'a> {
        let start = self.next();
        let key = self.string();
        self.next();
        self.at += 1;
        let value = self.value();
        Member { key, source: &self.text[start..self.at], value }
    }

    /// From the opening bracket to behind the closing one.
    fn items<T>(&mut self, close: u8, item: fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            let next = self.next();
            match self.text.as_bytes()[next] {
                byte if byte == close => break,
                b',' => self.at += 1,
                _ => items.push(item(self)),
            }
        }
        self.at += 1;
        items
    }

    fn string(&mut self) -> &'a str {
        let start = self.at;
        let mut escaped = false;
        let ends = |(_, byte): &(usize, u8)| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        };
        let length = self.text.bytes().enumerate().skip(start + 1).find(ends).map(|(at, _)| at + 1 - start);
        self.at = start + length.expect("a string ends");
        &self.text[start..self.at]
    }

    /// The place of the next byte that is no white space.
    fn next(&mut self) -> usize {
        while matches!(self.text.as_bytes()[self.at], b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
        self.at
    }
}
