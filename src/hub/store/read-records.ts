import { PagewireError, messageOf } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { Note } from "../log.ts";
import type { RecordKind, Store } from "./store.ts";

/** All records of a kind. Why they cannot be read is for the hub's owner: where the hub keeps its files is nobody else's to know. */
export async function readRecords(
  store: Pick<Store, "records">,
  kind: RecordKind,
  note: Note,
): Promise<ReadonlyMap<string, JsonObject>> {
  try {
    return await store.records(kind);
  } catch (error) {
    note("error", "store-failed", { message: messageOf(error) });
    throw new PagewireError("store-damaged", "What the hub has kept of this cannot be read. Its log says why.");
  }
}
