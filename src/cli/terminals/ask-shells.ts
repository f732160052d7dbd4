import { accessTerminals } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import type { HubRequest } from "../reach-hub/ask-hub.ts";
import type { Io } from "../common/io.ts";
import type { Printer } from "../common/printer.ts";
import type { State } from "../../state/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";

/** A command about the terminals of a hub. */
export interface Managing {
  readonly io: Io;
  readonly printer: Printer;
  readonly state: State;
  /** The hub's address. */
  readonly url: string;
}

/** The terminals of this user, if the hub has any. */
interface Shells {
  readonly isOn: boolean;
  readonly terminals: readonly JsonObject[];
}

/** Requests the list of terminals, or with POST first switches them on; authenticated by the shell key. */
export async function askShells(managing: Managing, method: "GET" | "POST"): Promise<Shells> {
  const { isOn, terminals } = await ask(managing, { method, path: "/api/shells" });
  return { isOn: isOn === true, terminals: objectsIn(terminals) };
}

/** Programs in a terminal that ignore its end are killed some seconds later. */
const endTimeout = 20_000;

export async function endShell(managing: Managing, id: string): Promise<void> {
  await ask(managing, { method: "DELETE", path: `/api/shells/${encodeURIComponent(id)}`, timeout: endTimeout });
}

async function ask(
  { io, state, url }: Managing,
  request: Pick<HubRequest, "method" | "path" | "timeout">,
): Promise<JsonObject> {
  return askHub({ ...(await accessTerminals({ url }, io, state)), ...request });
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
