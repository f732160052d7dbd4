/**
 * The hub's address, as the hub writes it into the page that it serves. Throws errors whose messages can be shown to
 * the user.
 */
export function parseHubAddress(given: string | null | undefined): string {
  if (!given)
    throw new Error(
      "This page does not know where its hub is. Start the hub with npx pagewire, and open the demo from there.",
    );
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new Error(
      `This page was opened with the hub address "${given}", which is not an address. Open the demo from its hub.`,
    );
  }
  return url.origin;
}

/** The address of the hub's models. */
export function modelAddress(hub: string): string {
  return `${hub.replace(/^http/, "ws")}/ai-agent`;
}
