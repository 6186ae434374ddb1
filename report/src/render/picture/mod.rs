//! A tree as a picture: what is drawn, where it stands, and the two languages of pictures.

mod dot;
mod drawing;
mod sheet;
mod svg;

pub use dot::write_dot;
pub use drawing::Drawing;
pub use svg::write_svg;
