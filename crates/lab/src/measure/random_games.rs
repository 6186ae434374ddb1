//! Makes a file of random games: walks with some moves preferred to others, so that openings are
//! played again and again, and later positions once. The tags are those of an online server.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a tool for measurements")]

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use deepanalyze_core::chess::{legal_uci, push_san};
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Position};

/// Make a file of random games in PGN
#[derive(Debug, clap::Args)]
pub struct RandomGamesArgs {
    /// The file
    file: PathBuf,
    /// How many games
    #[arg(long, default_value_t = 1_000_000)]
    games: u64,
    /// How many players they are of
    #[arg(long, default_value_t = 100_000)]
    players: u64,
    /// Other seeds, other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the command.
pub fn run(args: &RandomGamesArgs) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(&args.file)?);
    let mut random = Random(args.seed);
    let mut text = String::new();
    for _ in 0..args.games {
        text.clear();
        write_game(args.players, &mut random, &mut text).unwrap();
        file.write_all(text.as_bytes())?;
    }
    file.flush()
}

/// Splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

fn write_game(players: u64, random: &mut Random, text: &mut String) -> std::fmt::Result {
    // A few play often.
    let mut player = || ((random.share() * random.share()) * players as f64) as u64;
    let (white, black) = (player(), player());
    let rating = |player: u64| 900 + mixed(player) % 1900;
    let day = random.below(28) + 1;
    let (year, month) = (2013 + random.below(12), random.below(12) + 1);
    let date = format!("{year}.{month:02}.{day:02}");
    let result = ["1-0", "0-1", "1/2-1/2"][[0, 0, 0, 1, 1, 1, 2][random.below(7) as usize]];
    let (speed, control) = [
        ("Bullet", "60+0"),
        ("Blitz", "180+0"),
        ("Blitz", "180+2"),
        ("Blitz", "300+3"),
        ("Rapid", "600+0"),
        ("Classical", "1800+20"),
    ][random.below(6) as usize];
    writeln!(text, "[Event \"Rated {speed} game\"]")?;
    writeln!(text, "[Site \"https://example.org/{:08x}\"]", random.next() as u32)?;
    writeln!(text, "[Date \"{date}\"]\n[Round \"-\"]")?;
    writeln!(text, "[White \"{}\"]\n[Black \"{}\"]", name(white), name(black))?;
    writeln!(text, "[Result \"{result}\"]\n[UTCDate \"{date}\"]")?;
    writeln!(text, "[WhiteElo \"{}\"]\n[BlackElo \"{}\"]", rating(white), rating(black))?;
    writeln!(text, "[ECO \"A00\"]\n[TimeControl \"{control}\"]\n[Termination \"Normal\"]\n")?;
    let plies = 30 + random.below(111) as u32;
    write_moves(plies, random, text)?;
    writeln!(text, "{result}\n")
}

fn write_moves(plies: u32, random: &mut Random, text: &mut String) -> std::fmt::Result {
    let mut position = Chess::default();
    for ply in 0..plies {
        let moves = legal_uci(&position);
        if moves.is_empty() {
            break;
        }
        // In openings most play one of the first moves; later all are much alike.
        let liked = if ply < 16 { 0.55 } else { 0.25 };
        let mut rank = 0;
        while random.share() > liked && rank < 12 {
            rank += 1;
        }
        let uci = liked_move(&position, moves, rank);
        if ply % 2 == 0 {
            write!(text, "{}. ", ply / 2 + 1)?;
        }
        push_san(&mut position, uci, text);
        text.push(' ');
    }
    Ok(())
}

/// The move of this rank in popularity; each position has its own.
fn liked_move(position: &Chess, mut moves: Vec<UciMove>, rank: usize) -> UciMove {
    let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
    let like = |uci: &UciMove| {
        let UciMove::Normal { from, to, .. } = uci else { return 0 };
        mixed(key ^ (u64::from(u32::from(*from)) << 6 | u64::from(u32::from(*to))))
    };
    let rank = rank % moves.len();
    *moves.select_nth_unstable_by_key(rank, like).1
}

/// A name as players have them: two words or one.
fn name(player: u64) -> String {
    const PARTS: [&str; 16] = [
        "ka", "ro", "mi", "len", "so", "ti", "var", "ne", "pol", "gar", "zu", "ha", "bes", "du",
        "fi", "jo",
    ];
    let mut number = mixed(player.wrapping_add(7));
    let mut word = |parts: u64| -> String {
        let mut word = String::new();
        for _ in 0..parts {
            word.push_str(PARTS[(number % 16) as usize]);
            number /= 16;
        }
        word
    };
    match player % 3 {
        0 => format!("{}{}", word(3), player),
        _ => {
            let (mut last, mut first) = (word(4), word(2));
            last.get_mut(..1).unwrap().make_ascii_uppercase();
            first.get_mut(..1).unwrap().make_ascii_uppercase();
            format!("{last}, {first}")
        }
    }
}
