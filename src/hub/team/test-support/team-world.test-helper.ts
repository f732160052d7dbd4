// Organisations that a test begins with: their people, and an admin's key for each.
import { newDatabase } from "../../../../test/support/start-postgres.ts";
import { createLater, createMemoryStore, openStore } from "../../store/index.ts";
import type { Store } from "../../store/index.ts";
import { systemClock } from "../../../link/index.ts";
import { defaultLimits } from "../../../wire/index.ts";
import { ownTokens, resolveTeam } from "../../options/team-options.ts";
import { signPageToken } from "../../guard/tokens.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import type { HubOptions } from "../../options/options.ts";
import { askOwn } from "../../test-support/own.test-helper.ts";
import type { OwnAnswer } from "../../test-support/own.test-helper.ts";
import { People } from "../people/people.ts";
import { Keys } from "../keys.ts";
import { Services } from "../services.ts";

/** Two companies with providers that are never asked. */
export const team = {
  secret: "s".repeat(32),
  providers: ["acme", "globex"].map((name) => ({ name, issuer: `https://id.${name}.example`, adminGroups: ["boss"] })),
};

interface Seed {
  /** The keys of a service account "admin" of each organisation. */
  readonly acme: string;
  readonly globex: string;
}

/** Puts people and admins into a store. */
export async function seedStore(store: Store): Promise<Seed> {
  const quiet = { onNotSaved: () => {}, onChanged: () => {}, onEnded: () => {}, now: Date.now };
  const parts = { store, later: createLater(systemClock), limits: defaultLimits, ...quiet };
  const people = new People(parts);
  for (const id of ["acme/ada", "acme/bob", "acme/c d/é", "globex/ada", "globex/eve"])
    await people.note(id, { groups: ["staff"], isAdmin: false, name: id }, 1000);
  const held = new Keys(parts);
  await held.load();
  const services = new Services(held, Date.now);
  const make = async (organisation: string) => {
    const times = { expiresAt: Date.now() + 3_600_000, allowed: undefined };
    const { key } = await services.make(organisation, { name: "admin", scopes: ["admin"], madeBy: "", ...times });
    return key;
  };
  const keys = { acme: await make("acme"), globex: await make("globex") };
  held.close();
  return keys;
}

/** A database for several hubs, with people and admins. */
export async function seedPostgres(): Promise<{ readonly database: string; readonly keys: Seed }> {
  const database = await newDatabase();
  const store = await openStore({ database });
  const keys = await seedStore(store);
  await store.close();
  return { database, keys };
}

/** Sends a request such as "GET people". */
export type Ask = (asked: string, body?: object) => Promise<OwnAnswer>;

export interface TeamHub extends TestHub {
  readonly store: Store;
  readonly keys: Seed;
  /** The admins of the organisations. */
  readonly acme: Ask;
  readonly globex: Ask;
}

/** A hub in team mode, with a store of its own. */
export async function startTeamHub(options: Partial<HubOptions> = {}): Promise<TeamHub> {
  const store = createMemoryStore();
  const keys = await seedStore(store);
  const hub = await startHub({ team, store: () => store, ...options });
  return { ...hub, keys, store, acme: asker(hub, keys.acme), globex: asker(hub, keys.globex) };
}

export function asker(hub: Pick<TestHub, "url">, token: string): Ask {
  return (asked, body) => {
    const [method = "", path = ""] = asked.split(" ");
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return askOwn(hub, `${method} /api/team/${path}`, { token, origin: undefined, ...sent });
  };
}

/** The path of a person among the people. */
export function pathTo(principal: string): string {
  return `people/${encodeURIComponent(principal)}`;
}

/** A token of a person's page, as the hub signs it. */
export function pageTokenOf(subject: string): Promise<string> {
  return signPageToken({ ...ownTokens(resolveTeam(team)), subject });
}
