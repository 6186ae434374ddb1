//! What the page and scripts can ask: one table of routes, which the documentation is held against.

mod about;
mod analyses;
mod course;
mod directives;
mod error;
#[cfg(test)]
mod frozen;
mod games;
mod json;
mod merging;
mod new_root;
mod pgn;
mod place;
mod reports;
mod review;
mod running;
mod threat;
mod work;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, patch, post, put};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

pub use error::ApiError;
pub use merging::{MergeRefused, Merges, Merging, Upload};

use super::server::App;

/// A route, with the method that it takes.
#[derive(Debug)]
pub struct Route {
    /// `get`.
    pub method: &'static str,
    /// As the documentation writes it, too.
    pub path: &'static str,
    handler: MethodRouter<Arc<App>>,
}

/// Every route of the API.
pub fn routes() -> Vec<Route> {
    let route = |method, path, handler| Route { method, path, handler };
    vec![
        route("get", "/api/openapi.json", get(about::openapi)),
        route("get", "/api/server", get(about::server)),
        route("get", "/api/addresses", get(about::addresses)),
        route("get", "/api/engines", get(about::engines)),
        route("get", "/api/events", get(about::events)),
        route("post", "/api/pgn", post(pgn::games)),
        route("get", "/api/analyses", get(analyses::list)),
        route("post", "/api/analyses", post(analyses::add)),
        route("get", "/api/analyses/{id}", get(analyses::one)),
        route("patch", "/api/analyses/{id}", patch(analyses::change)),
        route("delete", "/api/analyses/{id}", delete(analyses::delete)),
        route("post", "/api/analyses/{id}/run", post(running::run)),
        route("post", "/api/analyses/{id}/next", post(analyses::next)),
        route("post", "/api/analyses/{id}/draw", post(analyses::draw)),
        route("get", "/api/analyses/{id}/moves", get(place::moves)),
        route("get", "/api/games", get(games::list)),
        route("post", "/api/games", post(games::add)),
        route("get", "/api/games/{id}", get(games::one)),
        route("delete", "/api/games/{id}", delete(games::delete)),
        route("post", "/api/games/{id}/run", post(games::run)),
        route("get", "/api/games/{id}/export", get(games::export)),
        route("post", "/api/analyses/{id}/repertoire", post(directives::include)),
        route("post", "/api/analyses/{id}/review", post(review::review)),
        route("get", "/api/merges", get(merging::list)),
        route("post", "/api/merges", post(merging::begin)),
        route("delete", "/api/merges/{id}", delete(merging::cancel)),
        route("get", "/api/threat", get(threat::look)),
        route("get", "/api/analyses/{id}/line", get(place::line)),
        route("get", "/api/analyses/{id}/course", get(reports::course)),
        route("get", "/api/analyses/{id}/trust", get(reports::trust)),
        route("get", "/api/analyses/{id}/audit", get(reports::audit)),
        route("get", "/api/analyses/{id}/stats", get(reports::stats)),
        route("get", "/api/analyses/{id}/export", get(reports::export)),
        route("get", "/api/analyses/{id}/directives", get(directives::list)),
        route("post", "/api/analyses/{id}/directives", post(directives::say)),
        route("put", "/api/analyses/{id}/directives", put(directives::apply)),
        route("post", "/api/analyses/{id}/directives/undo", post(directives::undo)),
    ]
}

/// All that can be asked: the API, and the page beside it.
pub fn router(app: Arc<App>) -> Router {
    let all = Router::new().route("/", get(about::page)).route("/{file}", get(about::page));
    let all = routes().into_iter().fold(all, |all, route| all.route(route.path, route.handler));
    // The guard and the readers of bodies know how large they may be.
    let all = all.layer(DefaultBodyLimit::disable()).fallback(about::nothing_there);
    // Not the stream of events: each is to arrive at once.
    let all = all.layer(CompressionLayer::new().quality(CompressionLevel::Fastest));
    all.method_not_allowed_fallback(no_such_method).with_state(app)
}

async fn no_such_method(path: Option<MatchedPath>) -> Response {
    let path = path.as_ref().map_or("/", MatchedPath::as_str);
    let there = routes().into_iter().filter(|route| route.path == path);
    let methods: Vec<String> = there.map(|route| route.method.to_ascii_uppercase()).collect();
    let methods = if methods.is_empty() { "GET".to_owned() } else { methods.join(", ") };
    let error = ApiError::new(StatusCode::METHOD_NOT_ALLOWED, format!("{path} takes {methods}"));
    let mut response = error.into_response();
    if let Ok(methods) = HeaderValue::from_str(&methods) {
        response.headers_mut().insert(header::ALLOW, methods);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation has every route and method, and no other.
    #[test]
    fn the_documentation_is_of_these_routes() {
        let text = include_str!("../../../assets/serve/openapi.json");
        let document: serde_json::Value = serde_json::from_str(text).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let methods = |(path, item): (&String, &serde_json::Value)| {
            let methods: Vec<_> = item.as_object().unwrap().keys().cloned().collect();
            let methods = methods.into_iter().filter(|key| key != "parameters");
            let path = path.clone();
            methods.map(move |method| (path.clone(), method)).collect::<Vec<_>>()
        };
        let mut documented: Vec<(String, String)> = paths.iter().flat_map(methods).collect();
        let mut routed: Vec<(String, String)> =
            routes().iter().map(|route| (route.path.to_owned(), route.method.to_owned())).collect();
        documented.sort();
        routed.sort();
        assert_eq!(documented, routed);
    }
}
