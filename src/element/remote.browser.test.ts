import { expect, test, vi } from "vitest";
import { nextEvent, record, show } from "./agent.test-helper.ts";
import { AiAgent, OpenAiProvider } from "./index.ts";
import { address, createServer, showRemote } from "./remote-server.test-helper.ts";
import { createNetwork } from "./sockets.test-helper.ts";

const isOpen = (state: string) => state === "open";

test("in remote mode the server's core answers, and the element tells of it as of its own", async () => {
  const server = createServer();
  const agent = showRemote();
  const heard = record(agent, "ai-agent:loading-changed", "ai-agent:streaming-changed", "ai-agent:error");
  const sending = agent.send();
  const request = await server.model.next();
  request.end("Hi there");
  expect(await sending).toBe("Hi there");
  expect([agent.content, agent.loading, agent.streaming, agent.error]).toEqual(["Hi there", false, false, null]);
  expect(agent.messages).toMatchObject([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi there", finishReason: "stop" },
  ]);
  expect(server.network.dialled.map(({ url }) => url)).toEqual([address]);
  expect(heard).toEqual(
    expect.arrayContaining([
      ["loading-changed", true],
      ["streaming-changed", true],
      ["loading-changed", false],
    ]),
  );
  expect(heard).not.toContainEqual(["error", expect.anything()]);
});

test("a server that knows only the bare protocol answers too", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  const server = createServer({ kind: "stock" });
  const agent = showRemote();
  const sending = agent.send();
  await server.model.answer("Hi");
  expect([await sending, agent.content, agent.toolCalls]).toEqual(["Hi", "Hi", []]);
});

test("whether it is remote is decided when the element is made, or by an address of its own", async () => {
  const server = createServer();
  const agent = showRemote();
  show("");
  const later = document.createElement("ai-agent");
  expect([agent.connection === "local", later.connection]).toEqual([false, "local"]);
  later.remoteCoreUrl = "/own/core";
  agent.after(later);
  await nextEvent(later, "ai-agent:connection-changed", isOpen);
  expect(server.network.dialled.at(-1)?.url).toBe(new URL("/own/core", location.href.replace("http", "ws")).href);
  later.remoteCoreUrl = "wss://example.com/other";
  await nextEvent(later, "ai-agent:connection-changed", isOpen);
  expect(server.network.dialled.at(-1)?.url).toBe("wss://example.com/other");
});

test.each(["", "ftp://example.com/", "wss://"])(
  "without an address (%j) it is an error, and nothing throws",
  async (text) => {
    const agent = show("", { remote: { enableRemote: true, remoteCoreUrl: text } });
    const heard = record(agent, "ai-agent:error");
    document.body.append(agent);
    expect(agent.error).toMatchObject({ message: expect.stringContaining(`got "${text}"`) });
    expect(heard).toEqual([["error", agent.error]]);
    expect([agent.connection, await agent.send()]).toEqual(["closed", null]);
    agent.remove();
  },
);

test("before it is in the document there is nothing to set or to ask; its children begin no conversation", async () => {
  const server = createServer();
  const agent = document.createElement("ai-agent");
  expect(agent).toBeInstanceOf(AiAgent);
  const place = showRemote("<ai-agent></ai-agent>").parentElement;
  const early = document.createElement("ai-agent");
  early.innerHTML = `<ai-message kind="user">Hello</ai-message><ai-message>Sing.</ai-message>`;
  early.messages = [{ role: "user", content: "Early" }];
  early.prompt = "Now";
  await expect(early.send()).rejects.toThrow("in the document");
  place?.append(early);
  await nextEvent(early, "ai-agent:connection-changed", isOpen);
  expect(early.messages).toEqual([]);
  const sending = early.send();
  const request = await server.model.next();
  request.end("Hi");
  await sending;
  expect(request.body.messages).toEqual([
    { role: "system", content: "Sing." },
    { role: "user", content: "Now" },
  ]);
});

