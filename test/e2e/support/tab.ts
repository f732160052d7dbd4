// One tab, driven as a user and a developer would. Knows only its own target; the browser opens and finds tabs.
import { writeFile } from "node:fs/promises";
import type { CdpSession } from "./cdp.ts";
import { SessionEndedError } from "./cdp.ts";
import { evaluateIn, sourceOf } from "./evaluate.ts";
import type { PageScript } from "./evaluate.ts";
import { aimed, aimExpression, clickAt, locateExpression, pressKey } from "./input.ts";
import type { Point } from "./input.ts";
import { arrive, goTo, travel } from "./navigation.ts";
import { createPageLog } from "./page-log.ts";
import { takeScreenshot } from "./screenshot.ts";
import type { ScreenshotOptions } from "./screenshot.ts";
import { hangs, waitUntil } from "./wait.ts";

/** The operations of its browser that a tab needs for itself. */
export interface TabHost {
  attach(): Promise<AttachedSession>;
  activate(): Promise<void>;
  /** Puts another tab of its window in front of it. */
  cover(): Promise<void>;
  close(): Promise<void>;
  popups(): Promise<Tab[]>;
  popup(action: () => Promise<unknown>): Promise<Tab>;
}

/** A session that can be detached. */
export interface AttachedSession extends CdpSession {
  detach(): Promise<void>;
}

/** Hidden pages, and windows that the system covers, are not painted. */
const afterPainting = `new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve, 30));
  setTimeout(resolve, document.hidden ? 30 : 500);
})`;

/** A tab of a real browser. */
export class Tab {
  readonly id: string;
  /** The page's log: `messages`, and uncaught `errors`. */
  readonly console = createPageLog();
  /** The text of each alert, confirm and prompt; they are answered at once, as `acceptDialogs` demands. */
  readonly dialogs: string[] = [];
  acceptDialogs = true;
  readonly #host: TabHost;
  #session: AttachedSession | undefined;
  #crashed = false;

  constructor(id: string, host: TabHost) {
    this.id = id;
    this.#host = host;
  }

