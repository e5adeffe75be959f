// The strip of kernels: a chip each, with its colour, its text, its weight, and what is wrong with it.

export class Kernels {
  constructor(list, {onChange, onFocus}) {
    this.list = list;
    this.onChange = onChange;
    this.onFocus = onFocus;
    this.chips = [];
  }

  texts() { return this.chips.map(chip => chip.input.value); }

  set(texts) {
    this.list.replaceChildren();
    this.chips = [];
    texts.forEach(text => this.add(text, false));
  }

  add(text, focus = true) {
    const item = document.createElement("li");
    item.className = "chip";
    item.innerHTML = `<div class="row"><button class="swatch" type="button"></button><input spellcheck="false"
      autocomplete="off" autocapitalize="off"><span class="weight"></span><button class="remove plain" type="button">✕</button></div>
      <p class="caret" aria-hidden="true"></p><p class="message" role="status"></p>`;
    const chip = {item, input: item.querySelector("input"), swatch: item.querySelector(".swatch"),
                  weight: item.querySelector(".weight"), caret: item.querySelector(".caret"),
                  message: item.querySelector(".message"), remove: item.querySelector(".remove")};
    chip.input.value = text;
    chip.input.addEventListener("input", () => this.onChange());
    chip.swatch.addEventListener("click", () => this.onFocus(this.chips.indexOf(chip)));
    chip.remove.addEventListener("click", () => {
      const place = this.chips.indexOf(chip);
      this.chips.splice(place, 1);
      item.remove();
      this.number();
      (this.chips[Math.min(place, this.chips.length - 1)]?.input ?? document.getElementById("add-kernel")).focus();
      this.onChange();
    });
    this.chips.push(chip);
    this.list.append(item);
    this.number();
    if (focus) {
      chip.input.focus();
      chip.input.select();
    }
  }

  number() {
    this.chips.forEach((chip, k) => {
      chip.swatch.className = `swatch c${k % 8}`;
      chip.swatch.setAttribute("aria-label", `Show kernel ${k + 1}`);
      chip.input.setAttribute("aria-label", `Kernel ${k + 1}`);
      chip.remove.setAttribute("aria-label", `Remove kernel ${k + 1}`);
    });
  }

  show(answer, focus) {
    this.chips.forEach((chip, k) => {
      const kernel = answer.kernels?.[k];
      if (!kernel || kernel.kernel !== chip.input.value) return;  // of a text that has changed since
      chip.item.classList.toggle("focus", k === focus);
      chip.swatch.textContent = k === focus ? "●" : "";
      chip.weight.textContent = kernel.weight === undefined ? "" : `${(100 * kernel.weight).toFixed(kernel.weight > 0.0995 ? 0 : 1)}%`;
      const broken = kernel.error !== undefined;
      chip.input.setAttribute("aria-invalid", String(broken));
      const lines = broken ? kernel.error.detail.split("\n") : [];
      chip.message.textContent = broken ? [lines[0].replace(/^kernel expression: /, ""), ...lines.slice(3)].join(". ") : "";
      chip.message.title = chip.message.textContent;
      chip.caret.textContent = broken && kernel.error.position !== undefined ? " ".repeat(kernel.error.position) + "^" : "";
    });
  }
}
