// The client of the delegate's chain: a program in a terminal whose tab is the bench's page.
import type { OpenCallers } from "./caller.ts";
import { checkAnswer } from "./check-answer.ts";
import { agentToken, openRawCallers, prepareCallers } from "./prepare-callers.ts";
import type { CallersOptions } from "./prepare-callers.ts";
import { argumentsFor } from "../pages/answers.ts";

/** A terminal, as its environment tells a program. */
interface Terminal {
  readonly id: string;
  readonly token: string;
}

/** Credentials for the floor, which does not check them: as long as real ones. */
const anyTerminal: Terminal = { id: "0".repeat(32), token: `pagewire-terminal.${"0".repeat(43)}` };

/** Resolves once the floor's page answers what a terminal's program asks. */
export function prepareFloorDelegates(options: CallersOptions): Promise<OpenCallers> {
  return prepareFor(anyTerminal, options);
}

/** Makes a terminal, attaches it to the one tab, and resolves once that answers its program. */
export async function prepareDelegates(options: CallersOptions): Promise<OpenCallers> {
  // The page must be there before anything can be attached to it.
  await prepareCallers(options);
  const { port } = options;
  const listed = await post(port, "/api/call/list_browser_tabs", {});
  const { result } = (await listed.json()) as { readonly result: { readonly structuredContent: TabList } };
  const [tab] = result.structuredContent.tabs;
  const made = await post(port, "/api/terminals", { name: "bench" });
  const terminal = (await made.json()) as Terminal;
  await post(port, `/api/terminals/${terminal.id}/attach`, { tab: tab?.tabId });
  return prepareFor(terminal, options);
}

interface TabList {
  readonly tabs: readonly { readonly tabId: string }[];
}

async function post(port: number, path: string, body: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${agentToken}`, "Content-Type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered with ${response.status}: ${await response.text()}`);
  return response;
}

async function prepareFor({ id, token }: Terminal, { port, size, inFlight }: CallersOptions): Promise<OpenCallers> {
  const request = {
    port,
    path: "/api/browser-delegate",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "User-Agent": "pagewire-bench",
    },
    body: JSON.stringify({ action: "answer", browser_id: id, ...argumentsFor(size) }),
  };
  await checkAnswer(request, size);
  return () => openRawCallers(inFlight, () => request);
}
