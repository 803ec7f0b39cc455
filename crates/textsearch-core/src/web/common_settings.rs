//! Settings that several engines have.

use crate::http::closed_set;

closed_set! {
    /// How much adult content a search leaves out.
    pub enum SafeSearch {
        /// None.
        Off = "off",
        /// Images and videos, or the service's middle setting.
        Moderate = "moderate",
        /// As much as the service can.
        Strict = "strict",
    }
}

closed_set! {
    /// The maximum age of pages.
    pub enum TimeRange {
        /// A day.
        Day = "day",
        /// A week.
        Week = "week",
        /// A month.
        Month = "month",
        /// A year.
        Year = "year",
    }
}
