"""The five public data sets: where each comes from, what is read of it, and on what terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from evenhand.pools._rules import (
    Verdict,
    answer_parity,
    occurrence_of_the,
    only_entity,
    phrase_polarity,
    word_sense,
)

Kind = Literal["text", "texts", "label"]
"""What a column holds: a string, a list of strings, or an integer that may be missing."""


@dataclass(frozen=True, slots=True)
class Split:
    """One split of a data set.

    Attributes:
        name: Upstream's own name; the first half of instance ids.
        rows: Rows as published.
        hub: The Hub's name for it.
    """

    name: str
    rows: int
    hub: str


@dataclass(frozen=True, slots=True)
class HubSource:
    """Where the Hugging Face Hub keeps a set as Parquet, one file a split.

    Attributes:
        repo: Dataset repository.
        revision: Pinned commit. Each of those below stands in public code that downloads the
            very files from it; they could not be asked of the Hub itself when they were written.
        config: Folder of the Parquet files inside the repository.
        codes: For each column that the Hub stores as class numbers, the classes in order.
    """

    repo: str
    revision: str
    config: str
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def files(self, splits: tuple[Split, ...]) -> tuple[str, ...]:
        """The repository paths of the splits' files."""
        return tuple(f"{self.config}/{split.hub}-00000-of-00001.parquet" for split in splits)


@dataclass(frozen=True, slots=True)
class RepositorySource:
    """Where a Git repository keeps CoarseWSD-20: ``SPLIT.data.txt`` and ``SPLIT.gold.txt``.

    Attributes:
        url: Address that ``/REVISION/FOLDER/FILE`` is added to.
        revision: Pinned commit.
        folder: Folder of the files.
        senses: Sense names, in the order of the gold numbers.
        sha256: For each split, the SHA-256 of its rows as :func:`rows_sha256` writes them.
    """

    url: str
    revision: str
    folder: str
    senses: tuple[str, ...]
    sha256: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Upstream:
    """One data set, as one task uses it.

    Attributes:
        task: The task that it serves.
        name: Pool name, and name of its folder among fetched sets.
        title: How people write the set's name.
        file: Its name as gzip JSON Lines, one record a line with ``split`` and ``row``.
        splits: The splits that are read, in order; others in the file are passed over.
        columns: The columns that the rule takes, and what each holds.
        rule: Eligibility and gold label.
        rule_words: The same in words, for provenance.
        labels: The labels that the rule gives.
        per_label: Instances sampled for each label (C.1).
        licence: As upstream states it.
        citation: Whom to cite.
        hub: Where the Hub has it, or None.
        repository: Where else it is published, or None.
        non_commercial: Whether the licence forbids commercial use.
    """

    task: str
    name: str
    title: str
    file: str
    splits: tuple[Split, ...]
    columns: Mapping[str, Kind]
    rule: Callable[..., Verdict]
    rule_words: str
    labels: tuple[str, str]
    per_label: int
    licence: str
    citation: str
    hub: HubSource | None = None
    repository: RepositorySource | None = None
    non_commercial: bool = False


_WIKIANN_TAGS = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC")

