import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import { oneLine } from "../common/plain-text.ts";
import { findHub, openOwnState } from "../reach-hub/find-hub.ts";
import { requireOrigin } from "../run-hub/hub-sources.ts";

export const consents = defineCommand({
  name: "consents",
  summary: "List what you allowed or refused for always, and take it back.",
  usage: "list|remove [origin] [tool]",
  positionals: { min: 1, max: 3 },
  options: hubOptions,
  notes: [
    "In the agent's window a tool is allowed or refused once, for a conversation, or for always; these are the last. remove takes back what you decided about the tools of an origin, or one of them: you are asked again.",
  ],
  examples: ["pagewire consents list", "pagewire consents remove https://shop.example place_order"],
  async run({ io, printer, values, positionals: [action, origin, tool] }) {
    const isRemoval = action === "remove" && origin !== undefined;
    if (!isRemoval && (action !== "list" || origin !== undefined))
      throw usageError("Write: npx pagewire consents list, or consents remove with an origin and perhaps a tool.");
    const state = openOwnState(io);
    const wanted = isRemoval ? requireOrigin(origin) : undefined;
    const hub = await accessHub(findHub(values, io, state), io, state);
    const { consents: list } = await askHub({ ...hub, method: "GET", path: "/api/consents" });
    const all = Array.isArray(list) ? list.filter(isJsonObject) : [];
    if (wanted === undefined) {
      if (printer.json) printer.data({ consents: all });
      else if (all.length === 0) printer.line("Nothing is allowed or refused for always.");
      else for (const each of all) printer.line(`${each["approved"] ? "allowed" : "refused"}  ${placeOf(each)}`);
      return 0;
    }
    const about = all.filter((each) => each["origin"] === wanted && (tool === undefined || each["tool"] === tool));
    for (const { key } of about)
      await askHub({ ...hub, method: "DELETE", path: `/api/consents/${encodeURIComponent(textOf(key))}` });
    if (printer.json) printer.data({ removed: about });
    else if (about.length === 0) printer.line(`Nothing is decided about ${tool ?? "any tool"} of ${wanted}.`);
    else for (const each of about) printer.line(`Took back ${placeOf(each)}.`);
    return 0;
  },
});

function placeOf({ tool, origin }: JsonObject): string {
  const where = origin === "" ? "the hub itself" : oneLine(textOf(origin), 200);
  return `${oneLine(textOf(tool), 128)} of ${where}`;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