  /** Attaches the debugger. A new tab comes attached. */
  async attach(): Promise<void> {
    if (this.#session !== undefined) return;
    const session = await this.#host.attach();
    this.#session = session;
    session.on("Inspector.targetCrashed", () => (this.#crashed = true));
    session.on("Inspector.targetReloadedAfterCrash", () => (this.#crashed = false));
    session.on<{ type: string; message: string }>("Page.javascriptDialogOpening", ({ type, message }) => {
      if (type !== "beforeunload") this.dialogs.push(message);
      const accept = type === "beforeunload" || this.acceptDialogs;
      session
        .send("Page.handleJavaScriptDialog", { accept })
        .catch((error: Error) => this.console.errors.push(error.message));
    });
    await Promise.all([session.send("Page.enable"), this.console.follow(session)]);
  }

  /** Detaches the debugger, which slows sockets. Until attach() the tab can only be activated and closed. */
  async detach(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.detach();
  }

  get #attached(): AttachedSession {
    if (this.#session === undefined)
      throw new SessionEndedError("This tab is detached from the debugger: call attach() first.");
    return this.#session;
  }

  /** Sends this tab a command of the debugging protocol. */
  send<Result = Record<string, unknown>>(method: string, params?: object): Promise<Result> {
    return this.#attached.send<Result>(method, params);
  }

  /** Runs a script in the page, awaits its promise and returns its value as JSON; throws the page's error. */
  evaluate<Result = unknown, Arguments extends unknown[] = []>(
    script: PageScript<Result, Arguments>,
    ...values: Arguments
  ): Promise<Result> {
    return this.#evaluate(script, values);
  }

  /** Like evaluate, with user activation, as after a click: pop-ups open. */
  evaluateAsUser<Result = unknown, Arguments extends unknown[] = []>(
    script: PageScript<Result, Arguments>,
    ...values: Arguments
  ): Promise<Result> {
    return this.#evaluate(script, values, true);
  }

  async #evaluate<Result>(script: PageScript<Result, never>, values: unknown[], asUser = false): Promise<Result> {
    // A crashed page never answers, so this would hang.
    if (this.#crashed) throw new SessionEndedError("This tab's page crashed: call reload() first.");
    return evaluateIn(this.#attached, script, { values, asUser });
  }

  /** Repeats a script, across errors and navigations, until it returns something truthy. */
  waitFor<Result = unknown, Arguments extends unknown[] = []>(
    script: PageScript<Result, Arguments>,
    { timeout = hangs, values }: { timeout?: number; values?: Arguments } = {},
  ): Promise<Result> {
    let last = "none";
    const look = async (): Promise<Result | undefined> => {
      try {
        const value = await this.#evaluate(script, values ?? []);
        last = sourceOf(value);
        return value;
      } catch (error) {
        if (error instanceof SessionEndedError) throw error;
        last = String(error);
        return undefined;
      }
    };
    const complaint = (): string =>
      [
        `Waited ${timeout} ms for the page to give something truthy for ${String(script)}; its last answer: ${last}.`,
        ...this.console.errors,
      ].join("\n");
    return waitUntil(look, complaint, timeout) as Promise<Result>;
  }

  /** Goes to an address and waits until it is loaded. */
  navigate(url: string): Promise<void> {
    return this.#arrive((session) => goTo(session, url));
  }

  /** Loads the page again, after a crash too. */
  reload(): Promise<void> {
    return this.#arrive((session) => session.send("Page.reload"));
  }

  back(): Promise<void> {
    return this.#arrive((session) => travel(session, -1));
  }

  forward(): Promise<void> {
    return this.#arrive((session) => travel(session, 1));
  }

  async #arrive(depart: (session: CdpSession) => Promise<unknown>): Promise<void> {
    const session = this.#attached;
    await arrive(session, this.id, () => depart(session));
    await this.loaded();
  }

  /** Waits until the current page, or the requested one, has loaded. */
  async loaded(url = "about:blank"): Promise<void> {
    const expected = url === "about:blank" ? "true" : "location.href !== 'about:blank'";
    await this.waitFor(`${expected} && document.readyState === "complete"`);
    if ((await this.evaluate("location.protocol")) === "chrome-error:")
      throw new Error(`Could not open ${url}: the browser shows its error page.`);
  }

  /** Shows the tab in front of the others of its window. */
  activate(): Promise<void> {
    return this.#host.activate();
  }

  /** Puts another tab in front of this one, so that it is hidden until activate(). */
  async hide(): Promise<void> {
    if (await this.evaluate("document.hidden")) return;
    await this.#host.cover();
    await this.waitFor("document.hidden");
  }

  /** Hides the tab and freezes its page, as Chromium does with background tabs: `freeze` is its last event. */
  async freeze(): Promise<void> {
    await this.hide();
    await this.send("Page.setWebLifecycleState", { state: "frozen" });
  }

  /** Unfreezes a page in the background; activate() unfreezes and shows it. */
  async unfreeze(): Promise<void> {
    await this.send("Page.setWebLifecycleState", { state: "active" });
  }

  /** Crashes the page's process, and with it everything in that process, such as pop-ups of the same site. */
  async crash(): Promise<void> {
    const crashed = this.#attached.next(["Inspector.targetCrashed"], () => true);
    // The command itself never gets an answer: its end is the crash.
    await Promise.allSettled([crashed, this.send("Page.crash")]);
  }

  /**
   * Cuts the page's network or restores it. An open WebSocket is affected only if this was used before it was opened,
   * and is then held, not closed: use a fault proxy to break connections.
   */
  async setOffline(offline: boolean): Promise<void> {
    await this.send("Network.enable");
    const conditions = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await this.send("Network.emulateNetworkConditions", conditions);
  }

  /** A PNG of the tab, also written to the path if one is given. Activates the tab: hidden tabs are not painted. */
  async screenshot(path?: string, options: ScreenshotOptions = {}): Promise<Buffer> {
    await this.activate();
    const picture = await takeScreenshot(this.#attached, options);
    if (path !== undefined) await writeFile(path, picture);
    return picture;
  }

  /** Clicks the centre of an element once it is there and does not move. ` >>> ` in the selector enters a shadow root. */
  async click(selector: string): Promise<void> {
    for (let missed: Point | undefined; ;) {
      const place = await this.#settled(selector);
      const isCovered = place.x === missed?.x && place.y === missed.y;
      if (!isCovered) await this.#evaluate(aimExpression(selector), []);
      await clickAt(this.#attached, place);
      if (isCovered || (await this.#hasHit())) return;
      missed = place;
    }
  }

  async #settled(selector: string): Promise<Point> {
    const locate = () => this.waitFor<Point>(locateExpression(selector));
    let [before, now] = [await locate(), await this.#later(locate)];
    while (before.x !== now.x || before.y !== now.y) [before, now] = [now, await this.#later(locate)];
    return now;
  }

  /** A click may have closed the tab, crashed it or led to another page: then it was not beside its element. */
  async #hasHit(): Promise<boolean> {
    try {
      return await this.#evaluate<boolean>(aimed, []);
    } catch {
      return true;
    }
  }

  /** Looks again after the page has painted: before that it ignores clicks, or has yet to hear that it was scrolled. */
  async #later<Value>(look: () => Promise<Value>): Promise<Value> {
    await this.#evaluate(afterPainting, []);
    return look();
  }

  /** Clicks an element and types into it. */
  async type(selector: string, text: string): Promise<void> {
    await this.click(selector);
    await this.send("Input.insertText", { text });
  }

  /** Presses a key, named as in KeyboardEvent.key, with its modifiers before it: `Enter`, `a`, `Shift+Tab`. */
  press(key: string): Promise<void> {
    return pressKey(this.#attached, key);
  }

  /** The open tabs that this one opened. */
  popups(): Promise<Tab[]> {
    return this.#host.popups();
  }

  /** The tab that this one opens during an action. */
  popup(action: () => Promise<unknown>): Promise<Tab> {
    return this.#host.popup(action);
  }

  /** A second tab with the same address and a copy of this one's sessionStorage. */
  async duplicate(): Promise<Tab> {
    const copy = await this.popup(() => this.evaluateAsUser("void window.open(location.href)"));
    await copy.loaded(await this.evaluate<string>("location.href"));
    return copy;
  }

  close(): Promise<void> {
    return this.#host.close();
  }
}
