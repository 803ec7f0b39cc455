//! The faults, by the bullet that must find them.

use crate::faults::faults;

faults! {
    vectors: LeavesOutRepeats, CutsLargeCalls, AcceptsMissingVectors, ReversesVectors, SortsTexts,
        JoinsBatchesAsTheyArrive;
    independence: AddsTheMeanOfTheCall, KnowsOneVector;
    dimensions: ReportsAnotherLength, IgnoresDimensions, AcceptsNoDimensions;
    numbers: MakesNumbersThatAreNone, MakesZeros;
    odd_texts: LeavesOutEmptyTexts, ReportsEmptyTextsAsBackend, TrimsTexts, CutsTextsAtControls, ReportsLongTextsAsBackend;
    settings: DropsExtraSettings;
    tokens: CountsTheFirstRequest;
    statuses: ReportsStatusesAsBackend, ForgetsRetryAfter;
    connections: ReportsSilenceAsUnavailable;
    unreadable_answers: TakesAnythingForNoVectors, ReportsUnreadableAsUnavailable;
    secrets: PrintsItsKey, LogsItsKey, RepeatsErrors;
    dropping: EmbedsInTheBackground, StaysBusyWhenDropped;
    concurrency: SharesItsTexts;
    blocking: SleepsInGenerate, NapsInGenerate;
}
