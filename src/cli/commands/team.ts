import { PagewireError, isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import type { ProvenHub } from "../../hub-client/index.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { showOrganisationAudit } from "../audit/organisation-audit.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { defineCommand, hubOptions, unitTime, usageError } from "../common/command.ts";
import type { CommandContext, OptionSpecs } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { oneLine } from "../common/plain-text.ts";
import { table } from "../console/layout.ts";
import { findHub, openOwnState } from "../reach-hub/find-hub.ts";

const options = {
  scope: { type: "string", multiple: true, value: "SCOPE", summary: "services make: tools, tools:destructive, admin." },
  expires: {
    type: "string",
    value: "TIME",
    summary: "services make, rotate: how long the key is good; 90d by default.",
  },
  follow: { type: "boolean", summary: "audit: go on with what happens from now on, until Ctrl-C." },
  "keep-old": { type: "string", value: "TIME", summary: "services rotate: how long earlier keys stay good; else 0." },
  ...hubOptions,
} as const satisfies OptionSpecs;

type Context = CommandContext<typeof options>;

interface Asked extends Pick<Context, "values"> {
  readonly hub: ProvenHub;
  readonly name: string;
}

/** The answer of a command: for programs, and for people. */
interface Shown {
  readonly data: JsonObject;
  readonly lines: (width: number | undefined) => readonly string[];
}

type Run = (asked: Asked) => Promise<Shown>;

export const team = defineCommand({
  name: "team",
  summary: "Govern your organisation: its people, their sessions, service accounts, its audit.",
  usage: "people|sessions|services|audit [action] [name]",
  positionals: { min: 1, max: 3 },
  options,
  notes: [
    "audit shows the latest records of all your organisation's principals; with --json a line of JSON for each, for a program that watches over security.",
    "For the admins of an organisation at a hub in team mode, whom their identity provider's groups name. Sign in first, with a token that may be used for this.",
    "people block ends all that a person's credentials began, at all hubs, and keeps the person out until people unblock. people end does the first only: the person may sign in again. A person is named by principal or email address.",
    "services make and rotate print a new key, and no other command does: put it where the program finds it. With --keep-old the earlier keys stay good for that time, so that programs can change over.",
  ],
  examples: [
    "pagewire team people",
    "pagewire team people block ada@acme.example",
    "pagewire team sessions",
    "pagewire team sessions end 4pFw2d0aXq8bRk1c.YWNtZS9hZGE",
    "pagewire team services make deploy --scope tools --expires 30d",
    "pagewire team services rotate deploy --keep-old 1d",
    "pagewire team audit --follow --json",
  ],
  async run({ io, printer, values, positionals: [part = "", action = "list", name] }): Promise<ExitCode> {
    const key = `${part} ${action}${name === undefined ? "" : " <name>"}`;
    const run = Object.hasOwn(actions, key) ? actions[key] : undefined;
    if (values.follow && key !== auditKey) throw usageError("Only the audit can be followed: team audit --follow");
    if (!run && key !== auditKey)
      throw usageError(`There are: ${[...Object.keys(actions), auditKey].map((each) => `team ${each}`).join(", ")}.`);
    const state = openOwnState(io);
    const hub = await accessHub(findHub(values, io, state), io, state);
    if (!run) {
      await showOrganisationAudit({ hub, io, printer, follow: values.follow });
      return 0;
    }
    const { data, lines } = await run({ hub, values, name: name ?? "" });
    if (printer.json) printer.data(data);
    else for (const line of lines(io.stdout.columns || undefined)) printer.line(line);
    return 0;
  },
});

const auditKey = "audit list";

const actions: Readonly<Record<string, Run>> = {
  "people list": async ({ hub }) => {
    const people = await all(hub, "people");
    const rows = people.map((each) => [
      ...[text(each["principal"]), text(each["name"]), text(each["email"]), groupsOf(each)],
      ...[each["blocked"] === true ? "blocked" : each["isAdmin"] === true ? "admin" : "", time(each["seenAt"])],
    ]);
    const head = ["PRINCIPAL", "NAME", "EMAIL", "GROUPS", "", "SEEN"];
    return { data: { people }, lines: (width) => shown([head, ...rows], "Nobody was here yet.", width) };
  },
  "people block <name>": (asked) => setBlocked(asked, true),
  "people unblock <name>": (asked) => setBlocked(asked, false),
  async "people end <name>"({ hub, name }) {
    const principal = await find(hub, name);
    await askHub({ ...hub, method: "DELETE", path: `${pathTo(principal)}/access` });
    return said({ ended: principal }, `What ${principal} had signed in has ended.`);
  },
  "sessions list": ({ hub }) => listSessions(hub, "/api/team/sessions"),
  "sessions list <name>": async ({ hub, name }) =>
    listSessions(hub, `/api/team/sessions?principal=${encodeURIComponent(await find(hub, name))}`),
  async "sessions end <name>"({ hub, name }) {
    await askHub({ ...hub, method: "DELETE", path: `/api/team/sessions/${encodeURIComponent(name)}` });
    return said({ ended: name }, "The session has ended.");
  },
  async "services list"({ hub }) {
    const { services } = await askHub({ ...hub, method: "GET", path: "/api/team/services" });
    const found = objects(services);
    const rows = found.flatMap((each) =>
      [...objects(each["keys"]), ...(objects(each["keys"]).length === 0 ? [{}] : [])].map((key: JsonObject) => [
        ...[text(each["name"]), Array.isArray(each["scopes"]) ? each["scopes"].join(" ") : "", text(key["id"])],
        ...[time(key["expiresAt"]), key["usedAt"] === undefined ? "never" : time(key["usedAt"])],
      ]),
    );
    const head = ["NAME", "SCOPES", "KEY", "ENDS", "USED"];
    return { data: { services: found }, lines: (width) => shown([head, ...rows], noServices, width) };
  },
  "services make <name>": ({ hub, name, values }) => {
    const scopes = values.scope.length > 0 ? { scopes: [...values.scope] } : {};
    return newKey(hub, "/api/team/services", { name, ...scopes, ...expiry(values) });
  },
  "services rotate <name>": ({ hub, name, values }) => {
    const keepOldFor = duration("keep-old", values["keep-old"]);
    const body = { ...expiry(values), ...(keepOldFor !== undefined && { keepOldFor }) };
    return newKey(hub, `/api/team/services/${encodeURIComponent(name)}/keys`, body);
  },
  async "services remove <name>"({ hub, name }) {
    await askHub({ ...hub, method: "DELETE", path: `/api/team/services/${encodeURIComponent(name)}` });
    return said({ removed: name }, `The service account ${oneLine(name, 100)} is gone, with its keys.`);
  },
};

const noServices = "There is no service account. Make one with: npx pagewire team services make <name>";

async function setBlocked({ hub, name }: Asked, blocked: boolean): Promise<Shown> {
  const principal = await find(hub, name);
  const data = await askHub({ ...hub, method: "POST", path: pathTo(principal), body: { blocked } });
  return said(data, `${principal} ${blocked ? "is blocked" : "may sign in again"}.`);
}

async function listSessions(hub: ProvenHub, path: string): Promise<Shown> {
  const sessions = await all(hub, "sessions", path);
  const rows = sessions.map((each) => [
    ...[text(each["principal"]), text(each["use"]), text(each["browser"]) || text(each["origin"])],
    ...[each["expiresAt"] === undefined ? "never" : time(each["expiresAt"]), text(each["id"])],
  ]);
  const head = ["PRINCIPAL", "KIND", "WHERE", "ENDS", "ID"];
  return { data: { sessions }, lines: (width) => shown([head, ...rows], "Nobody is signed in.", width) };
}

async function newKey(hub: ProvenHub, path: string, body: JsonObject): Promise<Shown> {
  const data = await askHub({ ...hub, method: "POST", path, body });
  return { data, lines: () => [text(data["key"])] };
}

/** All pages of a list. */
async function all(hub: ProvenHub, what: "people" | "sessions", path = `/api/team/${what}`): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let after = ""; ;) {
    const more = after === "" ? "" : `?after=${encodeURIComponent(after)}`;
    const page = await askHub({ ...hub, method: "GET", path: path + more });
    found.push(...objects(page[what]));
    if (typeof page["next"] !== "string") return found;
    after = page["next"];
  }
}

