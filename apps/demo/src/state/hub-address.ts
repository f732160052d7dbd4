/**
 * The hub's address, as the hub writes it into the page that it serves. Throws errors whose messages can be shown to
 * the user.
 */
export function parseHubAddress(told: string | null | undefined): string {
  if (!told)
    throw new Error(
      "This page was not told where its hub is. Start the hub with npx pagewire, and open the demo from there.",
    );
  const url = URL.canParse(told) ? new URL(told) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new Error(
      `This page was told that its hub is at "${told}", which is no address. Open the demo from its hub.`,
    );
  }
  return url.origin;
}

/** The address of the hub's models. */
export function modelAddress(hub: string): string {
  return `${hub.replace(/^http/, "ws")}/ai-agent`;
}
