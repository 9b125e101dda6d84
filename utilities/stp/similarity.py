"""How much two texts say the same: overlap of the beginnings of their content words."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

_STOP_WORDS = frozenset(
    re.findall(
        r"[a-z]+",
        "a an and any are as at be been before after by can could each for from has have if in into is it its of on "
        "one only or our so than that the their them then there these they this those to until was were when where "
        "which while who will with within without you your verify test checks check ensure s user users want",
    )
)
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ed", "es", "s", "al", "ly")
_SHORTEST_STEM = 3


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The content words of a text without their endings, so that `raised` meets `raise` and `migrates` `migration`."""
    return frozenset(
        _stem(word) for word in re.findall(r"[a-z0-9]+", text.lower().replace("'s", "")) if word not in _STOP_WORDS
    )


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            word = word[: -len(suffix)]
            break
    if len(word) > _SHORTEST_STEM and word[-1] == "e":
        word = word[:-1]
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2]:
        word = word[:-1]
    return word


def contained(part: frozenset[str], whole: frozenset[str]) -> float:
    """Which share of `part` also stands in `whole`, 0.0 to 1.0; 0.0 when `part` is empty."""
    return len(part & whole) / len(part) if part else 0.0


def rareness(texts: Sequence[frozenset[str]]) -> dict[str, float]:
    """How far each word sets one of these texts apart from the others: 0 for a word they all have."""
    counts = Counter(word for text in texts for word in text)
    return {word: math.log(len(texts) / count) for word, count in counts.items()}


def weight(words: frozenset[str], weights: Mapping[str, float]) -> float:
    """What the words weigh together."""
    return sum(map(weights.__getitem__, words))
