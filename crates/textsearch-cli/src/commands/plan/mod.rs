//! `textsearch plan`: plans calls, shows the plan, and runs it.

#[cfg(feature = "plan")]
mod approval;
#[cfg(feature = "plan")]
mod follower;
#[cfg(feature = "plan")]
mod functions;
#[cfg(not(feature = "plan"))]
mod not_compiled;
#[cfg(feature = "plan")]
mod origin;
#[cfg(feature = "plan")]
mod plugin;
#[cfg(feature = "plan")]
mod run;
#[cfg(feature = "plan")]
mod saved;
#[cfg(feature = "plan")]
mod target;

#[cfg(not(feature = "plan"))]
pub(crate) use self::not_compiled::run;
#[cfg(feature = "plan")]
pub(crate) use self::run::run;

pub(crate) const IS_BUILT_IN: bool = cfg!(feature = "plan");
