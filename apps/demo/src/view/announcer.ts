import { byId } from "./dom.ts";

/** Announces a text to screen readers, without interrupting them. */
export type Announce = (text: string) => void;

/** Finds the page's one polite live region. */
export function createAnnouncer(): Announce {
  const region = byId("announcer", HTMLElement);
  return (text) => {
    region.textContent = text;
  };
}
