"""Records the reference implementation's vectors of the sentences, as little-endian 32-bit floats.

Made once, with the versions below, and kept in crates/textsearch-embeddings-local/tests/fixtures:

    pip install sentence-transformers==6.2.0 transformers==5.23.0 torch==2.15.0
    cargo xtask model minilm
    python xtask/integration/minilm/record.py target/models/minilm
"""

import json
import pathlib
import sys

from sentence_transformers import SentenceTransformer

FIXTURES = pathlib.Path(__file__).parents[3] / "crates/textsearch-embeddings-local/tests/fixtures"


def main() -> None:
    sentences = json.loads((FIXTURES / "sentences.json").read_text("utf-8"))
    model = SentenceTransformer(sys.argv[1], device="cpu")
    # One at a time: nothing is padded, and no sentence can change the vector of another.
    vectors = model.encode(sentences, batch_size=1, convert_to_numpy=True)
    vectors.astype("<f4").tofile(FIXTURES / "minilm.f32")
    print(f"{vectors.shape[0]} vectors of {vectors.shape[1]} elements")


if __name__ == "__main__":
    main()
