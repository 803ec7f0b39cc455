//! The embedding generator under test.

use std::{fmt::Debug, pin::Pin, sync::Arc};

use textsearch_core::{
    Result,
    http::HttpSettings,
    vector::{EmbeddingGenerator, EmbeddingSettings, Embeddings},
};

use crate::{
    Endpoint, RecordedRequest, Response,
    capabilities::Function,
    endpoint,
    secret::{assert_debug, assert_secret, printed},
    server::{Action, Server},
};

/// A function that answers a request as the provider would, such as with the vectors of
/// [`WordEmbeddings`](crate::vector::WordEmbeddings).
///
/// A panic fails the case, so it may assert on the request, such as on the header with the key.
pub type EmbeddingAnswer = fn(&RecordedRequest) -> Response;

type Built = Arc<dyn EmbeddingGenerator>;
type Building = Pin<Box<dyn Future<Output = Result<Built>>>>;

/// The embedding generator under test.
#[derive(Debug)]
pub struct EmbeddingSubject {
    source: Source,
}

#[derive(Debug)]
enum Source {
    Plain { make: Function<dyn Fn() -> Building> },
    Http { build: Function<dyn Fn(Endpoint) -> Result<Built>>, answer: EmbeddingAnswer },
}

impl EmbeddingSubject {
    /// Makes a subject that calls `build` once or more in each case.
    pub fn over_http<G: EmbeddingGenerator + Debug + 'static>(
        build: impl Fn(Endpoint) -> Result<G> + 'static,
        answer: EmbeddingAnswer,
    ) -> Self {
        let build = move |endpoint| {
            let generator = build(endpoint)?;
            assert_debug(&generator);
            Ok(Arc::new(generator) as Built)
        };
        Self { source: Source::Http { build: Function(Arc::new(build)), answer } }
    }

    /// Makes a subject that calls `make` within the runtime of each case.
    pub fn without_http<G, Fut>(make: impl Fn() -> Fut + 'static) -> Self
    where
        G: EmbeddingGenerator + 'static,
        Fut: Future<Output = Result<G>> + 'static,
    {
        let make = move || {
            let made = make();
            Box::pin(async move { Ok(Arc::new(made.await?) as Built) }) as Building
        };
        Self { source: Source::Plain { make: Function(Arc::new(make)) } }
    }

    pub(crate) async fn generator(&self) -> RunningGenerator {
        match &self.source {
            Source::Plain { make } => {
                let generator = (make.0)().await.expect("the generator is made");
                RunningGenerator { generator, server: None }
            }
            Source::Http { .. } => self.scripted(endpoint::patient(), Action::Answer).await,
        }
    }

    /// `script` turns the provider's answer into the server's action.
    pub(crate) async fn scripted(
        &self,
        settings: HttpSettings,
        script: impl Fn(Response) -> Action + Send + Sync + 'static,
    ) -> RunningGenerator {
        let (_, answer) = self.remote();
        let server = Server::start(move |request, _| script(answer(request))).await;
        let generator = self.pointed_at(Endpoint::new(server.url(), settings));
        RunningGenerator { generator, server: Some(server) }
    }

    pub(crate) fn pointed_at(&self, endpoint: Endpoint) -> Built {
        self.remote().0(endpoint).expect("the generator is made")
    }

    fn remote(&self) -> (&dyn Fn(Endpoint) -> Result<Built>, EmbeddingAnswer) {
        match &self.source {
            Source::Http { build, answer } => (&*build.0, *answer),
            Source::Plain { .. } => panic!("a generator without HTTP has no server"),
        }
    }
}

pub(crate) struct RunningGenerator {
    pub(crate) generator: Built,
    server: Option<Server>,
}

impl RunningGenerator {
    pub(crate) async fn try_embed(
        &self,
        texts: &[String],
        settings: &EmbeddingSettings,
    ) -> Result<Embeddings> {
        let made = self.generator.generate(texts, settings).await;
        made.inspect_err(|error| assert_secret(&printed(error), "an error"))
    }

    pub(crate) async fn embed(&self, texts: &[String]) -> Vec<Arc<[f32]>> {
        let made = self.try_embed(texts, &EmbeddingSettings::default()).await;
        made.expect("the texts are embedded").vectors
    }

    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().expect("there is a server")
    }
}
