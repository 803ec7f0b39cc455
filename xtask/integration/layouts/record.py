"""Makes a small model with random weights for each layout, and records the vectors that sentence-transformers gives texts:

    python xtask/integration/layouts/record.py FOLDER
"""

import json
import pathlib
import random
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file
from sentence_transformers import CrossEncoder, MultiVectorEncoder, SentenceTransformer
from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, StaticEmbedding, Transformer
from tokenizers import Tokenizer, models, pre_tokenizers, processors

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused]"]
WORDS = [*MARKS, ".", ",", *(f"w{number}" for number in range(100))]
LIMIT = 300

# Key and value vectors are shared by two heads, and heads are larger than their share of the vector.
DECODER = {"num_key_value_heads": 2, "head_dim": 16}
EAGER = {"attn_implementation": "eager"}
PROMPTS = {"query": "w1 w2 ", "document": "w3 "}


# Shorter and longer than the windows; the last two are truncated.
LENGTHS = [0, 1, 2, 7, 16, 33, 64, 100, 129, 200, 297, 330, 500]
CHOICE = random.Random(5)
TEXTS = [" ".join(CHOICE.choices(WORDS[len(MARKS) :], k=length)) for length in LENGTHS]
# Without a token, a static model's vector would be zeros.
STATIC_TEXTS = [*TEXTS[1:], "w1 unknown w2"]


def tokenizer():
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(mark, vocabulary[mark]) for mark in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def fast(inputs=("input_ids", "attention_mask")):
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(), model_max_length=LIMIT, model_input_names=list(inputs), **names
    )


def spread(model):
    """Makes the weights large enough for vectors that depend on every part of the model."""
    for name, values in model.named_parameters():
        if values.dim() > 1:
            torch.nn.init.normal_(values, std=0.3)
        elif "bias" in name:
            torch.nn.init.normal_(values, std=0.3)
        else:
            values.data += torch.randn_like(values) * 0.2


def configured(kind, **settings):
    sizes = {
        "vocab_size": len(WORDS),
        "hidden_size": 48,
        "num_attention_heads": 4,
        "num_hidden_layers": 3,
        "intermediate_size": 56,
        "max_position_embeddings": 512,
        "pad_token_id": 0,
        **EAGER,
    }
    return transformers.AutoConfig.for_model(kind, **{**sizes, **settings})


def transformer(config, **settings):
    model = transformers.AutoModel.from_config(config)
    spread(model)
    types = ["token_type_ids"] if config.model_type == "bert" else []
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        fast(["input_ids", *types, "attention_mask"]).save_pretrained(folder)
        return Transformer(folder, model_kwargs=EAGER, **settings)


def dense(size, to, activation, **settings):
    module = Dense(size, to, activation_function=activation, **settings)
    spread(module)
    return module


def static_model(folder):
    """In the format of model2vec: rows shared by tokens, and a weight for each token."""
    folder.mkdir(parents=True)
    count = len(WORDS)
    tensors = {
        "embeddings": torch.randn(40, 24),
        "mapping": torch.randint(0, 40, (count,)),
        "weights": torch.rand(count, dtype=torch.float64),
    }
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": True}))
    tokenizer().save(str(folder / "tokenizer.json"))
    return SentenceTransformer(modules=[StaticEmbedding.load(str(folder)), Normalize()], device="cpu")


def sentence_models():
    padded = {"pad_token_id": 1}
    windows = {"use_sliding_window": True, "sliding_window": 8, "max_window_layers": 1}
    identity, tanh = torch.nn.Identity(), torch.nn.Tanh()
    kinds = {
        "bert": (configured("bert"), "mean", [Normalize()]),
        "dense": (configured("bert"), "cls", [dense(48, 20, tanh), Normalize()]),
        "distilbert": (configured("distilbert", dim=48, n_heads=4, n_layers=2, hidden_dim=56), "mean", []),
        "gemma3": (
            configured("gemma3_text", **DECODER, sliding_window=16, use_bidirectional_attention=True,
                       query_pre_attn_scalar=20, layer_types=["sliding_attention", "sliding_attention", "full_attention"]),
            "mean",
            [dense(48, 80, identity, bias=False), dense(80, 48, identity, bias=False), Normalize()],
        ),
        "modernbert": (configured("modernbert", local_attention=16), "cls", []),
        "modernbert-biased": (
            configured("modernbert", local_attention=10, norm_bias=True, mlp_bias=True, attention_bias=True), "mean", []
        ),
        "mpnet": (configured("mpnet", **padded), "mean", [Normalize()]),
        "nomic": (configured("nomic_bert"), "mean", [Normalize()]),
        "qwen3": (configured("qwen3", **DECODER), "lasttoken", [Normalize()]),
        "qwen3-windows": (configured("qwen3", **DECODER, **windows), "lasttoken", []),
        "roberta": (configured("xlm-roberta", **padded), "cls", [Normalize()]),
    }
    for name, (config, pooling, rest) in kinds.items():
        start = transformer(config)
        modules = [start, Pooling(config.hidden_size, pooling_mode=pooling), *rest]
        yield name, SentenceTransformer(modules=modules, device="cpu", prompts=PROMPTS)
    yield "static", SentenceTransformer(modules=[StaticEmbedding(tokenizer(), embedding_dim=24)], device="cpu")


