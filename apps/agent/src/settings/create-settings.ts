import { html, icon, show } from "../../../common/src/dom.ts";
import { icons } from "../icons.ts";
import type { LiveSession } from "../session/open-session.ts";
import { createConsents } from "./create-consents.ts";

export interface SettingsParts {
  readonly session: LiveSession;
  readonly announce: (text: string) => void;
  /** Shown first. */
  readonly otherTabs: HTMLElement | undefined;
}

export interface Settings {
  readonly element: HTMLDialogElement;
  open(): void;
}

/** The dialog for the user's lasting decisions and account. */
export function createSettings({ session, announce, otherTabs }: SettingsParts): Settings {
  const consents = createConsents(session, announce);
  const account = html("div", { class: "account" });
  const closing = {
    type: "button",
    class: "button quiet square",
    "aria-label": "Close",
    onclick: () => element.close(),
  };
  const element = html(
    "dialog",
    { class: "settings", "aria-labelledby": "settings-title" },
    html("header", {}, html("h2", { id: "settings-title" }, "Settings"), html("button", closing, icon(icons.close))),
    otherTabs && html("section", { "aria-label": "Other tabs" }, otherTabs),
    html(
      "section",
      { "aria-labelledby": "consents-title" },
      html("h3", { id: "consents-title" }, "Decided for always"),
      consents.element,
    ),
    html("section", { "aria-labelledby": "account-title" }, html("h3", { id: "account-title" }, "Signed in"), account),
  );
  // A click outside the dialog has the dialog itself as its target.
  element.addEventListener("click", ({ target }) => target === element && element.close());

  function drawAccount(): void {
    const { principal, mode, version } = session.info;
    const who = mode === "local" ? "To the hub of this machine" : `As ${principal}`;
    const kept = session.isKept ? "" : " This browser keeps nothing for this page: a reload signs you out.";
    const signOut = { type: "button", class: "button", onclick: () => void session.signOut() };
    show(
      account,
      html("p", {}, `${who}, Pagewire ${version}.${kept}`),
      html("button", signOut, "Sign out"),
      html("p", { class: "hint" }, "In all tabs of this browser."),
    );
  }

  return {
    element,
    open() {
      drawAccount();
      void consents.refresh();
      element.showModal();
    },
  };
}
