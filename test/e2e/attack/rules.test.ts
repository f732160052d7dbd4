// A hub's rules, which an agent, a page and a terminal try to change; only the hub's owner may.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import type { LocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let hub: LocalHub;

beforeAll(async () => {
  hub = await startLocalHub();
});
afterAll(() => hub?.close());

const writes = [
  ["PUT", "/api/policy", '{"rules":[]}'],
  ["DELETE", "/api/policy", undefined],
  ["POST", "/api/origins", '{"origin":"https://evil.example"}'],
  ["DELETE", `/api/origins/${encodeURIComponent(shop)}`, undefined],
  ["PUT", "/api/model", '{"model":"dear"}'],
  ["POST", "/api/owner-codes", undefined],
  ["POST", "/api/browser-codes", undefined],
] as const;

type Write = readonly [method: string, path: string, body: string | undefined];

async function send([method, path, body]: Write, token: string, origin?: string): Promise<Response> {
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    ...(origin === undefined ? {} : { Origin: origin }),
  };
  return fetch(`${hub.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
}

/** The credential of an agent that makes a code for itself and claims to be the hub's own page. */
async function forgedSignIn(): Promise<string> {
  const { code } = (await (await send(["POST", "/api/codes", undefined], hub.token)).json()) as { code: string };
  const answer = await send(["POST", "/api/sign-in", JSON.stringify({ code })], hub.token, hub.url);
  return ((await answer.json()) as { readonly token: string }).token;
}

test("nothing that an agent has or can make changes the rules", async () => {
  const refused = "refused, and nothing is changed";
  const tally = startTally("rules", "an agent, a page or a terminal changes a rule, an origin or the model", refused);
  const made = (await (await send(["POST", "/api/terminals", "{}"], hub.token)).json()) as { readonly token: string };
  const key = (await readFile(join(hub.home, "shell-key"), "utf8").catch(() => "")).trim() || "no-key";
  const credentials = {
    "the agents' token": hub.token,
    "a forged sign-in": await forgedSignIn(),
    "a terminal's token": made.token,
    "no key": "x",
  };
  for (const write of writes) {
    for (const [name, token] of Object.entries(credentials))
      for (const origin of [undefined, hub.url, shop, "null"]) {
        const { status } = await send(write, token, origin);
        tally.add(
          `${write.slice(0, 2).join(" ")} with ${name} from ${origin}`,
          [401, 403].includes(status) ? refused : status,
        );
      }
    // A page that knew the key would be no owner either.
    for (const origin of [shop, "null", "https://evil.example"])
      tally.add(
        `${write[1]} with the key in ${origin}`,
        (await send(write, key, origin)).status === 403 ? refused : "let in",
      );
  }
  const read = async (path: string) => (await send(["GET", path, undefined], hub.token)).json();
  expect(await read("/api/policy")).toMatchObject({ source: "none", rules: [], mayChange: false });
  expect(await read("/api/origins")).toMatchObject({ origins: [{ origin: shop, isSaved: false }] });
  tally.close();
});
