"""The commands whose files must survive: what each starts from, and what must be true of its folder afterwards."""
import json
import pathlib
import subprocess
import time

DEFINED_CODES = {0, 1, 2, 3, 4, 5, 130}

TRAIN_CSV = "x,city,y\n" + "".join(f"{i},{'ab'[i % 2]},{(i * i) % 7 + 0.5 * i}\n" for i in range(24))
MORE_CSV = "x,city,y\n30,a,14\n31,b,15.5\n"
NEW_CSV = "x,city\n" + "".join(f"{i + 0.5},{'ab'[i % 2]}\n" for i in range(40))
SERIES_CSV = "month,shop,y\n" + "".join(
    f"20{20 + m // 12}-{m % 12 + 1:02d},{s},{10 + m % 12 + 3 * (s == 'n')}\n" for s in "ns" for m in range(30))
SMALL_BLOCK = {"width": 8, "layers": 1, "hidden": 8}
TRAINING = {
    "network": {"preset": "base", "t1": SMALL_BLOCK, "t2": SMALL_BLOCK, "t3": {"width": 16, "layers": 1, "hidden": 16},
                "t4": {"width": 16, "layers": 1, "hidden": 16}, "kernel1": SMALL_BLOCK, "cross": SMALL_BLOCK,
                "kernel2": SMALL_BLOCK, "symbol_head": [8], "noise_head": [8], "pair_hidden": 8, "hypotheses": 2},
    "seed": 5, "batch": 8, "lanes": 4, "min_n": 8, "max_n": 16, "max_d": 2, "curriculum": [],
    "validation": {"datasets": 4, "every_datasets": 40, "type2": False}, "checkpoint_minutes": 1e6, "checkpoint_steps": 2,
    "datasets": 80,
}


class Operation:
    """One command in a folder of its own. `name`, `arguments` and what the folder must hold before and after."""
    name = ""
    arguments = []
    kept = []  # files that exist before and must be whole, old or new, after whatever happens
    leftovers = ()  # endings of files that may stay after a failure because the next run uses them

    def __init__(self, program, base):
        self.program = program
        self.base = pathlib.Path(base)

    def run(self, arguments, folder, environment=None, timeout=120):
        return subprocess.run([self.program, *arguments], cwd=folder, env=environment, timeout=timeout,
                              capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)

    def must(self, arguments, folder):
        result = self.run(arguments, folder)
        assert result.returncode == 0, f"{arguments}: {result.stderr}"
        return result

    def prepare(self, folder):
        """Inputs and old outputs; the state that a failure must not make worse."""

    def clean(self, folder):
        """After a run that nothing disturbed: remember what it wrote."""

    def whole(self, folder):
        """What is wrong with the files after a failure, or ''."""
        for name in self.kept:
            if not (folder / name).exists():
                return f"{name} is gone"
            if self.run(["info", name], folder).returncode != 0:
                return f"{name} cannot be read"
        return ""

    def strangers(self, folder, before):
        """Files that were not there before, are not results and not for the next run."""
        results = {name for name in self.results()}
        found = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
        return sorted(f for f in found - before - results if not f.endswith(tuple(self.leftovers) or ("\0",)))

    def results(self):
        return self.kept

    def again(self, folder):
        """The same command without a fault: what is wrong with it, or ''."""
        result = self.run(self.arguments, folder)
        return "" if result.returncode == 0 else f"does not continue: {result.stderr.strip()[-300:]}"


class Fit(Operation):
    name = "fit --model"
    arguments = ["fit", "train.csv", "--kernel", "SE(x)", "--model", "model.gp", "--threads", "1", "--quiet"]
    kept = ["model.gp"]

    def prepare(self, folder):
        (folder / "train.csv").write_text(TRAIN_CSV)
        self.must([*self.arguments[:3], "LIN(x)", *self.arguments[4:]], folder)


class Predict(Operation):
    name = "predict --output"
    arguments = ["predict", "model.gp", "new.csv", "--output", "p.csv", "--threads", "1", "--quiet"]
    old = "old predictions\n"

    def prepare(self, folder):
        (folder / "train.csv").write_text(TRAIN_CSV)
        self.must(["fit", "train.csv", "--kernel", "SE", "--model", "model.gp", "--quiet", "--threads", "1"], folder)
        (folder / "new.csv").write_text(NEW_CSV)
        (folder / "p.csv").write_text(self.old)

    def results(self):
        return ["p.csv"]

    def clean(self, folder):
        self.new = (folder / "p.csv").read_text()
        assert self.new.count("\n") == NEW_CSV.count("\n")

    def whole(self, folder):
        text = (folder / "p.csv").read_text()
        return "" if text in (self.old, self.new) else f"p.csv is neither old nor new ({len(text)} bytes)"

    def again(self, folder):
        wrong = super().again(folder)
        return wrong or ("" if (folder / "p.csv").read_text() == self.new else "p.csv differs when repeated")


class Update(Operation):
    name = "update"
    arguments = ["update", "model.gp", "more.csv", "--keep", "--threads", "1", "--quiet"]
    kept = ["model.gp"]

    def prepare(self, folder):
        (folder / "train.csv").write_text(TRAIN_CSV)
        (folder / "more.csv").write_text(MORE_CSV)
        self.must(["fit", "train.csv", "--kernel", "SE", "--model", "model.gp", "--quiet", "--threads", "1"], folder)


