import type { RecordKind, Store, StoredRecord } from "./port/store.ts";

/**
 * Changes a record as the store has it, again if another hub has changed it meanwhile. Resolves with the record that is there
 * then; a change that returns undefined leaves it.
 */
export async function changeRecord(
  store: Pick<Store, "record" | "setRecord" | "replaceRecord">,
  { kind, key }: { readonly kind: RecordKind; readonly key: string },
  change: (before: StoredRecord | undefined) => StoredRecord | undefined,
): Promise<StoredRecord | undefined> {
  for (;;) {
    const before = await store.record(kind, key);
    const after = change(before);
    if (!after) return before;
    if (!before) await store.setRecord(kind, key, after);
    if (!before || (await store.replaceRecord(kind, key, { before, after }))) return after;
  }
}
