import { byId } from "./dom.ts";

/** Says something to screen readers when they have time. */
export type Announce = (text: string) => void;

/** Finds the page's one polite live region. */
export function createAnnouncer(): Announce {
  const region = byId("announcer", HTMLElement);
  return (text) => {
    region.textContent = text;
  };
}
