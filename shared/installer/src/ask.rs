//! Questions on a terminal. One that gets no answer changes nothing, and says so in those words.

use std::io::IsTerminal;

use anyhow::{anyhow, ensure};
use inquire::{Confirm, InquireError};

const LEFT: &str = "no answer; nothing was changed";

/// A person can be asked.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// The answer to a question of yes or no.
pub(crate) fn confirmed(question: &str, default: bool) -> anyhow::Result<bool> {
    answered(Confirm::new(question).with_default(default).prompt())
}

/// Goes on only with a yes.
pub(crate) fn agreed(question: &str, default: bool) -> anyhow::Result<()> {
    ensure!(confirmed(question, default)?, "nothing was changed");
    Ok(())
}

/// The answer. Leaving with a key is an answer, too.
pub(crate) fn answered<T>(answer: Result<T, InquireError>) -> anyhow::Result<T> {
    answer.map_err(|error| match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => anyhow!(LEFT),
        error => anyhow!("{LEFT}: the terminal gave none ({error})"),
    })
}

#[cfg(test)]
mod tests {
    use inquire::InquireError;

    use super::answered;

    #[test]
    fn who_leaves_with_a_key_is_not_told_that_they_did() {
        for (error, said) in [
            (InquireError::OperationCanceled, "no answer; nothing was changed"),
            (InquireError::OperationInterrupted, "no answer; nothing was changed"),
        ] {
            assert_eq!(format!("{:#}", answered::<()>(Err(error)).unwrap_err()), said);
        }
        let error = answered::<()>(Err(InquireError::NotTTY)).unwrap_err();
        assert!(error.to_string().starts_with("no answer; nothing was changed: the terminal gave none ("));
        assert_eq!(answered(Ok(3)).unwrap(), 3);
    }
}
