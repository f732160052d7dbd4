// An open terminal: its pseudo terminal, its output, and its views.
import { randomBytes } from "node:crypto";
import type { Clock } from "../link/index.ts";
import type { ShellHost, TerminalInfo } from "../hub/index.ts";
import { messageOf } from "../wire/index.ts";
import type { FrameToView } from "../wire/index.ts";
import { createActiveView } from "./active-view.ts";
import type { Viewer } from "./active-view.ts";
import type { Exit, Pty } from "./pty/start-pty.ts";
import type { Shells, Size } from "./shells.ts";
import { createStream } from "./stream/stream.ts";
import type { Reader, Stream } from "./stream/stream.ts";

/** Displays a terminal. */
export interface TerminalView extends Viewer {
  readonly size: Size;
  send(frame: FrameToView, payload?: string): void;
  /** The terminal that it showed has ended. */
  left(): void;
}

/** The position at which a view stopped reading a stream. */
export interface LeftAt {
  readonly stream?: string | undefined;
  readonly from?: number | undefined;
}

export interface OpenTerminal {
  readonly id: string;
  readonly principal: string;
  join(view: TerminalView, left: LeftAt & { readonly isNew: boolean }): void;
  leave(view: TerminalView): void;
  /** Returns false if too much earlier input is still unread. */
  write(text: string): boolean;
  seen(view: TerminalView, at: number): void;
  /** The view reported its tab, focus or size. */
  told(view: TerminalView, hasFocus: boolean): void;
  /** Notifies all views of the attached tab. */
  attached(): void;
  rename(name: string): void;
  /** Ends the shell; resolves when it has ended. */
  end(): Promise<void>;
  /** Ends everything that cannot outlive the hub. */
  close(): Promise<void>;
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

/** A pseudo terminal that ends within this time of its start failed, in milliseconds. */
const soon = 1000;
const mostShortLives = 3;
/** Timeout for a pseudo terminal to exit after its processes were ended, in milliseconds. */
const endTime = 2000;

const notShown = "The shell runs, and tmux does not show it. Open the terminal again.";

export function openTerminal(options: OpenTerminalOptions): OpenTerminal {
  const { host, shells, clock, principal, info, onEnded, onLost } = options;
  const { limits, terminals, note } = host;
  const { id } = info;
  const readers = new Map<TerminalView, Reader>();
  let { name } = info;
  let { size } = options;
  let closing = false;
  let ending: Promise<void> | undefined;
  let shortLives = 0;
  let life = begin();
  const front = createActiveView<TerminalView>({ clock, graceTime: limits.graceTime, onFront });
  let markEnded = (): void => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });
  /** Does not wait for processes that cannot be killed. */
  const endedSoon = () => Promise.race([ended, new Promise<void>((resolve) => void clock.after(endTime, resolve))]);

  function begin(): { readonly pty: Pty; readonly stream: Stream; readonly name: string } {
    const at = clock.now();
    const stream = createStream({ limits, clock, onPressure: (isHigh) => (isHigh ? pty.pause() : pty.resume()) });
    const onExit = (exit: Exit) => {
      shortLives = clock.now() - at < soon ? shortLives + 1 : 0;
      const failed = (error: unknown) => note("error", "terminal-failed", { terminal: id, message: messageOf(error) });
      over(stream, exit).catch(failed);
    };
    const pty = shells.show(id, size, { onOutput: stream.add, onExit });
    return { pty, stream, name: randomBytes(12).toString("hex") };
  }

  /** The pseudo terminal ended: because the shell did, or because its tmux client was detached. */
  async function over(stream: Stream, exit: Exit): Promise<void> {
    stream.finish();
    const lives = await livesOn();
    if (lives && !closing && showAgain()) return;
    front.close();
    if (!lives) {
      tell({ type: "exited", ...(onEnded() ?? exit) });
      note("info", "shell-ended", { terminal: id });
    } else if (!closing) {
      onLost();
      tell({ type: "failed", code: "terminal-unavailable", message: notShown });
    }
    for (const view of readers.keys()) view.left();
    readers.clear();
    markEnded();
  }

  function showAgain(): boolean {
    if (shortLives >= mostShortLives) return false;
    try {
      life = begin();
    } catch (error) {
      note("error", "terminal-not-shown", { terminal: id, message: messageOf(error) });
      return false;
    }
    for (const [view, reader] of readers) join(view, reader, undefined);
    return true;
  }

  /** If tmux does not answer, the shell counts as alive. */
  async function livesOn(): Promise<boolean> {
    if (!shells.inTmux) return false;
    return shells.lasting().then(
      (lasting) => lasting.has(id),
      () => true,
    );
  }

  async function end(): Promise<void> {
    await shells.end(id, life.pty);
    await endedSoon();
  }

  function onFront(view: TerminalView): void {
    const { columns, rows } = view.size;
    if (columns !== size.columns || rows !== size.rows) {
      size = { columns, rows };
      life.pty.resize(columns, rows);
      tell({ type: "size", columns, rows });
    }
    if (view.tab === undefined) return;
    terminals.attach(principal, id, view.tab).catch((error: unknown) => {
      note("error", "terminal-not-attached", { terminal: id, message: messageOf(error) });
    });
  }

  function tell(frame: FrameToView): void {
    for (const view of readers.keys()) view.send(frame);
  }

  function readerFor(view: TerminalView, isNew: boolean): Reader {
    return {
      begin(at) {
        view.send({ type: "opened", terminal: id, name, stream: life.name, at, ...size, isNew });
        isNew = false;
      },
      output: (at, text) => view.send({ type: "output", at }, text),
      get answers() {
        return front.current === view;
      },
    };
  }

  function join(view: TerminalView, reader: Reader, from: number | undefined): void {
    if (!life.stream.join(reader, from)) shells.repaint(id);
    view.send({ type: "attached", tab: terminals.attachedTab(id) });
  }

  return {
    id,
    principal,
    join(view, left) {
      const reader = readerFor(view, left.isNew);
      front.enter(view);
      readers.set(view, reader);
      join(view, reader, left.stream === life.name ? left.from : undefined);
    },
    leave(view) {
      const reader = readers.get(view);
      if (!reader) return;
      readers.delete(view);
      front.leave(view);
      life.stream.leave(reader);
    },
    write(text) {
      const { pty } = life;
      if (pty.waitingBytes + text.length > limits.queuedBytes) return false;
      pty.write(text);
      return true;
    },
    seen(view, at) {
      const reader = readers.get(view);
      if (reader) life.stream.seen(reader, at);
    },
    told(view, hasFocus) {
      if (readers.has(view)) front.told(view, hasFocus);
    },
    attached: () => tell({ type: "attached", tab: terminals.attachedTab(id) }),
    rename(newName) {
      name = newName;
    },
    end() {
      // Called by the view, and again when the terminal is found to have ended.
      ending ??= end().finally(() => (ending = undefined));
      return ending;
    },
    async close() {
      closing = true;
      await shells.close(life.pty);
      await endedSoon();
    },
  };
}
