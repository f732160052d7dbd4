import { afterEach, expect, test, vi } from "vitest";
import { nextEvent, record } from "./agent.test-helper.ts";
import { address, createServer, showRemote } from "./remote-server.test-helper.ts";

const isOpen = (state: string) => state === "open";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("a server that cannot be reached is an error with its address; the next attempt mends it", async () => {
  const server = createServer();
  server.network.isDown = true;
  const agent = showRemote();
  const heard = record(agent, "ai-agent:error");
  expect(await agent.send()).toBeNull();
  expect(agent.error).toMatchObject({ message: expect.stringContaining(`WebSocket connection failed: ${address}`) });
  expect([agent.connection, agent.loading, heard]).toEqual(["waiting", false, [["error", agent.error]]]);
  server.network.isDown = false;
  const sending = agent.send();
  await server.model.answer("Hi");
  expect([await sending, agent.error, agent.messages.length]).toEqual(["Hi", null, 2]);
  expect(server.model.requests).toHaveLength(1);
});

test("a question that is asked while a server is away for long is not kept for it", async () => {
  const server = createServer();
  const agent = showRemote();
  const sending = agent.send();
  await server.model.answer("Hi");
  await sending;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  server.network.isDown = true;
  vi.spyOn(Math, "random").mockReturnValue(0.9);
  server.network.dialled[0]?.cut();
  await vi.advanceTimersByTimeAsync(5000);
  expect(agent.error).toMatchObject({ message: expect.stringContaining("connection lost") });
  for (const _ of ["once", "twice"]) expect(await agent.send()).toBeNull();
  expect([agent.loading, agent.error?.constructor.name]).toEqual([false, "PagewireError"]);
  expect(server.model.requests).toHaveLength(1);
});

test("where no core outlives its socket, a cut ends the answer with an error and there is no state left busy", async () => {
  const server = createServer({ kind: "plain" });
  const agent = showRemote();
  const sending = agent.send();
  await server.model.next();
  await nextEvent(agent, "ai-agent:streaming-changed", Boolean);
  server.network.dialled[0]?.cut();
  expect(await sending).toBeNull();
  expect(agent.error).toMatchObject({ message: expect.stringContaining("connection lost") });
  expect([agent.loading, agent.streaming]).toEqual([false, false]);
  await nextEvent(agent, "ai-agent:connection-changed", isOpen);
  expect([agent.error, agent.messages]).toEqual([null, []]);
});

test("a cut in the middle of an answer costs nothing where the core outlives it", async () => {
  const server = createServer();
  const agent = showRemote();
  const heard = record(agent, "ai-agent:error");
  const sending = agent.send();
  const request = await server.model.next();
  for (const word of ["One ", "two ", "three "]) {
    const said = nextEvent(agent, "ai-agent:content-changed", (content) => content.endsWith(word));
    request.say({ choices: [{ index: 0, delta: { content: word } }] });
    await said;
    const back = nextEvent(agent, "ai-agent:connection-changed", isOpen);
    server.network.dialled.at(-1)?.cut();
    await back;
    expect(agent.loading).toBe(true);
  }
  request.end("four");
  expect(await sending).toBe("One two three four");
  expect(agent.messages.map(({ content }) => content)).toEqual(["Hello", "One two three four"]);
  expect([server.model.requests.length, server.cores.length, heard]).toEqual([1, 1, []]);
});

test("a long outage counts as lost; once it is over, the element has what the server did meanwhile", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const server = createServer();
  vi.spyOn(Math, "random").mockReturnValue(0.9);
  const agent = showRemote();
  const sending = agent.send();
  const request = await server.model.next();
  await vi.waitFor(() => expect(agent.streaming).toBe(true));
  server.network.isDown = true;
  server.network.dialled[0]?.cut();
  expect(agent.connection).toBe("waiting");
  expect([agent.loading, agent.error]).toEqual([true, null]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await sending).toBeNull();
  expect(agent.error).toMatchObject({ message: expect.stringContaining("connection lost") });
  expect([agent.loading, agent.streaming]).toEqual([false, false]);
  request.end("Hi");
  server.network.isDown = false;
  const back = nextEvent(agent, "ai-agent:connection-changed", isOpen);
  await vi.advanceTimersByTimeAsync(30_000);
  await back;
  await vi.waitFor(() => expect(agent.content).toBe("Hi"));
  expect([agent.error, agent.messages.length]).toEqual([null, 2]);
});

