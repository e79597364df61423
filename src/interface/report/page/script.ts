/**
 * The script of the page: the choice of colours, and the values of heat maps. Everything is readable without it; it is
 * text and not a function, as what bundlers make of functions may call helpers that the page does not have.
 */
export const SCRIPT = `(() => {
  "use strict";
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const stored = { get() { try { return localStorage.getItem("tundish-theme"); } catch { return null; } },
    set(theme) { try { localStorage.setItem("tundish-theme", theme); } catch {} } };
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  const before = stored.get();
  if (before === "dark" || before === "light") root.dataset.theme = before;
  button.hidden = false;
  show();
  dark.addEventListener("change", show);
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    stored.set(root.dataset.theme);
    show();
  });

  for (const figure of document.querySelectorAll("figure.heat")) {
    const { names, unit, least, top, palette } = figure.dataset;
    const all = names.split(" ");
    const drawn = figure.querySelector(".drawn");
    const cells = figure.querySelector(".cells");
    const cursor = figure.querySelector(".cursor");
    const readout = figure.querySelector(".readout");
    const words = readout.textContent;
    const image = cells.querySelector("image");
    const side = Number(cursor.getAttribute("width")) || 1;
    const at = { row: 0, column: Math.min(1, all.length - 1) };
    let levels;
    const level = (row, column) => {
      if (levels === undefined) {
        const canvas = document.createElement("canvas");
        canvas.width = canvas.height = all.length;
        const context = canvas.getContext("2d");
        const picture = new Image();
        picture.src = image.getAttribute("href");
        if (!picture.complete) return undefined;
        context.drawImage(picture, 0, 0);
        const places = new Map(palette.slice(1).split("#").map((hex, i) => [parseInt(hex, 16), i]));
        const bytes = context.getImageData(0, 0, all.length, all.length).data;
        levels = { places, bytes };
      }
      const i = 4 * (row * all.length + column);
      const [red, green, blue] = levels.bytes.subarray(i, i + 3);
      return levels.places.get(red * 65536 + green * 256 + blue);
    };
    const preload = new Image();
    if (image) preload.src = image.getAttribute("href");
    const valueAt = (row, column) => {
      if (row === column) return "itself";
      if (image) {
        const found = level(row, column);
        if (found === undefined) return "";
        const count = palette.length / 7 - 1;
        const value = Number(least) + (found / count) * (Number(top) - Number(least));
        return (found === count ? "about " + value.toPrecision(3) + " or more " : "about " + Number(value.toPrecision(3)) + " ") + unit;
      }
      const marks = cells.querySelectorAll("rect > title");
      const text = marks[row * (all.length - 1) + column - (column > row ? 1 : 0)].textContent;
      return text.slice(text.indexOf(": ") + 2);
    };
    const tell = () => {
      const size = drawn.querySelector("svg").viewBox.baseVal;
      const step = (size.width - cells.transform.baseVal[0].matrix.e) / all.length;
      cursor.setAttribute("x", String(at.column * step));
      cursor.setAttribute("y", String(at.row * step));
      cursor.setAttribute("width", String(step));
      cursor.setAttribute("height", String(step));
      cursor.setAttribute("visibility", "visible");
      readout.textContent = "PE " + all[at.row] + " to PE " + all[at.column] + ": " + valueAt(at.row, at.column);
    };
    const leave = () => {
      cursor.setAttribute("visibility", "hidden");
      readout.textContent = words;
    };
    readout.setAttribute("aria-live", "polite");
    drawn.tabIndex = 0;
    drawn.setAttribute("role", "group");
    drawn.setAttribute("aria-label", figure.querySelector("strong").textContent + ": arrow keys go from pair to pair");
    drawn.addEventListener("focus", tell);
    drawn.addEventListener("blur", leave);
    drawn.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      at.row = Math.min(all.length - 1, Math.max(0, at.row + step[0]));
      at.column = Math.min(all.length - 1, Math.max(0, at.column + step[1]));
      tell();
    });
    cells.addEventListener("pointermove", (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(cells.getScreenCTM().inverse());
      const step = (drawn.querySelector("svg").viewBox.baseVal.width - cells.transform.baseVal[0].matrix.e) / all.length;
      const [row, column] = [Math.floor(point.y / step), Math.floor(point.x / step)];
      if (!(row >= 0 && column >= 0 && row < all.length && column < all.length)) return;
      Object.assign(at, { row, column });
      tell();
    });
    cells.addEventListener("pointerleave", leave);
  }
})();
`;
