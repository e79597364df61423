/** A section of the page, and what stands in it where something is absent. */
import { type Absent, isAbsent, type ReportPart } from "../document.ts";
import { textOf } from "./charts/html.ts";

/** A section: where it is, and what it is called. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Its subject, in a sentence or two. */
  readonly intro: string;
  /** HTML. */
  readonly content: string;
}

export const sectionOf = ({ id, title, intro, content }: Section): string =>
  `<section id="${id}" aria-labelledby="${id}-h"><header><h2 id="${id}-h">${textOf(title)}</h2><p>${textOf(intro)}</p></header>${content}</section>`;

export const note = (words: string, look = "absent"): string => `<p class="${look}">${textOf(words)}</p>`;

export const missingNote = ({ absent }: Absent): string => note(absent);

/** The content of a part, or why it is not there. */
export const given = <Content extends object>(
  part: ReportPart<Content>,
  content: (there: Content) => string,
): string => (isAbsent(part) ? missingNote(part) : content(part));

export const isThere = <Content extends object>(part: ReportPart<Content>): part is Content => !isAbsent(part);

/** A list of facts: names and values. */
export const facts = (all: readonly (readonly [name: string, value: string])[]): string =>
  `<dl class="facts">${all
    .map(([name, value]) => `<div><dt>${textOf(name)}</dt><dd>${textOf(value)}</dd></div>`)
    .join("")}</dl>`;

export const list = (lines: readonly string[]): string =>
  lines.length === 0 ? "" : `<ul class="lines">${lines.map((line) => `<li>${textOf(line)}</li>`).join("")}</ul>`;

export const columns = (figures: readonly string[], look = "columns"): string =>
  `<div class="${look}">${figures.join("")}</div>`;

export const heading = (words: string): string => `<h3>${textOf(words)}</h3>`;
