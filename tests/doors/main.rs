//! The program behind other faces: a browser, a chess GUI, lichess.org.

#[path = "../support/mod.rs"]
mod support;

mod lichess;
mod lichess_http;
mod serve;
mod serve_attacks;
mod serve_page;
mod uci;
