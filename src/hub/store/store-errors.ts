import { PagewireError } from "../../wire/index.ts";

export function notFound(): PagewireError {
  return new PagewireError("conversation-not-found", "There is no such conversation any more. Begin a new one.");
}

export function tooLarge(most: number): PagewireError {
  return new PagewireError(
    "conversation-full",
    `This conversation is larger than the limit conversationBytes of ${most} bytes. Begin a new one.`,
  );
}

/** Why is for the hub's owner: nobody else is told where the hub keeps things. */
export function notSaved(why: string): PagewireError {
  return new PagewireError("not-saved", why);
}
