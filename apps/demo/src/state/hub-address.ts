/**
 * The address of the hub, from what the page was told of it; the hub writes that into the page as it serves it.
 * Throws what can be shown to whoever looks at the page.
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

/** Where the hub's models are spoken to. */
export function modelAddress(hub: string): string {
  return `${hub.replace(/^http/, "ws")}/ai-agent`;
}
