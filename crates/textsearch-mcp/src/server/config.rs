//! Settings of a server.

use std::time::Duration;

use textsearch_kernel::prompt::PromptTemplateConfig;

use super::McpDocuments;

/// The functions and prompts to offer, and the limits of a server.
///
/// ```
/// use textsearch_kernel::prompt::PromptTemplateConfig;
/// use textsearch_mcp::McpServerConfig;
///
/// let config = McpServerConfig::new("handbook")
///     .with_instructions("Search the handbook before you answer questions about the company.")
///     .with_functions(["Handbook-Search"])
///     .with_prompt(PromptTemplateConfig::new("Answer from: {{Handbook.Search $question}}").with_name("grounded"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct McpServerConfig {
    /// The server's name, which clients show to users.
    pub name: String,
    /// The server's version; this crate's own by default.
    pub version: String,
    /// When and how to use the tools, for the client's model; none by default.
    pub instructions: Option<String>,
    /// The functions to offer, as `Plugin-Function`; all by default.
    pub functions: Option<Vec<String>>,
    /// The prompts to offer; none by default. Each needs a name.
    pub prompts: Vec<PromptTemplateConfig>,
    /// The maximum length of a tool's result, in characters of JSON: 16,000, about 4,000 tokens of
    /// English.
    pub max_result_characters: usize,
    /// The maximum time of a call or prompt, from its start: 60 s.
    pub call_timeout: Duration,
    /// The maximum number of calls and prompts at once, over all clients: 64. Others wait.
    pub max_concurrent_calls: usize,
    /// The maximum number of found documents that clients can read: 256. Their texts have at most
    /// 16 MiB in total. The least recently found are forgotten first. 0 offers no documents.
    pub max_documents: usize,
    /// The documents of the tools `search` and `fetch`; none by default.
    pub documents: Option<McpDocuments>,
}

impl McpServerConfig {
    /// Creates the settings of a server that offers every function of its kernel.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
            functions: None,
            prompts: Vec::new(),
            max_result_characters: 16_000,
            call_timeout: Duration::from_secs(60),
            max_concurrent_calls: 64,
            max_documents: 256,
            documents: None,
        }
    }

    /// Sets the instructions for the client's model.
    #[must_use]
    pub fn with_instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Offers only these functions, named `Plugin-Function`.
    #[must_use]
    pub fn with_functions(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.functions = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Offers the tools `search` and `fetch` over these documents, beside the functions.
    #[must_use]
    pub fn with_documents(mut self, documents: McpDocuments) -> Self {
        self.documents = Some(documents);
        self
    }

    /// Adds a prompt. Its variables become the prompt's arguments; clients get the rendered messages.
    #[must_use]
    pub fn with_prompt(mut self, prompt: PromptTemplateConfig) -> Self {
        self.prompts.push(prompt);
        self
    }
}
