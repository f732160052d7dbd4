// The page as an app writes it: the hub's script tag comes first, then the tools are registered.
import type { ToolDefinition } from "pagewire";
import type { Page } from "pagewire/page";
import { answerTo } from "../answers.ts";
import type { ToolArguments } from "../answers.ts";
import { offeredTools } from "../offered-tools.ts";
import { openNext, opensNext } from "./open-next.ts";
import { query } from "./query.ts";

const { pagewire } = window as unknown as { readonly pagewire: Page };

/** The expected transport of this page; the worker by hand looks like the page's own socket. */
const expected = query.has("by-hand") ? "socket" : (query.get("via") ?? "socket");
let isOffered = false;

function look({ state }: Page): void {
  if (state.status !== "connected" || isOffered) return;
  // A page that went another way would be measured as if it had not: it offers nothing, and the bench ends.
  if (state.via.kind !== expected) throw new Error(`Carried by ${state.via.kind}: ${state.via.reason}`);
  isOffered = true;
  if (opensNext) openNext();
  else offer();
}

pagewire.onState(() => look(pagewire));
look(pagewire);

function offer(): void {
  for (const tool of offeredTools(Number(query.get("tools") ?? 1), Number(query.get("from")))) {
    pagewire.registerTool({
      ...(tool as Omit<ToolDefinition, "execute">),
      execute: (input) => answerTo(input as ToolArguments),
    });
  }
}
