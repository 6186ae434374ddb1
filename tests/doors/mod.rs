//! The program behind other faces: a browser, a chess GUI, lichess.org.

mod html_page;
mod lichess;
mod lichess_http;
#[cfg(unix)]
mod node;
mod serve;
mod serve_addresses;
mod serve_attacks;
mod serve_directing;
mod serve_games;
mod serve_page;
mod serve_tables;
mod uci;
