//! The state between two stops: the token that was shown. File `stop-ack-<session>`, as in the Python hook that this one replaces.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use shared::hook::Remembered;

const ALPHABET: &[u8; 36] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const PREFIX: &str = "ACK-";
const RANDOM_CHARS: usize = 4;

/// The shown token; it holds until Claude uses it or the hook allows the stop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub token: Option<Token>,
}

impl Remembered for State {
    const FILE: &'static str = "stop-ack-*";

    /// The Python hook wrote the bare token.
    fn from_original(bytes: &[u8]) -> Option<Self> {
        let token = Token::from_text(std::str::from_utf8(bytes).ok()?.trim())?;
        Some(Self { token: Some(token) })
    }
}

/// `ACK-` and four of A-Z, 0-9.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Token(String);

impl Token {
    pub fn fresh() -> Self {
        let mut random = rand::rng();
        let mut char = || char::from(ALPHABET[random.random_range(0..ALPHABET.len())]);
        Self(format!("{PREFIX}{}", (0..RANDOM_CHARS).map(|_| char()).collect::<String>()))
    }

    pub fn from_text(text: &str) -> Option<Self> {
        let chars = text.strip_prefix(PREFIX)?.as_bytes();
        let is_token = chars.len() == RANDOM_CHARS && chars.iter().all(|char| ALPHABET.contains(char));
        is_token.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `message` holds the token as a word of its own.
    pub fn is_in(&self, message: &str) -> bool {
        message.match_indices(&self.0).any(|(start, token)| {
            let before = message[..start].chars().next_back();
            let after = message[start + token.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
    }
}

impl TryFrom<String> for Token {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::from_text(&text).ok_or("not a token")
    }
}

#[cfg(test)]
mod tests {
    use super::{Remembered as _, State, Token};

    #[test]
    fn reads_a_token_of_the_original_tool() {
        assert_eq!(State::from_original(b"ACK-X7K2\n"), Some(State { token: Token::from_text("ACK-X7K2") }));
        assert_eq!(State::from_original(b"{\"token\": 1}"), None);
    }

    #[test]
    fn a_fresh_token_has_the_documented_form_and_differs_from_the_last() {
        let tokens: Vec<_> = (0..64).map(|_| Token::fresh()).collect();
        assert!(tokens.iter().all(|token| Token::from_text(token.as_str()).as_ref() == Some(token)));
        assert!(tokens.windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn only_a_whole_word_is_an_acknowledgement() {
        let token = Token::from_text("ACK-X7K2").unwrap();
        for message in ["ACK-X7K2", "**ACK-X7K2**", "_ACK-X7K2_", "a\nACK-X7K2\nb", "XACK-X7K2 ACK-X7K2."] {
            assert!(token.is_in(message), "{message:?}");
        }
        for message in
            ["", "ACK-", "ack-x7k2", "ACK-X7K22", "NACK-X7K2", "ACK-X7K3", "éACK-X7K2", "ACK -X7K2"]
        {
            assert!(!token.is_in(message), "{message:?}");
        }
    }
}
