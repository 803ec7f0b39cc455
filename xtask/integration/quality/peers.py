"""The peers' searches of the same records: by words, by vector, and by both.

A ranking is a list of pairs of a record's id and its score, the best first; equal scores are in the order of ids.
"""

import bm25s
import numpy
import Stemmer
from rank_bm25 import BM25Okapi
from sentence_transformers import SentenceTransformer

DEPTH = 1000
"""As deep as our rankings are."""


def by_words(records, queries):
    """The rankings of bm25s and rank_bm25 as they come, over the same stems without the same stop words."""
    texts, ids = [record["whole"] for record in records], [record["id"] for record in records]
    documents, asked = stems(texts), stems(list(queries.values()))
    fast = bm25s.BM25()
    fast.index(documents, show_progress=False)
    plain = BM25Okapi(documents)
    return {
        "bm25s": {query: found(ids, fast.get_scores(terms)) for query, terms in zip(queries, asked)},
        "rank_bm25": {query: found(ids, plain.get_scores(terms)) for query, terms in zip(queries, asked)},
    }


def stems(texts):
    """Terms as the documentation of bm25s makes them for English."""
    stemmer = Stemmer.Stemmer("english")
    return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)


def by_vector(records, queries, model):
    """The rankings by the vectors of sentence-transformers, by cosine."""
    model = SentenceTransformer(model, device="cpu")
    texts, ids = [record["whole"] for record in records], [record["id"] for record in records]
    documents = model.encode_document(texts, normalize_embeddings=True)
    asked = model.encode_query(list(queries.values()), normalize_embeddings=True)
    scores = numpy.asarray(asked, "f8") @ numpy.asarray(documents, "f8").T
    return {query: best(zip(ids, row.tolist())) for query, row in zip(queries, scores)}


def found(ids, scores):
    """The records that hold any word of the query."""
    return best((name, float(score)) for name, score in zip(ids, scores) if score != 0)


def best(scores):
    return sorted(scores, key=lambda one: (-one[1], one[0]))[:DEPTH]


def reciprocal_rank(vector, words, constant=60):
    """Cormack et al. 2009."""
    scores = {}
    for ranking in (vector, words):
        for place, (name, _) in enumerate(ranking, 1):
            scores[name] = scores.get(name, 0.0) + 1 / (constant + place)
    return best(scores.items())


def weighted(vector, words, vector_weight):
    """A convex mix of scores, each scaled to 0 for the worst of its ranking and to 1 for the best."""
    scores = {}
    for ranking, weight in ((vector, vector_weight), (words, 1 - vector_weight)):
        if not ranking:
            continue
        highest, lowest = ranking[0][1], ranking[-1][1]
        for name, score in ranking:
            scaled = (score - lowest) / (highest - lowest) if highest != lowest else 1.0
            scores[name] = scores.get(name, 0.0) + weight * scaled
    return best(scores.items())
