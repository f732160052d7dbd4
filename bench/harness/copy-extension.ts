// The built extension, allowed the pages of this machine and paired with a hub, without a person or a debugger.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { agentToken } from "./prepare-callers.ts";

export interface ExtensionCopy {
  readonly folder: string;
  close(): Promise<void>;
}

/** A copy of the extension whose storage has the hub on this port as soon as it starts; without one it is not paired. */
export async function copyExtension(root: string, port: number | undefined): Promise<ExtensionCopy> {
  const folder = await mkdtemp(join(tmpdir(), "pagewire-bench-extension-"));
  await cp(join(root, "dist/extension/chrome"), folder, { recursive: true });
  const path = join(folder, "manifest.json");
  const manifest = JSON.parse(await readFile(path, "utf8")) as { readonly key: string };
  await writeFile(path, JSON.stringify({ ...manifest, host_permissions: ["http://127.0.0.1/*"] }));
  if (port !== undefined) await seed(folder, port, manifest.key);
  return { folder, close: () => rm(folder, { recursive: true, force: true }) };
}

async function seed(folder: string, port: number, key: string): Promise<void> {
  const address = `http://127.0.0.1:${port}`;
  const hub = { address, token: await pair(address, originOf(key)), browser: "bench", pairedAt: Date.now() };
  const worker = join(folder, "worker.js");
  const first = `chrome.storage.local.set(${JSON.stringify({ hub })});\n`;
  await writeFile(worker, first + (await readFile(worker, "utf8")));
}

/** Chromium makes an extension's id of the key in its manifest, in letters from a to p. */
function originOf(key: string): string {
  const digest = createHash("sha256").update(Buffer.from(key, "base64")).digest("hex").slice(0, 32);
  const id = digest.replace(/./g, (digit) => String.fromCharCode(97 + parseInt(digit, 16)));
  return `chrome-extension://${id}`;
}

/** A browser's token, for a code that the hub gives its agent. */
async function pair(address: string, origin: string): Promise<string> {
  const response = await fetch(`${address}/api/browser-codes`, {
    method: "POST",
    headers: { Authorization: `Bearer ${agentToken}` },
  });
  const { code } = (await response.json()) as { readonly code: string };
  const socket = new WebSocket(`${address.replace("http", "ws")}/page`, { origin });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "pair", code, name: "bench" }));
  const [data] = (await once(socket, "message")) as [Buffer];
  socket.close();
  const answer = JSON.parse(data.toString()) as { readonly type: string; readonly token: string };
  if (answer.type !== "paired") throw new Error(`The hub does not pair the extension: ${data.toString()}`);
  return answer.token;
}
