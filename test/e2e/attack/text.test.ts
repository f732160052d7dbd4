// Text of a page that tries to manipulate a terminal, a log or a client, or to hide from a person what a model reads.
import { afterEach, beforeEach, expect, test } from "vitest";
import { modern, openSession, sendRaw } from "../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import { connectAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { callTool } from "../../../src/hub/test-support/http.test-helper.ts";
import { connectPage } from "../../../src/hub/test-support/page.test-helper.ts";
import type { TestPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets } from "../../../src/hub/test-support/peer.test-helper.ts";
import { askRaw } from "../../../src/hub/test-support/raw.test-helper.ts";
import { runCommand } from "./command.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import type { LocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

/** Terminal escape sequences, bidirectional overrides, zero-width characters, tag characters. */
const tricks: Readonly<Record<string, string>> = {
  "a title for the terminal": "\u001b]0;evil\u0007",
  "the clipboard": "\u001b]52;c;ZXZpbA==\u0007",
  "a link": "\u001b]8;;https://evil.example\u001b\\here\u001b]8;;\u001b\\",
  "a cleared screen": "\u001b[2J\u001b[1;1H",
  "a command of eight bits": "\u009b2J",
  "an answer of the terminal": "\u001b[6n\u001bP+q544e\u001b\\",
  "a line written over": "good\rEVIL",
  "letters taken back": "evil\b\b\b\bgood",
  "a zero byte": "good\u0000evil",
  "text turned around": "\u202elive\u202c",
  "an isolate": "\u2066evil\u2069",
  "a space of no width": "e\u200bv\u200bi\u200bl",
  "joiners and a mark": "e\u2060vi\ufeffl",
  "letters of tags": "\u{e0001}\u{e0065}\u{e0076}\u{e0069}\u{e006c}\u{e007f}",
};
const hidden = Object.values(tricks).join(" ");
const unseen = /(?![\n\t])[\p{Cc}\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const found = (text: string) => (unseen.test(text) ? "there" : "not there");

let hub: LocalHub;
let page: TestPage;

/** A tool with this text in every field that a page can set. */
function toolSaying(name: string, text: string) {
  const schema = {
    type: "object" as const,
    title: text,
    description: text,
    properties: { a: { type: "string", title: text, description: text } },
  };
  return {
    name,
    title: text,
    description: text,
    inputSchema: schema,
    outputSchema: schema,
    annotations: { title: text },
  };
}

beforeEach(async () => {
  hub = await startLocalHub();
  const tools = Object.values(tricks).map((text, at) => toolSaying(`trick_${at}`, text));
  page = await connectPage(hub.url, {
    title: hidden,
    app: "shop",
    tools: [...tools, toolSaying("all", hidden), toolSaying("fails", hidden)],
    handle({ id, name }, self) {
      self.ack(id);
      self.send({ type: "progress", id, progress: 1, message: hidden });
      self.send({ type: "log", id, level: "warning", logger: "evil" }, JSON.stringify(hidden));
      if (name === "fails")
        self.send({ type: "failure", id, outcome: "tool-error", ran: "yes", code: "tool-failed", message: hidden });
      else
        self.result(
          id,
          JSON.stringify({ content: [{ type: "text", text: hidden }], structuredContent: { a: hidden } }),
        );
    },
  });
});

afterEach(async () => {
  closeSockets();
  await hub.close();
});

test("CL7: at the end of a pipe, nothing that a page says does anything to a terminal, whatever command prints it", async () => {
  const tally = startTally(
    "text",
    "commands of terminals, turned and unseen text in everything that a page says, at the end of a command's pipe",
    "not there",
  );
  for (const args of [
    ["tabs"],
    ["tools"],
    ["tools", "all"],
    ["call", "all"],
    ["call", "fails"],
    ["pins", "list"],
    ["doctor"],
    ["audit"],
    ["call", hidden.slice(0, 20)],
  ]) {
    for (const json of [[], ["--json"]]) {
      const { text } = await runCommand(
        [...args, ...json].map((word) => word.replaceAll("\u0000", "")),
        { home: hub.home },
      );
      expect(text).not.toBe("");
      tally.add([...args, ...json].join(" "), found(text));
    }
  }
  for (const text of Object.values(tricks)) expect(found(text)).toBe("there");
  expect((await runCommand(["call", "all"], { home: hub.home })).text).toContain("⟨U+202E⟩live");
  tally.close();
});

test("M120: MCP clients are told no title and no description with anything that cannot be seen", async () => {
  const tally = startTally(
    "text",
    "the same in titles and descriptions that MCP clients list, in both eras",
    "not there",
  );
  const session = await openSession(hub);
  for (const path of ["/mcp", `/mcp/tabs/${page.tabId}`]) {
    const answers = [await sendRaw(hub, modern("tools/list", {}, { path })).whole()];
    if (path === "/mcp") answers.push(await session.request("tools/list").whole());
    for (const { messages } of answers) {
      const tools = (messages[0]?.result?.["tools"] ?? []) as readonly { name: string }[];
      expect(tools.length).toBeGreaterThan(Object.keys(tricks).length);
      for (const tool of tools) tally.add(tool.name, found(deepText(tool)));
    }
  }
  const { text } = await callTool(hub, "list_browser_tabs");
  tally.add("list_browser_tabs", found(deepText(JSON.parse(text))));
  tally.close();
});

/** Every string in a value, as a client would show it. */
function deepText(value: unknown): string {
  if (typeof value === "string") return value;
  return value !== null && typeof value === "object" ? Object.values(value).map(deepText).join(" ") : "";
}

test("H53: what others say is on one line of the log, for people and for programs, and does nothing to either", async () => {
  const tally = startTally(
    "text",
    "the same as the name of an agent, an origin, a path, a tool, a tab and a header, in the hub's log",
    "not there",
  );
  const people = await startLocalHub(["--no-demo"], { isForPeople: true });
  for (const one of [hub, people]) {
    for (const trick of Object.values(tricks)) {
      const encoded = encodeURIComponent(trick);
      // A header cannot hold a line break: Node itself already refuses it.
      await askRaw(
        one.port,
        `GET /none HTTP/1.1\r\nHost: 127.0.0.1:${one.port}\r\nOrigin: ${trick}\r\nUser-Agent: ${trick}\r\n\r\n`,
      );
      await connectAgent(one.url, { token: one.token, name: trick });
      await fetch(`${one.url}/${encoded}?${encoded}`, { headers: { Origin: "https://evil.example" } });
      await callTool({ url: one.url, token: encoded }, encoded);
      await sendRaw(one, modern("tools/list", {}, { client: trick })).whole();
    }
    const lines = one.output().split("\n");
    for (const line of lines) tally.add(line.slice(0, 60), found(line));
    expect(one.output()).not.toContain("A shop");
  }
  await people.close();
  tally.close();
});

test("a tool named like a property of every object can be neither offered nor found", async () => {
  const tally = startTally(
    "text",
    "tools by names of prototypes, with spaces, controls, paths or of 129 characters: offered, listed, called",
    "refused",
  );
  const names = [
    "__proto__",
    "constructor",
    "",
    " ",
    "a b",
    "a/b",
    "../work",
    "a\u0000",
    "a\n",
    "\u202ework",
    "wоrk",
    "x".repeat(129),
    "work\u200b",
    "%2e",
    "a,b",
    "a:b",
  ];
  const schema = { type: "object" as const, properties: {} };
  for (const name of names) {
    const hostile = await connectPage(hub.url, { tab: "hostile", tools: ["honest", { name, inputSchema: schema }] });
    const { text } = await sendRaw(hub, modern("tools/list", {}, { path: `/mcp/tabs/${hostile.tabId}` })).whole();
    tally.add(
      `${JSON.stringify(name)}, listed`,
      text.includes(`"name":${JSON.stringify(name)}`) ? "listed" : "refused",
    );
    const { status } = await callTool(hub, encodeURIComponent(name));
    tally.add(`${JSON.stringify(name)}, called`, status === 404 || status === 400 ? "refused" : status);
    expect(hostile.calls).toEqual([]);
    hostile.socket.terminate();
  }
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "__defineGetter__", "valueOf"]) {
    const body = JSON.stringify({ tabId: name, name, arguments: {} }).replace("}", ',"__proto__":{"isAdmin":true}}');
    tally.add(
      `${name} as a tab`,
      [404, 400].includes((await callTool(hub, "call_tab_tool", { body })).status) ? "refused" : "taken",
    );
    tally.add(
      `${name} as a method`,
      (await sendRaw(hub, modern(name, {})).whole()).messages[0]?.error ? "refused" : "taken",
    );
    tally.add(
      `${name} as a tool`,
      (await callTool(hub, name, { headers: { "Pagewire-Tab": name } })).status === 404 ? "refused" : "taken",
    );
  }
  expect((await callTool(hub, "all")).status).toBe(200);
  tally.close();
});
