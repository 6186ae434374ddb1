//! Errors of the API.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::background::NotWritten;
use crate::trees::TreeError;
use deepanalyze_core::chess::{GameError, PgnError};
use deepanalyze_core::directives::{FileError, SkeletonError};
use deepanalyze_report::PrintError;
use deepanalyze_runner::RunnerError;
use deepanalyze_store::StoreError;
use deepanalyze_view::DirectError;

use super::json;

/// The refusal of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Error"))]
pub struct ApiError {
    #[serde(skip)]
    status: StatusCode,
    /// The error.
    error: String,
    /// A hint for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl ApiError {
    /// An error of a kind.
    pub fn new(status: StatusCode, error: impl ToString) -> ApiError {
        ApiError { status, error: error.to_string(), hint: None }
    }

    /// The request makes no sense.
    pub fn malformed(error: impl ToString) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, error)
    }

    /// The requested thing does not exist.
    pub fn missing(error: impl ToString) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, error)
    }

    /// It conflicts with the present state.
    pub fn conflict(error: impl ToString) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, error)
    }

    /// True if it conflicts with the present state.
    pub fn is_conflict(&self) -> bool {
        self.status == StatusCode::CONFLICT
    }

    /// It makes sense, but is refused.
    pub fn refused(error: impl ToString) -> ApiError {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error)
    }

    /// Root not found.
    pub fn no_root(id: i64) -> ApiError {
        ApiError::missing(format!("there is no analysis {id}"))
    }

    /// The tree of a root uses other tablebases than those of the server, or none.
    pub fn other_tables() -> ApiError {
        ApiError::conflict("the analysis uses other tablebases than new analyses here")
            .hint(Some("`deepanalyze grow --draw-value` analyses it with the same tables"))
    }

    /// The chance that a best move stays is only known of trees in stages.
    pub fn only_in_stages() -> ApiError {
        ApiError::malformed(
            "\"until_stable\" needs an analysis that goes deeper from stage to stage: without \"engine_depth\" and \"engine_nodes\"",
        )
    }

    /// A root is not on the agenda.
    pub fn not_on_agenda() -> ApiError {
        ApiError::conflict("the analysis is not on the agenda")
            .hint(Some("starting it puts it there"))
    }

    /// A root is damaged.
    pub fn unplayable() -> ApiError {
        ApiError::conflict("the moves of this analysis cannot be played")
            .hint(Some("`deepanalyze verify` shows what is damaged"))
    }

    /// Adds a hint for the user.
    pub fn hint(mut self, hint: Option<impl Into<String>>) -> ApiError {
        self.hint = hint.map(Into::into).or(self.hint);
        self
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = json::response(&self);
        *response.status_mut() = self.status;
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            let second = axum::http::HeaderValue::from_static("1");
            response.headers_mut().insert(header::RETRY_AFTER, second);
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        let status = match &error {
            StoreError::Growing { .. } => StatusCode::CONFLICT,
            StoreError::Known { .. } => return ApiError::refused(error),
            error if error.is_busy() => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        // The page need not know the file's path.
        let words = match &error {
            StoreError::Growing { analysis, .. } => {
                format!("analysis {analysis} is being grown by another process")
            }
            other => format!("the database: {}", other.flaw()),
        };
        ApiError::new(status, words).hint(error.hint())
    }
}

impl From<RunnerError> for ApiError {
    fn from(error: RunnerError) -> ApiError {
        let words = error.to_string();
        match error {
            RunnerError::Unknown(id) => ApiError::no_root(id.0),
            RunnerError::OtherEngine { .. } => ApiError::conflict(words)
                .hint(Some("`deepanalyze serve --engine CMD` starts a server with another engine")),
            RunnerError::NoTables(_) => ApiError::conflict(words)
                .hint(Some("`deepanalyze serve --tables DIR` starts a server with tablebases")),
            RunnerError::NoGames | RunnerError::OtherGames(_) => ApiError::conflict(words)
                .hint(Some("`deepanalyze serve --games SET` starts a server with games")),
            RunnerError::OwnSearches => {
                ApiError::conflict(words).hint(Some("a deeper search asks something new"))
            }
            RunnerError::Over(_) | RunnerError::Weight(_) => ApiError::refused(words),
            RunnerError::Ending => ApiError::new(StatusCode::SERVICE_UNAVAILABLE, words),
            RunnerError::Store(error) => error.into(),
            RunnerError::Thread(_) => ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, words),
        }
    }
}

impl From<SkeletonError> for ApiError {
    fn from(error: SkeletonError) -> ApiError {
        match error {
            SkeletonError::Pgn(error) => error.into(),
            error => ApiError::refused(error),
        }
    }
}

impl From<TreeError> for ApiError {
    fn from(error: TreeError) -> ApiError {
        let status = match error {
            TreeError::Unreadable(_) => StatusCode::INTERNAL_SERVER_ERROR,
            TreeError::Busy => StatusCode::TOO_MANY_REQUESTS,
            TreeError::Closed => StatusCode::SERVICE_UNAVAILABLE,
        };
        let words = match &error {
            TreeError::Unreadable(error) => format!("the database: {}", error.flaw()),
            other => other.to_string(),
        };
        ApiError::new(status, words)
    }
}

impl From<NotWritten> for ApiError {
    fn from(error: NotWritten) -> ApiError {
        let status = match error {
            NotWritten::Busy => StatusCode::TOO_MANY_REQUESTS,
            NotWritten::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        };
        ApiError::new(status, error)
    }
}

impl From<GameError> for ApiError {
    fn from(error: GameError) -> ApiError {
        ApiError::malformed(error)
    }
}

impl From<PgnError> for ApiError {
    fn from(error: PgnError) -> ApiError {
        ApiError::malformed(error)
    }
}

impl From<FileError> for ApiError {
    fn from(error: FileError) -> ApiError {
        let is_refused = matches!(error, FileError::Refused { .. });
        if is_refused { ApiError::refused(error) } else { ApiError::malformed(error) }
    }
}

impl From<DirectError> for ApiError {
    fn from(error: DirectError) -> ApiError {
        let hint = error.hint();
        let told =
            if error.is_usage() { ApiError::malformed(error) } else { ApiError::refused(error) };
        told.hint(hint)
    }
}

impl From<PrintError> for ApiError {
    fn from(error: PrintError) -> ApiError {
        match error {
            PrintError::Line(error) => ApiError::malformed(error),
            PrintError::Store(error) => error.into(),
            PrintError::NoGames(_) => ApiError::missing(error),
        }
    }
}
