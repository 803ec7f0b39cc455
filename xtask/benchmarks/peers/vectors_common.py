"""What the scripts with vectors share."""

import numpy


def unit(vectors):
    """The same vectors with length one."""
    return vectors / numpy.linalg.norm(vectors, axis=-1, keepdims=True)
