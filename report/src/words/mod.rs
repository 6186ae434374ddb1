//! Words that several reports use: moves and lines, numbers, engines, roots, and text that fits a terminal.

pub mod figures;
pub mod fit;
pub mod manner;
pub mod moves;
pub mod roots;
pub mod table;