test("a question that was abandoned before the server had it is never sent", async () => {
  const server = createServer();
  server.network.isDown = true;
  const agent = showRemote();
  const sending = agent.send();
  agent.abort();
  expect(await sending).toBeNull();
  expect(await agent.send()).toBeNull();
  server.network.isDown = false;
  agent.prompt = "Another";
  const last = agent.send();
  await server.model.answer("Hi");
  await last;
  expect(server.model.requests.map(({ body }) => body.messages)).toEqual([[{ role: "user", content: "Another" }]]);
});

test("abort stops the server's answer", async () => {
  const server = createServer();
  const agent = showRemote();
  const sending = agent.send();
  const request = await server.model.next();
  const rested = nextEvent(agent, "ai-agent:loading-changed", (isLoading) => !isLoading);
  agent.abort();
  expect(await sending).toBeNull();
  await rested;
  expect([request.signal.aborted, agent.error, agent.messages]).toEqual([true, null, []]);
});

test("an element that is moved keeps its socket; one that is taken away stops the answer and closes it", async () => {
  const server = createServer();
  const agent = showRemote();
  const place = agent.parentElement;
  const sending = agent.send();
  const request = await server.model.next();
  agent.remove();
  place?.append(agent);
  request.end("Hi");
  expect([await sending, server.network.dialled.length]).toEqual(["Hi", 1]);
  const stopped = agent.send();
  const second = await server.model.next();
  agent.remove();
  expect(await stopped).toBeNull();
  await vi.waitFor(() => expect(second.signal.aborted).toBe(true));
  expect([server.network.dialled[0]?.client.readyState, agent.connection, agent.content]).toEqual([3, "closed", "Hi"]);
  place?.append(agent);
  const again = agent.send();
  await server.model.answer("Back");
  expect([await again, server.cores.length, agent.messages.length]).toEqual(["Back", 1, 4]);
});

test("the state of the connection is a property, and an event when it changes", async () => {
  const server = createServer();
  const agent = showRemote();
  const heard = record(agent, "ai-agent:connection-changed");
  expect(agent.connection).toBe("connecting");
  await nextEvent(agent, "ai-agent:connection-changed", isOpen);
  const back = nextEvent(agent, "ai-agent:connection-changed", isOpen);
  server.network.dialled[0]?.cut();
  await back;
  agent.remove();
  await vi.waitFor(() => expect(agent.connection).toBe("closed"));
  expect(heard.map((pair) => (pair as string[])[1])).toEqual([
    "connecting",
    "open",
    "waiting",
    "connecting",
    "open",
    "closed",
  ]);
});

test("a server that refuses after a long outage is an error with that reason", async () => {
  const server = createServer();
  const agent = showRemote();
  await nextEvent(agent, "ai-agent:connection-changed", isOpen);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(Math, "random").mockReturnValue(0.9);
  server.network.isDown = true;
  server.network.dialled[0]?.cut();
  await vi.advanceTimersByTimeAsync(5000);
  server.network.isDown = false;
  server.network.serve = (end) => end.close(1008, "the token has expired");
  const refused = nextEvent(agent, "ai-agent:connection-changed", (state) => state === "closed");
  expect(await agent.send()).toBeNull();
  await refused;
  expect(agent.error).toMatchObject({ message: expect.stringContaining("the token has expired") });
});

test("a server that refuses the connection is an error, and is asked again with the next send", async () => {
  const server = createServer();
  let token = "good";
  const { serve } = server.network;
  server.network.serve = (end) => (token === "good" ? serve(end) : end.close(1008, "the token is not valid"));
  const agent = showRemote();
  agent.token = () => token;
  await nextEvent(agent, "ai-agent:connection-changed", isOpen);
  const { conversation } = agent;
  token = "bad";
  const refused = nextEvent(agent, "ai-agent:connection-changed", (state) => state === "closed");
  server.network.dialled[0]?.cut();
  await refused;
  expect(agent.error).toMatchObject({ message: expect.stringContaining("the token is not valid") });
  token = "good";
  const sending = agent.send();
  await server.model.answer("Hi");
  expect([await sending, agent.error, agent.conversation]).toEqual(["Hi", null, conversation]);
});