test("the history is the server's, and is written there", async () => {
  const server = createServer();
  const agent = showRemote();
  await nextEvent(agent, "ai-agent:connection-changed", isOpen);
  const changed = nextEvent(agent, "ai-agent:messages-changed", (messages) => messages.length === 2);
  agent.messages = [
    { role: "user", content: "One" },
    { role: "assistant", content: "Two" },
  ];
  await changed;
  expect(server.cores[0]?.messages).toHaveLength(2);
  const failed = nextEvent(agent, "ai-agent:error");
  agent.messages = [{ role: "nobody" as "user", content: "One" }];
  expect(await failed).toMatchObject({ message: expect.stringContaining("role") });
  expect(agent.messages).toHaveLength(2);
  const sending = agent.send();
  await server.model.answer("Hi");
  expect([await sending, agent.error]).toEqual(["Hi", null]);
});

test("a history that the server did not have yet when the element was taken away is no error", async () => {
  const server = createServer();
  server.network.isDown = true;
  const agent = showRemote();
  await nextEvent(agent, "ai-agent:connection-changed", (state) => state === "waiting");
  agent.messages = [{ role: "user", content: "One" }];
  const heard = record(agent, "ai-agent:error");
  agent.remove();
  await vi.waitFor(() => expect(agent.connection).toBe("closed"));
  await new Promise((resolve) => requestAnimationFrame(resolve));
  expect(heard).toEqual([]);
});

test("a provider is told to the server before the request, and one that does not exist is asked nowhere", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent provider="anthropic"></ai-agent>`);
  const sending = agent.send();
  const request = await server.model.next();
  expect(new URL(request.url, "https://model").pathname).toBe("/v1/messages");
  agent.abort();
  expect(await sending).toBeNull();
  agent.provider = "bogus";
  await expect(agent.send()).rejects.toThrow("bogus");
  expect(server.model.requests).toHaveLength(1);
});

test("a refusal by the server rejects the send, and leaves no error behind", async () => {
  createServer();
  const agent = showRemote();
  agent.prompt = "";
  await expect(agent.send()).rejects.toThrow("prompt");
  expect(agent.error).toBeNull();
});

test("functions stay in the page: handlers are left out, and what would need one is refused", async () => {
  const server = createServer();
  const agent = showRemote();
  const parameters = { type: "object" };
  agent.tools = [
    { name: "look", description: "Looks.", parameters, handler: () => 1 },
    { name: "pay", description: "Pays.", parameters, needsApproval: () => false },
  ];
  const sending = agent.send();
  await server.model.answer("Hi");
  await sending;
  expect(server.cores[0]?.asked[0]?.tools).toEqual([
    { name: "look", description: "Looks.", parameters },
    { name: "pay", description: "Pays.", parameters, needsApproval: true },
  ]);
  agent.fetch = fetch;
  await expect(agent.send()).rejects.toThrow('"fetch" cannot be used in remote mode');
  Object.assign(agent, { fetch: undefined, mcp: ["https://example.com/mcp"] });
  await expect(agent.send()).rejects.toThrow('"mcp" cannot be used in remote mode');
  agent.provider = new OpenAiProvider();
  await expect(agent.send()).rejects.toThrow("a provider of your own is set there");
});

const credentials = { apiKey: "sk-1", baseUrl: "https://gateway", apiVersion: "2", headers: { "X-Key": "k" } };

test.each([
  { key: "", forwarding: "", console: [], sent: {} },
  { key: `api-key="sk-1"`, forwarding: "", console: ["error"], sent: {} },
  { key: `api-key="sk-1"`, forwarding: `forward-credentials="false"`, console: ["error"], sent: {} },
  { key: `api-key="sk-1"`, forwarding: `forward-credentials="true"`, console: ["warn"], sent: credentials },
])("with $key and $forwarding a server is sent no more than that, and the console says so", async (given) => {
  const said: string[] = [];
  for (const level of ["error", "warn"] as const) {
    vi.spyOn(console, level).mockImplementation(
      (text: string) => void (text.includes("`api-key`") && said.push(level)),
    );
  }
  const server = createServer();
  const agent = showRemote(
    `<ai-agent ${given.key} ${given.forwarding} base-url="https://gateway" api-version="2"></ai-agent>`,
  );
  agent.headers = { "X-Key": "k" };
  for (const text of ["One", "Two"]) {
    agent.prompt = text;
    const sending = agent.send();
    await server.model.answer("Hi");
    await sending;
  }
  const [first] = server.cores[0]?.asked ?? [];
  const names = Object.keys(credentials) as (keyof typeof credentials)[];
  expect(Object.fromEntries(names.flatMap((name) => (first?.[name] ? [[name, first[name]]] : [])))).toEqual(given.sent);
  expect(said).toEqual(given.console);
  vi.restoreAllMocks();
});

test("the token comes as a subprotocol; a function is asked for each connection", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent></ai-agent>`, { token: "configured" });
  await nextEvent(agent, "ai-agent:connection-changed", isOpen);
  let count = 0;
  agent.token = async () => `own-${(count += 1)}`;
  for (let cuts = 0; cuts < 2; cuts++) {
    const back = nextEvent(agent, "ai-agent:connection-changed", isOpen);
    server.network.dialled.at(-1)?.cut();
    await back;
  }
  expect(server.network.dialled.map(({ protocols }) => protocols)).toEqual([
    ["pagewire.core.1", "pagewire.bearer.configured"],
    ["pagewire.core.1", "pagewire.bearer.own-1"],
    ["pagewire.core.1", "pagewire.bearer.own-2"],
  ]);
  const without = showRemote();
  await nextEvent(without, "ai-agent:connection-changed", isOpen);
  expect(server.network.dialled.at(-1)?.protocols).toEqual([]);
});

