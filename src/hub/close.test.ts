import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { createHub } from "./create-hub.ts";
import { startHub } from "./test-support/hub.test-helper.ts";
import { connectPage } from "./test-support/page.test-helper.ts";

test("a hub can be closed twice, also at the same time", async () => {
  const hub = await startHub();
  await Promise.all([hub.close(), hub.close()]);
  await hub.close();
  await expect(fetch(`${hub.url}/healthz`)).rejects.toThrow();
  const again = await createHub({ port: hub.port, agentToken: () => "token" });
  await again.close();
});

test("a program that closes its hub, after everything that can be done with one, ends by itself", async () => {
  const outfile = fileURLToPath(new URL("../../.cache/close.test-program.mjs", import.meta.url));
  const entryPoints = [fileURLToPath(new URL("test-support/close.test-program.ts", import.meta.url))];
  await build({ entryPoints, outfile, bundle: true, packages: "external", platform: "node", format: "esm" });
  const program = spawn(process.execPath, [outfile], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void program.kill());
  let said = "";
  program.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(program, "close")) as [number | null];
  expect([code, said]).toEqual([0, "closed, 0 listeners left\n"]);
});

test("a hub whose peers do not answer is closed all the same", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url);
  page.socket.pause();
  await hub.close();
  page.socket.resume();
  await page.closed;
});
