//! Prints waits of the libraries; collects their warnings and merges repeats.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    callsite::Identifier,
    field::{Field, Visit},
};
use tracing_subscriber::{Layer, layer::Context};

use crate::messages::say;

/// Collects tracing events. Events from one place in the code with the same message and details
/// become one line. It adds up their numbers, which count failures, or else counts the events.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warnings(Arc<Mutex<Vec<Warning>>>);

#[derive(Debug)]
struct Warning {
    place: Identifier,
    content: Content,
    times: usize,
}

#[derive(Debug, Default)]
struct Content {
    message: String,
    details: Vec<(&'static str, String)>,
    numbers: Vec<(&'static str, u64)>,
}

impl Warnings {
    pub(crate) fn take(&self) -> Vec<String> {
        self.lock().drain(..).map(|warning| warning.to_string()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Warning>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut content = Content::default();
        event.record(&mut content);
        let place = event.metadata().callsite();
        let mut warnings = self.lock();
        match warnings
            .iter_mut()
            .find(|known| known.place == place && known.content.is_like(&content))
        {
            Some(known) => {
                known.times += 1;
                known.content.add(&content);
            }
            None => warnings.push(Warning { place, content, times: 1 }),
        }
    }
}

/// Prints each event as a line on standard error.
pub(crate) struct Waits;

impl Waits {
    /// Returns whether an event says that the program waits for a service, perhaps for minutes.
    pub(crate) fn is_one(metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::INFO && metadata.target().starts_with("textsearch_pinecone")
    }
}

impl<S: Subscriber> Layer<S> for Waits {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut content = Content::default();
        event.record(&mut content);
        let place = event.metadata().callsite();
        say(&Warning { place, content, times: 1 }.to_string());
    }
}

impl Content {
    fn is_like(&self, other: &Self) -> bool {
        self.message == other.message && self.details == other.details
    }

    fn add(&mut self, other: &Self) {
        for ((_, sum), (_, number)) in self.numbers.iter_mut().zip(&other.numbers) {
            *sum = sum.saturating_add(*number);
        }
    }
}

impl Visit for Content {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.numbers.push((field.name(), value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.details.push((field.name(), value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name => self.details.push((name, format!("{value:?}"))),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Content { message, details, numbers } = &self.content;
        let details = details.iter().map(|(name, value)| format!("{name}: {value}"));
        let numbers = numbers.iter().map(|(name, number)| format!("{name}: {number}"));
        let times = (self.times > 1 && self.content.numbers.is_empty())
            .then(|| format!("{} times", self.times));
        let all: Vec<String> = details.chain(numbers).chain(times).collect();
        formatter.write_str(message)?;
        if all.is_empty() { Ok(()) } else { write!(formatter, " ({})", all.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    fn lines(work: impl FnOnce()) -> Vec<String> {
        let warnings = Warnings::default();
        let subscriber = tracing_subscriber::registry().with(warnings.clone());
        tracing::subscriber::with_default(subscriber, work);
        warnings.take()
    }

    #[test]
    fn equal_warnings_become_one_with_their_sums() {
        let warn = |texts: usize| tracing::warn!(model = "m", texts, "texts are too long");
        assert_eq!(lines(|| warn(3)), ["texts are too long (model: m, texts: 3)"]);
        let several = lines(|| (1..=3).for_each(warn));
        assert_eq!(several, ["texts are too long (model: m, texts: 6)"]);
    }

    #[test]
    fn warnings_of_other_places_or_words_stay_apart() {
        let warn = |name: &str| tracing::warn!("no value for `{name}`");
        let warnings = lines(|| {
            ["a", "b", "a"].into_iter().for_each(warn);
            tracing::warn!("no value for `a`");
        });
        let expected = ["no value for `a` (2 times)", "no value for `b`", "no value for `a`"];
        assert_eq!(warnings, expected);
    }
}
