import { existsSync } from "node:fs";
import { PagewireError } from "../../wire/index.ts";
import type { ChainBounds } from "./audit-chain.ts";
import { parseDatabase } from "./database-address.ts";
import type { AuditQuery, AuditRecord, KeptAuditRecord } from "./store.ts";

/** The audit of a database that a hub may be writing to at the same time. */
export interface AuditReader {
  audit(query: AuditQuery): Promise<readonly KeptAuditRecord[]>;
  /** After which hash each hub's records begin, and with which one they end. */
  bounds(): Promise<Required<ChainBounds>>;
  close(): Promise<void>;
}

/** Opens a database to read its audit, and changes nothing in it. */
export async function openAudit(database: string): Promise<AuditReader> {
  const address = parseDatabase(database);
  const { kind, place, shown } = address;
  if (kind === "sqlite" && !existsSync(place))
    throw new PagewireError("options-invalid", `There is no database ${shown}: no hub has kept anything there.`);
  // A hub has no need of it.
  const { openToRead } = await import("./sql/open-to-read.ts");
  const { ask, close } = await openToRead(address);
  return {
    async audit(query) {
      const found = await ask("audit", [query]);
      return found.map(({ record, ...at }) => ({ ...(JSON.parse(record) as AuditRecord), ...at }));
    },
    async bounds() {
      const chains = await ask("chains", []);
      const by = (field: "anchor" | "hash") => new Map(chains.map((chain) => [chain.hub, chain[field]]));
      return { anchors: by("anchor"), heads: by("hash") };
    },
    close,
  };
}
