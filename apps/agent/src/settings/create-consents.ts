import { PagewireError, messageOf } from "pagewire/wire";
import { html, show } from "../../../common/src/dom.ts";
import type { Session } from "../session/session.ts";

export interface Consents {
  readonly element: HTMLElement;
  refresh(): Promise<void>;
}

/** The lasting decisions, each with a button to revoke it. */
export function createConsents(session: Pick<Session, "request">, announce: (text: string) => void): Consents {
  const element = html("div", { class: "consents", tabindex: -1 });

  async function refresh(): Promise<void> {
    try {
      const consents = parseConsents(await session.request("GET", "/api/consents"));
      const none = html("p", { class: "hint" }, "You are asked each time.");
      show(element, consents.length === 0 ? none : html("ul", {}, ...consents.map(rowOf)));
    } catch (error) {
      show(element, html("p", { class: "problem", role: "alert" }, `The list could not be read. ${messageOf(error)}`));
    }
  }

  function rowOf(consent: Consent): HTMLElement {
    const { tool, origin, approved } = consent;
    const about = html("span", { class: "visually-hidden" }, ` what you decided about ${tool} of ${origin}`);
    return html(
      "li",
      {},
      html("span", { class: approved ? "verdict allowed" : "verdict refused" }, approved ? "Always" : "Never"),
      html("span", { class: "consent-tool" }, html("code", {}, tool), html("span", { class: "hint" }, origin)),
      html("button", { type: "button", class: "button small", onclick: () => void forget(consent) }, "Forget", about),
    );
  }

  async function forget({ key, tool }: Consent): Promise<void> {
    try {
      await session.request("DELETE", `/api/consents/${encodeURIComponent(key)}`);
      announce(`Forgotten. You are asked about ${tool} again.`);
      await refresh();
    } catch (error) {
      await refresh();
      const isHeld = PagewireError.isInstance(error) && error.code === "not-saved";
      const words = isHeld ? "It is forgotten, and not saved." : "It was not forgotten.";
      element.append(html("p", { class: "problem", role: "alert" }, `${words} ${messageOf(error)}`));
    }
    // The button that had the focus was removed.
    element.focus();
  }

  return { element, refresh };
}

/** The user's lasting decision about a tool. */
interface Consent {
  readonly key: string;
  readonly tool: string;
  readonly origin: string;
  readonly approved: boolean;
}

/** Parses the hub's list; entries that are not consents are left out. */
function parseConsents(value: unknown): readonly Consent[] {
  const { consents } = Object(value) as { consents?: unknown };
  return Array.isArray(consents) ? consents.filter(isConsent) : [];
}

function isConsent(value: unknown): value is Consent {
  const { key, tool, origin, approved } = Object(value) as Record<string, unknown>;
  return [key, tool, origin].every((text) => typeof text === "string") && typeof approved === "boolean";
}
