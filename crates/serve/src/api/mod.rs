//! Requests of the page and scripts: one table of routes, with their inputs and outputs.
//! `openapi.json` is generated from it (`contract/`).

mod about;
mod analyses;
#[cfg(test)]
mod contract;
mod course;
mod directives;
mod error;
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
mod why;
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

#[cfg(test)]
use {
    crate::events::{HelloEvent, NewsMessage, Object, RootsEvent},
    crate::roots::{EnginesObject, RootObject},
    crate::trees::TreeEvent,
    contract::{HTML, Operation, PGN, SQLITE, operation},
    deepanalyze_core::directives::DirectivesFile,
    deepanalyze_report::{AuditForPrograms, GameForPrograms, Statistics},
    deepanalyze_view::json::Numbered,
};

/// A route, with the method that it takes.
#[derive(Debug)]
pub struct Route {
    /// `get`.
    pub method: &'static str,
    /// As in the contract.
    pub path: &'static str,
    handler: MethodRouter<Arc<App>>,
    /// Its inputs and outputs.
    #[cfg(test)]
    operation: Operation,
}

/// Routes by method, path and handler, each with its part of the contract, without which the program is
/// built.
macro_rules! routes {
    ($($method:ident $path:literal $handler:path { $operation:expr })*) => {
        vec![$(Route {
            method: stringify!($method),
            path: $path,
            handler: $method($handler),
            #[cfg(test)]
            operation: $operation,
        }),*]
    };
}

