import { spawn } from "node:child_process";
import { once } from "node:events";
import { beforeAll, expect, test } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { verifyChain } from "./port/audit-chain.ts";
import { bundleProgram } from "./test-support/bundle-program.test-helper.ts";
import type { Store } from "./port/store.ts";
import { databaseKinds, openTestStore, textsOf } from "./test-support/store-contract.test-helper.ts";

let program = "";

beforeAll(async () => {
  program = await bundleProgram("write-until-killed");
});

/** The writes that a process had reported before it was killed in the middle of more. */
async function writeUntilKilled(database: string, run: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const child = spawn(process.execPath, [program, database, `${run}`], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8");
  // At a different moment each time.
  const enough = 400 + run * 131;
  child.stdout.on("data", (text: string) => {
    said += text;
    if (said.split("\n").length > enough) child.kill("SIGKILL");
  });
  await once(child, "close");
  return said
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const namesOf = (lines: Awaited<ReturnType<typeof writeUntilKilled>>, kind: string) =>
  lines.flatMap((line) => (typeof line[kind] === "string" ? [line[kind]] : []));

test.each(databaseKinds)(
  "what was written to %s is there after the hub was killed with kill -9, each time",
  async (kind, make) => {
    const database = await make();
    const kills = kind === "SQLite" ? 6 : 3;
    let written = 0;
    for (let run = 0; run < kills; run++) {
      const lines = await writeUntilKilled(database, run);
      written += lines.length - 1;
      const store = await openTestStore(database);
      expect(await missing(store, lines)).toEqual([]);
      await store.close();
    }
    const observed = `${written} acknowledged writes, all there`;
    recordFault("store", {
      fault: `kill -9 of a process that writes to ${kind}`,
      count: kills,
      expected: "nothing lost",
      observed,
    });
  },
);

async function missing(store: Store, lines: Awaited<ReturnType<typeof writeUntilKilled>>): Promise<readonly string[]> {
  const lost: string[] = [];
  const id = String(lines[0]?.["conversation"]);
  const last = lines.findLast(({ message }) => message !== undefined)?.["message"] as number;
  const texts = await textsOf(store, { principal: "ada", id });
  expect(texts?.slice(0, last + 1)).toEqual(Array.from({ length: last + 1 }, (_, at) => `message ${at}`));
  for (const name of namesOf(lines, "record")) if (!(await store.record("consents", name))) lost.push(`record ${name}`);
  for (const name of namesOf(lines, "used")) if (!(await store.keys?.find("ada", name, "f"))) lost.push(`key ${name}`);
  for (const name of namesOf(lines, "ended"))
    if (typeof (await store.keys?.find("ada", name, "f"))?.outcome !== "object") lost.push(`outcome ${name}`);
  const audit = await store.audit({ after: 0, limit: 10_000 });
  const kept = new Set(audit.map(({ name }) => name));
  for (const name of namesOf(lines, "audit")) if (!kept.has(name)) lost.push(`audit ${name}`);
  expect(verifyChain(audit)).toEqual([]);
  return lost;
}
