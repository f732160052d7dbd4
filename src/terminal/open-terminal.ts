// An open terminal: its pseudo terminal, its output, and its views.
import { randomBytes } from "node:crypto";
import type { Clock } from "../link/index.ts";
import type { ShellHost, TerminalInfo } from "../hub/index.ts";
import { messageOf } from "../wire/index.ts";
import type { FrameToView } from "../wire/index.ts";
import { ActiveView } from "./active-view.ts";
import type { Viewer } from "./active-view.ts";
import type { Exit, Pty } from "./pty/start-pty.ts";
import type { Shells, Size } from "./shells.ts";
import { Stream } from "./stream/stream.ts";
import type { Reader } from "./stream/stream.ts";

export interface TerminalView extends Viewer {
  readonly size: Size;
  send(frame: FrameToView, payload?: string): void;
  /** The terminal that it showed has ended. */
  ended(): void;
}

/** A view that joins: whether it opened the terminal, and the position at which it stopped reading a stream. */
export interface Joining {
  readonly isNew: boolean;
  readonly stream?: string | undefined;
  readonly from?: number | undefined;
}

export interface OpenTerminalOptions {
  readonly host: Pick<ShellHost, "limits" | "terminals" | "note">;
  readonly shells: Shells;
  readonly clock: Clock;
  readonly principal: string;
  readonly info: TerminalInfo;
  readonly size: Size;
  /** Called when the shell itself ended. Returns its exit status if that was recorded. */
  readonly onEnded: () => Exit | undefined;
  /** The shell is alive but cannot be displayed. */
  readonly onLost: () => void;
}

/** One pseudo terminal that shows the shell; the next one has another stream. */
interface Life {
  readonly pty: Pty;
  readonly stream: Stream;
  readonly name: string;
}

/** A pseudo terminal that ends within this time of its start failed, in milliseconds. */
const shortLife = 1000;
const maxShortLives = 3;
/** Timeout for a pseudo terminal to exit after its processes were ended, in milliseconds. */
const endTimeout = 2000;

const notShown = "The shell runs, and tmux does not show it. Open the terminal again.";

