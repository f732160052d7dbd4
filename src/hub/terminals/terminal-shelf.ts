// The terminals that a hub knows of, by their ids and by the digests of their tokens, as they are in the store.
import { readRecords } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import type { Note } from "../log.ts";
import { jsonOf, parseTerminal } from "./terminal-record.ts";
import type { TerminalRecord } from "./terminal-record.ts";

export interface TerminalShelf {
  /** To be awaited before anything else. Read when first needed; what could not be read is tried again. */
  load(): Promise<void>;
  get(id: string | undefined): TerminalRecord | undefined;
  idOf(digest: string): string | undefined;
  all(): readonly TerminalRecord[];
  /** Keeps it, until it is saved only here. */
  set(terminal: TerminalRecord): void;
  forget(terminal: TerminalRecord): void;
  /** Writes these as they are now, and what could not be written before. */
  save(ids: readonly string[]): Promise<void>;
}

export function createTerminalShelf(store: Pick<Store, "records" | "setRecord">, note: Note): TerminalShelf {
  const terminals = new Map<string, TerminalRecord>();
  const ids = new Map<string, string>();
  const unsaved = new Set<string>();
  let loading: Promise<void> | undefined;

  function set(terminal: TerminalRecord): void {
    terminals.set(terminal.id, terminal);
    ids.set(terminal.digest, terminal.id);
  }

  return {
    load() {
      const failed = (error: unknown): never => {
        loading = undefined;
        throw error;
      };
      return (loading ??= readRecords(store, "terminals", note).then((records) => {
        for (const [id, value] of records) {
          const terminal = parseTerminal(id, value);
          if (terminal) set(terminal);
        }
      }, failed));
    },
    get: (id = "") => terminals.get(id),
    idOf: (digest) => ids.get(digest),
    all: () => [...terminals.values()],
    set,
    forget({ id, digest }) {
      terminals.delete(id);
      ids.delete(digest);
    },
    async save(ids) {
      const due = new Set([...unsaved, ...ids]);
      for (const id of due) unsaved.add(id);
      for (const id of due) {
        // Before it is written: what changes meanwhile is due again.
        unsaved.delete(id);
        const terminal = terminals.get(id);
        try {
          await store.setRecord("terminals", id, terminal && jsonOf(terminal));
        } catch (error) {
          unsaved.add(id);
          throw error;
        }
      }
    },
  };
}
