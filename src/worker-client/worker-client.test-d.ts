import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { TabManager, WebMcpAdapter, WorkerClient, logger, queryEvents, storeEvent } from "./index.ts";
import type {
  EventFilters,
  Icon,
  ModelContext,
  ModelContextClient,
  ModelContextOptions,
  ModelContextTool,
  TabInfo,
  ToolAnnotations,
  ToolDefinition,
  ToolExecuteCallback,
  ToolExecution,
  ToolHandler,
  UserInteractionCallback,
  UserEvent,
  WebMcpToolAnnotations,
  WorkerClientInitOptions,
} from "./index.ts";

const client = new WorkerClient();

test("a handler's arguments have the type of its schema, and its answer that of its output schema", () => {
  const tea = { type: "object", properties: { grams: { type: "number" } }, required: ["grams"] } as const;
  void client.registerTool("weigh", "Weighs.", tea, ({ grams }, { signal }) => {
    expectTypeOf(grams).toEqualTypeOf<number>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return grams;
  });
  void client.registerTool("check", undefined, z.object({ email: z.string() }), (input) => {
    expectTypeOf(input).toEqualTypeOf<{ email: string }>();
  });
  void client.registerTool("count", "", undefined, () => ({ grams: 5 }), { outputSchema: tea });
  // @ts-expect-error -- the answer does not match the output schema.
  void client.registerTool("count", "", undefined, () => ({ grams: "5" }), { outputSchema: tea });
});

test("handlers that were written for the seed's types compile", () => {
  const schema: Record<string, unknown> = {};
  const answer = async (args: unknown) => ({ content: [{ type: "text", text: JSON.stringify(args) }] });
  void client.registerTool("one", "One.", schema, answer);
  void client.registerTool("two", "Two.", schema, async (args: { readonly test: string }) => answer(args), {
    annotations: { title: "Two", readOnlyHint: true },
    _meta: {},
  });
});

test("a client is started with options, or with a registration and what is left to say", () => {
  const registration = {} as ServiceWorkerRegistration;
  void client.init();
  void client.init({ sharedWorkerUrl: "/w.js", serviceWorkerUrl: "/s.js", backendWsUrl: "ws://localhost:7337" });
  void client.init(registration);
  void client.init(registration, { backendWsUrl: "ws://localhost:7337" });
  // @ts-expect-error -- the registration is the worker.
  void client.init(registration, { sharedWorkerUrl: "/w.js" });
  expectTypeOf(client.setAuthToken).parameter(0).toEqualTypeOf<string | null>();
});

test("code that was written for the other worker-proxy's whole surface compiles with another import", () => {
  type Registered = Omit<ToolDefinition, "name"> & { handler: ToolHandler };
  const tools: Record<string, Registered> = {
    get_page: {
      description: "The page.",
      inputSchema: { type: "object", properties: {} },
      outputSchema: { type: "object", properties: { url: { type: "string" } } },
      annotations: { readOnlyHint: true },
      execution: { taskSupport: "optional" },
      _meta: { "shop/one": 1 },
      icons: [{ src: "/icon.png", sizes: ["16x16"] }],
      handler: async (args: unknown) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }),
    },
  };
  const options: WorkerClientInitOptions = {
    sharedWorkerUrl: "/w.js",
    serviceWorkerUrl: "/s.js",
    backendWsUrl: "ws://localhost:3001",
    enableWebMcp: true,
  };
  const use = async (shared: WorkerClient) => {
    shared.onConnectionStatus((isConnected: boolean) => logger.info("connected", isConnected));
    await shared.init(options);
    for (const [name, { description, inputSchema, handler, ...rest }] of Object.entries(tools))
      await shared.registerTool(name, description, inputSchema, handler, rest);
    if (WorkerClient.isWebMcpSupported() && !shared.isWebMcpAvailable()) shared.setWebMcpEnabled(true);
    logger.debug(shared.isToolRegisteredViaWebMcp("get_page"), shared.getWebMcpRegisteredTools().join(", "));
    const { isActive, url } = shared.getTabInfo();
    logger.log(shared.getTabId(), isActive, url);
    WorkerClient.clearTabId();
    const { connected } = await shared.request<{ connected: boolean }>("GET_CONNECTION_STATUS", {}, 2000);
    expectTypeOf(connected).toEqualTypeOf<boolean>();
    const event: Omit<UserEvent, "id"> = { type: "click", timestamp: Date.now(), element: "button" };
    await shared.post("STORE_EVENT", { event });
    await storeEvent(event);
    const filters: EventFilters = { type: "click", limit: 10 };
    expectTypeOf(await queryEvents(filters)).toEqualTypeOf<UserEvent[]>();
    const info: TabInfo = shared.getTabInfo();
    return info;
  };
  expectTypeOf(use).returns.resolves.toEqualTypeOf<TabInfo>();
});

