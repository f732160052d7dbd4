// A record that one hub writes is read again by the others that have it in memory.
import { isJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { RecordChange, Store } from "../store/index.ts";
import type { Cluster } from "./cluster.ts";

export interface SharedRecords {
  /** The store, for all that caches records. */
  readonly store: Store;
  join(cluster: Pick<Cluster, "tell" | "on" | "onJoined" | "others">): void;
}

type Listener = (change: RecordChange | undefined) => void;

/** Max deleted records that a hub names to others whose messages may have been lost. */
const maxDeleted = 1000;

export function shareRecords(store: Store): SharedRecords {
  const listeners = new Set<Listener>();
  /** By key, the latest last. */
  const deleted = new Map<string, RecordChange>();
  let tell: (change: RecordChange) => void = () => {};

  const changed: Listener = (change) => {
    for (const listener of listeners) listener(change);
  };

  function noteDeleted(change: RecordChange): void {
    deleted.delete(change.key);
    deleted.set(change.key, change);
    for (const oldest of deleted.keys()) if (deleted.size > maxDeleted) deleted.delete(oldest);
  }

  return {
    store: {
      ...store,
      async setRecord(kind, key, record) {
        const change = { kind, key, ...(record && { principal: record.principal }) };
        try {
          await store.setRecord(kind, key, record);
        } finally {
          // A write that failed for its caller may have happened.
          if (!record) noteDeleted(change);
          tell(change);
        }
      },
      async replaceRecord(kind, key, change) {
        const isReplaced = await store.replaceRecord(kind, key, change);
        const { after } = change;
        if (isReplaced && !after) noteDeleted({ kind, key });
        if (isReplaced) tell({ kind, key, ...(after && { principal: after.principal }) });
        return isReplaced;
      },
      onChanged: (listener) => void listeners.add(listener),
    },
    join(cluster) {
      tell = (change) => cluster.tell("record", jsonOf(change));
      cluster.on("record", (value) => changed(parseChange(value)));
      // Messages of both may have been lost meanwhile.
      cluster.onJoined((hub) => {
        changed(undefined);
        cluster.others.ask(hub, "records", { deleted: [...deleted.values()].map(jsonOf) }).catch(() => {});
      });
      cluster.others.answers("records", async ({ deleted: told }) => {
        for (const value of Array.isArray(told) ? told : []) changed(parseChange(value));
        changed(undefined);
        return {};
      });
    },
  };
}

function jsonOf({ kind, key, principal }: RecordChange): JsonObject {
  return { kind, key, ...(principal !== undefined && { principal }) };
}

/** Undefined, for any change, where it cannot be read. */
function parseChange(value: unknown): RecordChange | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, key, principal } = value;
  if (typeof kind !== "string" || typeof key !== "string") return undefined;
  return { kind, key, ...(typeof principal === "string" && { principal }) };
}
