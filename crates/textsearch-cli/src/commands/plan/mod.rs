//! `textsearch plan`: plans calls, shows the plan, and runs it.

mod approval;
mod follower;
mod functions;
mod origin;
mod plugin;
mod run;
mod saved;
mod target;

pub(crate) use self::run::run;
