//! `Recent`: factors, dates, unusable scores, windows.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use textsearch_compose::Recent;
use textsearch_core::{
    ErrorKind, FixedSearch, SearchOptions, TextSearchRecord, TextSearchResult, filter::DateTime,
};

use crate::support::{failure, results, texts};

const DAY: Duration = Duration::from_secs(24 * 3600);
const NOW: &str = "2025-01-01";

fn date(text: &str) -> DateTime {
    DateTime::parse(text).unwrap()
}

fn page(text: &str, score: f64, published: Option<&str>) -> TextSearchResult {
    let mut page = TextSearchResult::new(text).with_score(score);
    page.published = published.map(date);
    page
}

fn recent(pages: impl Into<Vec<TextSearchResult>>) -> Recent {
    Recent::new(FixedSearch::new(pages), 10 * DAY).with_now(date(NOW))
}

async fn scores(search: &Recent) -> Vec<(String, f64)> {
    let results = results(search, &SearchOptions::top(9)).await;
    results.into_iter().map(|result| (result.value, result.score.unwrap())).collect()
}

#[tokio::test]
async fn the_factor_halves_with_each_half_life() {
    let search = recent([
        page("new", 1.0, Some(NOW)),
        page("one", 1.0, Some("2024-12-22")),
        page("two", 1.0, Some("2024-12-12")),
        page("ancient", 1.0, Some("0001-01-01")),
    ]);
    let expected = [("new", 1.0), ("one", 0.75), ("two", 0.625), ("ancient", 0.5)];
    assert_eq!(scores(&search).await, expected.map(|(text, score)| (text.to_owned(), score)));
    let steep = scores(&search.with_floor(0.0)).await;
    assert_eq!(steep[1..3], [("one".to_owned(), 0.5), ("two".to_owned(), 0.25)]);
}

#[tokio::test]
async fn a_new_result_passes_a_slightly_better_old_one() {
    let search = recent([
        page("far better", 1.0, Some("2020-01-01")),
        page("better", 0.5, Some("2020-01-01")),
        page("new", 0.4, Some(NOW)),
    ]);
    assert_eq!(texts(&search, &SearchOptions::top(3)).await, ["far better", "new", "better"]);
}

#[tokio::test]
async fn an_undated_result_never_falls_below_a_dated_one() {
    let dates = [Some(NOW), Some("2024-12-22"), Some("2000-01-01"), Some("2999-01-01")];
    for floor in [0.0, 0.5, 1.0] {
        for dated in dates {
            let pages = [page("undated", 0.8, None), page("dated", 0.8, dated)];
            let search = recent(pages).with_floor(floor);
            let order = texts(&search, &SearchOptions::top(2)).await;
            assert_eq!(order, ["undated", "dated"], "{dated:?} with a floor of {floor}");
        }
    }
}

#[tokio::test]
async fn a_future_date_counts_as_now() {
    let search = recent([page("today", 1.0, Some(NOW)), page("later", 1.0, Some("2999-01-01"))]);
    assert_eq!(scores(&search).await, [("today".to_owned(), 1.0), ("later".to_owned(), 1.0)]);
}

#[tokio::test]
async fn distances_and_missing_scores_give_way_to_ranks() {
    let old = Some("2000-01-01");
    let mut unscored = [page("old", 0.0, old), page("new", 0.0, Some(NOW))];
    unscored.iter_mut().for_each(|page| page.score = None);
    let distances = [page("old", 0.1, old), page("new", 0.9, Some(NOW))];
    let logits = [page("old", -1.0, old), page("new", -2.0, Some(NOW))];
    for pages in [unscored, distances, logits] {
        let ranked = scores(&recent(pages)).await;
        assert_eq!(ranked, [("new".to_owned(), 1.0 / 62.0), ("old".to_owned(), 0.5 / 61.0)]);
    }
}

#[derive(Serialize, JsonSchema)]
struct Note {
    text: &'static str,
    date: Option<&'static str>,
    modified: &'static str,
}

impl TextSearchRecord for Note {
    fn text(&self) -> std::borrow::Cow<'_, str> {
        self.text.into()
    }

    fn to_result(&self) -> TextSearchResult {
        TextSearchResult::new(self.text).with_score(1.0)
    }
}

#[tokio::test]
async fn documents_have_the_first_of_their_dates() {
    let note = |text, date, modified| Note { text, date, modified };
    let notes = FixedSearch::new([
        note("written long ago", Some("2000-01-01"), NOW),
        note("no date but modified", None, "2024-12-22"),
        note("unreadable", Some("yesterday"), "2024-12-12"),
        note("new", Some(NOW), "2000-01-01"),
    ]);
    let search = Recent::new(notes, 10 * DAY).with_now(date(NOW));
    let ranked = scores(&search).await;
    let expected = [
        ("new", 1.0),
        ("no date but modified", 0.75),
        ("unreadable", 0.625),
        ("written long ago", 0.5),
    ];
    assert_eq!(ranked, expected.map(|(text, score)| (text.to_owned(), score)));
    let by_change = scores(&search.with_field("modified")).await;
    assert_eq!(by_change[3], ("new".to_owned(), 0.5));
}

#[tokio::test]
async fn every_window_is_a_slice_of_one_ranking() {
    let day = |number: u32| format!("2024-{:02}-{:02}", number % 12 + 1, number % 28 + 1);
    let pages: Vec<_> = (0..25)
        .map(|number| page(&number.to_string(), f64::from(30 - number), Some(&day(number * 7))))
        .collect();
    let search = recent(pages).with_candidates(10);
    let whole = texts(&search, &SearchOptions::top(30)).await;
    assert_eq!(whole.len(), 25);
    for (skip, top) in [(0, 3), (4, 9), (9, 2), (10, 10), (22, 9), (30, 1)] {
        let window = texts(&search, &SearchOptions::top(top).with_skip(skip)).await;
        let expected: Vec<_> = whole.iter().skip(skip).take(top).cloned().collect();
        assert_eq!(window, expected, "{skip} {top}");
    }
}

#[tokio::test]
async fn impossible_settings_are_refused_by_name() {
    let search = || recent([page("a", 1.0, None)]);
    let without_time = Recent::new(search(), Duration::ZERO);
    for (search, option) in [
        (without_time, "half_life"),
        (search().with_floor(1.5), "floor"),
        (search().with_floor(f64::NAN), "floor"),
        (search().with_candidates(0), "candidates"),
    ] {
        let error = failure(&search, &SearchOptions::top(1)).await;
        let ErrorKind::InvalidOptions { option: refused, .. } = error.kind() else {
            panic!("{error}");
        };
        assert_eq!(refused, option);
    }
}

#[test]
fn half_lives_are_read_from_text() {
    let days = |text| Recent::parse_half_life(text).unwrap().as_secs() / DAY.as_secs();
    assert_eq!(["36h", "2w", "90 days", "1y"].map(days), [1, 14, 90, 365]);
    for wrong in ["", "90", "0d", "-3d", "3d ago", "soon", "P"] {
        assert!(Recent::parse_half_life(wrong).is_err(), "{wrong}");
    }
}
