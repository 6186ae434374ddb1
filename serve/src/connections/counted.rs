//! An answer is under way until the last of it is sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};

/// An answer that keeps something until its body is at its end: its connection knows of it, or its memory is taken.
pub fn counted(answer: Response, kept: impl Send + Unpin + 'static) -> Response {
    answer.map(|body| Body::new(Counted { body, _kept: kept }))
}

struct Counted<K> {
    body: Body,
    _kept: K,
}

impl<K: Unpin> HttpBody for Counted<K> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
