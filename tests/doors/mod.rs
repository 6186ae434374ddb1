//! The program behind other faces: a browser's requests, a chess GUI, lichess.org.

pub mod lichess;
mod lichess_http;
mod mcp;
mod serve;
mod serve_addresses;
mod serve_attacks;
mod serve_directing;
mod serve_games;
mod serve_merging;
mod serve_tables;
mod serve_until;
mod serve_whole_games;
mod serve_why;
mod uci;
mod uci_input;
