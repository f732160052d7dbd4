import { expect, test } from "vitest";
import type { AgentSession } from "../switchboard/index.ts";
import { defaultLimits } from "../wire/index.ts";
import type { Offer, Payload } from "../wire/index.ts";
import type { Peer } from "./engine.ts";
import { serveList } from "./lists.ts";

const tools = ["c", "b", "a"].map((name) => ({ name, inputSchema: { type: "object" } as const }));
const offer: Offer = { tools, prompts: [], resources: [], resourceTemplates: [] };
const server = { info: { name: "hub" }, capabilities: {}, instructions: () => "" };

/** The size in bytes of the response to a request for tools. */
function read(tab: string | undefined, cursor?: string): Payload {
  const agent = {
    offer: () => offer,
    tabOffer: () => offer,
    sourceOf: () => undefined,
    originOf: () => undefined,
  } as unknown as AgentSession;
  const limits = { ...defaultLimits, listItems: 1 };
  const peer = { agent, tab, isNewest: true, limits } as unknown as Peer;
  const read: Payload[] = [];
  const reply = {
    result: () => {},
    error: () => {},
    notify: () => {},
    text: (page: Payload) => read.push(page) > 0,
  };
  const params = cursor === undefined ? {} : { cursor };
  serveList("tools", { request: { id: 1, method: "tools/list", params }, peer, reply }, { server, limits });
  return read[0] ?? "";
}

const namesIn = (page: Payload) =>
  (JSON.parse(new TextDecoder().decode(page as Uint8Array)) as Offer).tools.map(({ name }) => name);

test.each([
  ["of all tabs", undefined, "c"],
  ["of one tab", "tab-1", "a"],
])("a list %s is written once for each offer", (_, tab, first) => {
  expect(namesIn(read(tab))).toEqual([first]);
  expect(read(tab)).toBe(read(tab));
});

test("cursors for the same position get the same bytes, whatever else they contain", () => {
  const cursor = (name: string) => btoa(JSON.stringify([name, 0])).replace(/=+$/, "");
  const after = read("tab-1", cursor("a"));
  expect(namesIn(after)).toEqual(["b"]);
  expect(read("tab-1", cursor(`a${"x".repeat(1000)}`))).toBe(after);
});
