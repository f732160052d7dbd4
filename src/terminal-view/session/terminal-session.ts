// A view's session with its hub: whether the user is signed in and connected, the list of terminals, and the state of
// the one that is shown.
import type { Clock, Link } from "../../link/index.ts";
import type { FrameToView, PagewireError } from "../../wire/index.ts";
import type { TerminalInfo, TerminalState } from "./terminal-view.ts";
import type { ShellCredentials } from "./shell-credentials.ts";
import { connectShell, hubError } from "./shell-connection.ts";
import type { ShellConnection, Welcome } from "./shell-connection.ts";
import { exitedState, reconnectingState, refusedState, signedOutState } from "./shell-state.ts";
import { createShownTerminal } from "./shown-terminal.ts";
import type { Place, Wish } from "./shown-terminal.ts";
import type { Size, TerminalScreen } from "./stream-reader.ts";

export interface TerminalSessionOptions {
  readonly hub: string;
  /** The origin of the page that the view is in. */
  readonly origin: string;
  readonly clock: Clock;
  date(): number;
  random(): number;
  openLink(): Promise<Link>;
  readonly credentials: ShellCredentials;
  readonly screen: TerminalScreen;
  place(): Place;
  /** The state, the list of terminals, or the pending input has changed. */
  onChange(): void;
  /** A transient notification for the user. */
  onNote(text: string): void;
}

export interface TerminalSession {
  readonly state: TerminalState;
  readonly terminal: string | undefined;
  readonly terminals: readonly TerminalInfo[];
  /** Number of characters queued until the shell is reachable. */
  readonly waiting: number;
  open(wish: Wish): void;
  input(text: string): void;
  /** Drops pending input. */
  discard(): void;
  resize(size: Size): void;
  /** Reports the user's tab to the hub, even if it has not changed. */
  tellPlace(): void;
  rename(terminal: string, name: string): void;
  end(terminal: string): void;
  useCode(code: string): void;
  /** Tries again now, after any failure. */
  retry(): void;
  signOut(): void;
  /** The user entered a code in another tab. */
  signedInElsewhere(): void;
  close(): void;
}

const notThere: TerminalState = { status: "ended", message: "This terminal is not there any more." };
const connecting: TerminalState = { status: "connecting", message: "Connecting to the hub." };

