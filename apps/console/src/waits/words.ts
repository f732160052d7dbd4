import { shortened } from "../../../common/src/shortened.ts";
import type { Wait } from "./inbox.ts";

/** The subject of a card, in a few words. */
export function titleOf(wait: Wait): string {
  const { kind, tool = "a tool", title = tool, origin = "", before } = wait;
  const shown = shortened(kind === "origin" ? origin : title, 120);
  if (kind === "origin") return `Let in pages of ${withoutScheme(shown)}?`;
  if (kind === "dialog") return `${subjectOf(wait)} asks you something in its page`;
  if (kind === "sign-in") return `Sign in to ${subjectOf(wait)} again`;
  if (kind === "question") return `“${shown}” asks you`;
  if (kind === "tool-change") return before === undefined ? `New tool “${shown}”` : `“${shown}” has changed`;
  return `Allow “${shown}”?`;
}

/** The same as a subject, for messages about it. */
export function subjectOf({ kind, tool, origin = "", page, app = "A page" }: Wait): string {
  if (kind === "dialog" || kind === "sign-in") return `“${shortened(page || app, 80)}”`;
  return shortened(kind === "origin" ? withoutScheme(origin) : (tool ?? "It"), 80);
}

/** The asking agent, and the page. */
export function whoAsks({ kind, agent, door, page, origin, conversation }: Wait): string {
  if (kind === "origin") return "";
  const caller = agent === undefined ? "" : `${shortened(agent, 60)}${door === undefined ? "" : ` (${doorOf(door)})`}`;
  const where = [page && `“${shortened(page, 80)}”`, origin && withoutScheme(shortened(origin, 120))].filter(Boolean);
  const of = where.length === 0 ? "" : where.join(", ");
  const from = conversation === undefined ? "" : "a conversation with ";
  return [caller && `${from}${caller}`, of].filter(Boolean).join(" · ");
}

const doors: Readonly<Record<string, string>> = {
  mcp: "MCP",
  http: "HTTP",
  socket: "a program",
  delegate: "a terminal",
  model: "the hub's model",
};

function doorOf(door: string): string {
  return doors[door] ?? door;
}

function withoutScheme(origin: string): string {
  return origin.replace(/^https:\/\//, "");
}

/** JSON text with indentation; unchanged where it is none. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
