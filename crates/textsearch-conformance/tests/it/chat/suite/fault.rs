//! The faults, by the bullet that must find them.

use crate::faults::faults;

faults! {
    texts: TrimsTexts, DropsNonAscii, CutsLongTexts;
    finish_reasons: AlwaysStops, FailsWhenCutOff, TakesRefusalsForTexts;
    usage: SwapsUsage, DropsUsage;
    tool_calls: ReversesCalls, InventsIdentifiers, MergesCallsOfOneTool, DropsTextBesideCalls;
    streams: TakesDoneInATextForTheEnd, NeverFinishes, FinishesWithoutMessage, GoesOnAfterTheEnd,
        StreamsAnotherReason;
    broken_streams: TakesTheEndForTheAnswer, EndsBrokenStreamsSilently, GoesOnAfterAnError,
        ReportsResetsAsBackend;
    histories: SendsTheLastMessage, DropsInstructions, ReversesMessages, TrimsMessages;
    tools: DropsTools, DropsDescriptions, DropsToolResults, RenumbersToolResults;
    options: DropsOptions, DropsExtraOptions, IgnoresTheModel, RefusesOptionsAsBackend;
    statuses: ReportsStatusesAsBackend, ForgetsRetryAfter, StreamsStatusesAsItems;
    connections: ReportsSilenceAsUnavailable;
    unreadable_answers: TakesAnythingForAnAnswer, ReportsUnreadableAsUnavailable;
    secrets: PrintsItsKey, LogsItsKey, RepeatsErrors;
    dropping: AnswersInTheBackground, StreamsInTheBackground;
    concurrency: SharesItsQuestion;
    blocking: SleepsInComplete, NapsInStream;
}
