"""Lines exact and upsert: exact search by cosine similarity in Semantic Kernel's vector store in memory."""

import asyncio
import time
from dataclasses import dataclass
from typing import Annotated

import numpy
from measure import report, report_awaited_calls
from semantic_kernel.connectors.in_memory import InMemoryCollection
from semantic_kernel.data.vector import DistanceFunction, VectorStoreField, vectorstoremodel

ROWS = 10_000
UPSERTED = 100_000
BATCH = 1_000
DIMENSIONS = 384


@vectorstoremodel
@dataclass
class Row:
    """A record with a key and a vector."""

    key: Annotated[str, VectorStoreField("key")]
    vector: Annotated[
        list[float] | None,
        VectorStoreField(
            "vector", dimensions=DIMENSIONS, distance_function=DistanceFunction.COSINE_SIMILARITY
        ),
    ] = None


async def empty():
    collection = InMemoryCollection(record_type=Row, collection_name="bench")
    await collection.ensure_collection_exists()
    return collection


def batches(random, count):
    for first in range(0, count, BATCH):
        vectors = random.uniform(-1, 1, (BATCH, DIMENSIONS)).tolist()
        yield [Row(key=str(first + number), vector=vector) for number, vector in enumerate(vectors)]


async def measure_upsert(random):
    collection = await empty()
    seconds = 0.0
    for batch in batches(random, UPSERTED):
        start = time.perf_counter()
        await collection.upsert(batch)
        seconds += time.perf_counter() - start
    report("upsert of 100,000", seconds, "s", "semantic-kernel")


async def filled(random):
    collection = await empty()
    for batch in batches(random, ROWS):
        await collection.upsert(batch)
    return collection


def main():
    random = numpy.random.default_rng(7)
    asyncio.run(measure_upsert(random))
    collection = asyncio.run(filled(random))
    query = random.uniform(-1, 1, DIMENSIONS).tolist()

    async def search():
        found = await collection.search(vector=query, top=10)
        assert len([result async for result in found.results]) == 10

    report_awaited_calls("10,000", "semantic-kernel", search)


main()
