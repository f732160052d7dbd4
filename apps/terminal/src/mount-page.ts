// The page of terminals: it puts the parts together and tells each what it needs of the others.
import { mountTerminal } from "pagewire/terminal";
import type { TerminalState, TerminalView } from "pagewire/terminal";
import { createDrawer } from "./create-drawer.ts";
import { createList } from "./create-list.ts";
import { html, icon, icons } from "./dom.ts";
import { standingOf } from "./standing.ts";
import { createKept } from "./storage.ts";
import { createThemeButton } from "./theme.ts";

export interface TerminalPage {
  /** Signs in with this code. */
  useCode(code: string): void;
}

export function mountPage(root: HTMLElement, code: string | undefined): TerminalPage {
  const last = createKept(() => sessionStorage, "pagewire.terminal");
  const forReaders = createKept(() => localStorage, "pagewire.terminal-screen-reader");
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
  const readers = createReadersSwitch(forReaders.read() === "on", (on) => {
    forReaders.write(on ? "on" : undefined);
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
  const drawer = createDrawer([list.element, foot], [bar, place]);
  const theme = createThemeButton(
    createKept(() => localStorage, "pagewire.theme"),
    (now) => view?.setTheme(now),
  );
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
    const name = shown?.name || "Terminal";
    title.textContent = name;
    document.title = name === "Terminal" ? name : `${name} · Terminal`;
    signOut.hidden = state.status === "signed-out";
    list.draw(view?.terminals ?? [], view?.terminal);
    if (state.status === "connected") last.write(state.terminal);
    else if (state.status === "ended") last.write(undefined);
  }

  function mount(given: string | undefined): void {
    view?.close();
    const terminal = last.read();
    view = mountTerminal(place, {
      hub: location.origin,
      screenReaderMode: forReaders.read() === "on",
      onState: draw,
      ...(given === undefined ? {} : { code: given }),
      ...(terminal === undefined ? {} : { terminal }),
    });
    const { theme: chosen } = document.documentElement.dataset;
    if (chosen === "light" || chosen === "dark") view.setTheme(chosen);
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