test("code that was written for the other worker-proxy's adapter and its types compiles", async () => {
  const annotations: ToolAnnotations & WebMcpToolAnnotations = { readOnlyHint: true, destructiveHint: false };
  const execution: ToolExecution = { taskSupport: "optional" };
  const icons: Icon[] = [{ src: "/icon.png" }];
  const inputSchema = { type: "object", properties: { userId: { type: "string" } }, required: ["userId"] };
  const handler: ToolHandler = async (args: unknown) => ({ content: [{ type: "text", text: JSON.stringify(args) }] });
  const adapter = new WebMcpAdapter();
  adapter.setEnabled(true);
  if (WebMcpAdapter.isSupported() && adapter.isAvailable())
    adapter.registerTool("get-user-profile", undefined, inputSchema, handler, { annotations, execution, icons });
  const schema: Record<string, unknown> = inputSchema;
  adapter.registerTool("one", "One.", schema, async (args: unknown) => {
    const { userId } = args as { userId: string };
    return { content: [{ type: "text", text: userId }] };
  });
  expectTypeOf(adapter.unregisterTool("one")).toEqualTypeOf<boolean>();
  expectTypeOf(adapter.getRegisteredTools()).toEqualTypeOf<string[]>();
  expectTypeOf(adapter.isRegistered("one")).toEqualTypeOf<boolean>();
  adapter.clearAll();
  const definition: ToolDefinition = { name: "my-tool", inputSchema: { type: "object" }, annotations };
  const tool: ModelContextTool = WebMcpAdapter.toModelContextTool(definition, handler);
  const confirm: UserInteractionCallback = async () => true;
  const agent: ModelContextClient = { requestUserInteraction: (callback) => callback() };
  const execute: ToolExecuteCallback = async (_input, caller) => caller.requestUserInteraction(confirm);
  const options: ModelContextOptions = { tools: [tool, { name: "ask", description: "Asks.", execute }] };
  const context: ModelContext = { provideContext() {}, clearContext() {}, registerTool() {}, unregisterTool() {} };
  context.provideContext(options);
  expectTypeOf(await tool.execute({}, agent)).toEqualTypeOf<unknown>();
});

test("code that was written for the other worker-proxy's TabManager compiles", () => {
  const use = (tabs: TabManager) => {
    tabs.registerTab("tab-1", "/dashboard", "Dashboard");
    tabs.setActiveTab("tab-1");
    const isNew: boolean = tabs.registerToolForTab("get_data", "tab-1");
    const { wasRemoved, remainingTabs, wasActiveTab } = tabs.unregisterToolFromTab("get_data", "tab-1");
    const all: TabInfo[] = tabs.getAllTabs();
    const holders: Set<string> = tabs.getTabsForTool("get_data");
    const route = tabs.routeToolCall("get_data", "tab-1");
    logger.log(isNew, wasRemoved, remainingTabs, wasActiveTab, all, holders, route?.targetTabId, route?.reason);
    return tabs.getActiveTabId();
  };
  expectTypeOf(use).returns.toEqualTypeOf<string | null>();
  expectTypeOf(TabManager).instance.toEqualTypeOf<TabManager>();
});
