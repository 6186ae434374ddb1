//! The provider in virtual time, with a broker and an analyst that do as they are told.

mod fake;
mod lasting;
mod troubles;
mod working;
