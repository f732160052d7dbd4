import { html } from "./dom.ts";

interface Announcer {
  readonly element: HTMLElement;
  /** Announces a text to screen readers: politely, or at once where it is urgent. */
  announce(text: string, isUrgent?: boolean): void;
}

/** How long an announced text stays, in ms: a screen reader has taken it by then, and would find it out of date later. */
const announcedTime = 5000;

/** The page's live regions. Each text is an element of its own, so that a repeated one is announced again. */
export function createAnnouncer(): Announcer {
  const polite = html("div", { role: "status", id: "announcer" });
  const urgent = html("div", { role: "alert" });
  return {
    element: html("div", { class: "visually-hidden" }, polite, urgent),
    announce(text, isUrgent = false) {
      const region = isUrgent ? urgent : polite;
      const said = html("p", {}, text);
      region.append(said);
      setTimeout(() => said.remove(), announcedTime);
      while (region.childElementCount > 4) region.firstElementChild?.remove();
    },
  };
}
