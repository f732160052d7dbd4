// Terminals of a real hub in tabs of a real Chromium: in the hub's own page, and in an app's page that has its own
// session. Tests type commands with the keyboard, and read results from files in the shell's home, so that no test
// waits for pixels.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { createShownTerminal } from "./support/shown-terminal.ts";
import type { ShownTerminal } from "./support/shown-terminal.ts";

export interface TerminalWorld {
  readonly hub: HubProcess;
  readonly browser: Browser;
  /** The app's server. Its page shows a terminal, and its browser has a session cookie. */
  readonly app: PageServer;
  /** The responses of the app's server, by path. */
  readonly served: Record<string, Page>;
  /** The home of the shells. */
  readonly home: string;
  /** Opens the hub's own page, with a new terminal. */
  open(): Promise<ShownTerminal>;
  /** Opens the app's page, with a new terminal or with this one. */
  openApp(terminal?: string): Promise<ShownTerminal>;
  /** The terminal that a tab shows. */
  shownIn(tab: Tab): Promise<ShownTerminal>;
  close(): Promise<void>;
}

export interface TerminalWorldOptions {
  /** The hub starts without terminals. */
  readonly isOff?: boolean;
  /** More arguments for the hub. */
  readonly hub?: readonly string[];
  /** Runs first in the app's page. */
  readonly firstScript?: string;
  /** Runs before the page's view exists: `registerAction` and `pagewire` are in scope. */
  readonly script?: string;
}

const run = promisify(execFile);

export async function createTerminalWorld(options: TerminalWorldOptions = {}): Promise<TerminalWorld> {
  const home = await mkdtemp(join(tmpdir(), "pagewire-shell-"));
  const served: Record<string, Page> = {};
  const app = await servePages(served);
  const sockets = join(home, ".tmux");
  await mkdir(sockets);
  await writeFile(join(home, ".bashrc"), "PS1='$ '\nunset HISTFILE\n");
  const hub = await startHub({
    args: [
      ...(options.isOff ? [] : ["--terminal"]),
      "--no-model",
      "--no-demo",
      "--allow-origin",
      app.origin,
      ...(options.hub ?? []),
    ],
    env: {
      HOME: home,
      SHELL: "/bin/bash",
      LANG: "C.UTF-8",
      TMUX_TMPDIR: sockets,
      GIT_CONFIG_NOSYSTEM: "1",
    },
  });
  served["/"] = {
    body: appPage(hub.url, options),
    headers: { "set-cookie": "session=ada; HttpOnly; SameSite=Strict" },
  };
  const browser = await openChromium();
  const signedIn = new Set<string>();

  async function codeFor(origin: string | undefined): Promise<string> {
    if (signedIn.has(origin ?? "")) return "";
    signedIn.add(origin ?? "");
    return `#code=${await mintCode(hub, origin)}`;
  }

  async function shownIn(tab: Tab): Promise<ShownTerminal> {
    const terminal = createShownTerminal(tab, home);
    await terminal.ready();
    return terminal;
  }

  return {
    hub,
    browser,
    app,
    served,
    home,
    open: async () => shownIn(await browser.open(`${hub.url}/terminal${await codeFor(undefined)}`)),
    async openApp(terminal) {
      const query = terminal === undefined ? "" : `?terminal=${terminal}`;
      const shown = await shownIn(await browser.open(app.url(`/${query}${await codeFor(app.origin)}`)));
      // The page's own link to the hub uses a different socket than the terminal.
      await shown.tab.waitFor("['here', 'elsewhere'].includes(view.state.attachment)");
      return shown;
    },
    shownIn,
    async close() {
      await browser.close();
      await hub.close();
      await app.close();
      await endTmux(sockets);
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

/** A one-time code, as printed by `pagewire terminal --code` and `--for`. */
export async function mintCode(hub: Pick<HubProcess, "url" | "home">, origin?: string): Promise<string> {
  const key = (await readFile(join(hub.home, "shell-key"), "utf8")).trim();
  const response = await fetch(`${hub.url}/api/shell-codes`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(origin === undefined ? {} : { origin }),
  });
  return ((await response.json()) as { readonly code: string }).code;
}

/** Ends the shells, which outlive their hub in tmux. */
async function endTmux(folder: string): Promise<void> {
  for (const user of await readdir(folder)) {
    for (const socket of await readdir(join(folder, user))) {
      await run("tmux", ["-S", join(folder, user, socket), "kill-server"]).catch(() => {});
    }
  }
}

/** Shows a terminal, the same one after a reload, and offers a few actions of its own. */
function appPage(hub: string, { firstScript = "", script = "" }: TerminalWorldOptions): string {
  return `<!doctype html><title>Shop</title><style>#terminal { height: 24rem }</style><div id="terminal"></div>
<script>${firstScript}</script>
<script src="${hub}/pagewire.js" data-app="shop"></script>
<script type="module">
import { mountTerminal, registerAction, standardActions } from "${hub}/terminal.js";
const code = new URLSearchParams(location.hash.slice(1)).get("code") ?? undefined;
const terminal = new URLSearchParams(location.search).get("terminal") ?? sessionStorage.getItem("terminal") ?? undefined;
history.replaceState(null, "", location.pathname);
const count = (name) => localStorage.setItem(name, Number(localStorage.getItem(name) ?? 0) + 1);
registerAction("echo", ({ text }) => (count("echo"), text + " in " + pagewire.state.tabId));
registerAction("hold", async ({ text }, { signal }) => {
  count("held");
  signal.addEventListener("abort", () => count("aborted"));
  return new Promise((resolve) => (window.letGo = () => resolve(text)));
});
Object.assign(window, { registerAction });
${script}
const view = (window.view = mountTerminal(document.querySelector("#terminal"), {
  code,
  terminal,
  actions: standardActions({ fetch: { ask: "never" } }),
}));
view.onState(({ status, terminal }) => status === "connected" && sessionStorage.setItem("terminal", terminal));
</script>`;
}
