//! What a kept tree tells ([`analysis`]), how it looks ([`render`]), and what users say of it ([`directing`]).

pub mod analysis;
pub mod directing;
pub mod render;
