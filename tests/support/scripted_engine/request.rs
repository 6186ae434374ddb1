//! Requests to the engine: `position` and `go`, read strictly.

use deepanalyze_core::chess::{Ending, epd_of, legal_uci, parse_fen};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

/// One `go` on one position.
#[derive(Debug, Clone)]
pub struct Request {
    pub position: Chess,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Milliseconds.
    pub movetime: Option<u64>,
    /// The moves behind `searchmoves`; `None` without that word.
    pub searchmoves: Option<Vec<UciMove>>,
}

/// Reads `position fen <six fields>` or `position startpos`.
pub fn position(rest: &str) -> Result<Chess, String> {
    if rest == "startpos" {
        return Ok(Chess::default());
    }
    let fen = rest.strip_prefix("fen ").ok_or("position without fen or startpos")?;
    if fen.split(' ').count() != 6 {
        return Err(format!("not six fields: {fen:?}"));
    }
    let position = parse_fen(fen).map_err(|e| e.to_string())?;
    match Ending::of(&position) {
        Some(Ending::Checkmate | Ending::Stalemate) => Err(format!("finished: {fen}")),
        _ => Ok(position),
    }
}

/// Reads the words behind `go`. Everything behind `searchmoves` is a move, as with Stockfish.
pub fn go(line: &str, position: &Chess) -> Result<Request, String> {
    if line != line.trim() {
        return Err(format!("blanks around {line:?}"));
    }
    let mut request = Request {
        position: position.clone(),
        depth: None,
        nodes: None,
        movetime: None,
        searchmoves: None,
    };
    let mut words = line.split(' ').skip(1);
    while let Some(word) = words.next() {
        match word {
            "depth" => request.depth = Some(number(words.next())?),
            "movetime" => request.movetime = Some(number(words.next())?),
            "nodes" => request.nodes = Some(number(words.next())?),
            "searchmoves" => request.searchmoves = Some(moves(words.by_ref(), position)?),
            _ => return Err(format!("go with {word:?}")),
        }
    }
    Ok(request)
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Result<T, String> {
    word.and_then(|word| word.parse().ok()).ok_or_else(|| format!("not a number: {word:?}"))
}

fn moves<'a>(
    words: impl Iterator<Item = &'a str>,
    position: &Chess,
) -> Result<Vec<UciMove>, String> {
    let legal = legal_uci(position);
    let moves: Vec<UciMove> = words
        .map(|word| {
            let uci: UciMove = word.parse().map_err(|_| format!("searchmoves with {word:?}"))?;
            legal
                .contains(&uci)
                .then_some(uci)
                .ok_or_else(|| format!("searchmoves with illegal {word}"))
        })
        .collect::<Result<_, _>>()?;
    if moves.is_empty() {
        return Err("searchmoves without moves".to_owned());
    }
    Ok(moves)
}

impl Request {
    /// How many legal moves `searchmoves` leaves out.
    pub fn excluded(&self) -> usize {
        let legal = self.position.legal_moves().len();
        self.searchmoves.as_ref().map_or(0, |moves| legal.saturating_sub(moves.len()))
    }

    /// The line of the log: EPD, limit, searchmoves, divided by tabs, behind the sign that begins it.
    pub fn log_line(&self) -> String {
        let limit = match (self.depth, self.nodes, self.movetime) {
            (Some(depth), ..) => format!("depth {depth}"),
            (None, Some(nodes), _) => format!("nodes {nodes}"),
            // How much is left differs from run to run.
            (None, None, Some(_)) => "movetime".to_owned(),
            (None, None, None) => "none".to_owned(),
        };
        let moves: Vec<String> =
            self.searchmoves.iter().flatten().map(ToString::to_string).collect();
        format!("|{}\t{limit}\t{}\n", epd_of(&self.position), moves.join(" "))
    }
}
