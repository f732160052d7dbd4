import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import type { CommandContext, OptionSpecs } from "../common/command.ts";
import { oneLine } from "../common/plain-text.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import type { AccessedHub } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { findHub, openOwnState } from "../reach-hub/find-hub.ts";
import { duration, listed, objects, said, text, texts, time } from "../team/shown.ts";
import type { Shown } from "../team/shown.ts";

const options = {
  scope: { type: "string", multiple: true, value: "SCOPE", summary: "make: what it is for; tools by default." },
  expires: { type: "string", value: "TIME", summary: "make: how long it is good; 90d by default." },
  out: { type: "string", value: "FILE", summary: "make: write the key into this new file, for you alone." },
  ...hubOptions,
} as const satisfies OptionSpecs;

type Context = CommandContext<typeof options>;

export const keys = defineCommand({
  name: "keys",
  summary: "List, make and remove keys with which your own agents act for you.",
  usage: "[list|make <name>|remove <id>]",
  positionals: { min: 0, max: 2, areIds: true },
  options,
  notes: [
    "A key is for an agent that cannot sign in by itself, at a hub in team mode. It acts for you, and may do no more than you may. You make one after you signed in: npx pagewire login --scope tools:destructive. Where your identity provider signs in no programs, make it in the hub's console.",
    "make prints the key, or writes it into a file, and nothing shows it again. An agent sends it as its bearer; a machine signs in with it: npx pagewire login https://hub.example.com --key-file FILE",
  ],
  examples: [
    "pagewire keys",
    "pagewire keys make laptop --expires 30d --out key.txt",
    "pagewire keys remove 4pFw2d0aXq8bRk1c",
  ],
  async run(context) {
    const { io, printer, values, positionals } = context;
    const [action = "list", name = ""] = positionals;
    const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (!act || (action === "list") !== (name === ""))
      throw usageError("Write: npx pagewire keys, or: keys make <name>, or: keys remove <id>.");
    const stray = (["scope", "expires", "out"] as const).find((each) => values[each]?.length);
    if (action !== "make" && stray !== undefined) throw usageError(`--${stray} is for: npx pagewire keys make`);
    const state = openOwnState(io);
    const hub = await accessHub(findHub(values, io, state), io, state);
    const { data, lines } = await act(hub, name, values).catch((error: unknown) => {
      throw action === "remove" ? error : explained(error);
    });
    if (printer.json) printer.data(data);
    else for (const line of lines(io.stdout.columns || undefined)) printer.line(line);
    return 0;
  },
});

const path = "/api/keys";

const actions: Readonly<Record<string, (hub: AccessedHub, name: string, values: Context["values"]) => Promise<Shown>>> =
  {
    async list(hub) {
      const found = objects((await askHub({ ...hub, method: "GET", path }))["keys"]);
      const rows = found.map((each) => [
        ...[text(each["id"]), text(each["name"]), texts(each["scopes"]).join(" "), time(each["expiresAt"])],
        each["lastUsedAt"] === undefined ? "never" : time(each["lastUsedAt"]),
      ]);
      const none = "You have no key. Make one with: npx pagewire keys make <name>";
      return listed({ keys: [...found] }, [["ID", "NAME", "SCOPES", "ENDS", "USED"], ...rows], none);
    },
    async make(hub, name, { scope, expires, out }) {
      const expiresIn = duration("expires", expires);
      const body = {
        name,
        ...(scope.length > 0 && { scopes: [...scope] }),
        ...(expiresIn !== undefined && { expiresIn }),
      };
      const make = () => askHub({ ...hub, method: "POST", path, body });
      if (out !== undefined) return makeInto(resolve(out), make);
      const data = await make();
      return { data, lines: () => [text(data["key"])] };
    },
    async remove(hub, id) {
      await askHub({ ...hub, method: "DELETE", path: `${path}/${encodeURIComponent(id)}` });
      return said({ removed: id }, `The key ${oneLine(id, 100)} is gone, and what it signed in.`);
    },
  };

/** Opens the file before there is a key: one that cannot be kept should not be made. */
async function makeInto(file: string, make: () => Promise<JsonObject>): Promise<Shown> {
  const descriptor = open(file);
  try {
    const { key, ...data } = await make();
    writeSync(descriptor, `${text(key)}\n`);
    return said({ ...data, file }, `The key ${text(data["name"])} is in ${file}, until ${time(data["expiresAt"])}.`);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function open(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    throw usageError(`The key cannot be written into ${file}: ${messageOf(error)}. Name a new file.`);
  }
}

/** A hub in another mode has no such address. */
function explained(error: unknown): unknown {
  if (!PagewireError.isInstance(error) || error.code !== "route-not-found") return error;
  const message =
    "Keys of people are of a hub in team mode. The one of this machine has a token: npx pagewire token show";
  return new PagewireError(error.code, message, { cause: error });
}