UPSTREAM: Mapping[str, Upstream] = {
    entry.task: entry
    for entry in (
        Upstream(
            task="math",
            name="gsm8k",
            title="GSM8K",
            file="gsm8k.jsonl.gz",
            splits=(Split("train", 7_473, "train"), Split("test", 1_319, "test")),
            columns={"question": "text", "answer": "text"},
            rule=answer_parity,
            rule_words="integer after ####; label by its parity",
            labels=("even_number", "odd_number"),
            per_label=2_500,
            licence="MIT",
            citation="Cobbe et al. 2021, Training Verifiers to Solve Math Word Problems, "
            "arXiv:2110.14168",
            hub=HubSource("openai/gsm8k", "e53f048856ff4f594e959d75785d2c2d37b678ee", "main"),
        ),
        Upstream(
            task="ner",
            name="wikiann_en",
            title="WikiANN, English",
            file="wikiann_en.jsonl.gz",
            splits=(
                Split("train", 20_000, "train"),
                Split("dev", 10_000, "validation"),
                Split("test", 10_000, "test"),
            ),
            columns={"tokens": "texts", "ner_tags": "texts"},
            rule=only_entity,
            rule_words="exactly one entity by IOB2, PER or LOC; tokens joined by one space",
            labels=("LOC", "PER"),
            per_label=2_500,
            licence="none stated for the data (text from Wikipedia)",
            citation="Pan et al. 2017, Cross-lingual Name Tagging and Linking for 282 Languages; "
            "Rahimi et al. 2019, Massively Multilingual Transfer for NER",
            hub=HubSource(
                "unimelb-nlp/wikiann",
                "f0a3be6dc5564c0cc4150bb660144800a1f539d4",
                "en",
                codes={"ner_tags": _WIKIANN_TAGS},
            ),
        ),
        Upstream(
            task="occurrence",
            name="tweeteval_sentiment",
            title="TweetEval, sentiment",
            file="tweeteval_sentiment.jsonl.gz",
            splits=(
                Split("train", 45_615, "train"),
                Split("val", 2_000, "validation"),
                Split("test", 12_284, "test"),
            ),
            columns={"text": "text"},
            rule=occurrence_of_the,
            rule_words='standalone "the" in any case, at least once; left out where word '
            "boundaries, blanks with edge marks taken off, and bare blanks count differently",
            labels=("exactly_once", "more_than_once"),
            per_label=2_500,
            licence="released without restrictions by TweetEval; restrictions may apply to the "
            "tasks it derives from and to Twitter content",
            citation="Barbieri et al. 2020, TweetEval; Rosenthal et al. 2017, SemEval-2017 Task 4",
            hub=HubSource(
                "cardiffnlp/tweet_eval",
                "b3a375baf0f409c77e6bc7aa35102b7b3534f8be",
                "sentiment",
            ),
        ),
        Upstream(
            task="sentiment",
            name="sst2",
            title="Stanford Sentiment Treebank, as GLUE's SST-2",
            file="sst2_glue.jsonl.gz",
            # The other two splits hold whole sentences (dev) and no labels (test).
            splits=(Split("train", 67_349, "train"),),
            columns={"sentence": "text", "label": "label"},
            rule=phrase_polarity,
            rule_words="GLUE's training phrases, 0 negative and 1 positive",
            labels=("negative", "positive"),
            per_label=5_000,
            licence="none stated",
            citation="Socher et al. 2013, Recursive Deep Models for Semantic Compositionality; "
            "Wang et al. 2019, GLUE",
            hub=HubSource("nyu-mll/glue", "bcdcba79d07bc864c1c254ccfcedcce55bcc9a8c", "sst2"),
        ),
        Upstream(
            task="wsd",
            name="coarsewsd20_java",
            title='CoarseWSD-20, "java"',
            file="coarsewsd20_java.jsonl.gz",
            splits=(Split("train", 4_504, "train"), Split("test", 1_929, "test")),
            columns={"text": "text", "sense": "text"},
            rule=word_sense,
            rule_words="sense java_java is place, java_java_(programming_language) is "
            "programming_language",
            labels=("place", "programming_language"),
            per_label=2_500,
            licence="CC BY-NC 4.0 (non-commercial use only)",
            citation="Loureiro et al. 2021, Analysis and Evaluation of Language Models for Word "
            "Sense Disambiguation, Computational Linguistics 47(2)",
            repository=RepositorySource(
                url="https://raw.githubusercontent.com/danlou/bert-disambiguation",
                revision="d8728bc5f0bbd2a14cdeb19aa71844fb89a31cb6",
                folder="data/CoarseWSD-20/java",
                senses=("java_java", "java_java_(programming_language)"),
                sha256={
                    "train": "4463c42da8c20ea24b0d8b934b83f807887de37b0343d42cafeab8239c290de6",
                    "test": "7dd2fc21425c16c7e6a93b737149682ef53c2840ac17a5f71f79dc7a7ce144e8",
                },
            ),
            non_commercial=True,
        ),
    )
}
"""Task name -> its data set."""