test("a token that no subprotocol can carry is an error that does not repeat it", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent></ai-agent>`, { token: "se=cr/et" });
  expect(await agent.send()).toBeNull();
  expect(agent.error).toMatchObject({ message: expect.stringContaining("subprotocol cannot carry") });
  expect(agent.error).not.toMatchObject({ message: expect.stringContaining("cr/et") });
  expect(server.network.dialled).toEqual([]);
});

test("what a server says in a form that it must not have changes nothing", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  createNetwork((end) =>
    end.addEventListener("message", () => {
      const values = {
        content: 5,
        messages: [{ role: 1 }],
        usage: null,
        loading: "yes",
        streaming: false,
        error: "bad",
      };
      end.send(JSON.stringify({ type: "sync", values }));
    }),
  );
  const agent = showRemote();
  const heard = record(agent, "ai-agent:content-changed", "ai-agent:messages-changed", "ai-agent:error");
  await nextEvent(agent, "ai-agent:connection-changed", isOpen);
  expect([agent.content, agent.messages, agent.loading, agent.error, heard]).toEqual(["", [], false, null, []]);
  vi.restoreAllMocks();
});

test("what the server cannot keep is a property with a code and words, told by an event, and null again when it was kept", async () => {
  const server = createServer();
  const agent = showRemote();
  const heard = record(agent, "ai-agent:not-saved-changed");
  expect(agent.notSaved).toBeNull();
  await nextEvent(agent, "ai-agent:connection-changed", isOpen);
  const [core] = server.cores;
  const notSaved = { code: "not-saved", message: "The disk is full." };
  for (const told of [notSaved, null]) {
    const event = nextEvent(agent, "ai-agent:not-saved-changed");
    core?.tellNotSaved(told);
    await event;
    expect(agent.notSaved).toEqual(told);
  }
  expect(heard).toEqual([
    ["not-saved-changed", notSaved],
    ["not-saved-changed", null],
  ]);
});

test("an element with its core in the page, and one whose server does not say, know of nothing that is not kept", () => {
  expect(show("<ai-agent></ai-agent>").notSaved).toBeNull();
  createServer({ kind: "stock" });
  expect(showRemote().notSaved).toBeNull();
});
