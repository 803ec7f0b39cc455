//! `textsearch serve`: serves the search over HTTP.

mod access;
mod run;
mod services;

pub(crate) use self::{
    access::{NAME, TOKEN, check_address},
    run::run,
};
