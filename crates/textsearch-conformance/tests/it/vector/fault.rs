//! The faults, by the bullet that must find them.

use crate::faults::faults;

faults! {
    [DoesLess]
    collections: ForgetsToDelete, EmptiesWhatExists, AlwaysExists;
    handles: DeletesInEveryCollection, KeepsRecordsPerHandle, FoldsCollectionNames,
        DropsQuotesOfCollections, SortsNamesByLetter;
    persistence: ForgetsOnRestart, LosesVectorsOnRestart;
    definitions: AcceptsOtherVectors, AcceptsOtherKeys, AcceptsInvalidDefinitions;
    missing_collections: CreatesMissingCollections, FindsNothingInMissingCollections;
    data: ForgetsNull, RoundsNumbers, TrimsTexts, DropsUndefinedFields, CutsDeepData;
    reads: ReadsInKeyOrder, ReadsRepeatsOnce;
    replacements: KeepsOldFields, ReversesBatches;
    batches: StoresPartsOfBatches, RefusesEmptyBatches, CutsLargeBatches;
    deletion: KeepsDeleted, DeletesTheFirstKey, DeletesWithoutFilter, DeletesByUnknownFields;
    keys: FoldsKeys, TrimsKeys, ParsesUuidsInTexts, RoundsIntegerKeys;
    key_kinds: AcceptsAnyKey, ConfusesKeyKinds;
    vectors: AlwaysSendsVectors, NeverSendsVectors, AcceptsAnyVector, NormalizesVectors;
    filters: DropsFilters, AppliesTheFirstOfAnd, AppliesTheFirstOfOr, AppliesTheFirstOfIn, IgnoresNot,
        LeavesOutMissingFields, ComparesDatesAsTexts, TakesLessAsAtMost, FoldsCaseOfValues,
        TakesContainsAsStartsWith, FindsNullToExist, FiltersSearchesOnly,
        MissesFieldsWithQuotes;
    filter_places: FiltersAfterTop;
    unsupported_filters: IgnoresUnknownFields, FiltersEveryField, OrdersUnorderedTexts;
    distances: RanksBackwards, ComparesByCosine, TakesNoRoot, ScoresByRank;
    ties: BreaksTiesBackwards, BreaksTiesByText;
    vector_fields: ComparesTheFirstVector, AcceptsAnyQuery, LeavesOutBadSearches;
    windows: SkipsTwice, SkipsOneLess, ReturnsOneFewer, CapsTop, OverflowsWindows, ScansOneMore;
    counts: CountsTheWindow, CountsWithoutFilter, AlwaysCounts;
    distinct_values: CountsValuesWithoutFilter, ReturnsEveryValue, SortsValues;
    thresholds: ThresholdIsExclusive, IgnoresThresholds;
    orders: OrdersAscendingAlways, OrdersByOneField, OrdersMissingFirst, IgnoresUnknownOrders,
        IgnoresNestedOrders;
    words: NeedsEveryWord, IsCaseSensitive, ReadsOperators, FindsNothingByText, FindsNothingWithoutFields;
    text_fields: IgnoresWeights, ReadsEveryTextField, IgnoresLanguages, ReadsAllInEnglish,
        IgnoresMeanLengths;
    statistics: CountsWordsBehindTheFilter;
    fusion: IgnoresTheRankConstant, IgnoresTheVectorWeight, FusesCommonRecords, FusesWithoutFilter,
        AcceptsAnyWeight;
    fusion_depth: CutsFusion;
    explanations: MovesWhatItExplains, ExplainsTheFusedRank;
    embeddings: ForgetsWhatToEmbed;
    search_batches: ReversesSearchBatches, BatchesWithoutOptions;
    concurrency: LosesConcurrentWrites, MixesConcurrentWrites;
    dropped_calls: StaysBusyWhenDropped, WritesHalfWhenDropped;
    blocking: SleepsInGet, NapsInScan;
}