export function createTerminalSession(options: TerminalSessionOptions, first: Wish): TerminalSession {
  const { hub, credentials, onChange, onNote } = options;
  let connection: ShellConnection | undefined;
  let state = connecting;
  let terminals: readonly TerminalInfo[] = [];
  let isWelcome = false;
  const shown = createShownTerminal(
    {
      screen: options.screen,
      sendFrame: (frame, payload) => connection?.send(frame, payload),
      place: options.place,
      onNote,
    },
    first,
  );

  function setState(next: TerminalState): void {
    if (state.status === "closed") return;
    state = next;
    onChange();
  }

  function connect(): void {
    leave();
    connection = connectShell({ ...options, prove: credentials.prove, onWelcome, onFrame, onWaiting, onRefused });
  }

  function connectAnew(): void {
    connect();
    setState(connecting);
  }

  function leave(): void {
    connection?.close();
    isWelcome = false;
    shown.away();
  }

  function onWelcome(frame: Welcome): void {
    credentials.accepted(frame.token);
    terminals = frame.terminals;
    isWelcome = true;
    requestOpen();
  }

  function requestOpen(): void {
    if (isWelcome) shown.ask();
    onChange();
  }

  function begin(next: Wish): void {
    shown.leave(next);
    // The reason why the hub is unreachable still applies.
    if (isWelcome || state.status === "ended") setState({ status: "connecting", message: "Opening the terminal." });
    requestOpen();
  }

  function onWaiting(milliseconds: number, problem: PagewireError | undefined): void {
    isWelcome = false;
    shown.cut();
    if (problem?.code === "terminal-not-found") return ended(notThere);
    // A shell that ended remains ended, connected or not.
    if (state.status === "ended") return;
    const isSaid = problem?.code === "origin-not-allowed" || problem?.code === "terminal-unavailable";
    if (problem && isSaid) setState(refusedState(problem, options.origin));
    else setState(reconnectingState({ hub, milliseconds, problem, retryAt: options.date() + milliseconds }));
  }

  function onRefused(problem: PagewireError): void {
    if (credentials.refused()) return connectAnew();
    leave();
    terminals = [];
    setState(signedOutState(problem));
  }

  function onFrame(frame: FrameToView, payload: string): void {
    shown.heard();
    switch (frame.type) {
      case "opened":
        shown.opened(frame);
        return showConnected();
      case "output":
      case "size":
        return shown.take(frame, payload);
      case "attached":
        shown.attached(frame.tab);
        return showConnected();
      case "terminals":
        return listed(frame.terminals);
      case "exited":
        return shown.isOpen ? ended(exitedState(frame)) : undefined;
      case "failed":
        return failed(hubError(frame.code, frame.message));
      // The connection's own.
      case "welcome":
      case "heartbeat":
        return undefined;
    }
  }

  function listed(next: readonly TerminalInfo[]): void {
    terminals = next;
    const info = next.find(({ id }) => id === shown.wish?.terminal);
    if (info) shown.renamed(info.name);
    showConnected();
  }

  function ended(how: TerminalState): void {
    shown.leave();
    setState(how);
  }

  function failed(problem: PagewireError): void {
    if (shown.isOpen || !shown.wish) return onNote(problem.message);
    if (problem.code === "terminal-not-found") return ended(notThere);
    shown.failed();
    setState(refusedState(problem, options.origin));
  }

  function showConnected(): void {
    const { terminal, name = "" } = shown.wish ?? {};
    if (!shown.isOpen || terminal === undefined) return onChange();
    const { attachment } = shown;
    setState({ status: "connected", message: `Connected to ${hub}.`, terminal, name, attachment });
  }

  /** Sends the hub a request that only makes sense now. */
  function ask(frame: Parameters<ShellConnection["send"]>[0]): void {
    if (!connection?.send(frame)) onNote("There is no connection to the hub. Try again when it is back.");
  }

  connect();
  return {
    get state() {
      return state;
    },
    get terminal() {
      return shown.wish?.terminal;
    },
    get terminals() {
      return terminals;
    },
    get waiting() {
      return shown.waiting;
    },
    open(next) {
      const isWished = shown.wish !== undefined && next.terminal === shown.wish.terminal;
      if (!isWished || (next.terminal === undefined && state.status !== "connecting")) begin(next);
    },
    input(text) {
      shown.input(text);
      if (!shown.isOpen) onChange();
    },
    discard() {
      shown.discard();
      onChange();
    },
    resize(size) {
      if (shown.resize(size)) requestOpen();
    },
    tellPlace() {
      shown.tellPlace();
      showConnected();
    },
    rename: (terminal, name) => ask({ type: "rename", terminal, name }),
    end: (terminal) => ask({ type: "end", terminal }),
    useCode(code) {
      credentials.useCode(code);
      connectAnew();
    },
    retry() {
      if (state.status === "signed-out") return connectAnew();
      if (!shown.wish) begin({});
      // A double click must not open two.
      else if (isWelcome && !shown.isOpen && !shown.isAsked) requestOpen();
      connection?.retryNow();
    },
    signOut() {
      connection?.send({ type: "sign-out" });
      credentials.forget();
      leave();
      terminals = [];
      setState({ status: "signed-out", message: "A code is needed to open a terminal." });
    },
    signedInElsewhere() {
      if (state.status === "signed-out") connectAnew();
    },
    close() {
      leave();
      setState({ status: "closed", message: "This view of a terminal is closed." });
    },
  };
}
