//! Asking the user.

use std::io::{self, BufRead, Write};

/// Asks; whatever is no clear yes is a no.
pub fn is_confirmed(
    question: &str,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<bool> {
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        let cases = [
            ("y\n", true),
            (" YES \n", true),
            ("n\n", false),
            ("\n", false),
            ("", false),
            ("yesterday\n", false),
        ];
        for (answer, right) in cases {
            let mut asked = Vec::new();
            let confirmed = is_confirmed("Delete it?", &mut answer.as_bytes(), &mut asked);
            assert_eq!(confirmed.unwrap(), right, "{answer:?}");
            assert_eq!(asked, b"Delete it? [y/N] ");
        }
    }
}
