//! The commands around a run, with the built program: what they print and write, what they refuse.

mod annotated;
mod audit;
mod bad_input;
mod books;
mod chess960;
mod chess960_outputs;
mod compare;
mod config;
mod direct;
mod draw_value;
mod explore;
mod exports;
mod games;
mod holds;
mod json_keys;
mod list;
mod log;
mod older;
mod recheck;
mod review;
mod show;
mod show_json;
mod stats;
mod verdict;
mod verify;
mod win_draw_loss;
