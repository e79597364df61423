/**
 * What is looked at within a page: functions that run in the browser, so that they use nothing from outside of them. The
 * types of the browser are not those of the tests.
 */

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

interface Element {
  readonly id: string;
  readonly tagName: string;
  readonly textContent: string | null;
  readonly tabIndex: number;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  querySelectorAll(selector: string): Iterable<Element>;
  querySelector(selector: string): Element | null;
  closest(selector: string): Element | null;
  getBoundingClientRect(): Box;
  getClientRects(): { readonly length: number };
}

declare const document: {
  readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number };
  querySelectorAll(selector: string): Iterable<Element>;
};

/** What is wrong with drawings: without marks, outside of their figure, or with texts outside of them. */
export function figureFaults(): string[] {
  const faults: string[] = [];
  for (const figure of document.querySelectorAll("figure")) {
    const shown = [...figure.querySelectorAll(".drawn svg")].filter((svg) => svg.getClientRects().length > 0);
    if (shown.length !== 1) faults.push(`${figure.id}: ${shown.length} drawings are shown`);
    for (const svg of shown) {
      const frame = svg.getBoundingClientRect();
      const room = figure.getBoundingClientRect();
      if (frame.width < 20 || frame.height < 10) faults.push(`${figure.id}: ${frame.width} x ${frame.height} px`);
      if (frame.left < room.left - 1 || frame.right > room.right + 1)
        faults.push(`${figure.id}: wider than its figure`);
      if (!svg.querySelector("title")?.textContent || !svg.querySelector("desc")?.textContent)
        faults.push(`${figure.id}: no name or no description`);
      const marks = [...svg.querySelectorAll("rect, path, circle, image")].filter((mark) => {
        const { width, height } = mark.getBoundingClientRect();
        return width > 0 || height > 0;
      });
      if (marks.length < 2) faults.push(`${figure.id}: ${marks.length} marks`);
      for (const text of svg.querySelectorAll("text")) {
        const { left, right, top, bottom, width } = text.getBoundingClientRect();
        const isOut =
          left < frame.left - 2 || right > frame.right + 2 || top < frame.top - 3 || bottom > frame.bottom + 3;
        if (width > 0 && isOut) faults.push(`${figure.id}: "${text.textContent}" reaches out of the drawing`);
      }
      for (const element of svg.querySelectorAll("*"))
        for (const { name, value } of element.attributes)
          if (/NaN|undefined|Infinity/.test(value) && name !== "href") faults.push(`${figure.id}: ${name}="${value}"`);
    }
  }
  return faults;
}

export function scrollsSideways(): boolean {
  return document.documentElement.scrollWidth > document.documentElement.clientWidth;
}

/** All that a keyboard should reach, in the order of the page. */
export function reachable(): string[] {
  return [...document.querySelectorAll("a[href], button, summary, [tabindex='0']")]
    .filter((element) => element.getClientRects().length > 0)
    .map((element) => `${element.tagName} ${element.id || element.textContent?.slice(0, 30)}`);
}
