"""The network of the paper in plain numpy, in double, written from the steps alone.

    numpy_network.py DUMP_NETWORK NAME...                 compare with the answers of dump_network (1e-5)
    numpy_network.py DUMP_NETWORK --write FILE NAME...    and write numpy's answers to the golden file
    numpy_network.py DUMP_NETWORK --check FILE            and compare with a golden file (1e-9)

DUMP_NETWORK is the program of tests/golden/dump_network.cc; it writes weights (safetensors) and problems of a named
network: base-small, paper-small, base, paper (the full size, 170 MB of weights, half a minute).
Exit code 77 without numpy.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")
SKIPPED = 77
try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(SKIPPED)

PARAMETERS = {"SE": ["variance", "lengthscale"], "LIN": ["variance", "offset"],
              "PER": ["variance", "lengthscale", "period"], "MAT52": ["variance", "lengthscale"]}
PRIORS = {"variance": (2, 3), "lengthscale": (2, 5), "period": (2, 3), "offset": (2, 3), "noise": (1, 1 / 0.15**2)}


def read_safetensors(path):
    """(metadata, name -> array in double)"""
    with open(path, "rb") as file:
        raw = file.read()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:8 + size])
    metadata = header.pop("__metadata__")
    data = raw[8 + size:]
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32"
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"]).astype(np.float64)
    return metadata, tensors


erf = np.vectorize(math.erf)


class Network:
    def __init__(self, config, weights):
        self.config, self.weights = config, weights

    def linear(self, name, x):
        y = x @ self.weights[name + ".weight"]
        bias = self.weights.get(name + ".bias")
        return y if bias is None else y + bias

    def mlp(self, name, x):
        """Linear layers with ReLU between them."""
        i = 0
        while f"{name}.{i + 1}.weight" in self.weights:
            x = np.maximum(self.linear(f"{name}.{i}", x), 0)
            i += 1
        return self.linear(f"{name}.{i}", x)

    def norm(self, name, x):
        mean = x.mean(axis=1, keepdims=True)
        variance = ((x - mean) ** 2).mean(axis=1, keepdims=True)
        return (x - mean) / np.sqrt(variance + 1e-5) * self.weights[name + ".gain"] + self.weights[name + ".bias"]

    def attention(self, name, x):
        """Multi-head self-attention of the rows of x among each other."""
        width, heads = x.shape[1], self.config["heads"]
        qkv = x @ self.weights[name + ".qkv.weight"]
        q, k, v = qkv[:, :width], qkv[:, width:2 * width], qkv[:, 2 * width:]
        c = width // heads
        out = []
        for h in range(heads):
            part = slice(h * c, (h + 1) * c)
            scores = q[:, part] @ k[:, part].T / math.sqrt(c)
            p = np.exp(scores - scores.max(axis=1, keepdims=True))
            out.append(p / p.sum(axis=1, keepdims=True) @ v[:, part])
        return self.linear(name + ".attention", np.concatenate(out, axis=1))

    def block_mlp(self, name, x, context):
        if context is not None:
            x = np.concatenate([x, np.tile(context, (len(x), 1))], axis=1)
        h = self.linear(name + ".mlp1", x)
        h = np.maximum(h, 0) if self.config["activation"] == "relu" else 0.5 * h * (1 + erf(h / math.sqrt(2)))
        return self.linear(name + ".mlp2", h)

    def stack(self, name, x, context=None):
        """Transformer layers on the rows of x; with a context, kernel-encoder blocks."""
        for i in range(self.config[name]["layers"]):
            layer = f"{name}.{i}"
            if self.config["norm"] == "pre":
                x = x + self.attention(layer, self.norm(layer + ".norm1", x))
                x = x + self.block_mlp(layer, self.norm(layer + ".norm2", x), context)
            else:
                x = self.norm(layer + ".norm1", x + self.attention(layer, x))
                x = self.norm(layer + ".norm2", x + self.block_mlp(layer, x, context))
        return self.norm(name + ".norm", x) if self.config["norm"] == "pre" else x

    def pair_statistics(self, X, y, i):
        """Of column i: averages of y_a y_b over pairs, binned by |x_a - x_b|; see ops/pair_statistics.h."""
        linear, weighted, near = np.zeros((40, 2)), np.zeros((40, 2)), np.zeros((16, 2))
        for a in range(len(y)):
            for b in range(a):
                distance = np.abs(X[a] - X[b])
                others = np.prod(np.delete((1 - distance) ** 2, i))
                bin_ = min(int(distance[i] * 40), 39)
                linear[bin_] += [y[a] * y[b], 1]
                weighted[bin_] += [y[a] * y[b] * others, others]
                if distance[i] < 0.1:
                    octaves = math.floor(math.log2((0.1 / distance[i]) ** 2)) if distance[i] > 0 else 99
                    near[max(0, 15 - octaves)] += [y[a] * y[b], 1]
        bins = np.concatenate([linear, weighted, near])
        return bins[:, 0] / (bins[:, 1] + 1)

    def encode(self, X, y):
        """Steps 1-9: one embedding per column."""
        n, d = X.shape
        tokens = []
        for i in range(d):  # 1, 2
            f = np.array(self.config["fourier"])
            angles = math.pi * X[:, i:i + 1] * f[None, :]
            features = np.concatenate([X[:, i:i + 1], y[:, None], np.sin(angles), np.cos(angles)], axis=1)
            tokens.append(self.linear("input", features))
        tokens = [self.stack("t1", t) for t in tokens]  # 3
        points = self.stack("t2", sum(tokens) / d)  # 4, 5
        tokens = [self.stack("t3", np.concatenate([points, t], axis=1)) for t in tokens]  # 6, 7
        h = np.stack([t.mean(axis=0) for t in tokens])  # 8
        if self.config["pair_statistics"]:
            h = h + self.mlp("pairs", np.stack([self.pair_statistics(X, y, i) for i in range(d)]))
        return self.stack("t4", h)  # 9

    def decode(self, h, symbols, hypothesis):
        """Steps 1-4: an embedding per symbol."""
        one_hot = np.eye(len(self.config["symbols"]))
        v = []
        for addends in symbols:
            x = np.stack([one_hot[self.config["symbols"].index(s)] for s in addends]) @ self.weights["symbols.weight"]
            if self.config["hypotheses"] > 1:
                x = x + self.weights["hypotheses"][hypothesis]
            v.append(x)
        v = [self.stack("kernel1", x, h[i]) for i, x in enumerate(v)]  # 1
        c = self.stack("cross", np.stack([x.mean(axis=0) for x in v]))  # 2, 3
        return [self.stack("kernel2", x, np.concatenate([h[i], c[i]])) for i, x in enumerate(v)]  # 4

    def heads(self, symbol, v):
        """Raw outputs of a symbol: (factor number, factor, kind, raw), in table order."""
        factors = symbol.split("*")
        if self.config["shared_heads"]:
            raw = np.concatenate([self.mlp("head." + f, v[None, :])[0] for f in factors])
        else:
            raw = self.mlp("head." + ".".join(factors), v[None, :])[0]
        names = [(number, f, kind) for number, f in enumerate(factors) for kind in PARAMETERS[f]]
        assert len(names) == len(raw)
        return [(*name, value) for name, value in zip(names, raw)]

    def log_parameter(self, kind, factor, first, addends, raw):
        if self.config["output"] == "softplus":
            return (2 if kind == "variance" else 1) * math.log(math.log1p(math.exp(raw)))
        if self.config["scale_equivariant"] and kind in ("variance", "offset"):
            centre = (-math.log(addends) if first else 0) - (math.log(4 / 3) if factor == "LIN" else 0)
        else:
            centre = prior_centre(kind)
        return centre + 6 * math.tanh(raw / 6)

    def log_noise(self, raw):
        floor = self.config["noise_floor"]
        if self.config["output"] == "softplus":
            return math.log(math.log1p(math.exp(raw)) + floor)
        return math.log(floor + math.exp(prior_centre("noise") + 6 * math.tanh(raw / 6)))

    def theta(self, X, y, symbols):
        """One list of log-parameters per hypothesis, log noise variance last."""
        d = len(symbols)
        scale = math.sqrt(np.mean(y**2)) if self.config["scale_equivariant"] else 1.0
        h = self.encode(X, y / scale)
        result = []
        for hypothesis in range(self.config["hypotheses"]):
            v = self.decode(h, symbols, hypothesis)
            values = []
            for i, addends in enumerate(symbols):
                for j, symbol in enumerate(addends):
                    for number, factor, kind, raw in self.heads(symbol, v[i][j]):
                        value = self.log_parameter(kind, factor, number == 0, len(addends), raw)
                        if number == 0 and kind in ("variance", "offset"):
                            value += 2 * math.log(scale) / d
                        values.append(value)
            everything = np.concatenate([h.mean(axis=0), np.concatenate(v).mean(axis=0)])
            values.append(self.log_noise(self.mlp("noise", everything[None, :])[0, 0]) + 2 * math.log(scale))
            result.append(values)
        return result


def prior_centre(kind):
    """About E[log theta] of the Gamma prior, the few terms of digamma that ops/outputs.cc takes."""
    shape, rate = PRIORS[kind]
    return math.log(shape) - 1 / (2 * shape) - 1 / (12 * shape**2) - math.log(rate)


def difference(a, b):
    """The largest |a - b|: relative, because theta are logarithms."""
    return max(abs(x - y) for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


def answers(program, name):
    """numpy's answers for a network, compared with those of the program."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, name, folder], check=True)
        metadata, weights = read_safetensors(f"{folder}/{name}.safetensors")
        with open(f"{folder}/{name}.json", encoding="utf-8") as file:
            cases = json.load(file)
    network = Network(json.loads(metadata["config"]), weights)
    thetas, worst = [], 0.0
    for case in cases:
        thetas.append(network.theta(np.array(case["X"]), np.array(case["y"]), case["symbols"]))
        worst = max(worst, difference(thetas[-1], case["ours"]))
    print(f"{name}: {len(cases)} problems, largest difference {worst:.2e}")
    return thetas, worst <= 1e-5


def main(arguments):
    program, arguments = arguments[0], arguments[1:]
    golden = None
    if arguments[0] == "--check":
        with open(arguments[1], encoding="utf-8") as file:
            golden = json.load(file)["networks"]
        names = list(golden)
    else:
        names = arguments[2:] if arguments[0] == "--write" else arguments
    good, networks = True, {}
    for name in names:
        networks[name], fine = answers(program, name)
        good = good and fine
        if golden is not None:
            for old, new in zip(golden[name], networks[name], strict=True):
                good = good and difference(old, new) <= 1e-9
    if arguments[0] == "--write":
        with open(arguments[1], "w", encoding="utf-8") as file:
            json.dump({"schema": "instantgp/golden-network/1", "networks": networks}, file, indent=1)
            file.write("\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
