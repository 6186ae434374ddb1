//! The tools of the server, as the protocol has them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResult, ContentBlock, Implementation, ProgressNotificationParam, ResourceContents,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};

use deepanalyze_runner::{Control, ControlReceiver, control};
use deepanalyze_view::{PointOfView, Why};

use crate::ServerSettings;
use crate::asked::{
    ClaimAsked, DirectiveAsked, GameAsked, GrowAsked, LineAsked, MoveAsked, RootAsked, SinceAsked,
};
use crate::desk::Desk;
use crate::growing::{LONGEST, grow_root, search};
use crate::steering::direct;
use crate::told::{Answer, Told};

/// For the language model.
const INSTRUCTIONS: &str = "Chess analyses that an engine has grown for hours, kept in a database. Every fact comes \
    with its source; say \"unknown\" where an answer does. Name a position by its root and the moves from there, \
    never by a FEN. Begin with analyses, or with new_root for a game. Do not claim what you have not asked: check \
    answers whether a claim is true, false or unknown.";

/// The server.
#[derive(Clone)]
pub struct Server {
    desk: Arc<Mutex<Desk>>,
    settings: Arc<ServerSettings>,
    tools: ToolRouter<Server>,
}

/// A search for a request: it ends with it, whether the client cancels or leaves.
struct RequestedSearch(Control);

impl RequestedSearch {
    fn begin() -> (RequestedSearch, ControlReceiver) {
        let (control, receiver) = control();
        (RequestedSearch(control), receiver)
    }
}

impl Drop for RequestedSearch {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Server {
    /// Over a database.
    pub fn new(desk: Desk, settings: ServerSettings) -> Server {
        let mut tools = Server::tool_router();
        if !settings.may_steer {
            tools.remove_route("direct");
        }
        if settings.engines.is_none() {
            tools.remove_route("grow");
        }
        let (desk, settings) = (Arc::new(Mutex::new(desk)), Arc::new(settings));
        Server { desk, settings, tools }
    }

    /// Asks the desk beside the thread that reads requests.
    async fn ask(
        &self,
        ask: impl FnOnce(&mut Desk) -> Answer + Send + 'static,
    ) -> Result<CallToolResult, ErrorData> {
        let desk = Arc::clone(&self.desk);
        blocking(move || ask(&mut desk.lock().unwrap_or_else(PoisonError::into_inner))).await
    }
}

/// Works out an answer beside the thread that reads requests.
async fn blocking(
    work: impl FnOnce() -> Answer + Send + 'static,
) -> Result<CallToolResult, ErrorData> {
    let answer = tokio::task::spawn_blocking(work).await;
    Ok(result(answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?))
}

/// An answer as the protocol has it. An error is one that the model sees.
fn result(answer: Answer) -> CallToolResult {
    match answer {
        Ok(Told { text, data, picture }) => {
            let mut content = vec![ContentBlock::text(text.trim_end())];
            content.extend(picture.map(|svg| {
                let board = ResourceContents::text(svg, "board://position.svg");
                ContentBlock::resource(board.with_mime_type("image/svg+xml"))
            }));
            let mut result = CallToolResult::success(content);
            result.structured_content = Some(data);
            result
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error)]),
    }
}

fn told_of(why: &Why) -> Told {
    let pov = PointOfView::White;
    let mut text = vec![why.headline(pov)];
    text.extend(why.sentences(pov));
    text.extend(why.search_sentences(pov));
    Told::new(text.join("\n"), why)
}

#[tool_router]
impl Server {
    /// All analyses: each root with its name, verdict, engine and depth.
    #[tool(annotations(read_only_hint = true))]
    async fn analyses(&self) -> Result<CallToolResult, ErrorData> {
        self.ask(|desk| desk.analyses()).await
    }

    /// Names a root by a game: moves from the initial position, or a PGN. Answers with its board.
    #[tool(annotations(read_only_hint = true))]
    async fn new_root(
        &self,
        Parameters(GameAsked { moves, pgn }): Parameters<GameAsked>,
    ) -> Result<CallToolResult, ErrorData> {
        self.ask(move |desk| desk.new_root(&moves, &pgn)).await
    }

    /// The board of a position, its legal moves, and a picture (SVG).
    #[tool(annotations(read_only_hint = true))]
    async fn board(
        &self,
        Parameters(LineAsked { root, line }): Parameters<LineAsked>,
    ) -> Result<CallToolResult, ErrorData> {
        self.ask(move |desk| desk.board(&root, &line)).await
    }

    /// The verdict of a root: best move, score, who has chosen it, how sure it is, and the best lines.
    #[tool(annotations(read_only_hint = true))]
    async fn verdict(
        &self,
        Parameters(RootAsked { root }): Parameters<RootAsked>,
    ) -> Result<CallToolResult, ErrorData> {
        self.ask(move |desk| desk.verdict(&root)).await
    }

    /// The moves of a position that the analysis knows, with scores and best lines.
    #[tool(annotations(read_only_hint = true))]
    async fn moves(
        &self,
        Parameters(LineAsked { root, line }): Parameters<LineAsked>,
    ) -> Result<CallToolResult, ErrorData> {
        self.ask(move |desk| desk.moves(&root, &line)).await
    }