export class OpenTerminal {
  readonly id: string;
  readonly principal: string;
  readonly #options: OpenTerminalOptions;
  readonly #readers = new Map<TerminalView, Reader>();
  readonly #active: ActiveView<TerminalView>;
  #name: string;
  #size: Size;
  /** The tab of the active view, when that was attached. */
  #tab: string | undefined;
  #shortLives = 0;
  #life: Life;
  #isClosing = false;
  #ending: Promise<void> | undefined;
  #markEnded = (): void => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.#markEnded = resolve;
  });

  constructor(options: OpenTerminalOptions) {
    const { host, clock, principal, info } = options;
    this.id = info.id;
    this.principal = principal;
    this.#options = options;
    this.#name = info.name;
    this.#size = options.size;
    this.#active = new ActiveView({
      clock,
      graceTime: host.limits.graceTime,
      onActive: (view) => {
        this.#show(view);
        this.#attach(view);
      },
      onChanged: (view) => {
        this.#show(view);
        // A program may have attached the terminal to another tab since.
        if (view.tab !== this.#tab) this.#attach(view);
      },
    });
    this.#life = this.#begin();
  }

  join(view: TerminalView, { isNew, stream, from }: Joining): void {
    const reader = this.#readerFor(view, isNew);
    this.#active.enter(view);
    this.#readers.set(view, reader);
    this.#join(view, reader, stream === this.#life.name ? from : undefined);
  }

  leave(view: TerminalView): void {
    const reader = this.#readers.get(view);
    if (!reader) return;
    this.#readers.delete(view);
    this.#active.leave(view);
    this.#life.stream.leave(reader);
  }

  /** Returns false if too much earlier input is still unread. */
  write(text: string): boolean {
    const { pty } = this.#life;
    if (pty.waitingBytes + text.length > this.#options.host.limits.queuedBytes) return false;
    pty.write(text);
    return true;
  }

  seen(view: TerminalView, at: number): void {
    const reader = this.#readers.get(view);
    if (reader) this.#life.stream.seen(reader, at);
  }

  /** The view reported its tab, focus or size. */
  update(view: TerminalView, hasFocus: boolean): void {
    if (this.#readers.has(view)) this.#active.update(view, hasFocus);
  }

  /** Notifies all views of the attached tab. */
  sendAttached(): void {
    this.#sendAll({ type: "attached", tab: this.#options.host.terminals.attachedTab(this.id) });
  }

  /** Its size, views, tab and program, for a list. */
  describe() {
    const tab = this.#active.current?.tab;
    return { ...this.#size, views: this.#readers.size, tab, program: this.#life.pty.program };
  }

  rename(name: string): void {
    this.#name = name;
  }

  /** Ends the shell; resolves when it has ended. The view calls it, and the keeper when the terminal was ended. */
  end(): Promise<void> {
    const end = async () => {
      await this.#options.shells.end(this.id, this.#life.pty);
      await this.#endedSoon();
    };
    this.#ending ??= end().finally(() => (this.#ending = undefined));
    return this.#ending;
  }

  /** Ends everything that cannot outlive the hub. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#options.shells.close(this.#life.pty);
    await this.#endedSoon();
  }

  /** Does not wait for processes that cannot be killed. */
  #endedSoon(): Promise<void> {
    const timeout = new Promise<void>((resolve) => void this.#options.clock.after(endTimeout, resolve));
    return Promise.race([this.#ended, timeout]);
  }

  #begin(): Life {
    const { host, shells, clock } = this.#options;
    const startedAt = clock.now();
    const onPressure = (isHigh: boolean) => (isHigh ? pty.pause() : pty.resume());
    const stream = new Stream({ limits: host.limits, clock, onPressure });
    const onExit = (exit: Exit) => {
      this.#shortLives = clock.now() - startedAt < shortLife ? this.#shortLives + 1 : 0;
      this.#ptyEnded(stream, exit).catch((error: unknown) => this.#report("terminal-failed", error));
    };
    const pty = shells.show(this.id, this.#size, { onOutput: (text) => stream.add(text), onExit });
    return { pty, stream, name: randomBytes(12).toString("hex") };
  }

  /** The pseudo terminal ended: because the shell did, or because its tmux client was detached. */
  async #ptyEnded(stream: Stream, exit: Exit): Promise<void> {
    const { host, onEnded, onLost } = this.#options;
    stream.finish();
    const isAlive = await this.#isShellAlive();
    if (isAlive && !this.#isClosing && this.#beginAgain()) return;
    this.#active.close();
    if (!isAlive) {
      this.#sendAll({ type: "exited", ...(onEnded() ?? exit) });
      host.note("info", "shell-ended", { terminal: this.id });
    } else if (!this.#isClosing) {
      onLost();
      this.#sendAll({ type: "failed", code: "terminal-unavailable", message: notShown });
    }
    for (const view of this.#readers.keys()) view.ended();
    this.#readers.clear();
    this.#markEnded();
  }

  #beginAgain(): boolean {
    if (this.#shortLives >= maxShortLives) return false;
    try {
      this.#life = this.#begin();
    } catch (error) {
      this.#report("terminal-not-shown", error);
      return false;
    }
    for (const [view, reader] of this.#readers) this.#join(view, reader, undefined);
    return true;
  }

  /** If tmux does not answer, the shell counts as alive. */
  async #isShellAlive(): Promise<boolean> {
    const { shells } = this.#options;
    if (!shells.inTmux) return false;
    return shells.lasting().then(
      (lasting) => lasting.has(this.id),
      () => true,
    );
  }

  /** Gives the terminal the size of its active view. */
  #show({ size: { columns, rows } }: TerminalView): void {
    if (columns !== this.#size.columns || rows !== this.#size.rows) {
      this.#size = { columns, rows };
      this.#life.pty.resize(columns, rows);
      this.#sendAll({ type: "size", columns, rows });
    }
  }

  /** Attaches the terminal to the tab of its active view. */
  #attach({ tab }: TerminalView): void {
    if (tab === undefined) return;
    this.#tab = tab;
    const { terminals } = this.#options.host;
    const report = (error: unknown) => this.#report("terminal-not-attached", error);
    terminals.attach(this.principal, this.id, tab).catch(report);
  }

  #readerFor(view: TerminalView, isNew: boolean): Reader {
    const isActive = () => this.#active.current === view;
    return {
      begin: (at) => {
        const { name: stream } = this.#life;
        view.send({ type: "opened", terminal: this.id, name: this.#name, stream, at, ...this.#size, isNew });
        isNew = false;
      },
      output: (at, text) => view.send({ type: "output", at }, text),
      get answers() {
        return isActive();
      },
    };
  }

  #join(view: TerminalView, reader: Reader, from: number | undefined): void {
    const { shells, host } = this.#options;
    if (!this.#life.stream.join(reader, from)) shells.repaint(this.id);
    view.send({ type: "attached", tab: host.terminals.attachedTab(this.id) });
  }

  #sendAll(frame: FrameToView): void {
    for (const view of this.#readers.keys()) view.send(frame);
  }

  #report(what: string, error: unknown): void {
    this.#options.host.note("error", what, { terminal: this.id, message: messageOf(error) });
  }
}
