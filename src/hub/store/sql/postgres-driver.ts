import type { Pool, PoolConfig } from "pg";
import { PagewireError } from "../../../wire/index.ts";

/** Numbers that PostgreSQL gives as text: bigint, and sums of it. */
const bigNumbers = [20, 1700];

/** A pool of connections. The driver is loaded only here: who keeps things in a file does not need it. */
export async function createPool(config: PoolConfig): Promise<Pool> {
  const pg = await load();
  for (const type of bigNumbers) pg.types.setTypeParser(type, Number);
  const pool = new pg.Pool(config);
  // A connection that is lost says so on whatever holds it; without a listener that would end the thread.
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