/// Every route of the API.
pub fn routes() -> Vec<Route> {
    routes! {
        get "/api/openapi.json" about::openapi {
            operation("openapi", "This document").ok::<Object>("OpenAPI 3.1")
        }
        get "/api/server" about::server {
            operation("server", "The server, its engine and the defaults of new analyses")
                .ok::<about::ServerObject>("The server")
        }
        get "/api/addresses" about::addresses {
            operation("addresses", "The page's addresses for other devices, with the token; none \
                where the server listens to this computer alone")
                .ok::<about::AddressesObject>("The addresses")
        }
        get "/api/engines" about::engines {
            operation("engines", "What each engine searches").ok::<EnginesObject>("The engines")
        }
        get "/api/events" about::events {
            operation("events", "What happens, as server-sent events: hello, reset, roots, tree, \
                engines, message. At most four deliveries a second, of each root only what has \
                changed").query::<about::EventsAsked>()
                .header("Last-Event-ID", "The same, as browsers send it.")
                .file(&["text/event-stream"], "The stream").event::<HelloEvent>()
                .event::<RootsEvent>().event::<TreeEvent>().event::<NewsMessage>()
        }
        post "/api/pgn" pgn::games {
            operation("pgn", "Games of a PGN file of at most 64 MiB: a hundred of those that are \
                found, or as many as are asked for").query::<pgn::GamesAsked>()
                .body::<pgn::PgnBody>().file_body(PGN).ok::<pgn::GamesObject>("The games")
        }
        get "/api/analyses" analyses::list {
            operation("analyses", "All analyses: the agenda in its order, then the others, the \
                last one grown first").ok::<analyses::AnalysesObject>("The analyses")
        }
        post "/api/analyses" analyses::add {
            operation("add", "Puts an analysis on the agenda").body::<new_root::NewRootAsked>()
                .ok::<RootObject>("It was there").created::<RootObject>("It is new")
        }
        get "/api/analyses/{id}" analyses::one {
            operation("analysis", "An analysis").ok::<RootObject>("The analysis")
        }
        patch "/api/analyses/{id}" analyses::change {
            operation("change", "Names it, weighs it, moves it on the agenda, gives it another \
                depth: all of what is asked, or nothing").body::<analyses::RootChange>()
                .ok::<RootObject>("The analysis")
        }
        delete "/api/analyses/{id}" analyses::delete {
            operation("delete", "Ends its run and deletes its trees; the engine's answers stay")
                .no_content("It is gone")
        }
        post "/api/analyses/{id}/run" running::run {
            operation("run", "Starts or pauses it, or makes a closing search or a recheck")
                .body::<running::Steered>().ok::<RootObject>("The analysis")
        }
        post "/api/analyses/{id}/next" analyses::next {
            operation("next", "The next position of the same game, with the same settings. \
                Refused (409) for a tree that was grown with games: the new one would have none")
                .body::<analyses::NextPosition>().ok::<RootObject>("It was there")
                .created::<RootObject>("It is new")
        }
        post "/api/analyses/{id}/draw" analyses::draw {
            operation("draw", "Another analysis of the same root with the same settings, but for \
                what a draw is worth; what is known is used. Refused (409) for a tree that was \
                grown with games, or uses other tablebases than the server: the new one would \
                not").body::<analyses::OtherDraw>().ok::<RootObject>("It was there")
                .created::<RootObject>("It is new")
        }
        get "/api/analyses/{id}/moves" place::moves {
            operation("moves", "The position at the end of a line, with its moves. Has an ETag")
                .query::<place::LineAsked>().ok::<place::PlaceObject>("The position")
                .not_modified("Nothing has changed")
        }
        get "/api/analyses/{id}/line" place::line {
            operation("line", "The shortest line of the tree to a position")
                .query::<place::PositionAsked>().ok::<place::FoundLine>("The line")
                .not_found("The tree does not have the position")
        }
        get "/api/analyses/{id}/why" why::known {
            operation("why", "Why a move is not the best one, as far as the analysis knows")
                .query::<why::MoveAsked>().ok::<why::WhyObject>("What is known")
        }
        post "/api/analyses/{id}/why" why::search {
            operation("searchMove", "The same, after a search of the position behind the move by \
                the server's engines, for two seconds, if it was not searched before; the answer \
                is kept, the analysis stays as it is").body::<why::MoveAsked>()
                .ok::<why::WhyObject>("What is known then")
        }
        get "/api/analyses/{id}/course" reports::course {
            operation("course", "How the verdict went, and what changed it")
                .ok::<course::CourseObject>("The course")
        }
        get "/api/analyses/{id}/trust" reports::trust {
            operation("trust", "How far the best move is to be trusted")
                .ok::<reports::TrustObject>("What is known of that")
        }
        get "/api/analyses/{id}/audit" reports::audit {
            operation("audit", "What the tree says of a repertoire, as `deepanalyze audit \
                --format json` does").query::<reports::AuditAsked>()
                .ok::<Numbered<AuditForPrograms>>("The audit")
        }
        get "/api/analyses/{id}/stats" reports::stats {
            operation("stats", "What the tree has cost and takes, as `deepanalyze stats --format \
                json` has it").ok::<Numbered<Statistics>>("The statistics")
        }
        get "/api/analyses/{id}/export" reports::export {
            operation("export", "The tree as a file").query::<reports::ExportAsked>()
                .file(&["*/*"], "The file")
        }
        get "/api/analyses/{id}/directives" directives::list {
            operation("directives", "The directives")
                .ok::<directives::DirectivesObject>("The directives")
        }
        post "/api/analyses/{id}/directives" directives::say {
            operation("direct", "Gives or takes back a directive")
                .body::<directives::SaidDirective>().ok::<directives::Directed>("What was done")
        }
        put "/api/analyses/{id}/directives" directives::apply {
            operation("apply", "Replaces all directives").body::<DirectivesFile>()
                .ok::<directives::Directed>("What was done")
        }
        post "/api/analyses/{id}/directives/undo" directives::undo {
            operation("undo", "Takes back one change that was made through this server and \
                nothing else; refused where something else has been said there since")
                .body::<directives::UndoAsked>().ok::<directives::Directed>("What was done")
        }
        post "/api/analyses/{id}/repertoire" directives::include {
            operation("includeGames", "Includes every game and variation of a PGN file that \
                passes through the root").query::<directives::IncludeAsked>().file_body(PGN)
                .ok::<directives::Directed>("What was done")
        }
        post "/api/analyses/{id}/review" review::review {
            operation("review", "Where games left the repertoire of the tree, as `deepanalyze \
                review` tells it").query::<review::ReviewOf>().file_body(PGN)
                .ok::<review::ReviewObject>("The review").file(&[PGN, HTML], "The review")
        }
        get "/api/games" games::list {
            operation("games", "Games that are analysed as a whole")
                .ok::<games::WholeGamesObject>("The games")
        }
        post "/api/games" games::add {
            operation("addGame", "Analyses the positions of a game, each in an analysis of its \
                own, the last first").body::<games::WholeGameAsked>()
                .created::<games::WholeGameObject>("The game")
        }
        get "/api/games/{id}" games::one {
            operation("game", "A game with the verdicts on its positions")
                .ok::<games::GamePage>("The game")
        }
        delete "/api/games/{id}" games::delete {
            operation("deleteGame", "Deletes it with the trees that were grown for it and for no \
                other game; the answers stay").no_content("It is gone")
        }
        post "/api/games/{id}/run" games::run {
            operation("runGame", "Starts or pauses all of its positions")
                .body::<games::GameSteered>().ok::<games::WholeGameObject>("The game")
        }
        get "/api/games/{id}/export" games::export {
            operation("exportGame", "The game with the verdicts on its positions, as a file")
                .query::<games::GameExportAsked>().ok::<Vec<GameForPrograms>>("The file")
                .file(&[PGN, HTML], "The file")
        }
        get "/api/merges" merging::list {
            operation("merges", "Databases that were sent to be merged since the server has \
                begun").ok::<merging::MergesObject>("The databases")
        }
        post "/api/merges" merging::begin {
            operation("merge", "Adds the answers and analyses of another database, as \
                `deepanalyze merge` does: some of its answers are searched again before any is \
                added, and nothing of your own is changed. One database at a time is taken in \
                and merged; another gets 409 meanwhile").query::<merging::MergeAsked>()
                .file_body(SQLITE).accepted::<merging::MergesObject>("The databases")
        }
        delete "/api/merges/{id}" merging::cancel {
            operation("cancelMerge", "Cancels a merge that is running, even while its file is \
                coming or checked; answers that were added before stay. 409 where it is over")
                .ok::<merging::MergesObject>("The databases")
        }
        get "/api/threat" threat::look {
            operation("threat", "What the side that is not to move would play")
                .query::<threat::PositionAsked>().ok::<threat::ThreatAnswer>("The threat")
        }
    }
}

/// Everything served: the API, and the page beside it.
pub fn router(app: Arc<App>) -> Router {
    let all = Router::new().route("/", get(about::page)).route("/{file}", get(about::page));
    let all = routes().into_iter().fold(all, |all, route| all.route(route.path, route.handler));
    // The guard and the readers of bodies limit their size.
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
