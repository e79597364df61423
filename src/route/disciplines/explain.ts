/** The choices for an exchange, in words. */
import type { DisciplineName, ExchangeChoice } from "./options.ts";

/** The sends of a PE, and to whom. */
export const RULES: Readonly<Record<DisciplineName, string>> = {
  eager: "every chunk as soon as there is room for it",
  interleaved: "packets of several receivers in turn",
  random: "one chunk after another, to receivers drawn at random",
  "cyclic-shift": "in round a to PE i + a, each PE at its own pace",
  barrier: "in round a to PE i + a, with a barrier after each round",
  token: "to the PE whose token it holds; tokens are passed around",
  "request-token": "to the PE whose token it has asked for and got",
  dynamic: "to the PE that it has booked for the round",
  static: "by one schedule of all PEs, when all have closed their lists",
  "iterative-matching": "to the PE found by requests, grants and acceptances before each round",
};

/** Where barriers are, of the disciplines that may have them; empty for the others. */
export function barriersText(discipline: DisciplineName, every: number): string {
  if (discipline !== "token" && discipline !== "dynamic") return "";
  if (every > 0) return every === 1 ? "a barrier after each round" : `a barrier after every ${every} rounds`;
  return discipline === "dynamic" ? "tokens in place of barriers" : "";
}

/** A line each. */
export function explainChoice(choice: ExchangeChoice, size: number): readonly string[] {
  const { discipline, chunkBytes, packetBytes, buffersPerLink, window, barrierEvery, pace } = choice;
  const lines = [
    `discipline ${discipline}: a PE sends ${RULES[discipline]}`,
    `chunks of at most ${chunkBytes} B, packets of ${packetBytes} B, ${buffersPerLink} buffers for each of ${size - 1} lanes`,
  ];
  if (discipline === "dynamic") lines.push(`rounds are booked up to ${window} ahead`);
  const barriers = barriersText(discipline, barrierEvery);
  if (barriers !== "") lines.push(barriers);
  if (pace < Number.POSITIVE_INFINITY) lines.push(`at most ${pace} B/s`);
  return lines;
}
