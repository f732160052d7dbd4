// Addresses and commands in every field that takes text: the hub follows none, and starts no program.
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { routes } from "../../../src/hub/http/routes.ts";
import { expect, onTestFinished, test } from "vitest";
import { agentHelloOf, connectAgent } from "../../../src/hub/test-support/agent.test-helper.ts";
import { modern, sendRaw } from "../../../src/hub/doors/mcp/test-support/raw-mcp.test-helper.ts";
import { pathAt } from "../../../src/hub/guard/test-support/attempts.test-helper.ts";
import { callTool } from "../../../src/hub/test-support/http.test-helper.ts";
import { connectPage } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets, openSocket } from "../../../src/hub/test-support/peer.test-helper.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

/** A server in the internal network, which should receive no request. */
async function startTrap() {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const hosts = [
    "127.0.0.1",
    "localhost",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "[::ffff:127.0.0.1]",
    "127.1",
    "0.0.0.0",
  ];
  return { urls: hosts.map((host) => `http://${host}:${port}/latest/meta-data`), visits: () => visits };
}

/** The running child processes of a process. */
function childrenOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean),
  );
}

const commands = [
  "$(touch /tmp/pagewire-owned)",
  "`id`",
  "; id",
  "| id",
  "&& id",
  "file:///etc/passwd",
  "gopher://127.0.0.1",
  "\\\\evil\\share",
];

test("an address or a command in a field of any route, frame, offer or MCP request is followed and run by nobody", async () => {
  const hub = await startLocalHub();
  onTestFinished(() => hub.close());
  onTestFinished(() => closeSockets());
  const trap = await startTrap();
  const tally = startTally(
    "reaching out",
    "addresses of this machine in eight forms, and commands, in every field of every route, frame and offer",
    "nobody asked, nothing started",
  );
  const tried = async (name: string) => {
    const started = childrenOf(hub.process.pid ?? 0);
    tally.add(
      name,
      trap.visits() === 0 && started.length === 0
        ? "nobody asked, nothing started"
        : `${trap.visits()} visits, started ${started.join()}`,
    );
  };
  for (const [at, text] of [...trap.urls, ...commands].entries()) {
    const names = [
      "url",
      "uri",
      "href",
      "command",
      "cmd",
      "args",
      "cwd",
      "env",
      "shell",
      "server",
      "model",
      "baseUrl",
      "baseURL",
      "endpoint",
    ];
    const fields = Object.fromEntries(names.map((name) => [name, text]));
    const words = { title: text, description: text, icons: [{ src: text }] };
    const page = await connectPage(hub.url, {
      tab: `tab-${at}`,
      title: text,
      tools: [{ name: "work", ...words, inputSchema: { type: "object", $ref: text, $id: text, $schema: text } }],
    });
    page.send({ type: "tab", title: text, url: text });
    page.send({ type: "updated", uri: text });
    const agent = await connectAgent(hub.url, { token: hub.token, name: text.slice(0, 100) });
    agent.send({ ...agentHelloOf(), ...fields });
    await agent.call("work", { id: "1", arguments: JSON.stringify(fields), ...fields });
    await tried(`frames, ${text}`);
    for (const method of [
      "tools/call",
      "resources/read",
      "prompts/get",
      "completion/complete",
      "initialize",
      "server/discover",
    ])
      await sendRaw(
        hub,
        modern(method, { name: "work", arguments: fields, ...fields, ref: { type: "ref/resource", uri: text } }),
      ).whole();
    await tried(`MCP, ${text}`);
    for (const route of routes.filter(({ isUpgrade, method }) => !isUpgrade && method === "POST")) {
      await fetch(`${hub.url}${pathAt(route)}?${new URLSearchParams(fields)}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${hub.token}`,
          "Content-Type": "application/json",
          "X-Forwarded-Host": encodeURI(text),
          Referer: encodeURI(text),
        },
        body: JSON.stringify({
          ...fields,
          messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: text } }] }],
          tools: [fields],
        }),
      }).then((response) => response.text());
      await tried(`${route.path}, ${text}`);
    }
    page.socket.terminate();
    agent.socket.terminate();
  }
  expect((await callTool(hub, "list_browser_tabs")).status).toBe(200);
  tally.close();
});

test("without --terminal no way opens a terminal, whatever is brought", async () => {
  const hub = await startLocalHub();
  onTestFinished(() => hub.close());
  onTestFinished(() => closeSockets());
  const tally = startTally(
    "reaching out",
    "views and codes of terminals at a hub that has none, with every credential",
    "no terminal",
  );
  const origins = [hub.url, "https://shop.example"];
  for (const Origin of origins) {
    for (const proof of [
      { token: hub.token },
      { key: hub.token },
      { code: "x" },
      { code: hub.token },
      {},
      { type: "open", shell: "/bin/sh" },
    ]) {
      const { socket } = await openSocket(`${hub.url}/ws/terminal`, { headers: { Origin } });
      const heard: string[] = [];
      socket.on("message", (data: Buffer) => heard.push(data.toString()));
      socket.send(JSON.stringify(proof));
      socket.send(JSON.stringify({ type: "input", data: "id\n" }));
      await once(socket, "close");
      tally.add(
        JSON.stringify(proof),
        heard.some((text) => text.includes("uid=")) || childrenOf(hub.process.pid ?? 0).length > 0
          ? "a terminal"
          : "no terminal",
      );
    }
  }
  for (const token of [hub.token, "x", undefined]) {
    const headers = {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    };
    const { status } = await fetch(`${hub.url}/api/shell-codes`, { method: "POST", headers, body: "{}" });
    tally.add(`a code with ${token}`, status >= 400 ? "no terminal" : status);
  }
  tally.close();
});
