// Serves one view's socket: authenticates it, and handles its frames one after the other.
import type { Clock } from "../link/index.ts";
import { closeWith } from "../hub/index.ts";
import type { ShellHost, ShellPass, ShellVisit, TerminalInfo } from "../hub/index.ts";
import {
  PagewireError,
  closeReason,
  encodeFrame,
  fromView,
  isErrorCode,
  messageOf,
  parseFrame,
  shortMessage,
  sizeOf,
} from "../wire/index.ts";
import type { FrameFromView, FrameToView, Message, Payload } from "../wire/index.ts";
import type { OpenTerminal, TerminalView } from "./open-terminal.ts";
import type { TerminalKeeper } from "./terminal-keeper.ts";
import { listed } from "./terminal-names.ts";

type Frame<Type extends FrameFromView["type"]> = Extract<FrameFromView, { type: Type }>;

export interface ViewOptions {
  readonly host: ShellHost;
  readonly clock: Clock;
  /** Rejects if no terminal can be opened. */
  readonly ready: Promise<{ readonly keeper: TerminalKeeper; readonly inTmux: boolean }>;
}

const viewVersion = 1;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Serves a link whose view of terminals has not sent hello yet. */
export function serveView({ link, origin, known }: ShellVisit, { host, clock, ready }: ViewOptions): void {
  const { limits, note } = host;
  let pass: ShellPass | undefined;
  let shown: OpenTerminal | undefined;
  let tab: string | undefined;
  let size = { columns: 80, rows: 24 };
  let waitingBytes = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const endings: (() => void)[] = [];

  const send = (frame: FrameToView, payload?: Payload) => link.send(encodeFrame(frame, payload));
  const view: TerminalView = {
    send,
    get tab() {
      return tab;
    },
    get size() {
      return size;
    },
    left() {
      shown = undefined;
    },
  };

  function leave(): void {
    shown?.leave(view);
    shown = undefined;
  }

  async function welcome({ version, code, token, key }: Frame<"hello">): Promise<void> {
    if (version !== viewVersion) {
      throw new PagewireError("version-unsupported", `This hub speaks version ${viewVersion}. Update the older side.`);
    }
    // Before the one-time code is consumed.
    const { keeper, inTmux } = await ready;
    const found = await host.signIn({ code, token, key }, origin);
    if (!link.open) return;
    pass = found;
    // Before the next await: the credential may be revoked in the meantime.
    endings.push(known(found.admitted, link));
    const { principal } = found.admitted;
    let isWelcome = false;
    let newest: readonly TerminalInfo[] | undefined;
    endings.push(
      keeper.onChange((whose, terminals) => {
        if (whose !== principal) return;
        newest = terminals;
        if (isWelcome) send({ type: "terminals", terminals: listed(terminals) });
      }),
    );
    const first = await keeper.list(principal);
    if (!link.open) return;
    const { token: newToken, expiresAt } = found;
    const heartbeat = limits.heartbeatTime;
    const terminals = listed(newest ?? first);
    send({ type: "welcome", version, token: newToken, expiresAt, terminals, tmux: inTmux, heartbeat });
    isWelcome = true;
    endings.push(beat());
    note("info", "view-connected", { origin });
  }

  function beat(): () => void {
    let stop = (): void => {};
    const next = () => {
      stop = clock.after(limits.heartbeatTime, () => {
        send({ type: "heartbeat" });
        next();
      });
    };
    next();
    return () => stop();
  }

  async function open(keeper: TerminalKeeper, principal: string, frame: Frame<"open">): Promise<void> {
    const { columns, rows, terminal: id } = frame;
    leave();
    size = { columns, rows };
    const { tokenId, allowed } = pass?.admitted ?? {};
    const { terminal, isNew } = await keeper.open(principal, { ...frame, tokenId, allowed });
    if (!link.open) return isNew ? keeper.end(principal, terminal.id) : undefined;
    shown = terminal;
    terminal.join(view, { stream: id && frame.stream, from: frame.from, isNew });
  }

  function here(principal: string, frame: Frame<"here">): void {
    const isIn = frame.tab !== undefined && host.hasTab(principal, frame.tab, origin);
    tab = isIn ? frame.tab : undefined;
    shown?.told(view, frame.focused);
    if (frame.tab === undefined || isIn) return;
    throw new PagewireError("tab-not-found", `No page of this origin is the tab "${frame.tab}". Connect it first.`);
  }

  function input(payload: Payload): void {
    const text = typeof payload === "string" ? payload : decoder.decode(payload);
    if (shown?.write(text) !== false) return;
    throw new PagewireError("too-slow", "The program in the terminal does not read what is typed. Nothing was added.");
  }

  async function take(frame: FrameFromView, payload: Payload): Promise<void> {
    if ((frame.type === "hello") === (pass !== undefined)) {
      return closeWith(
        link,
        new PagewireError("hello-expected", "The first frame of a view is its hello, and only that."),
      );
    }
    if (frame.type === "hello") return welcome(frame).catch(turnAway);
    const { keeper } = await ready;
    const { principal = "" } = pass?.admitted ?? {};
    switch (frame.type) {
      case "open":
        return open(keeper, principal, frame);
      case "input":
        return input(payload);
      case "resize":
        size = { columns: frame.columns, rows: frame.rows };
        return shown?.told(view, false);
      case "here":
        return here(principal, frame);
      case "seen":
        return shown?.seen(view, frame.at);
      case "end":
        // Not awaited: ending may take a while.
        return void keeper.end(principal, frame.terminal).catch(fail);
      case "rename":
        return keeper.rename(principal, frame.terminal, frame.name);
      case "sign-out":
        return pass && host.signOut(pass.admitted);
      case "heartbeat":
        return undefined;
    }
  }

  function turnAway(error: unknown): void {
    const named = PagewireError.isInstance(error) ? error : new PagewireError("internal-error", messageOf(error));
    note("warn", "view-refused", { code: named.code });
    closeWith(link, named);
  }

  /** Reports a failed request to the view, whose connection stays open. */
  function fail(error: unknown): void {
    const { code } = Object(error) as { readonly code?: unknown };
    const named = isErrorCode(code) ? code : "internal-error";
    send({ type: "failed", code: named, message: shortMessage(messageOf(error)) });
    if (named === "internal-error") note("error", "view-failed", { message: messageOf(error) });
  }

  function takeInTurn(message: Message): void {
    const parsed = parseFrame(fromView, message, limits);
    if (parsed.kind === "unknown") return;
    if (parsed.kind === "refused") return turnAway(new PagewireError(parsed.close, parsed.message));
    const bytes = sizeOf(message);
    waitingBytes += bytes;
    if (waitingBytes > limits.queuedBytes) return link.close(closeReason("too-slow"));
    turn = turn
      // A view that signs out may disconnect before its frame is handled.
      .then(() => (link.open || parsed.frame.type === "sign-out" ? take(parsed.frame, parsed.payload) : undefined))
      .catch(fail)
      .finally(() => {
        waitingBytes -= bytes;
      });
  }

  link.start({
    message: takeInTurn,
    closed() {
      leave();
      for (const end of endings) end();
    },
  });
}
