// Takes a picture of a tab, in the extension's worker.
import { messageOf, pageLimits } from "../../wire/index.ts";
import type { BrowserTab, ExtensionApi } from "../browser-api.ts";
import type { Captured } from "./register-reading.ts";

type CaptureApi = {
  readonly tabs: Pick<ExtensionApi["tabs"], "get" | "captureVisibleTab" | "onActivated" | "onUpdated">;
};

/** In percent. The second is for a picture that would be too large for a frame with the first. */
const qualities = [80, 30];
/** The rest of a frame is for its header. */
const longestPicture = pageLimits.frameBytes - 64 * 1024;

const notVisible =
  "This tab is not the visible one of its window, so that no picture of it can be taken. Ask its person to bring it to the front.";
const notAllowed =
  "The browser allows a picture only after its person has clicked the extension's button on this tab, once for as long as the tab stays at this site. Ask them to click it, and try again.";
const changed = "The tab showed something else meanwhile. Try again.";
const tooOften = "The browser takes at most two pictures a second. Try again in a second.";
const tooLarge = "The picture is too large to be sent. A smaller window helps.";

/** A picture of this tab, if it is the visible one of its window and stays that; else a sentence that says what to do. */
export async function captureTab(api: CaptureApi, tabId: number): Promise<Captured> {
  const { onActivated, onUpdated } = api.tabs;
  // The browser takes a picture of its window, which may show another page by then: that one must not be given away.
  let isLeft = false;
  const activated = (active: { readonly tabId: number; readonly windowId: number }) => {
    isLeft ||= active.windowId === tab?.windowId && active.tabId !== tabId;
  };
  const updated = (id: number, change: { readonly url?: string; readonly status?: string }) => {
    isLeft ||= id === tabId && (change.url !== undefined || change.status === "loading");
  };
  let tab: BrowserTab | undefined;
  onActivated.addListener(activated);
  onUpdated.addListener(updated);
  try {
    tab = await api.tabs.get(tabId);
    if (!tab.active) return { message: notVisible };
    for (const quality of qualities) {
      const picture = await api.tabs.captureVisibleTab(tab.windowId, { format: "jpeg", quality });
      const after = await api.tabs.get(tabId);
      if (isLeft || !after.active || after.windowId !== tab.windowId) return { message: changed };
      if (picture.length <= longestPicture) return { picture };
    }
    return { message: tooLarge };
  } catch (error) {
    return { message: sentenceFor(messageOf(error)) };
  } finally {
    onActivated.removeListener(activated);
    onUpdated.removeListener(updated);
  }
}

function sentenceFor(refusal: string): string {
  if (/activeTab|permission/i.test(refusal)) return notAllowed;
  if (refusal.includes("MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND")) return tooOften;
  return `The browser took no picture: ${refusal}`;
}
