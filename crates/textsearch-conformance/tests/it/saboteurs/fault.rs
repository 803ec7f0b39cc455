//! The faults, by the promise that each breaks.

macro_rules! faults {
    ($($bullet:ident: $($fault:ident)+;)+) => {
        /// The fault of a saboteur.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Fault {
            $($($fault,)+)+
            /// No fault: links needn't come from the response.
            MakesLinks,
            /// No fault: names are plain text.
            HasPlainNames,
            /// No fault: days and authors share a parameter, and the search refuses commas in them.
            JoinsFilters,
        }

        /// Each fault with the bullet that must fail.
        pub(crate) const FAULTS: &[(Fault, &str)] =
            &[$($((Fault::$fault, stringify!($bullet)),)+)+];
    };
}

faults! {
    counts:
        ReturnsOneMore ReturnsOneLess FailsBeyondTheEnd TakesZeroForDefault FailsOnNothing;
    windows: CountsSkipFromOne IgnoresSkip ReversesPages SkipsWholePages;
    repeats: KeepsRepeats AsksForARepeatedPage;
    limits: CutsAtItsMaximum RefusesItsMaximumAfterRequest HidesItsLimit;
    total_count: DropsTheTotal DropsTheTotalOfNoResults CallsTheTotalAnEstimate CountsThePage CountsTheRest;
    texts:
        DropsNames DropsDays EmptiesNames NamesByLink KeepsMarks KeepsEntities RemovesForeignTags TextIsTheName CutsTexts
        DropsForeignLetters OneLinkForAll KeepsEmptyLinks TakesMissingLinksForOne;
    fields:
        IgnoresAllFilters AcceptsUndeclaredFields AcceptsUndeclaredStringOperators AcceptsUndeclaredIntegerOperators
        RefusesWithAnotherKind RefusesAfterARequest;
    filters:
        FiltersTheFirstPageOnly AppliesTheFirstOfAnd AppliesTheLastOfAnd SendsNotAsIs DropsNot AppliesTheFirstOfOr
        AppliesOrAsAnd MisspellsAParameter DropsAnInteger AddsGarbageToTitles RefusesADeclaredFilter FindsAllForNever AppliesTwoOfAnd
        DropsFiltersWithASkip KeepsTheLastFilter KeepsTheLastBound KeepsTheFirstBound SendsBothBounds KeepsTheWidestBound DropsTheUpperOfTwoEnds;
    filter_values:
        SendsAConstant LeavesQuotesInTitles LeavesTitlesUnquoted LeavesBackslashesInTitles AppendsValuesUnencoded
        JoinsValuesWithCommas JoinsValuesWithBars DropsHostileValues DropsEmptyValues CutsValues DropsSigns AppliesTheFirstOfIn SendsOneOfSeveralValues
        SendsAConstantDay CutsInstants DropsOffsets DropsFractions JoinsUncheckedDays JoinsUncheckedAuthors;
    filter_operators:
        SendsIntegerOperatorsAsEquality SendsPrefixesAsEquality SendsBothEndsAsOne SendsGreaterAsAtLeast
        DropsExists OffersEqualityOnTitles;
    fixed_filters:
        CallerReplacesFixed FixedReplacesCaller IgnoresFixedFilters FixesTheFirstPageOnly
        LeavesTheQueryRaw LeavesTheQueryRawOnLaterPages QuotesTheWholeQuery RemovesOperatorsOnce
        RemovesUpperCaseOperatorsOnly SendsBothFixedAndOther SendsTheLastValue CallersBoundReplacesFixed DropsCallersOtherEnd LetsOtherSitesIn RefusesWhatItSupports;
    queries: LeavesTheQueryUnencoded LowersTheQuery CutsTheQuery CutsLongQueries SplitsTheQuery PanicsOnLongQueries;
    lazy_pages: ReadsEverythingAtOnce FetchesAPageAhead FetchesNothingInTheCall;
    dropping: ReadsOnWhenDropped OutlivesItsCall;
    description: MisdescribesItsRecords;
    concurrency: SharesTheWindow SharesTheFilter BlocksItsThread;
    connections: DoesNotRetry TakesFailuresForNoResults TakesTimeoutsForFailures;
    statuses: GivesStatusesAnotherKind IgnoresWaits TriesOnce RepeatsBadRequests TakesStatusesForNoResults;
    provider_errors:
        TakesInBodyErrorsForNoResults MissesInBodyErrors PrintsKeysOfInBodyErrors HidesMessages MapsErrorCodesWrong
        EndsAtLaterInBodyErrors;
    unreadable_bodies: TakesNonsenseForNoResults TakesEmptyBodiesForNoResults;
    broken_results: LosesAPageToAResult ReadsStrictJson DropsNamelessResults DropsTextlessResults CountsReadableResults;
    later_errors: EndsAtLaterErrors GoesOnAfterErrors;
    memory: ReadsWithoutLimit;
    redirects: TakesRedirectsForNoResults FollowsRedirectsAnywhere;
    secrets: PrintsItsKey LogsItsKey LogsItsQuery LogsItsResults PutsItsKeyIntoErrors;
}

/// Eleven faults of eleven promises, which were green at once.
pub(crate) const EVIL_TWIN: &[Fault] = &[
    Fault::FiltersTheFirstPageOnly,
    Fault::SendsAConstant,
    Fault::SendsIntegerOperatorsAsEquality,
    Fault::LeavesTheQueryRaw,
    Fault::EmptiesNames,
    Fault::TakesInBodyErrorsForNoResults,
    Fault::AcceptsUndeclaredStringOperators,
    Fault::GivesStatusesAnotherKind,
    Fault::CountsThePage,
    Fault::EndsAtLaterErrors,
    Fault::LogsItsResults,
];
