/** The owner of a conversation: a principal and, if a page started it, the page's origin. */
export interface Owner {
  readonly principal: string;
  /** Undefined for programs. */
  readonly origin: string | undefined;
}

/** An owner as a unique text. */
export function ownerOf({ principal, origin }: Owner): string {
  return JSON.stringify(origin === undefined ? [principal] : [principal, origin]);
}

export function readOwner(text: string): Owner {
  const [principal = "", origin] = JSON.parse(text) as readonly string[];
  return { principal, origin };
}
