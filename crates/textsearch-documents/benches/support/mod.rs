use futures_util::FutureExt as _;
use textsearch_documents::{Chunker, Document, DocumentSchema, DocumentStore};
use textsearch_vector_inmemory::InMemoryVectorStore;

const STEMS: usize = 30_000;

/// The same numbers at every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// Zipf's law: the nth word of the vocabulary is about n times rarer than the first. Common
    /// words are short.
    fn word(&mut self) -> String {
        let uniform = self.below(1 << 20) as f64 / f64::from(1 << 20);
        let stem = (STEMS as f64).powf(uniform) as usize;
        let syllables =
            ["ta", "ren", "si", "mo", "ver", "li", "con", "du", "pa", "est", "in", "or"];
        let mut word = String::new();
        let mut rest = stem;
        while rest > 0 {
            word.push_str(syllables[rest % syllables.len()]);
            rest /= syllables.len();
        }
        word + ["", "", "", "", "s", "ed", "ing", "ly"][self.below(8)]
    }

    fn sentence(&mut self, length: usize) -> String {
        let mut words: Vec<String> = (0..length).map(|_| self.word()).collect();
        words[0] = format!("The {}", words[0]);
        let place = self.below(length);
        let marked = &mut words[place];
        *marked = match self.below(8) {
            0 => format!("`{marked}_{marked}()`"),
            1 => format!("**{marked}**"),
            2 => format!("[{marked}](https://example.com/{marked}#{length})"),
            3 => format!("“{marked}”,"),
            4 => format!("{marked}, {}", self.below(10_000)),
            5 => format!("{marked}: {}", marked.to_uppercase()),
            _ => format!("{marked},"),
        };
        words.join(" ") + "."
    }

    fn section(&mut self, number: usize) -> String {
        let paragraphs: Vec<String> = (0..1 + number % 4)
            .map(|_| {
                let sentences = (0..5).map(|length| self.sentence(8 + length * 3));
                sentences.collect::<Vec<_>>().join(" ")
            })
            .collect();
        let list = format!("- {}\n- {}", self.sentence(6), self.sentence(9));
        let name = self.word();
        let call = self.word();
        let code = format!("```rust\nlet {name} = store.{call}({number});\n# not a heading\n```");
        let heading = self.word();
        format!("## {heading} {number}\n\n{}\n\n{list}\n\n{code}\n\n", paragraphs.join("\n\n"))
    }
}

/// About 18 KB each: prose with a little markup, lists and code, the same at every run.
pub(crate) fn markdown(documents: usize) -> impl Iterator<Item = Document> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    (0..documents).map(move |number| {
        let sections: String = (0..10).map(|part| random.section(number + part)).collect();
        let text = format!("---\ntitle: Guide {number}\n---\n\n# Guide {number}\n\n{sections}");
        Document::markdown(format!("docs/{number}.md"), text)
    })
}

pub(crate) fn open() -> DocumentStore {
    let schema = DocumentSchema::default().with_language("en");
    let store = InMemoryVectorStore::new();
    let opened = DocumentStore::open(&store, "docs", &schema, Chunker::default());
    opened.now_or_never().unwrap().unwrap()
}
