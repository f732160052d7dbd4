// A page of ten tools: five that it registers with Pagewire, which mirrors them into the browser, and five that a script
// registers with the browser, which Pagewire takes up.
import type { ToolDefinition } from "pagewire";
import type { Page } from "pagewire/page";
import { registerWebMcp } from "pagewire/webmcp";
import { answerTo, argumentsFor } from "../answers.ts";
import { answerTools } from "../native-page.ts";
import type {
  ChangeAnswer,
  ChangeArguments,
  FloorAnswer,
  FloorArguments,
  RefreshAnswer,
  RefreshArguments,
} from "../native-page.ts";

interface RegisteredTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: object;
}

interface ModelContext extends EventTarget {
  registerTool(tool: object, options?: { readonly signal?: AbortSignal }): Promise<void>;
  getTools(): Promise<readonly RegisteredTool[]>;
  executeTool(tool: RegisteredTool, input: object): Promise<string | null>;
}

const { pagewire } = window as unknown as { readonly pagewire: Page };
const { modelContext } = document as unknown as { readonly modelContext: ModelContext };

/** The clock of a page is coarse, and one call is short. */
const callsInBatch = 10;

const answer = () => answerTo(argumentsFor("200 B"));

function offerOfPage(name: string, execute: ToolDefinition["execute"]): { remove(): void } {
  return pagewire.registerTool({ name, description: `The page's ${name}.`, execute });
}

function offerOfScript(name: string): { remove(): void } {
  const removal = new AbortController();
  const tool = { name, description: `A script's ${name}.`, execute: answer };
  modelContext.registerTool(tool, { signal: removal.signal }).catch(reportError);
  return { remove: () => removal.abort() };
}

offerOfPage(answerTools.own, answer);
offerOfPage("floor", (input) => floor(input as FloorArguments));
offerOfPage("change", (input) => change(input as ChangeArguments));
offerOfPage("refresh", (input) => refresh(input as RefreshArguments));
offerOfPage("idle_of_page", answer);
for (const name of [answerTools.script, "idle_1", "idle_2", "idle_3", "idle_4"]) offerOfScript(name);

async function floor({ tool: name, batches }: FloorArguments): Promise<FloorAnswer> {
  const tool = (await modelContext.getTools()).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`The browser has no tool "${name}".`);
  const times: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const start = performance.now();
    for (let call = 0; call < callsInBatch; call++) await modelContext.executeTool(tool, {});
    times.push((performance.now() - start) / callsInBatch);
  }
  return { times };
}

let late = { remove() {} };

function change({ kind, name }: ChangeArguments): ChangeAnswer {
  const at = Date.now();
  if (name === undefined) late.remove();
  else late = kind === "own" ? offerOfPage(name, answer) : offerOfScript(name);
  return { at };
}

async function refresh({ server, times }: RefreshArguments): Promise<RefreshAnswer> {
  const adapter = await registerWebMcp({ url: server, prefix: "remote.", quiet: true, watch: false });
  const remote = (await modelContext.getTools()).filter(({ name }) => name.startsWith("remote."));
  const byAdapter = await changesOf(times, () => adapter.refresh());
  await adapter.dispose();
  let remove = await registerAll(remote);
  const anew = await changesOf(times, async () => {
    remove();
    remove = await registerAll(remote);
  });
  remove();
  return { tools: remote.length, adapter: byAdapter, anew };
}

/** How often the browser says that its tools have changed, each time that this is done. */
async function changesOf(times: number, act: () => Promise<void>): Promise<number> {
  let changes = 0;
  const count = () => changes++;
  await eventsAreDelivered();
  modelContext.addEventListener("toolchange", count);
  for (let time = 0; time < times; time++) await act();
  await eventsAreDelivered();
  modelContext.removeEventListener("toolchange", count);
  return changes / times;
}

async function registerAll(tools: readonly RegisteredTool[]): Promise<() => void> {
  const removal = new AbortController();
  const { signal } = removal;
  await Promise.all(
    tools.map(({ name, description }) => modelContext.registerTool({ name, description, execute: answer }, { signal })),
  );
  return () => removal.abort();
}

/** The browser says so a little later. */
function eventsAreDelivered(): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, 200));
}
