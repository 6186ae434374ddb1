//! The built-in engine.
