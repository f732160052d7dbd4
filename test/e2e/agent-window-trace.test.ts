// A hub in a process that traces: the spans of the model's calls in the app are children of the hub's span.
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, ask, createAssistantWorld } from "./agent-window.test-helper.ts";
import type { AssistantWorld } from "./agent-window.test-helper.ts";

const exporter = new InMemorySpanExporter();
let world: AssistantWorld;

beforeAll(async () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  world = await createAssistantWorld();
});
afterAll(async () => {
  await world?.close();
  trace.disable();
});

test("a handler in the page that opened the window gets the hub's span as its parent", async () => {
  const app = await world.openApp();
  await app.evaluate("void bridge.registerTool({ ...offer('traced', (_, { trace }) => trace), name: 'traced' })");
  const assistant = await world.openAssistant(app);
  await ask(assistant, 'call traced {"tag":"traced"}');
  const said = JSON.parse(await answer(assistant)) as unknown;
  await expect.poll(() => exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["execute_tool traced"]);
  const { traceId, spanId } = exporter.getFinishedSpans()[0]?.spanContext() ?? {};
  expect(said).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
});
