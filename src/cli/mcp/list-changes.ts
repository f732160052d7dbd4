// What a client is told after a time in which nobody could tell it of changes: that there may have been some.
import type { JsonObject } from "../../wire/index.ts";
import { notificationText } from "./message.ts";

/** The lists that a client can be told of. */
export const listKinds = ["tools", "prompts", "resources"] as const;

export type ListKind = (typeof listKinds)[number];

export interface MissedChanges {
  /** Whether the client hears of changes of this list. */
  hearsOf(list: ListKind): boolean;
  /** The resources whose changes it hears of. */
  readonly resources: readonly string[];
  /** What each notification carries. */
  readonly meta?: JsonObject;
}

/** The notifications, as text. */
export function missedChanges({ hearsOf, resources, meta }: MissedChanges): readonly string[] {
  const params = meta === undefined ? undefined : { _meta: meta };
  return [
    ...listKinds.filter(hearsOf).map((list) => notificationText(`notifications/${list}/list_changed`, params)),
    ...resources.map((uri) => notificationText("notifications/resources/updated", { uri, ...params })),
  ];
}
