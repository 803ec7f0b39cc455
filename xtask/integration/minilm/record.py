"""Records the reference implementation's vectors of the sentences, as little-endian 32-bit floats; and the logits of pairs of
sentences, of a cross-encoder with the model's weights and a head by a formula.

Made once, with the versions below, and kept in crates/textsearch-embeddings-local/tests/fixtures:

    pip install sentence-transformers==6.2.0 transformers==5.23.0 torch==2.15.0
    cargo xtask model minilm
    python xtask/integration/minilm/record.py target/models/minilm
"""

import json
import pathlib
import sys

import torch
from sentence_transformers import SentenceTransformer
from transformers import AutoModelForSequenceClassification, AutoTokenizer

FIXTURES = pathlib.Path(__file__).parents[3] / "crates/textsearch-embeddings-local/tests/fixtures"


def main() -> None:
    sentences = json.loads((FIXTURES / "sentences.json").read_text("utf-8"))
    model = SentenceTransformer(sys.argv[1], device="cpu")
    # One at a time: nothing is padded, and no sentence can change the vector of another.
    vectors = model.encode(sentences, batch_size=1, convert_to_numpy=True)
    vectors.astype("<f4").tofile(FIXTURES / "minilm.f32")
    print(f"{vectors.shape[0]} vectors of {vectors.shape[1]} elements")
    logits = logits_of_pairs(sentences, sys.argv[1])
    logits.numpy().astype("<f4").tofile(FIXTURES / "minilm-pairs.f32")
    print(f"{len(logits)} logits from {logits.min():.2f} to {logits.max():.2f}")


def logits_of_pairs(sentences, folder):
    """Of each sentence with the next; the last with all of them."""
    model = AutoModelForSequenceClassification.from_pretrained(folder, num_labels=1).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    head = torch.arange(1, model.config.hidden_size + 1, dtype=torch.float64).sin()
    texts = [*sentences[1:], " ".join(sentences)]
    with torch.inference_mode():
        model.classifier.weight.copy_(head.float().unsqueeze(0))
        model.classifier.bias.fill_(0.25)
        logits = []
        for query, text in zip(sentences, texts):
            # As a list of pairs: an empty text alone would count as a missing one.
            tokens = tokenizer([[query, text]], truncation="longest_first", max_length=256, return_tensors="pt")
            logits.append(model(**tokens).logits.squeeze())
    return torch.stack(logits)


if __name__ == "__main__":
    main()
