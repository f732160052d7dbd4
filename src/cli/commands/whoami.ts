import { PagewireError } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { defineCommand, hubOptions } from "../common/command.ts";
import { oneLine } from "../common/plain-text.ts";
import { minuteOf } from "../console/layout.ts";
import { localName } from "../contexts/context.ts";
import type { HubContext } from "../contexts/context.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { findHub, openOwnState } from "../reach-hub/find-hub.ts";

export const whoami = defineCommand({
  name: "whoami",
  summary: "Show who you are to a hub, and what you may do there.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: hubOptions,
  notes: ["With --json: the answer of GET /api/team/me, with the hub and its context."],
  examples: ["pagewire whoami", "pagewire whoami --context acme --json"],
  async run({ io, printer, values }) {
    const state = openOwnState(io);
    const found = findHub(values, io, state);
    const hub = await accessHub(found, io, state);
    const ask = (path: string) => askHub({ ...hub, method: "GET", path });
    // Hubs in other modes know of no people.
    const me = await ask("/api/team/me").catch(async (error: unknown): Promise<JsonObject> => {
      if (!PagewireError.isInstance(error) || error.code !== "route-not-found") throw error;
      const { mode = "local" } = await ask("/api/status");
      return { mode };
    });
    const context = found.context?.name ?? localName;
    if (printer.json) printer.data({ context, hub: hub.url, ...me });
    else {
      const who =
        typeof me["mode"] === "string"
          ? `You are the user of this hub (${me["mode"]} mode)`
          : `You are ${describeMe(me)}`;
      printer.line(`${who} at ${hub.url} (context ${context}).`);
      for (const line of aboutMe(me, found.context)) printer.line(line);
    }
    return 0;
  },
});

export function describeMe({ name, principal }: JsonObject): string {
  const id = typeof principal === "string" ? oneLine(principal, 200) : "somebody";
  return typeof name === "string" ? `${oneLine(name, 100)} (${id})` : id;
}

function aboutMe(
  { groups, scopes, isAdmin, organisation, expiresAt }: JsonObject,
  context: HubContext | undefined,
): readonly string[] {
  const list = (value: unknown) => (Array.isArray(value) ? oneLine(value.join(", "), 500) : "");
  return [
    ...(typeof organisation === "string"
      ? [`Organisation: ${oneLine(organisation, 200)}${isAdmin === true ? ", which you govern" : ""}`]
      : []),
    ...(list(groups) === "" ? [] : [`Groups: ${list(groups)}`]),
    ...(list(scopes) === "" ? [] : [`Scopes: ${list(scopes)}`]),
    ...(typeof expiresAt === "number"
      ? [`Good until: ${minuteOf(expiresAt)}${context?.issuer === undefined ? "" : ", and renewed by itself"}`]
      : []),
  ];
}
