/** Sessions are kept apart by what every buffer says, and other terms are seen. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SessionWord } from "../../../src/links/transport/session-word.ts";

const words = suite("session word");

/** The word of a session. */
function wordOf(number: number, terms: string): SessionWord {
  const word = new SessionWord();
  word.begin(number, terms);
  return word;
}

words("admits what is of the same session, and nothing of the next one", () => {
  for (const number of [1, 2, 255, 256, 257, 2 ** 31]) {
    const here = wordOf(number, "u32");
    assert.is(here.admits(wordOf(number, "u32").value), true);
    assert.is(here.admits(wordOf(number + 1, "u32").value), false);
    // whatever the terms are
    assert.is(here.admits(wordOf(number + 1, "f64").value), false);
  }
});

words("other terms of the same session are an error", () => {
  const here = wordOf(7, "u32");
  here.onMismatch = () => new RangeError("differ");
  for (const terms of ["", "f64", "u32 "]) {
    assert.throws(() => here.admits(wordOf(7, terms).value), /differ/);
  }
});

words("terms may change from session to session", () => {
  const [a, b] = [new SessionWord(), new SessionWord()];
  for (const [k, terms] of ["u32", "u32", "f64", "u32", ""].entries()) {
    a.begin(k + 1, terms);
    assert.is(b.admits(a.value), false);
    b.begin(k + 1, terms);
    assert.is(b.admits(a.value), true);
  }
});

words.run();
