// One tab, driven as a user and a developer would. Knows its own target only; opening and finding tabs is the browser's.
import { writeFile } from "node:fs/promises";
import type { CdpSession } from "./cdp.ts";
import { SessionEndedError } from "./cdp.ts";
import { evaluateIn, sourceOf } from "./evaluate.ts";
import type { PageScript } from "./evaluate.ts";
import { clickAt, locateExpression, pressKey } from "./input.ts";
import type { Point } from "./input.ts";
import { arrive, goTo, travel } from "./navigation.ts";
import { createPageLog } from "./page-log.ts";
import { takeScreenshot } from "./screenshot.ts";
import type { ScreenshotOptions } from "./screenshot.ts";
import { hangs, waitUntil } from "./wait.ts";

/** What a tab asks of the browser that holds it, about itself. */
export interface TabHost {
  attach(): Promise<AttachedSession>;
  activate(): Promise<void>;
  /** Puts another tab of its window in front of it. */
  cover(): Promise<void>;
  close(): Promise<void>;
  popups(): Promise<Tab[]>;
  popup(action: () => Promise<unknown>): Promise<Tab>;
}

/** A session that the debugger can be taken off again. */
export interface AttachedSession extends CdpSession {
  detach(): Promise<void>;
}

/** A tab of a real browser. */
export class Tab {
  readonly id: string;
  /** What the page said: `messages`, and `errors` that nothing caught. */
  readonly console = createPageLog();
  /** The text of each alert, confirm and prompt; they are answered at once, as `acceptDialogs` says. */
  readonly dialogs: string[] = [];
  acceptDialogs = true;
  readonly #host: TabHost;
  #session: AttachedSession | undefined;
  #crashed = false;

  constructor(id: string, host: TabHost) {
    this.id = id;
    this.#host = host;
  }

  /** Puts the debugger on the tab. A tab comes with it. */
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

  /** Takes the debugger off, which slows sockets. The tab lives on; until attach() it can only be activated and closed. */
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

  /** Any command of the debugging protocol, to this tab. */
  send<Result = Record<string, unknown>>(method: string, params?: object): Promise<Result> {
    return this.#attached.send<Result>(method, params);
  }

  /** Runs a script in the page, waits for its promise and returns its value as JSON; throws what the page threw. */
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
    // A crashed page answers nothing, so asking it would wait for ever.
    if (this.#crashed) throw new SessionEndedError("This tab's page crashed: call reload() first.");
    return evaluateIn(this.#attached, script, { values, asUser });
  }

  /** Runs a script again and again, over its errors and over navigations, until it gives something truthy. */
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

  /** Waits until the page that is there, or the one that was asked for, has loaded. */
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

  /** Hides the tab and freezes its page, as Chromium does with tabs out of sight: `freeze` is its last script. */
  async freeze(): Promise<void> {
    await this.hide();
    await this.send("Page.setWebLifecycleState", { state: "frozen" });
  }

  /** Lets a frozen page run again, out of sight; activate() lets it run and shows it. */
  async unfreeze(): Promise<void> {
    await this.send("Page.setWebLifecycleState", { state: "active" });
  }

  /** Crashes the page's process, and with it whatever shares it, such as pop-ups of the same site. */
  async crash(): Promise<void> {
    const crashed = this.#attached.next(["Inspector.targetCrashed"], () => true);
    // The command itself is never answered: its end is the crash.
    await Promise.allSettled([crashed, this.send("Page.crash")]);
  }

  /**
   * Cuts the page's network or restores it. An open WebSocket is touched only if this was used before it was opened,
   * and is then held, not closed: to break connections use a fault proxy.
   */
  async setOffline(offline: boolean): Promise<void> {
    await this.send("Network.enable");
    const conditions = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await this.send("Network.emulateNetworkConditions", conditions);
  }

  /** A PNG of the tab, also written to the path if one is given. Activates the tab: a hidden one is not painted. */
  async screenshot(path?: string, options: ScreenshotOptions = {}): Promise<Buffer> {
    await this.activate();
    const picture = await takeScreenshot(this.#attached, options);
    if (path !== undefined) await writeFile(path, picture);
    return picture;
  }

  /** Clicks the middle of an element once it is there and stands still. ` >>> ` in the selector steps into a shadow root. */
  async click(selector: string): Promise<void> {
    const locate = () => this.waitFor<Point>(locateExpression(selector));
    let [before, now] = [await locate(), await this.#later(locate)];
    while (before.x !== now.x || before.y !== now.y) [before, now] = [now, await this.#later(locate)];
    await clickAt(this.#attached, now);
  }

  /** Looks again when the page has drawn what it was about to. */
  async #later<Value>(look: () => Promise<Value>): Promise<Value> {
    await this.#evaluate("new Promise((resolve) => setTimeout(resolve, 30))", []);
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

  /** The tab that an action opens from this one. */
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