class Train(Operation):
    name = "train"
    arguments = ["train", "--config", "small.json", "--out", "run", "--threads", "1", "--quiet"]
    leftovers = (".safetensors", "log.csv", "log.jsonl", "curve.svg", "config.json", "type2.json")

    def prepare(self, folder):
        (folder / "small.json").write_text(json.dumps(TRAINING))

    def clean(self, folder):
        self.last = (folder / "run/last.safetensors").read_bytes()

    def whole(self, folder):
        for name in ("best.safetensors", "last.safetensors"):
            if (folder / "run" / name).exists() and self.run(["info", "run/" + name], folder).returncode != 0:
                return f"{name} cannot be read"
        return ""

    def again(self, folder):
        resumed = self.run(["train", "--out", "run", "--resume", "--threads", "1", "--quiet"], folder)
        if resumed.returncode != 0:  # stopped before its first checkpoint: from the beginning
            started = self.run(self.arguments, folder)
            if started.returncode != 0:
                return f"neither resumes ({resumed.stderr.strip()[-200:]}) nor starts ({started.stderr.strip()[-200:]})"
        if (folder / "run/last.safetensors").read_bytes() != self.last:
            return "the weights at the end are others than without the interruption"
        return ""


class TrainResume(Train):
    """Goes on from a run that was killed, whose logs have lines after its checkpoint and are cut back."""
    name = "train --resume"
    arguments = ["train", "--out", "run", "--resume", "--threads", "1", "--quiet"]

    def prepare(self, folder):
        super().prepare(folder)
        process = subprocess.Popen([self.program, *Train.arguments], cwd=folder, stderr=subprocess.DEVNULL)
        while process.poll() is None and not (folder / "run/checkpoint.safetensors").exists():
            time.sleep(0.001)
        process.kill()
        process.wait()
        assert not (folder / "run/last.safetensors").exists(), "it ended before it could be killed; give it more to do"
        for name in ("log.csv", "log.jsonl"):
            with open(folder / "run" / name, "a") as log:
                log.write("cut off")


class Evaluate(Operation):
    name = "evaluate"
    arguments = ["evaluate", "tables", "--data", "tables", "--out", "results", "--methods", "oneshot,ml", "--splits", "2",
                 "--threads", "1", "--quiet"]
    leftovers = (".csv", ".json", ".md", ".svg", ".jsonl")

    def prepare(self, folder):
        (folder / "tables").mkdir()
        rows = "a,y\n" + "".join(f"{i},{(i * 5) % 11}\n" for i in range(30))
        (folder / "tables/one.csv").write_text(rows)

    def clean(self, folder):
        self.files = sorted(p.name for p in (folder / "results").iterdir())
        self.rows = (folder / "results/records.csv").read_text().count("\n")

    def whole(self, folder):
        return ""

    def again(self, folder):
        wrong = super().again(folder)
        if wrong:
            return wrong
        # A process that is killed between giving a file its name and renaming it leaves it, whole.
        files = sorted(p.name for p in (folder / "results").iterdir() if ".tmp" not in p.name)
        if files != self.files:
            return f"other files: {files}"
        rows = (folder / "results/records.csv").read_text().count("\n")
        return "" if rows == self.rows else f"{rows} lines of records instead of {self.rows}"


class Forecast(Operation):
    name = "forecast --output"
    arguments = ["forecast", "series.csv", "--by", "shop", "--horizon", "3", "--fast", "--output", "f.csv", "--threads", "1",
                 "--quiet"]
    old = "old forecasts\n"
    leftovers = (".partial",)

    def prepare(self, folder):
        (folder / "series.csv").write_text(SERIES_CSV)
        (folder / "f.csv").write_text(self.old)

    def results(self):
        return ["f.csv"]

    def clean(self, folder):
        self.new = (folder / "f.csv").read_text()

    def whole(self, folder):
        text = (folder / "f.csv").read_text()
        return "" if text in (self.old, self.new) else f"f.csv is neither old nor new ({len(text)} bytes)"

    def again(self, folder):
        result = self.run([*self.arguments, "--resume"], folder)
        if result.returncode != 0:
            result = self.run(self.arguments, folder)
        if result.returncode != 0:
            return f"does not continue: {result.stderr.strip()[-300:]}"
        return "" if (folder / "f.csv").read_text() == self.new else "f.csv differs when continued"


class ForecastResume(Forecast):
    """Goes on from a run that was stopped in the middle of its second series."""
    name = "forecast --resume"
    arguments = [*Forecast.arguments, "--resume"]

    def prepare(self, folder):
        super().prepare(folder)
        self.must(Forecast.arguments, folder)
        lines = (folder / "f.csv").read_text().splitlines(keepends=True)
        (folder / "f.csv.partial").write_text("".join(lines[:5])[:-3])
        (folder / "f.csv").write_text(self.old)

    def again(self, folder):
        result = self.run(Forecast.arguments if not (folder / "f.csv.partial").exists() else self.arguments, folder)
        if result.returncode != 0:
            return f"does not continue: {result.stderr.strip()[-300:]}"
        return "" if (folder / "f.csv").read_text() == self.new else "f.csv differs when continued"


ALL = [Fit, Predict, Update, Train, TrainResume, Evaluate, Forecast, ForecastResume]
