// Exports of other clients of this kind that have no use here. A call is passed to the member that replaces it, or throws an
// error that names that member.
import { PagewireError } from "../wire/index.ts";
import type { ToolAnnotations, Icon } from "../wire/index.ts";

/** A tool without its handler. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: ToolAnnotations;
  readonly execution?: ToolExecution;
  readonly icons?: readonly Icon[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Whether a tool runs as a task of MCP. There are no tasks here, so that none can be required. */
export interface ToolExecution {
  readonly taskSupport?: "optional" | "required" | "forbidden";
}

/** Refuses a tool that could only run as a task. */
export function checkExecution(name: string, { taskSupport = "forbidden" }: ToolExecution = {}): void {
  if (taskSupport === "forbidden" || taskSupport === "optional") return;
  throw instead(
    `The tool "${name}" has the execution.taskSupport "${taskSupport}", and there are no tasks`,
    'leave it out, or say "optional"; a call that takes long reports progress by its handler\'s context',
  );
}

/** An act of a user in a page. */
export interface UserEvent {
  readonly id: string;
  readonly type: "navigation" | "click" | "input" | "custom";
  readonly timestamp: number;
  readonly path?: string;
  readonly from?: string;
  readonly to?: string;
  readonly element?: string;
  readonly elementId?: string;
  readonly elementClass?: string;
  readonly elementText?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface EventFilters {
  readonly type?: string;
  readonly startTime?: number;
  readonly endTime?: number;
  readonly path?: string;
  readonly limit?: number;
}

const ownEvents =
  'keep them in your app, and let agents read them by a tool: registerTool("get_user_events", …), whose handler answers with them';

/** Rejects: nothing that users do is recorded here. */
export async function storeEvent(_event: Omit<UserEvent, "id">): Promise<void> {
  throw instead("Events of users are not stored", ownEvents);
}

/** Rejects: nothing that users do is recorded here. */
export async function queryEvents(_filters?: EventFilters): Promise<UserEvent[]> {
  throw instead("Events of users are not stored", ownEvents);
}

/** This tab, as agents know it. */
export interface TabInfo {
  /** Undefined until the hub has welcomed the page. */
  readonly tabId: string | undefined;
  readonly url: string;
  readonly title: string;
  /** Whether it has the focus. */
  readonly isActive: boolean;
}

/** The browser's console. */
export const logger: Readonly<Record<"debug" | "error" | "info" | "log" | "warn", (...values: unknown[]) => void>> = {
  debug: (...values) => console.debug(...values),
  error: (...values) => console.error(...values),
  info: (...values) => console.info(...values),
  log: (...values) => console.log(...values),
  warn: (...values) => console.warn(...values),
};

/** The client's own members that do what a message to the worker did. */
const replacements: Readonly<Record<string, string>> = {
  INIT: "init({ backendWsUrl })",
  SET_BACKEND_URL: "init({ backendWsUrl })",
  REGISTER_TOOL: "registerTool(name, description, inputSchema, handler)",
  UNREGISTER_TOOL: "unregisterTool(name)",
  TOOL_CALL_RESULT: "what the tool's handler returns",
  REGISTER_TAB: "init(), which does it",
  SET_ACTIVE_TAB: "nothing: the hub knows which tab has the focus",
};

/** The members of a client that messages are answered by. */
interface Answering {
  getConnectionStatus(): Promise<boolean>;
  setAuthToken(token: string | null): void;
}

/** The fields of a message to the worker. */
export type Payload = Readonly<Record<string, unknown>>;

/** Answers a message that was meant for the worker; there are none here. */
export async function answerMessage(client: Answering, type: string, payload: Payload): Promise<unknown> {
  const { token, event } = payload;
  if (type === "GET_CONNECTION_STATUS") return { success: true, connected: await client.getConnectionStatus() };
  if (type === "SET_AUTH_TOKEN") {
    client.setAuthToken(typeof token === "string" ? token : null);
    return { success: true };
  }
  if (type === "GET_EVENTS") return { success: true, events: await queryEvents(payload) };
  if (type === "STORE_EVENT") return { success: true, stored: await storeEvent(event as UserEvent) };
  const use = Object.hasOwn(replacements, type) ? `use ${replacements[type]}` : "use the client's own methods";
  throw instead(`There is no message "${type}" to the worker`, use);
}

/** Routes calls to tabs, elsewhere. A page does not know the other tabs: the hub does. */
export interface TabManager {
  registerTab(tabId: string, url: string, title: string): void;
  setActiveTab(tabId: string): void;
  getActiveTabId(): string | null;
  getAllTabs(): TabInfo[];
  removeTab(tabId: string): boolean;
  registerToolForTab(toolName: string, tabId: string): boolean;
  unregisterToolFromTab(
    toolName: string,
    tabId: string,
  ): { readonly wasRemoved: boolean; readonly remainingTabs: number; readonly wasActiveTab: boolean };
  getTabsForTool(toolName: string): Set<string>;
  tabHasTool(toolName: string, tabId: string): boolean;
  routeToolCall(
    toolName: string,
    explicitTabId?: string,
  ): { readonly targetTabId: string; readonly reason: string } | null;
  getRoutingInfo(toolName: string): unknown;
  getStats(): unknown;
  clear(): void;
}

/** Throws: the hub keeps the tabs. */
export const TabManager: new () => TabManager = class {
  constructor() {
    throw instead(
      "There is no TabManager in a page: the hub knows the tabs, and which of them a call goes to",
      "getTabInfo() of a client for this tab, and list_browser_tabs or the argument tabId for agents",
    );
  }
} as never;

function instead(problem: string, use: string): PagewireError {
  return new PagewireError("options-invalid", `${problem}: ${use}.`);
}
