/** Reports in files: schemas/report.json and the reader refuse the same ones; files are named in errors. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { parseReport, readReport } from "../../../src/interface/report/file.ts";
import { faultsOf, validator } from "../../schemas/support/schemas.ts";
import { broken, type Loose, pathsOf, wrong } from "../../support/broken-documents.ts";
import { rounds } from "../../support/long.ts";
import { fullReport, model, reportOf } from "./support/reports.ts";

const test = suite("reports in files");
const isOfSchema = validator("report.json");
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as Loose;
const full = asJson(await fullReport());
const other = asJson(await reportOf(await model("smelt-hist-brie")));

function refusal(document: unknown): UsageError | null {
  try {
    parseReport(document);
    return null;
  } catch (error) {
    // any other class is a fault of the reader
    assert.instance(error, UsageError, String((error as Error).stack));
    return error as UsageError;
  }
}

/** What several fields must be together, dates, and what is checked with the formats of the models and plans. */
const BEYOND =
  /reached twice|not reached from|expected to reach each|each PE once|the same PEs|own root|expected the leader|a tree for each|trees over the ranks|at most 65536 PEs|the median|an ISO 8601 date/;

for (const [name, report] of Object.entries({ full, other })) {
  test(`one field of a report is broken: both refuse it, or both accept it (${name})`, () => {
    assert.is(refusal(report)?.message, undefined);
    assert.is(faultsOf("report.json", report), "");
    // test/schemas and test/plan break models and plans
    const paths = pathsOf(report).filter(([part, ...rest]) => !(rest.length > 0 && /machine|plan/.test(part ?? "")));
    const breaking = fc.property(fc.constantFrom(...paths), wrong, (path, value) => {
      const document = broken(report, path, value);
      const error = refusal(document);
      const isValid = isOfSchema(document);
      if (error === null) return assert.ok(isValid, `accepted, but ${JSON.stringify(isOfSchema.errors)}`);
      if (!BEYOND.test(error.message)) assert.not(isValid, `the schema accepts it, but ${error.message}`);
    });
    // prints the seed of a failure
    fc.assert(breaking, { numRuns: rounds(1000, 20_000) });
  });
}

test("a fault is named with the file and its place", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tundish-report-"));
  const file = join(folder, "report.json");
  const faultOf = async (document: unknown): Promise<string> => {
    writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document));
    try {
      await readReport(file);
    } catch (error) {
      assert.instance(error, UsageError);
      return (error as Error).message.replace(file, "FILE");
    }
    return "";
  };
  try {
    assert.is(await faultOf(full), "");
    assert.match(await faultOf("{"), /^FILE: expected JSON/);
    assert.match(
      await faultOf({ schema: "tundish/plan@1" }),
      /^FILE: schema: expected "tundish\/report@1", got "tundish\/plan@1"/,
    );
    assert.match(
      await faultOf(broken(full, ["conditions", "probes", "1", "ns"], "far")),
      /^FILE: conditions\.probes\.1\.ns: expected a time in ns, from 1e-6 to 2\^53, got "far"/,
    );
    assert.match(await faultOf(broken(full, ["machine", "send"], undefined)), /^FILE: machine\.send: expected/);
    assert.match(await faultOf(broken(full, ["plan", "world", "pes"], 0)), /^FILE: plan\.world\.pes: expected/);
    assert.match(await faultOf(broken(full, ["nodes", "trees", "broadcast", "root"], 9)), /^FILE: /);
    rmSync(file);
    const missing = await readReport(file).catch((error: Error) => error.message);
    assert.match(String(missing), /report\.json: expected a report, but it cannot be read/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
