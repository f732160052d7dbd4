import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import type { HubRequest } from "../reach-hub/ask-hub.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import { oneLine } from "../common/plain-text.ts";
import { definitionChanges } from "../console/definition-changes.ts";
import { findHub, openOwnState } from "../reach-hub/find-hub.ts";
import { requireOrigin } from "../run-hub/hub-sources.ts";

type Context = CommandContext<typeof hubOptions>;
type Ask = (request: Pick<HubRequest, "method" | "path" | "body">) => Promise<JsonObject>;

export const pins = defineCommand({
  name: "pins",
  summary: "Review tools that changed since they were first seen, and accept them.",
  usage: "list|accept|remove [origin] [tool]",
  positionals: { min: 1, max: 3 },
  options: hubOptions,
  notes: [
    "Of a pinned origin agents are shown the tools as they were first seen; a new or changed one waits here, and cannot be called. All origins are pinned by `pagewire hub --pin`, some by the list `pin` in the policy.",
    "list shows what is pinned, and of what waits the difference: a line with - was, a line with + is.",
    "accept takes what waits, of an origin or of one tool of it. remove forgets what was pinned; of an origin of which nothing is left, what its page offers next is taken for the first.",
  ],
  examples: [
    "pagewire pins list",
    "pagewire pins accept https://shop.example place_order",
    "pagewire pins remove https://shop.example",
  ],
  async run(context) {
    const { io, values, positionals } = context;
    const [action = "", origin, name] = positionals;
    const state = openOwnState(io);
    const access = () => accessHub(findHub(values, io, state), io, state);
    const ask: Ask = async (request) => askHub({ ...(await access()), ...request });
    if (action === "list" && origin === undefined) await list(ask, context);
    else if (action === "accept" || action === "remove") await change(ask, context, { action, origin, name });
    else throw usageError("Write: npx pagewire pins list, or accept or remove with an origin.");
    return 0;
  },
});

async function list(ask: Ask, { printer }: Context): Promise<void> {
  const found = await ask({ method: "GET", path: "/api/pins" });
  if (printer.json) return printer.data(found);
  const [pinned, waiting] = [objectsIn(found["pins"]), objectsIn(found["waiting"])];
  if (pinned.length + waiting.length === 0) return printer.line("Nothing is pinned.");
  for (const tool of pinned) printer.line(`pinned   ${placeOf(tool)}`);
  for (const tool of waiting) {
    printer.line(`${tool["before"] === undefined ? "new    " : "changed"}  ${placeOf(tool)}`);
    for (const line of definitionChanges(tool)) printer.line(`  ${line}`);
  }
  const more = Number(found["more"]);
  if (more > 0) printer.line(`${more} more wait, and are listed once these are accepted.`);
  if (waiting.length > 0) printer.line("\nAccept what waits with: npx pagewire pins accept <origin> [tool]");
}

interface Change {
  readonly action: "accept" | "remove";
  readonly origin: string | undefined;
  readonly name: string | undefined;
}

async function change(ask: Ask, { printer }: Context, { action, origin, name }: Change): Promise<void> {
  if (origin === undefined) throw usageError(`Name the origin: npx pagewire pins ${action} https://shop.example`);
  const body = { origin: requireOrigin(origin), ...(name === undefined ? {} : { name }) };
  const answer = await ask({ method: "POST", path: `/api/pins/${action}`, body });
  if (printer.json) return printer.data(answer);
  const [done, word] = action === "accept" ? (["accepted", "Accepted"] as const) : (["removed", "Forgot"] as const);
  for (const tool of objectsIn(answer[done])) printer.line(`${word} ${placeOf(tool)}.`);
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function wordsOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function placeOf({ origin, app, via, name }: JsonObject): string {
  const from = via === "window" ? "in the agent's window" : `app ${oneLine(wordsOf(app), 60)}`;
  return `${oneLine(wordsOf(name), 128)} of ${oneLine(wordsOf(origin), 200)} (${from})`;
}
