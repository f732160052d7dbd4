import type { Pool, PoolConfig } from "pg";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { Trouble } from "./messages.ts";

/** By SQLSTATE class. */
const states: readonly (readonly [RegExp, Pick<Trouble, "code" | "reason">, string])[] = [
  [/^(53100|58030)/, { code: "not-saved", reason: "full" }, "has no room left"],
  [/^25006/, { code: "not-saved", reason: "read-only" }, "can only be read"],
  [/^XX00[12]/, { code: "store-damaged", reason: "damaged" }, "is damaged, and needs a backup put in its place"],
  [/^(08|53|57P|58|28|3D)/, { code: "not-saved", reason: "away" }, "cannot be used"],
];

/** The database's failure behind an error; undefined if it concerns one statement only. */
export function postgresTrouble(error: unknown, shown: string): Trouble | undefined {
  if (PagewireError.isInstance(error)) return undefined;
  const state = stateOf(error);
  const message = messageOf(error) || String(state);
  // Errors of the driver and the network have no SQLSTATE.
  const isLost = state === undefined || !/^[0-9A-Z]{5}$/.test(state);
  const known = isLost ? states.at(-1) : states.find(([form]) => form.test(state));
  if (!known || error instanceof TypeError) return undefined;
  const [, kind, words] = known;
  return { ...kind, message: `The database ${shown} ${words}: ${message}`, retry: "itself" };
}

function stateOf(error: unknown): string | undefined {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}

/** The types that PostgreSQL returns as text: bigint, and numeric for sums of it. */
const bigNumbers = [20, 1700];

/** The driver is loaded lazily: hubs with SQLite do not need it. */
export async function createPool(config: PoolConfig): Promise<Pool> {
  const pg = await load();
  for (const type of bigNumbers) pg.types.setTypeParser(type, Number);
  const pool = new pg.Pool(config);
  // A lost connection emits an error, which would end the thread without a listener.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

async function load() {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw new PagewireError(
      "options-invalid",
      "For a database of PostgreSQL's install the driver beside Pagewire: npm install pg",
      { cause: error },
    );
  }
}
