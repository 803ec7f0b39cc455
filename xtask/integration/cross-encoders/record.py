"""Makes small cross-encoders with random weights, and records the scores that sentence-transformers gives pairs of texts.

Made once, with the versions below, and kept in crates/textsearch-embeddings-local/tests/fixtures/cross-encoders:

    pip install sentence-transformers==6.2.0 transformers==5.23.0 torch==2.15.0
    python xtask/integration/cross-encoders/record.py
"""

import json
import pathlib
import shutil

import torch
import transformers
from sentence_transformers import CrossEncoder
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

FIXTURES = pathlib.Path(__file__).parents[3] / "crates/textsearch-embeddings-local/tests/fixtures/cross-encoders"

# In tokens, with the start and end tokens.
LIMIT = 48

TEXTS = [
    "A filter is applied or refused, never dropped.",
    "The train to the coast leaves at nine in the morning.",
    "Readers never wait for a writer.",
    "How are filters applied to the results of a search?",
    "When does the morning train leave?",
    "Un filtre est appliqué ou refusé.",
    "Der Zug fährt um neun Uhr ab.",
    "検索結果は絞り込まれます。",
    "E1042: the server refused the connection",
    "naïve café 🚂 über alles",
    "",
]

SIZES = {"hidden_size": 16, "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 24}


def word_pieces():
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=160, special_tokens=marks, show_progress=False)
    tokenizer.train_from_iterator(TEXTS[:5], trainer)
    ids = [(mark, tokenizer.token_to_id(mark)) for mark in ("[SEP]", "[CLS]")]
    tokenizer.post_processor = processors.BertProcessing(*ids)
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return tokenizer, names


def sentence_pieces():
    marks = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=160, special_tokens=marks, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    ids = [(mark, tokenizer.token_to_id(mark)) for mark in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B:1 </s>:1", special_tokens=ids
    )
    names = {"pad_token": "<pad>", "unk_token": "<unk>", "cls_token": "<s>", "sep_token": "</s>"}
    return tokenizer, names


def bert(tokenizer):
    size = tokenizer.get_vocab_size()
    config = transformers.BertConfig(vocab_size=size, max_position_embeddings=LIMIT, num_labels=1, **SIZES)
    return transformers.BertForSequenceClassification(config), ["input_ids", "token_type_ids", "attention_mask"]


def roberta(tokenizer):
    config = transformers.XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        # Positions start after that of the padding, 1.
        max_position_embeddings=LIMIT + 2,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        num_labels=1,
        **SIZES,
    )
    return transformers.XLMRobertaForSequenceClassification(config), ["input_ids", "attention_mask"]


def distilbert(tokenizer):
    config = transformers.DistilBertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        max_position_embeddings=LIMIT,
        num_labels=1,
        dim=SIZES["hidden_size"],
        n_heads=SIZES["num_attention_heads"],
        n_layers=SIZES["num_hidden_layers"],
        hidden_dim=SIZES["intermediate_size"],
    )
    return transformers.DistilBertForSequenceClassification(config), ["input_ids", "attention_mask"]


def spread(model):
    """Makes the weights large enough for scores that differ."""
    for name, values in model.named_parameters():
        if values.dim() > 1 or "bias" in name:
            torch.nn.init.normal_(values, std=0.8)


def save(folder, tokenizer, names, made):
    model, inputs = made
    spread(model)
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=LIMIT, model_input_names=inputs, **names
    )
    fast.save_pretrained(folder)


def all_pairs():
    short = [[query, text] for query in TEXTS for text in TEXTS[::2]]
    long = " ".join(TEXTS * 3)
    return [*short, [TEXTS[3], long], [long, TEXTS[0]], [long, long[7:]], [long, ""], ["", long]]


def main() -> None:
    torch.manual_seed(7)
    kinds = {
        "bert": (word_pieces(), bert),
        "distilbert": (word_pieces(), distilbert),
        "xlm-roberta": (sentence_pieces(), roberta),
    }
    pairs, scores = all_pairs(), {}
    for kind, ((tokenizer, names), make) in kinds.items():
        save(FIXTURES / kind, tokenizer, names, make(tokenizer))
        model = CrossEncoder(str(FIXTURES / kind), device="cpu", activation_fn=torch.nn.Identity())
        # One at a time: nothing is padded.
        scores[kind] = [float(model.predict([tuple(pair)], batch_size=1)[0]) for pair in pairs]
        spread_of = max(scores[kind]) - min(scores[kind])
        print(f"{kind}: {len(pairs)} scores over {spread_of:.2f}, {tokenizer.get_vocab_size()} tokens")
    recorded = json.dumps({"pairs": pairs, "scores": scores}, ensure_ascii=False, indent=1)
    (FIXTURES / "scores.json").write_text(recorded + "\n", "utf-8")


if __name__ == "__main__":
    main()
