#!/usr/bin/env python3
"""Runs the shell lines of docs/server.md, and validates answers against the server's own description.

    docs_test.py PROGRAM AIRLINE.csv SERVER.md

Without Debian's python3-jsonschema the validation is skipped with a message, and the exit code is 77.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

try:
    import jsonschema
except ImportError:
    jsonschema = None


def ask(server, path, body=None, kind="application/json"):
    """Status, type and text of an answer."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(server + path, data=data, headers={"Content-Type": kind} if data is not None else {})
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, reply.headers["Content-Type"], reply.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode()


class Description:
    """The API as /openapi.json has it."""

    def __init__(self, server):
        self.document = json.loads(ask(server, "/openapi.json")[2])
        self.resolver = jsonschema.RefResolver("", self.document)
        for name, schema in self.document["components"]["schemas"].items():
            jsonschema.Draft202012Validator.check_schema(schema)
            assert "properties" in schema, name
        for path, item in self.document["paths"].items():
            for method in set(item) & {"get", "post", "delete"}:
                assert item[method]["operationId"] and item[method]["responses"], path

    def schema(self, path, method, status, kind):
        responses = self.document["paths"][path][method]["responses"]
        return responses.get(str(status), responses.get("default"))["content"][kind]["schema"]

    def check(self, path, method, status, kind, value):
        schema = self.schema(path, method, status, kind)
        jsonschema.Draft202012Validator(schema, resolver=self.resolver).validate(value)

    def check_request(self, path, body):
        schema = self.document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
        jsonschema.Draft202012Validator(schema, resolver=self.resolver).validate(body)


def validate(server, airline):
    description = Description(server)
    checked = 0

    def post(path, body, status=200):
        nonlocal checked
        got, kind, text = ask(server, path, body)
        assert got == status, (path, got, text)
        if status == 200:
            description.check_request(path, body)
        description.check(path, "post", got, kind.split(";")[0], json.loads(text))
        checked += 1
        return json.loads(text)

    fit = post("/v1/fit", {"csv": airline, "kernel": "LIN + SE*PER", "holdout": 0.2, "explain": True, "plot": True,
                           "diagnostics": True, "effects": True, "compare": "ml", "predict": {"columns": {"month": [145]}}})
    post("/v1/fit", {"csv": airline, "kernel": "SE +"}, 422)
    post("/v1/fit", {"csv": airline, "kernl": "SE"}, 400)
    rows = "month\n145\n146\n"
    post("/v1/predict", {"model": fit["model"], "csv": rows, "samples": 2, "cov": True})
    post("/v1/predict", {"model": "0" * 32, "csv": rows}, 404)
    post("/v1/update", {"model": fit["model"], "csv": "month,passengers\n145,450\n"})
    post("/v1/ensemble", {"csv": airline, "kernels": ["SE", "LIN"], "holdout": 0.2})
    post("/v1/search", {"csv": airline, "depth": 0, "refine_top": 1})
    post("/v1/forecast", {"csv": airline, "horizon": 3, "backtest": 1, "explain": True})
    post("/v1/table", {"csv": airline})
    status, kind, text = ask(server, "/v1/search", {"csv": airline, "depth": 1, "refine_top": 1, "stream": True})
    assert (status, kind) == (200, "application/x-ndjson"), (status, kind)
    for line in text.splitlines():
        description.check("/v1/search", "post", 200, kind, json.loads(line))
    status, kind, text = ask(server, "/healthz")
    description.check("/healthz", "get", status, kind, json.loads(text))
    # The check can fail.
    try:
        description.check("/healthz", "get", 200, "application/json", {"status": "bad"})
    except jsonschema.ValidationError:
        pass
    else:
        raise AssertionError("a wrong answer passes")
    print(f"{checked} answers are as /openapi.json says")


def run_lines(server, program, airline, document):
    blocks = re.findall(r"^```sh\n(.*?)^```", pathlib.Path(document).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4, "docs/server.md has lost its lines"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(airline, pathlib.Path(folder) / "airline.csv")
        bin_folder = pathlib.Path(folder) / "bin"
        bin_folder.mkdir()
        (bin_folder / "instantgp").symlink_to(pathlib.Path(program).resolve())
        environment = {**os.environ, "SERVER": server, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
        for block in blocks:
            run = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, env=environment, text=True, capture_output=True)
            assert run.returncode == 0, f"{block}\n{run.stdout}\n{run.stderr}"
    print(f"{len(blocks)} blocks of docs/server.md run")


def main():
    program, airline, document = sys.argv[1:]
    process = subprocess.Popen([program, "serve", "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True)
    try:
        server = process.stdout.readline().strip()
        run_lines(server, program, airline, document)
        if jsonschema:
            validate(server, pathlib.Path(airline).read_text(encoding="utf-8"))
    finally:
        process.terminate()
        code = process.wait(30)
    assert code == 0, f"the server ended with {code}"
    if not jsonschema:
        print("answers were not validated: python3-jsonschema is missing (tools/setup installs it)", file=sys.stderr)
        sys.exit(77)


if __name__ == "__main__":
    main()
