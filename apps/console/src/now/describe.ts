// The words of what is connected.
import type { Tone } from "../../../common/src/ui/index.ts";
import type { Budget, HubTab } from "../hub/facts.ts";

interface State {
  readonly tone: Tone;
  readonly text: string;
}

/** Whether a tab answers, in words. */
export function stateOf({ state, isActive }: Pick<HubTab, "state" | "isActive">): State {
  switch (state) {
    case "connected":
      return isActive ? { tone: "ok", text: "in use" } : { tone: "ok", text: "connected" };
    case "away":
      return { tone: "wait", text: "away, perhaps reloading" };
    case "suspended":
      return { tone: "wait", text: "suspended by the browser" };
    default:
      return { tone: "bad", text: "does not answer" };
  }
}

export const viaTexts: Readonly<Record<string, string>> = {
  socket: "a socket of its own",
  "shared-socket": "a socket that the tabs of its origin share",
};

export const doorTexts: Readonly<Record<string, string>> = {
  socket: "Hub client",
  mcp: "MCP",
  http: "HTTP",
  delegate: "Terminal",
  model: "The hub's model",
};

/** "3 tools", "1 prompt". */
export function countText(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

export function bytesText(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let value = bytes;
  while (value >= 1000 && units.length > 1) {
    value /= 1024;
    units.shift();
  }
  return `${value >= 10 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${units[0]}`;
}

const budgetTexts: Readonly<Record<string, string>> = {
  tabsPerPrincipal: "Tabs",
  offersPerPrincipal: "Tools, resources and prompts",
  offeredBytesPerPrincipal: "Size of what is offered",
  callsPerPrincipal: "Calls in flight",
  callBytesPerPrincipal: "Size of calls in flight",
  terminalsPerPrincipal: "Terminals",
  browsersPerPrincipal: "Paired browsers",
};

/** A budget in words; one that is not known here goes by its own name. */
export function budgetText({ name, used, max }: Budget): { readonly label: string; readonly value: string } {
  const isSize = name.includes("Bytes");
  const text = (amount: number) => (isSize ? bytesText(amount) : amount.toLocaleString("en"));
  return { label: budgetTexts[name] ?? name, value: `${text(used)} of ${text(max)}` };
}
