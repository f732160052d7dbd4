import type { RecordKind, Store, StoredRecord } from "./port/store.ts";

/**
 * Changes a record as the store has it, again if another hub has changed it meanwhile. Resolves with the record that is there
 * then; a change that returns undefined leaves it, and one that returns null removes it.
 */
export async function changeRecord(
  store: Pick<Store, "record" | "replaceRecord">,
  { kind, key }: { readonly kind: RecordKind; readonly key: string },
  change: (before: StoredRecord | undefined) => StoredRecord | null | undefined,
): Promise<StoredRecord | undefined> {
  for (;;) {
    const before = await store.record(kind, key);
    const after = change(before);
    if (after === undefined || (after ?? before) === undefined) return before;
    if (await store.replaceRecord(kind, key, { before, after: after ?? undefined })) return after ?? undefined;
  }
}
