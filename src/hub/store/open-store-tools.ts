// Tools for a store's database: status, pruning, backup, export. They work while a hub uses it.
import { closeSync, existsSync, openSync, rmSync, statSync } from "node:fs";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import { parseDatabase, storeLimits } from "./port/database-address.ts";
import type { DatabaseAddress } from "./port/database-address.ts";
import type { ExportLine } from "./sql/export.ts";
import type { DatabaseReader } from "./sql/open-to-read.ts";
import type { Pruned } from "./sql/prune.ts";
import type { TablesStatus } from "./sql/status.ts";
import type { ChainBounds } from "./port/audit-chain.ts";
import type { AuditQuery, AuditRecord, KeptAuditRecord } from "./port/store.ts";

export interface StoreStatus {
  /** The path, or the address without its password. */
  readonly database: string;
  /** Its size; for SQLite with its write-ahead log. */
  readonly bytes: number;
  readonly tables: TablesStatus;
}

export interface StoreTools {
  status(): Promise<StoreStatus>;
  /** Removes what is beyond the limits; resolves with the counts. */
  prune(limits?: Partial<Limits>): Promise<Pruned>;
  /** Copies a SQLite file as it is now. */
  backup(path: string): Promise<void>;
  export(principal?: string): AsyncIterable<ExportLine>;
  close(): Promise<void>;
}

/** Opens an existing store; creates nothing. */
export async function openStoreTools(database: string): Promise<StoreTools> {
  const address = parseDatabase(database);
  const { kind, place, shown } = address;
  if (kind === "sqlite" && !existsSync(place))
    throw new PagewireError("options-invalid", `There is no database ${shown}: no hub has kept anything there.`);
  // Loaded lazily: a hub does not need them.
  const { exportAll, openToChange, openToRead, pruneAll } = await import("./sql/tools.ts");
  const reader = await openToRead(address);
  return {
    status: async () => ({
      database: shown,
      bytes: await sizeOf(address, reader),
      tables: await reader.ask("status", []),
    }),
    async prune(limits) {
      const opened = await openToChange(address, storeLimits(limits));
      try {
        return await pruneAll(opened.transact);
      } finally {
        await opened.close();
      }
    },
    backup: (path) => backUp(address, reader, path),
    export: (principal) => exportAll(reader.session, principal),
    close: () => reader.close(),
  };
}

async function sizeOf({ kind, place }: DatabaseAddress, { session }: DatabaseReader): Promise<number> {
  if (kind === "sqlite")
    return [place, `${place}-wal`].reduce(
      (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  const { rows } = await session.text<{ bytes: number }>("select pg_database_size(current_database()) as bytes", []);
  return rows[0]?.bytes ?? 0;
}

async function backUp({ kind, shown }: DatabaseAddress, { session }: DatabaseReader, path: string): Promise<void> {
  const refused = (why: string, cause?: unknown) => new PagewireError("options-invalid", why, { cause });
  if (kind === "postgres")
    throw refused(`Pagewire does not copy the database ${shown}. PostgreSQL does: pg_dump, with the same address.`);
  try {
    // Created with restricted permissions before it has contents.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    throw refused(
      `The backup cannot be written to ${path}: ${messageOf(error)}. Name a file that is not there.`,
      error,
    );
  }
  try {
    await session.text("vacuum into ?", [path]);
  } catch (error) {
    rmSync(path, { force: true });
    throw refused(`The backup could not be written to ${path}: ${messageOf(error)}`, error);
  }
}

/** Reads an audit while a hub may be writing to it. */
export interface AuditReader {
  audit(query: AuditQuery): Promise<readonly KeptAuditRecord[]>;
  /** The hash before each hub's first record, and the hash of its last. */
  bounds(): Promise<Required<ChainBounds>>;
  close(): Promise<void>;
}

export async function openAudit(database: string): Promise<AuditReader> {
  const address = parseDatabase(database);
  const { kind, place, shown } = address;
  if (kind === "sqlite" && !existsSync(place))
    throw new PagewireError("options-invalid", `There is no database ${shown}: no hub has kept anything there.`);
  // Loaded lazily: a hub does not need it.
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
