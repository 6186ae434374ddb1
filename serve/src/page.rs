//! The built page, which is part of the program. There is no way from here to the file system.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Each with its name and what it is.
const FILES: [(&str, &str, &[u8]); 3] = [
    (
        "index.html",
        "text/html; charset=utf-8",
        include_bytes!("../../assets/serve/dist/index.html"),
    ),
    ("app.js", "text/javascript; charset=utf-8", include_bytes!("../../assets/serve/dist/app.js")),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../../assets/serve/dist/app.css")),
];

/// A file of the page by its name; none where it has no such file.
pub fn file(name: &str, known: Option<&str>) -> Option<Response> {
    let (_, kind, contents) = FILES.into_iter().find(|(known, ..)| *known == name)?;
    let tag = format!("\"{:08x}-{}\"", crc32fast::hash(contents), contents.len());
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::ETAG, HeaderValue::from_str(&tag).ok()?),
    ];
    if known == Some(&tag) {
        return Some((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    Some((headers, Body::from(contents)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_there_and_what_is_beside_it_is_not() {
        for name in ["index.html", "app.js", "app.css"] {
            assert_eq!(file(name, None).unwrap().status(), StatusCode::OK, "{name}");
        }
        for name in [
            "",
            "/",
            "../openapi.json",
            "/etc/passwd",
            "index.html/..",
            "..%2fopenapi.json",
            "./index.html",
            "no.js",
        ] {
            assert!(file(name, None).is_none(), "{name}");
        }
    }

    #[test]
    fn a_file_that_is_known_is_not_sent_again() {
        let first = file("app.js", None).unwrap();
        let tag = first.headers().get(header::ETAG).unwrap().to_str().unwrap().to_owned();
        assert_eq!(file("app.js", Some(&tag)).unwrap().status(), StatusCode::NOT_MODIFIED);
        assert_eq!(file("app.css", Some(&tag)).unwrap().status(), StatusCode::OK);
    }
}
