/** Whose a conversation is: a principal's, and where a page began it, that of pages of its origin. */
export interface Owner {
  readonly principal: string;
  /** Undefined for programs. */
  readonly origin: string | undefined;
}

/** One text for each owner. */
export function ownerOf({ principal, origin }: Owner): string {
  return JSON.stringify(origin === undefined ? [principal] : [principal, origin]);
}

export function readOwner(text: string): Owner {
  const [principal = "", origin] = JSON.parse(text) as readonly string[];
  return { principal, origin };
}
