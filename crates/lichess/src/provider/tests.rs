//! The provider in virtual time, with a scripted broker and analyses.

mod fake;
mod lasting;
mod troubles;
mod working;
