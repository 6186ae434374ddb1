//! What the page and scripts can ask: one table of routes, with what each takes and gives. `openapi.json` is generated from
//! it (`contract.rs`).

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
    crate::events::{HelloEvent, NewsMessage, RootsEvent},
    crate::roots::{EnginesObject, RootObject},
    crate::trees::TreeEvent,
    contract::{Anything, HTML, Operation, PGN, SQLITE, says},
    deepanalyze_core::directives::DirectivesFile,
    deepanalyze_report::{AuditForPrograms, GameForPrograms, Statistics},
    deepanalyze_view::json::Numbered,
};

/// A route, with the method that it takes.
#[derive(Debug)]
pub struct Route {
    /// `get`.
    pub method: &'static str,
    /// As the contract writes it, too.
    pub path: &'static str,
    handler: MethodRouter<Arc<App>>,
    /// What it takes and gives.
    #[cfg(test)]
    operation: Operation,
}

/// A route by its method, path and handler; the program is built without what the contract says of it.
macro_rules! route {
    ($method:ident, $path:literal, $handler:path, $operation:expr) => {
        Route {
            method: stringify!($method),
            path: $path,
            handler: $method($handler),
            #[cfg(test)]
            operation: $operation,
        }
    };
}

/// Every route of the API.
pub fn routes() -> Vec<Route> {
    vec![
        route!(
            get,
            "/api/openapi.json",
            about::openapi,
            says("openapi", "This document").gives::<Anything>("OpenAPI 3.1")
        ),
        route!(
            get,
            "/api/server",
            about::server,
            says("server", "The server, its engine and the defaults of new analyses")
                .gives::<about::ServerObject>("The server")
        ),
        route!(
            get,
            "/api/addresses",
            about::addresses,
            says("addresses", "The page's addresses for other devices, with the token; none where the server listens to this computer alone")
                .gives::<about::AddressesObject>("The addresses")
        ),
        route!(
            get,
            "/api/engines",
            about::engines,
            says("engines", "What each engine searches").gives::<EnginesObject>("The engines")
        ),
        route!(
            get,
            "/api/events",
            about::events,
            says("events", "What happens, as server-sent events: hello, reset, roots, tree, engines, message. At most four deliveries a second, of each root only what has changed")
                .query::<about::EventsAsked>()
                .header("Last-Event-ID", "The same, as browsers send it.")
                .gives_file(&["text/event-stream"], "The stream")
                .tells::<HelloEvent>()
                .tells::<RootsEvent>()
                .tells::<TreeEvent>()
                .tells::<NewsMessage>()
        ),
        route!(
            post,
            "/api/pgn",
            pgn::games,
            says("pgn", "Games of a PGN file of at most 64 MiB: a hundred of those that are found, or as many as are asked for")
                .query::<pgn::GamesAsked>()
                .takes::<pgn::PgnBody>()
                .takes_file(PGN)
                .gives::<pgn::GamesObject>("The games")
        ),
        route!(
            get,
            "/api/analyses",
            analyses::list,
            says("analyses", "All analyses: the agenda in its order, then the others, the last one grown first")
                .gives::<analyses::AnalysesObject>("The analyses")
        ),
        route!(
            post,
            "/api/analyses",
            analyses::add,
            says("add", "Puts an analysis on the agenda")
                .takes::<new_root::NewRootAsked>()
                .gives::<RootObject>("It was there")
                .creates::<RootObject>("It is new")
        ),
        route!(
            get,
            "/api/analyses/{id}",
            analyses::one,
            says("analysis", "An analysis").gives::<RootObject>("The analysis")
        ),
        route!(
            patch,
            "/api/analyses/{id}",
            analyses::change,
            says("change", "Names it, weighs it, moves it on the agenda, gives it another depth: all of what is asked, or nothing")
                .takes::<analyses::RootChange>()
                .gives::<RootObject>("The analysis")
        ),
        route!(
            delete,
            "/api/analyses/{id}",
            analyses::delete,
            says("delete", "Ends its run and deletes its trees; the engine's answers stay")
                .gives_nothing("It is gone")
        ),
        route!(
            post,
            "/api/analyses/{id}/run",
            running::run,
            says("run", "Starts or pauses it, or makes a closing search or a recheck")
                .takes::<running::Steered>()
                .gives::<RootObject>("The analysis")
        ),
        route!(
            post,
            "/api/analyses/{id}/next",
            analyses::next,
            says("next", "The next position of the same game, with the same settings. Refused (409) for a tree that was grown with games: the new one would have none")
                .takes::<analyses::NextPosition>()
                .gives::<RootObject>("It was there")
                .creates::<RootObject>("It is new")
        ),
        route!(
            post,
            "/api/analyses/{id}/draw",
            analyses::draw,
            says("draw", "Another analysis of the same root with the same settings, but for what a draw is worth; what is known is used. Refused (409) for a tree that was grown with games, or uses other tablebases than the server: the new one would not")
                .takes::<analyses::OtherDraw>()
                .gives::<RootObject>("It was there")
                .creates::<RootObject>("It is new")
        ),
        route!(
            get,
            "/api/analyses/{id}/moves",
            place::moves,
            says("moves", "The position at the end of a line, with its moves. Has an ETag")
                .query::<place::LineAsked>()
                .gives::<place::PlaceObject>("The position")
                .may_be_unchanged("Nothing has changed")
        ),
        route!(
            get,
            "/api/analyses/{id}/line",
            place::line,
            says("line", "The shortest line of the tree to a position")
                .query::<place::PositionAsked>()
                .gives::<place::FoundLine>("The line")
                .may_be_missing("The tree does not have the position")
        ),
        route!(
            get,
            "/api/analyses/{id}/course",
            reports::course,
            says("course", "How the verdict went, and what changed it")
                .gives::<course::CourseObject>("The course")
        ),
        route!(
            get,
            "/api/analyses/{id}/trust",
            reports::trust,
            says("trust", "How far the best move is to be trusted")
                .gives::<reports::TrustObject>("What is known of that")
        ),
        route!(
            get,
            "/api/analyses/{id}/audit",
            reports::audit,
            says("audit", "What the tree says of a repertoire, as `deepanalyze audit --format json` does")
                .query::<reports::AuditAsked>()
                .gives::<Numbered<AuditForPrograms>>("The audit")
        ),
        route!(
            get,
            "/api/analyses/{id}/stats",
            reports::stats,
            says("stats", "What the tree has cost and takes, as `deepanalyze stats --format json` has it")
                .gives::<Numbered<Statistics>>("The statistics")
        ),
        route!(
            get,
            "/api/analyses/{id}/export",
            reports::export,
            says("export", "The tree as a file")
                .query::<reports::ExportAsked>()
                .gives_file(&["*/*"], "The file")
        ),
        route!(
            get,
            "/api/analyses/{id}/directives",
            directives::list,
            says("directives", "The directives").gives::<directives::DirectivesObject>("The directives")
        ),
        route!(
            post,
            "/api/analyses/{id}/directives",
            directives::say,
            says("direct", "Gives or takes back a directive")
                .takes::<directives::SaidDirective>()
                .gives::<directives::Directed>("What was done")
        ),
        route!(
            put,
            "/api/analyses/{id}/directives",
            directives::apply,
            says("apply", "Replaces all directives")
                .takes::<DirectivesFile>()
                .gives::<directives::Directed>("What was done")
        ),
        route!(
            post,
            "/api/analyses/{id}/directives/undo",
            directives::undo,
            says("undo", "Takes back one change that was made through this server and nothing else; refused where something else has been said there since")
                .takes::<directives::UndoAsked>()
                .gives::<directives::Directed>("What was done")
        ),
        route!(
            post,
            "/api/analyses/{id}/repertoire",
            directives::include,
            says("includeGames", "Includes every game and variation of a PGN file that passes through the root")
                .query::<directives::IncludeAsked>()
                .takes_file(PGN)
                .gives::<directives::Directed>("What was done")
        ),
        route!(
            post,
            "/api/analyses/{id}/review",
            review::review,
            says("review", "Where games left the repertoire of the tree, as `deepanalyze review` tells it")
                .query::<review::ReviewOf>()
                .takes_file(PGN)
                .gives::<review::ReviewObject>("The review")
                .gives_file(&[PGN, HTML], "The review")
        ),
        route!(
            get,
            "/api/games",
            games::list,
            says("games", "Games that are analysed as a whole").gives::<games::WholeGamesObject>("The games")
        ),
        route!(
            post,
            "/api/games",
            games::add,
            says("addGame", "Analyses the positions of a game, each in an analysis of its own, the last first")
                .takes::<games::WholeGameAsked>()
                .creates::<games::WholeGameObject>("The game")
        ),
        route!(
            get,
            "/api/games/{id}",
            games::one,
            says("game", "A game with the verdicts on its positions").gives::<games::GamePage>("The game")
        ),
        route!(
            delete,
            "/api/games/{id}",
            games::delete,
            says("deleteGame", "Deletes it with the trees that were grown for it and for no other game; the answers stay")
                .gives_nothing("It is gone")
        ),
        route!(
            post,
            "/api/games/{id}/run",
            games::run,
            says("runGame", "Starts or pauses all of its positions")
                .takes::<games::GameSteered>()
                .gives::<games::WholeGameObject>("The game")
        ),
        route!(
            get,
            "/api/games/{id}/export",
            games::export,
            says("exportGame", "The game with the verdicts on its positions, as a file")
                .query::<games::GameExportAsked>()
                .gives::<Vec<GameForPrograms>>("The file")
                .gives_file(&[PGN, HTML], "The file")
        ),
        route!(
            get,
            "/api/merges",
            merging::list,
            says("merges", "Databases that were sent to be merged since the server has begun")
                .gives::<merging::MergesObject>("The databases")
        ),
        route!(
            post,
            "/api/merges",
            merging::begin,
            says("merge", "Adds the answers and analyses of another database, as `deepanalyze merge` does: some of its answers are searched again before any is believed, and nothing of your own is changed. One database at a time is taken in and merged; another gets 409 meanwhile")
                .query::<merging::MergeAsked>()
                .takes_file(SQLITE)
                .accepts::<merging::MergesObject>("The databases")
        ),
        route!(
            delete,
            "/api/merges/{id}",
            merging::cancel,
            says("cancelMerge", "Cancels a merge that is running, even while its file is coming or checked; answers that were added before stay. 409 where it is over")
                .gives::<merging::MergesObject>("The databases")
        ),
        route!(
            get,
            "/api/threat",
            threat::look,
            says("threat", "What the side that is not to move would play")
                .query::<threat::PositionAsked>()
                .gives::<threat::ThreatAnswer>("The threat")
        ),
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
