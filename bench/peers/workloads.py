"""The models that are timed: a preset and what is set on top of it."""

# The chapter's: hidden 32, batches of 64, 600 pairs, 10 steps.
CHAPTER = {"gru": [], "bahdanau": [], "transformer": []}

WIDE = ["model.embedding=256", "model.hidden=256"]

# 4 + 4 layers, all pairs, 10,000 words, batches of 4,096 target tokens of like lengths.
LARGE = ["model.hidden=128", "model.layers=4", "model.feed_forward=256", "model.heads=4",
         "model.tied_embeddings=true", "text.max_vocabulary=10000", "text.min_frequency=1",
         "data.limit=0", "data.steps=64", "training.batch_size=100000", "training.batch_tokens=4096",
         "training.bucket=true", "training.learning_rate=0.001", "training.clip=1"]

# name: (preset, settings)
TRAINING = {**{kind: (kind, settings) for kind, settings in CHAPTER.items()},
            "bahdanau, hidden 256": ("bahdanau", WIDE),
            "transformer 4+4, d 128": ("transformer", LARGE)}


def sets(settings):
    """As arguments of attend and attend_bench_steps."""
    return [part for assignment in settings for part in ("--set", assignment)]