/** The principal of this name, or of the person with this email address. */
async function find(hub: ProvenHub, name: string): Promise<string> {
  if (name.includes("/")) return name;
  const people = await all(hub, "people");
  const [person, another] = people.filter(({ email }) => text(email).toLowerCase() === name.toLowerCase());
  if (person && !another) return text(person["principal"]);
  const problem = another ? "Several people have this email address" : "Nobody has this email address";
  throw new PagewireError("route-not-found", `${problem}. Name a principal: npx pagewire team people`);
}

function pathTo(principal: string): string {
  return `/api/team/people/${encodeURIComponent(principal)}`;
}

function said(data: JsonObject, line: string): Shown {
  return { data, lines: () => [oneLine(line, 300)] };
}

function shown(rows: readonly (readonly string[])[], none: string, width: number | undefined): readonly string[] {
  return rows.length > 1 ? table(rows, width) : [none];
}

function expiry({ expires }: Context["values"]): JsonObject {
  const expiresIn = duration("expires", expires);
  return expiresIn === undefined ? {} : { expiresIn };
}

function duration(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(given) ?? [];
  if (count !== undefined) return Number(count) * (unitTime[unit] ?? 0);
  throw usageError(`--${name} must be a time such as 12h or 30d, not "${given}".`);
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function groupsOf({ groups }: JsonObject): string {
  return Array.isArray(groups) ? groups.filter((each) => typeof each === "string").join(", ") : "";
}

function time(at: Json | undefined): string {
  return typeof at === "number" ? new Date(at).toLocaleString("sv-SE").slice(0, 16) : "";
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
