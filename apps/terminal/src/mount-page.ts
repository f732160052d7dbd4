// The page of terminals: it puts the parts together and tells each what it needs of the others.
import { mountTerminal } from "pagewire/terminal";
import type { TerminalState, TerminalView } from "pagewire/terminal";
import { createDrawer } from "../../common/src/create-drawer.ts";
import { html, icon } from "../../common/src/dom.ts";
import { createPageKey, keepKeyPair } from "../../common/src/page-key.ts";
import { createSafeStorage } from "../../common/src/safe-storage.ts";
import { applyTheme, chosenTheme } from "../../common/src/theme.ts";
import { createThemeButton } from "../../common/src/theme-button.ts";
import { createList } from "./create-list.ts";
import { icons } from "./icons.ts";
import { standingOf } from "./standing.ts";

/** The terminal that this tab showed last. */
const terminalKey = "pagewire.terminal";
const readersKey = "pagewire.terminal-screen-reader";

/** A challenge that the hub sends for this page to sign. */
async function askChallenge(): Promise<string> {
  const response = await fetch("/api/challenge", { method: "POST", cache: "no-store" });
  const { challenge } = Object(await response.json()) as { readonly challenge?: unknown };
  if (typeof challenge === "string") return challenge;
  throw new Error(`The hub answered with status ${response.status}.`);
}

const key = createPageKey({
  origin: location.origin,
  now: Date.now,
  challenge: askChallenge,
  keyPair: keepKeyPair,
});

export interface TerminalPage {
  /** Signs in with this code. */
  useCode(code: string): void;
}

export function mountPage(root: HTMLElement, code: string | undefined): TerminalPage {
  const ofTab = createSafeStorage(() => sessionStorage);
  const storage = createSafeStorage(() => localStorage);
  let view: TerminalView | undefined;

  const place = html("main", { class: "terminal-place", "aria-label": "Terminal" });
  const title = html("h1", {}, "Terminal");
  const dot = html("span", { class: "dot", "aria-hidden": "true" });
  const standing = html("span", {});
  const status = html("p", { class: "status", role: "status" }, dot, standing);
  const list = createList({
    open: (id) => show(id),
    rename: (id, name) => view?.rename(id, name),
    end: (id) => view?.end(id),
  });
  const readers = createReadersSwitch(isForReaders(), (on) => {
    storage.write(readersKey, on ? "on" : undefined);
    view?.setScreenReaderMode(on);
  });
  const signOut = html(
    "button",
    { type: "button", class: "button small", onclick: () => view?.signOut() },
    "Sign out of terminals",
  );
  const leaving = html("p", {}, html("kbd", {}, "Ctrl+Shift+M"), ": Tab leaves the terminal, or goes to it again");
  const foot = html("div", { class: "side-foot" }, readers, leaving, signOut);
  const bar = html("header", { class: "top-bar" });
  const drawer = createDrawer({ name: "Terminals", content: [list.element, foot], behind: [bar, place] });
  applyTheme(storage);
  const theme = createThemeButton(storage, (chosen) => view?.setTheme(chosen));
  const begin = html(
    "button",
    { type: "button", class: "button begin", title: "New terminal", onclick: () => show(undefined) },
    icon(icons.plus),
    html("span", { class: "label" }, "New terminal"),
  );
  begin.ariaLabel = "New terminal";
  bar.append(
    drawer.button,
    html("div", { class: "titles" }, title, status),
    html("div", { class: "actions" }, begin, theme),
  );
  root.replaceChildren(bar, html("div", { class: "frame" }, drawer.element, place), drawer.scrim);

  function isForReaders(): boolean {
    return storage.read(readersKey) === "on";
  }

  function show(id: string | undefined): void {
    drawer.close();
    view?.open(id);
    view?.focus();
  }

  function draw(state: TerminalState): void {
    const { text, tone } = standingOf(state);
    if (standing.textContent !== text) standing.textContent = text;
    dot.className = `dot ${tone}`;
    const shown = view?.terminals.find(({ id }) => id === view?.terminal);
    const name = shown?.name || (state.status === "connected" && state.name) || "Terminal";
    title.textContent = name;
    document.title = name === "Terminal" ? name : `${name} · Terminal`;
    signOut.hidden = state.status === "signed-out";
    list.draw(view?.terminals ?? [], view?.terminal);
    if (state.status === "connected") ofTab.write(terminalKey, state.terminal);
    else if (state.status === "ended") ofTab.write(terminalKey, undefined);
  }

  function mount(given: string | undefined): void {
    view?.close();
    const terminal = ofTab.read(terminalKey);
    view = mountTerminal(place, {
      hub: location.origin,
      key,
      screenReaderMode: isForReaders(),
      onState: draw,
      ...(given === undefined ? {} : { code: given }),
      ...(terminal === undefined ? {} : { terminal }),
    });
    const chosen = chosenTheme(storage);
    if (chosen !== undefined) view.setTheme(chosen);
    draw(view.state);
    view.focus();
  }

  mount(code);
  return { useCode: mount };
}

function createReadersSwitch(isOn: boolean, onChange: (on: boolean) => void): HTMLElement {
  const box = html("input", { type: "checkbox", role: "switch", id: "readers", checked: isOn });
  box.addEventListener("change", () => onChange(box.checked));
  return html("div", { class: "switch" }, box, html("label", { for: "readers" }, "For screen readers"));
}