def late_interaction_models():
    """In the formats of sentence-transformers and of PyLate."""
    projected = dense(48, 12, torch.nn.Identity(), bias=False, module_input_name="token_embeddings")
    normalized = Normalize(module_input_name="token_embeddings")
    expansions = {"unseen": {"strategy": "fixed", "length": 24}, "seen": {"strategy": "min", "length": 24, "attend": True}}
    for name, expansion in expansions.items():
        start = transformer(configured("modernbert", local_attention=16), query_expansion=expansion, document_length=150)
        modules = [start, projected, MultiVectorMask(skiplist_words=[".", ",", "beyond the vocabulary"]), normalized]
        yield f"late-{name}", MultiVectorEncoder(modules=modules, device="cpu", prompts=PROMPTS)
    start = transformer(configured("bert"))
    yield "late-pylate", SentenceTransformer(modules=[start, projected], device="cpu")


def save_cross_encoder(folder, config):
    model = transformers.AutoModelForSequenceClassification.from_config(config)
    spread(model)
    model.save_pretrained(folder)
    fast().save_pretrained(folder)


def record_cross_encoder(folder):
    model = CrossEncoder(str(folder), device="cpu", activation_fn=torch.nn.Identity(), model_kwargs=EAGER)
    rows = [[model.predict([(query, text)], batch_size=1)[0] for text in TEXTS] for query in TEXTS]
    record(folder, {"scores": rows}, TEXTS)


def to_pylate(folder):
    settings = {
        "model_type": "ColBERT", "query_prefix": "w1 ", "document_prefix": "[unused]", "query_length": 20,
        "document_length": 120, "attend_to_expansion_tokens": False, "skiplist_words": None, "similarity_fn_name": "MaxSim",
    }
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["type"] = "pylate.models.Dense.Dense"
    (folder / "modules.json").write_text(json.dumps(modules))


def save_colbert(folder):
    """In the format of ColBERT's authors."""
    model = transformers.BertModel(configured("bert"))
    spread(model)
    model.save_pretrained(folder)
    fast().save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["HF_ColBERT"]}))
    tensors = {f"bert.{name}": values for name, values in load_file(folder / "model.safetensors").items()}
    tensors["linear.weight"] = torch.randn(12, 48)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    metadata = {"query_token_id": "[unused]", "doc_token_id": "w5", "query_maxlen": 16, "doc_maxlen": 140}
    (folder / "artifact.metadata").write_text(json.dumps({**metadata, "mask_punctuation": True}))


def record(folder, expected, texts):
    expected = {name: [[float(x) for x in row] for row in rows] for name, rows in expected.items()}
    (folder / "expected.json").write_text(json.dumps({"texts": texts, **expected}))
    print(f"{folder.name}: {len(texts)} texts")


def record_vectors(folder):
    """What counts is what a reader of the folder gets. One text at a time: nothing is padded."""
    model = SentenceTransformer(str(folder), device="cpu", model_kwargs=EAGER)
    some = STATIC_TEXTS if folder.name == "static" else TEXTS
    encode = {"documents": model.encode_document, "queries": model.encode_query}
    record(folder, {name: encode(some, batch_size=1) for name, encode in encode.items()}, some)


def record_scores(folder):
    """A row for each query, a column for each document."""
    # Added tokens may see nothing in a window; only this attention defines the result.
    model = MultiVectorEncoder(str(folder), device="cpu", model_kwargs={"attn_implementation": "sdpa"})
    queries, documents = (encode(TEXTS, batch_size=1) for encode in (model.encode_query, model.encode_document))
    record(folder, {"scores": model.similarity(queries, documents)}, TEXTS)


def main() -> None:
    torch.manual_seed(7)
    target = pathlib.Path(sys.argv[1])
    for name, model in sentence_models():
        model.save(str(target / name))
        record_vectors(target / name)
    for name, model in late_interaction_models():
        model.save(str(target / name))
        if name == "late-pylate":
            to_pylate(target / name)
        record_scores(target / name)
    save_colbert(target / "late-colbert")
    record_scores(target / "late-colbert")
    for pooling in ("cls", "mean"):
        folder = target / f"cross-modernbert-{pooling}"
        settings = {"local_attention": 16, "num_labels": 1, "classifier_pooling": pooling}
        save_cross_encoder(folder, configured("modernbert", **settings))
        record_cross_encoder(folder)
    save_cross_encoder(target / "cross-mpnet", configured("mpnet", pad_token_id=1, num_labels=1))
    record_cross_encoder(target / "cross-mpnet")
    static = target / "model2vec"
    record(static, {"documents": static_model(static).encode(STATIC_TEXTS, batch_size=1)}, STATIC_TEXTS)


if __name__ == "__main__":
    main()
