//! `textsearch page`: the readable text of one page.

mod print;

pub(crate) use self::print::run;
