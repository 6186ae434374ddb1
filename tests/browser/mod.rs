//! The program's pages in Chromium. They take longest, one browser after the other: their name lets them begin first.

mod html_page;
#[cfg(unix)]
mod node;
mod serve_page;
