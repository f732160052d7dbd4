import { ROOT_CONTEXT, context, createTraceState, trace as api } from "@opentelemetry/api";
import type { ContextManager } from "@opentelemetry/api";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { cutOff } from "../wire/index.ts";
import { createDelegate } from "./index.ts";
import { openScriptedDoor } from "./delegate/scripted-door.test-helper.ts";
import { createScriptedHub } from "./scripted-hub.test-helper.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const trace = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: "rojo=00f067aa0ba902b7" };
const active = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: "congo=1" };

/** Runs all code in a span, as far as OpenTelemetry knows. */
function runInSpan(): void {
  const traceState = createTraceState(active.tracestate);
  const span = { traceId, spanId: "00f067aa0ba902b7", traceFlags: 1, traceState };
  const manager: ContextManager = {
    active: () => api.setSpanContext(ROOT_CONTEXT, span),
    with: (_, run, ...[self, ...given]) => run.apply(self, given),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
}

afterEach(() => context.disable());

/** A client, and the traces of its calls so far. */
async function connected() {
  const hub = createScriptedHub();
  const client = await hub.connect();
  onTestFinished(() => client.close());
  const said = async () => {
    await hub.clock.advance(0);
    return hub.end.heard("call").map((frame) => ("trace" in frame ? frame.trace : "nothing"));
  };
  return { hub, client, said };
}

test("a call sends its trace, and no invalid one", async () => {
  const { client, said } = await connected();
  void client.call({ name: "work", trace });
  void client.call({ name: "work", trace: { traceparent: "00-0-0-0" } });
  void client.call({ name: "work" });
  expect(await said()).toEqual([trace, "nothing", "nothing"]);
});

test("a call without one sends OpenTelemetry's current trace, if there is one", async () => {
  const { client, said } = await connected();
  runInSpan();
  void client.call({ name: "work" });
  void client.call({ name: "work", trace });
  context.disable();
  void client.call({ name: "work" });
  expect(await said()).toEqual([active, trace, "nothing"]);
});

test("a repeated call keeps its position in its trace", async () => {
  const { hub, client, said } = await connected();
  runInSpan();
  void client.call({ name: "work", key: "k" });
  expect(await said()).toEqual([active]);
  context.disable();
  await hub.end.close(cutOff);
  await hub.takeBack();
  expect(await said()).toEqual([active]);
});

test("a terminal's program sends it in headers", async () => {
  const door = await openScriptedDoor(({ answer }) =>
    answer(200, { cmd: "browser_response", status: "ok", result: "" }),
  );
  onTestFinished(() => door.close());
  const tab = createDelegate({ url: door.url, token: "secret", browserId: "terminal-1" });
  await tab.call("greet", {}, { trace });
  await tab.call("greet", {}, { trace: { traceparent: "00" } });
  runInSpan();
  await tab.call("greet");
  const said = door.requests.map(({ headers: { traceparent, tracestate } }) => ({ traceparent, tracestate }));
  expect(said).toEqual([trace, {}, active]);
});
