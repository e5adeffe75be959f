// The call the page just made, for the command line, Python, C++ and curl.

const quote = text => `'${String(text).replaceAll("'", `'\\''`)}'`;
const python = text => JSON.stringify(String(text));

function flags(options) {
  return Object.entries(options).filter(([, v]) => v !== "" && v !== undefined && v !== null)
      .map(([k, v]) => `--${k.replaceAll("_", "-")} ${/^[\w.%-]+$/.test(v) ? v : quote(v)}`).join(" ");
}

// `what` is fit, ensemble or search; `options` as sent.
export function calls(what, options, origin) {
  const {target, holdout, missing} = options;
  const cliOptions = {target, kernel: what === "fit" ? options.kernel : undefined, method: what === "search" ? undefined : options.method,
                      holdout, missing: missing === "error" ? undefined : missing};
  const shell = `instantgp ${what} data.csv ${flags(cliOptions)} --model model.gp\ninstantgp predict model.gp new.csv --output predictions.csv`;
  const query = new URLSearchParams(Object.entries(cliOptions).filter(([, v]) => v)).toString();
  const curl = `curl -sS -H 'Content-Type: text/csv' --data-binary @data.csv \\\n  ${quote(`${origin}/v1/${what}?${query}`)}`;
  const frame = `import instantgp, pandas\n\ntable = pandas.read_csv("data.csv")\nX, y = table.drop(columns=${python(target)}), table[${python(target)}]\n`;
  const estimator = {
    fit: `model = instantgp.OneShotGPRegressor(kernel=${python(options.kernel)}, method=${python(options.method)}).fit(X, y)`,
    ensemble: `model = instantgp.EnsembleGPRegressor(method=${python(options.method)}).fit(X, y)`,
    search: `result = instantgp.search(X, y)`,
  }[what];
  const cpp = {
    fit: `  const Model model = Fit(data, ${python(options.kernel)}, {.method = *MethodFromName(${python(options.method)})});`,
    ensemble: "  const Ensemble model = FitEnsemble(data, BuiltInKernels());",
    search: "  const Model model = SearchStructures(data).model;",
  }[what];
  return {
    "Command line": shell,
    "Python": `${frame}${estimator}\n`,
    "C++": `#include <instantgp/instantgp.h>\nusing namespace instantgp;\n\nint main() {\n  const Dataset data = ReadCsv("data.csv", {.target = ${python(target)}});\n${cpp}\n}`,
    "HTTP": curl,
  };
}
