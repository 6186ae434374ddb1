//! The built page, which is part of the program. There is no way from here to the file system.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::Embed;

#[derive(Embed)]
#[folder = "../assets/serve/dist"]
struct Files;

/// A file of the page by its name; none where it has no such file.
pub fn file(name: &str, known: Option<&str>) -> Option<Response> {
    let kind = kind_of(name)?;
    let found = Files::get(name)?;
    let digits = found.metadata.sha256_hash();
    let tag: String = digits.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{tag}\"");
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::ETAG, HeaderValue::from_str(&tag).ok()?),
    ];
    if known == Some(&tag) {
        return Some((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    Some((headers, Body::from(found.data.into_owned())).into_response())
}

fn kind_of(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    })
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
