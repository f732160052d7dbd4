import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { resolveLimits } from "../../wire/index.ts";
import { parseDatabase } from "./port/database-address.ts";
import type { ThreadData } from "./sql/messages.ts";
import { makeFolder } from "./test-support/store-contract.test-helper.ts";

/** The thread's first message if no driver is installed. */
async function withoutPackages(database: string): Promise<unknown> {
  const folder = makeFolder();
  const outfile = fileURLToPath(new URL("../../../.cache/store-thread-alone.mjs", import.meta.url));
  const entryPoints = [fileURLToPath(new URL("sql/thread.ts", import.meta.url))];
  const external = ["pg", "@photostructure/sqlite"];
  await build({ entryPoints, outfile, bundle: true, external, platform: "node", format: "esm" });
  copyFileSync(outfile, join(folder, "thread.mjs"));
  const address = parseDatabase(database);
  const rest = { limits: resolveLimits(), hub: undefined, importFrom: undefined, isReplaced: false };
  const workerData: ThreadData = { address, ...rest };
  const worker = new Worker(pathToFileURL(join(folder, "thread.mjs")), { workerData });
  // A thread that ends hands over its last messages in the turn in which it ends.
  const [[said]] = (await Promise.all([once(worker, "message"), once(worker, "exit")])) as [[unknown], unknown];
  return said;
}

test("if a driver is missing, a named error has the package to install", async () => {
  const refused = (words: string) => ({
    trouble: { code: "options-invalid", message: expect.stringContaining(words) as string, retry: "never" },
  });
  expect(await withoutPackages("postgres://hub@127.0.0.1/hub")).toEqual(refused("npm install pg"));
  if (process.getBuiltinModule("node:sqlite")) return;
  expect(await withoutPackages(join(makeFolder(), "hub.db"))).toEqual(refused("@photostructure/sqlite"));
});
