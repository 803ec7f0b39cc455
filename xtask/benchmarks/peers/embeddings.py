"""Lines embed-documents, embed-int8, embed-query and rerank-pairs: all-MiniLM-L6-v2 in 32-bit floats with PyTorch and with ONNX
Runtime, and with 8-bit weights with ONNX Runtime; the texts of crates/textsearch-embeddings-local/benches/embed.rs, with tokenizing on both sides."""

import pathlib
import tempfile

import onnxruntime
import torch
from measure import report_calls
from onnxruntime.quantization import QuantType, quantize_dynamic
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

FOLDER = pathlib.Path(__file__).parents[3] / "target/models/minilm"

WORDS = """time year people way day man thing woman life child world school state family student group country
problem hand part place case week company system program question work government number night""".split()

QUERY = ["how are filters applied to results"]


def document(number):
    words = (WORDS[(number * 7 + place * (number % 5 + 1)) % len(WORDS)] for place in range(198))
    return " ".join(words)


def pooled(tokens, mask):
    mask = mask.unsqueeze(-1).float()
    return torch.nn.functional.normalize((tokens * mask).sum(1) / mask.sum(1), dim=1)


class Exported(torch.nn.Module):
    """The model as a function of its three inputs."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask, types):
        return self.model(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state


class Peers:
    def __init__(self):
        if not FOLDER.exists():
            raise SystemExit("this script needs the model in target/models/minilm: cargo xtask model minilm")
        self.tokenizer = AutoTokenizer.from_pretrained(FOLDER)
        self.model = AutoModel.from_pretrained(FOLDER, attn_implementation="sdpa").eval()

    def tokens(self, texts):
        return self.tokenizer(texts, padding=True, truncation=True, max_length=256, return_tensors="pt")

    def with_pytorch(self, texts, threads):
        def embed():
            torch.set_num_threads(threads)
            with torch.inference_mode():
                tokens = self.tokens(texts)
                return pooled(self.model(**tokens).last_hidden_state, tokens["attention_mask"])

        return embed

    def pairs_with_pytorch(self, query, texts, threads):
        """The head of the classifier is new, which does not change the time."""
        model = AutoModelForSequenceClassification.from_pretrained(FOLDER, num_labels=1, attn_implementation="sdpa").eval()

        def score():
            torch.set_num_threads(threads)
            with torch.inference_mode():
                return model(**self.tokens([[query, text] for text in texts])).logits

        return score

    def export(self, file):
        model = Exported(AutoModel.from_pretrained(FOLDER, attn_implementation="eager").eval())
        names = ["input_ids", "attention_mask", "token_type_ids"]
        example = self.tokens(["one text", "and another one"])
        axes = {name: {0: "texts", 1: "tokens"} for name in [*names, "tokens"]}
        torch.onnx.export(
            model,
            tuple(example[name] for name in names),
            file,
            input_names=names,
            output_names=["tokens"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )

    def with_onnx(self, file, texts, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])

        def embed():
            tokens = self.tokens(texts)
            inputs = {name: tensor.numpy() for name, tensor in tokens.items()}
            rows = session.run(["tokens"], inputs)[0]
            return pooled(torch.from_numpy(rows), tokens["attention_mask"])

        return embed


def main():
    peers = Peers()
    documents = [document(number) for number in range(32)]
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "minilm.onnx")
        peers.export(file)
        int8 = str(pathlib.Path(folder) / "int8.onnx")
        quantize_dynamic(file, int8, per_channel=True, weight_type=QuantType.QInt8)
        expected = peers.with_pytorch(QUERY, 1)()
        assert torch.allclose(peers.with_onnx(file, QUERY, 1)(), expected, atol=1e-4)
        for threads, name in [(1, "one thread"), (2, "two threads")]:
            report_calls(f"embed-documents, PyTorch, {name}", "torch", peers.with_pytorch(documents, threads))
            report_calls(f"embed-documents, ONNX Runtime, {name}", "onnxruntime", peers.with_onnx(file, documents, threads))
            report_calls(f"embed-int8, ONNX Runtime, {name}", "onnxruntime", peers.with_onnx(int8, documents, threads))
            report_calls(f"rerank-pairs, PyTorch, {name}", "torch", peers.pairs_with_pytorch(QUERY[0], documents, threads))
        report_calls("embed-query, PyTorch", "torch", peers.with_pytorch(QUERY, 1))
        report_calls("embed-query, ONNX Runtime", "onnxruntime", peers.with_onnx(file, QUERY, 1))


main()
