import { expect, onTestFinished, test } from "vitest";
import { PagewireError } from "../../../wire/index.ts";
import { createExchanges } from "./exchange.ts";
import type { ExchangeRequest } from "./exchange.ts";
import { startScriptedHub } from "../test-support/scripted-hub.test-helper.ts";

function open(url: string, more: Partial<ExchangeRequest> = {}) {
  const exchanges = createExchanges();
  onTestFinished(exchanges.close);
  const { signal } = new AbortController();
  return exchanges.open(new URL("/mcp", url), { method: "POST", headers: {}, body: "{}", signal, ...more });
}

const unsent = (error: unknown) => PagewireError.isInstance(error) && error.code === "hub-unreachable";

test("if nothing answers, or the request cannot be written, it is known that nothing was sent", async () => {
  const hub = await startScriptedHub();
  let sent = 0;
  const onSent = () => void sent++;
  await expect(open(hub.url, { headers: { authorization: "Bearer \n" }, onSent })).rejects.toSatisfy(unsent);
  await expect(open(hub.url.replace("http", "https"), { onSent })).rejects.toSatisfy(unsent);
  await hub.stop();
  await expect(open(hub.url, { onSent })).rejects.toSatisfy(unsent);
  await expect(open("http://hub.invalid", { onSent })).rejects.toSatisfy(unsent);
  expect(sent).toBe(0);
});

test("after a connection was open, the outcome of a failed request is unknown", async () => {
  const hub = await startScriptedHub();
  hub.on("POST", (asked) => asked.cut());
  let sent = 0;
  await expect(open(hub.url, { onSent: () => void sent++ })).rejects.not.toSatisfy(unsent);
  expect(sent).toBe(1);
});

test("a request that was aborted before it was sent is not sent", async () => {
  const hub = await startScriptedHub();
  const aborter = new AbortController();
  const opened = open(hub.url, { signal: aborter.signal });
  aborter.abort();
  await expect(opened).rejects.toThrow("aborted");
  expect(hub.requests).toEqual([]);
});