    /// Why a move is not the best one: its score, or the most that it can be worth, and the line that refutes it.
    #[tool]
    async fn why_not(
        &self,
        Parameters(MoveAsked { root, line, word }): Parameters<MoveAsked>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let (settings, desk) = (Arc::clone(&self.settings), Arc::clone(&self.desk));
        let (asked, receiver) = RequestedSearch::begin();
        let answer = blocking(move || {
            let looked =
                desk.lock().unwrap_or_else(PoisonError::into_inner).why(&root, &line, &word);
            let (tree, why) = looked?;
            let wants_search = why.wants_search();
            let Some(start) = settings.engines.as_ref().filter(|_| wants_search) else {
                return Ok(told_of(&why));
            };
            let searched = search(&settings.path, start, &tree, why.clone(), &receiver);
            Ok(match searched {
                Ok(why) if why.wants_search() => {
                    told_of(&why).with_line("No search came to its end in two seconds.")
                }
                Ok(why) => told_of(&why),
                Err(failed) => told_of(&why).with_line(&failed),
            })
        });
        tokio::select! {
            answer = answer => answer,
            () = context.ct.cancelled() => {
                drop(asked);
                Ok(result(Err("cancelled".to_owned())))
            }
        }
    }

    /// Checks a claim about a root's analysis: true, false or unknown, with the reason. Nothing is guessed.
    #[tool(annotations(read_only_hint = true))]
    async fn check(
        &self,
        Parameters(ClaimAsked { root, claim }): Parameters<ClaimAsked>,
    ) -> Result<CallToolResult, ErrorData> {
        self.ask(move |desk| desk.check(&root, &claim)).await
    }

    /// The changes of a root's best move and depth since a time.
    #[tool(annotations(read_only_hint = true))]
    async fn what_changed(
        &self,
        Parameters(SinceAsked { root, since }): Parameters<SinceAsked>,
    ) -> Result<CallToolResult, ErrorData> {
        self.ask(move |desk| desk.what_changed(&root, &since)).await
    }

    /// The moves that people have played in a position, if the analysis knows games.
    #[tool(annotations(read_only_hint = true))]
    async fn people(
        &self,
        Parameters(LineAsked { root, line }): Parameters<LineAsked>,
    ) -> Result<CallToolResult, ErrorData> {
        self.ask(move |desk| desk.people(&root, &line)).await
    }

    /// Lets the engines analyse a root for some seconds (at most 120), and answers with the verdict. Answers are kept.
    #[tool]
    async fn grow(
        &self,
        Parameters(GrowAsked { root, seconds }): Parameters<GrowAsked>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        if !(1..=LONGEST).contains(&seconds) {
            let told = format!(
                "{seconds} seconds: from 1 to {LONGEST} are possible; several calls go on with the same tree"
            );
            return Ok(result(Err(told)));
        }
        let (settings, desk) = (Arc::clone(&self.settings), Arc::clone(&self.desk));
        let (asked, receiver) = RequestedSearch::begin();
        let (sender, mut progress) = tokio::sync::mpsc::unbounded_channel();
        let mut growing = tokio::task::spawn_blocking(move || {
            let lock = || desk.lock().unwrap_or_else(PoisonError::into_inner);
            let place = lock().root(&root)?;
            let Some(start) = &settings.engines else { return Err("it only reads".to_owned()) };
            let time = Duration::from_secs(seconds);
            // The client may have left.
            let mut tell = |words| drop(sender.send(words));
            let grown = grow_root(&settings.path, start, &place, time, &receiver, &mut tell)?;
            let mut desk = lock();
            desk.forget();
            desk.verdict(&grown.0.to_string())
        });
        let token = context.meta.get_progress_token();
        let (began, mut told, mut is_cancelled) = (Instant::now(), 0, false);
        loop {
            tokio::select! {
                answer = &mut growing => {
                    let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                    return Ok(result(answer));
                }
                Some(words) = progress.recv() => {
                    let done = began.elapsed().as_secs();
                    if let Some(token) = token.clone().filter(|_| done > told) {
                        told = done;
                        let note = ProgressNotificationParam::new(token, done as f64)
                            .with_total(seconds as f64)
                            .with_message(words);
                        // A client that does not listen still gets the answer.
                        let _ = context.peer.notify_progress(note).await;
                    }
                }
                () = context.ct.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    asked.0.end();
                }
            }
        }
    }

    /// Gives a directive for a root's analyses, or takes it back: exclude or include a move, give a position a value,
    /// stop there, write a note.
    #[tool]
    async fn direct(
        &self,
        Parameters(asked): Parameters<DirectiveAsked>,
    ) -> Result<CallToolResult, ErrorData> {
        let settings = Arc::clone(&self.settings);
        self.ask(move |desk| {
            if !settings.may_steer {
                return Err("this server only reads".to_owned());
            }
            let told = direct(&settings.path, &desk.root(&asked.root)?, &asked);
            desk.forget();
            told
        })
        .await
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::default();
        info.capabilities = ServerCapabilities::builder().enable_tools().build();
        info.server_info = Implementation::new("deepanalyze", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }
}
