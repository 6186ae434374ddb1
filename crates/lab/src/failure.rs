//! A failed command's message and exit code.

use std::error::Error;
use std::process::ExitCode;

/// The exit code of an interrupted command.
pub const INTERRUPTED: u8 = 130;

/// A message, and what the user can do about it.
#[derive(Debug)]
pub struct LabFailure {
    code: u8,
    message: String,
    hint: Option<&'static str>,
}

impl LabFailure {
    /// Something went wrong; exit code 1.
    pub fn new(message: impl Into<String>) -> LabFailure {
        LabFailure { code: 1, message: message.into(), hint: None }
    }

    /// The command does not make sense; exit code 2.
    pub fn usage(message: impl Into<String>) -> LabFailure {
        LabFailure { code: 2, ..LabFailure::new(message) }
    }

    /// Adds advice for the user.
    pub fn hint(self, hint: &'static str) -> LabFailure {
        LabFailure { hint: Some(hint), ..self }
    }

    /// Printed text.
    pub fn text(&self) -> String {
        let hint = self.hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
        format!("error: {}{hint}", self.message)
    }

    /// The exit code.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl<E: Error> From<E> for LabFailure {
    fn from(error: E) -> LabFailure {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            let cause = error.to_string();
            // Transparent errors repeat their cause.
            if !message.contains(&cause) {
                message += &format!(": {cause}");
            }
            source = error.source();
        }
        LabFailure::new(message)
    }
}
