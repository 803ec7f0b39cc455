//! The chat service under test.

use std::{fmt::Debug, sync::Arc};

use textsearch_core::{
    Error, Result,
    chat::{ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatUpdate},
    http::HttpSettings,
};

use crate::{
    Endpoint, RecordedRequest, Response,
    capabilities::Function,
    endpoint,
    secret::{assert_debug, assert_secret, printed},
    server::{Action, Server},
};

/// A function that answers a request as the provider would if the model said `response`: as a
/// stream if the request asks for one, and whole if not.
///
/// It need not read the request's messages. A panic fails the case, so it may assert on the
/// request, such as on the header with the key.
pub type ChatAnswer = fn(&RecordedRequest, &ChatResponse) -> Response;

/// The chat service under test.
#[derive(Debug)]
pub struct ChatSubject {
    build: Function<dyn Fn(Endpoint) -> Result<Arc<dyn ChatCompletion>>>,
    answer: ChatAnswer,
}

impl ChatSubject {
    /// Makes a subject that calls `build` once or more in each case.
    pub fn new<C: ChatCompletion + Debug + 'static>(
        build: impl Fn(Endpoint) -> Result<C> + 'static,
        answer: ChatAnswer,
    ) -> Self {
        let build = move |endpoint| {
            let chat = build(endpoint)?;
            assert_debug(&chat);
            Ok(Arc::new(chat) as Arc<dyn ChatCompletion>)
        };
        Self { build: Function(Arc::new(build)), answer }
    }

    /// The model always answers with `response`.
    pub(crate) async fn answering(&self, response: ChatResponse) -> RunningChat {
        self.scripted(endpoint::patient(), move |_| response.clone(), Action::Answer).await
    }

    /// `script` turns the provider's answer into the server's action.
    pub(crate) async fn scripted(
        &self,
        settings: HttpSettings,
        response: impl Fn(&RecordedRequest) -> ChatResponse + Send + Sync + 'static,
        script: impl Fn(Response) -> Action + Send + Sync + 'static,
    ) -> RunningChat {
        let answer = self.answer;
        let script =
            move |request: &RecordedRequest, _| script(answer(request, &response(request)));
        let server = Server::start(script).await;
        let chat = self.pointed_at(Endpoint::new(server.url(), settings));
        RunningChat { chat, server }
    }

    pub(crate) fn pointed_at(&self, endpoint: Endpoint) -> Arc<dyn ChatCompletion> {
        (self.build.0)(endpoint).expect("the chat service is made")
    }
}

pub(crate) struct RunningChat {
    pub(crate) chat: Arc<dyn ChatCompletion>,
    pub(crate) server: Server,
}

impl RunningChat {
    pub(crate) async fn whole(
        &self,
        history: &ChatHistory,
        options: &ChatOptions,
    ) -> Result<ChatResponse> {
        let answered = self.chat.complete(history, options).await;
        answered.inspect_err(|error| assert_secret(&printed(error), "an error"))
    }

    /// Returns the pieces up to the end or the first error, and that error.
    pub(crate) async fn listen(
        &self,
        history: &ChatHistory,
        options: &ChatOptions,
    ) -> Result<(Vec<ChatUpdate>, Option<Error>)> {
        let mut stream = self.chat.stream(history, options).await;
        let stream = stream.as_mut().map_err(|error| {
            assert_secret(&printed(error), "an error");
            error.clone()
        })?;
        let mut pieces = Vec::new();
        while let Some(piece) = stream.next().await {
            match piece {
                Ok(piece) => pieces.push(piece),
                Err(error) => {
                    assert_secret(&printed(&error), "an error in a stream");
                    assert!(stream.next().await.is_none(), "the stream goes on after its error");
                    return Ok((pieces, Some(error)));
                }
            }
        }
        Ok((pieces, None))
    }

    /// Returns the answer to a question, whole and streamed.
    pub(crate) async fn both(&self) -> [ChatResponse; 2] {
        let history = question();
        let options = ChatOptions::new();
        let whole = self.whole(&history, &options).await.expect("the model answers");
        let streamed = async { self.chat.stream(&history, &options).await?.into_response().await };
        [whole, streamed.await.expect("the model streams")]
    }

    /// Returns the errors of both calls; a stream may return it as its only item.
    pub(crate) async fn both_fail(&self) -> [Error; 2] {
        let history = question();
        let options = ChatOptions::new();
        let whole = self.whole(&history, &options).await.expect_err("the call fails");
        let streamed = match self.listen(&history, &options).await {
            Err(error) => error,
            Ok((pieces, error)) => {
                assert!(pieces.is_empty(), "an answer comes before the error: {pieces:?}");
                error.expect("the stream fails")
            }
        };
        [whole, streamed]
    }
}

pub(crate) fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("What is a connector?")])
}

/// Returns the last piece, the whole answer, if the stream has one.
pub(crate) fn finished(pieces: &[ChatUpdate]) -> Option<&ChatResponse> {
    pieces.iter().find_map(|piece| match piece {
        ChatUpdate::Finished(response) => Some(&**response),
        _ => None,
    })
}
