// The conversations that one owner may see: those of a principal's programs, or those that pages of one origin began.
import { PagewireError } from "../../wire/index.ts";
import { isConversationId } from "./port/store.ts";
import type { ConversationInfo, Store } from "./port/store.ts";

interface ConversationOwner {
  readonly principal: string;
  /** Undefined for programs. */
  readonly origin: string | undefined;
}

type Listed = Pick<ConversationInfo, "id" | "title" | "changedAt">;

/** The most recently changed first. */
export async function conversationsOf(store: Store, owner: ConversationOwner): Promise<readonly Listed[]> {
  const all = await store.list(owner.principal);
  return all
    .filter(({ origin }) => origin === owner.origin)
    .map(({ id, title, changedAt }) => ({ id, title, changedAt }));
}

/** Rejects where the owner has no such conversation. */
export async function removeConversation(store: Store, owner: ConversationOwner, id: string): Promise<void> {
  const isThere = isConversationId(id) && (await conversationsOf(store, owner)).some((each) => each.id === id);
  if (!isThere) throw new PagewireError("conversation-not-found", "There is no such conversation.");
  await store.remove({ principal: owner.principal, id });
}
