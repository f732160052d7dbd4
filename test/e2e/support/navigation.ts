import type { CdpSession } from "./cdp.ts";

/** Triggers a navigation, and waits until the tab's main frame has navigated. */
export async function arrive(session: CdpSession, mainFrame: string, depart: () => Promise<unknown>): Promise<void> {
  const arrived = session.next<{ frame?: { id: string }; frameId?: string }>(
    ["Page.frameNavigated", "Page.navigatedWithinDocument"],
    ({ frame, frameId }) => (frame?.id ?? frameId) === mainFrame,
  );
  await Promise.all([arrived, depart()]);
}

/** Navigates to an address; throws the browser's error if that fails. */
export async function goTo(session: CdpSession, url: string): Promise<void> {
  const { errorText } = await session.send<{ errorText?: string }>("Page.navigate", { url });
  if (errorText !== undefined) throw new Error(`Could not open ${url}: ${errorText}.`);
}

/** Moves in the tab's history, as the back and forward buttons do. */
export async function travel(session: CdpSession, steps: -1 | 1): Promise<void> {
  const { currentIndex, entries } = await session.send<{ currentIndex: number; entries: { id: number }[] }>(
    "Page.getNavigationHistory",
  );
  const entry = entries[currentIndex + steps];
  if (entry === undefined) throw new Error(`This tab has no page to go ${steps === -1 ? "back" : "forward"} to.`);
  await session.send("Page.navigateToHistoryEntry", { entryId: entry.id });
}
