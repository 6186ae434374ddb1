//! The provider in virtual time, with a broker and analyses that do as they are told.

mod fake;
mod lasting;
mod troubles;
mod working;
