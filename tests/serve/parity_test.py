#!/usr/bin/env python3
"""The same request by HTTP, the command line and Python: equal numbers to the last bit. (C++: api_test.cc.)

    parity_test.py PROGRAM
"""
import json
import subprocess
import sys
import urllib.request

import numpy as np

import instantgp


def main():
    (program,) = sys.argv[1:]
    kernel = "SE + LIN"
    random = np.random.default_rng(3)
    X = random.uniform(size=(40, 2))
    y = np.sin(5 * X[:, 0]) + 0.1 * random.normal(size=40)
    X_new = random.uniform(size=(5, 2))
    csv = "a,b,y\n" + "".join(f"{a!r},{b!r},{t!r}\n" for (a, b), t in zip(X.tolist(), y.tolist()))
    rows = "a,b\n" + "".join(f"{a!r},{b!r}\n" for a, b in X_new.tolist())
    with subprocess.Popen([program, "serve", "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True) as process:
        try:
            server = process.stdout.readline().strip()
            request = urllib.request.Request(server + "/v1/fit", headers={"Content-Type": "application/json"},
                                             data=json.dumps({"csv": csv, "kernel": kernel, "predict": rows}).encode())
            with urllib.request.urlopen(request) as reply:
                http = json.load(reply)
        finally:
            process.terminate()
    model = instantgp.OneShotGPRegressor(kernel).fit(X, y)
    mean, std = model.predict(X_new, return_std=True)
    cli = json.loads(subprocess.run([program, "fit", "-", "--kernel", kernel, "--json"], input=csv, text=True,
                                    capture_output=True, check=True).stdout)
    assert http["predictions"]["mean"] == mean.tolist(), (http["predictions"]["mean"], mean.tolist())
    assert http["predictions"]["std"] == std.tolist()
    for key in ("nlml_per_point", "noise_variance", "log_marginal_likelihood", "scaling"):
        assert http[key] == cli[key], key
    assert [p["value"] for p in http["parameters"]] == [p["value"] for p in cli["parameters"]]
    assert http["log_marginal_likelihood"] == model.log_marginal_likelihood()
    print("HTTP, command line and Python agree to the last bit")


if __name__ == "__main__":
    main()
