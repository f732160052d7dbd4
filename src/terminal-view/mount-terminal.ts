// Assembles a view: its visible part, its session with the hub, and the page that its programs act in.
import { connectSocket, systemClock } from "../link/index.ts";
import { PagewireError, messageOf } from "../wire/index.ts";
import { copyText, createClipboardTaker } from "./clipboard.ts";
import { createFace } from "./create-face.ts";
import { createLook } from "./create-look.ts";
import { joinPage } from "./join-page.ts";
import { openLink } from "./open-link.ts";
import { cleanPaste, longestPaste } from "./screen/clean-paste.ts";
import { createScreen } from "./screen/create-screen.ts";
import type { Screen } from "./screen/create-screen.ts";
import { loadXterm } from "./screen/load-xterm.ts";
import { createShellCredentials } from "./session/shell-credentials.ts";
import { refusedState } from "./session/shell-state.ts";
import type { Wish } from "./session/shown-terminal.ts";
import type { Size, TerminalScreen } from "./session/stream-reader.ts";
import { createTerminalSession } from "./session/terminal-session.ts";
import { createTokenStorage } from "./session/token-storage.ts";
import { checkTerminalOptions } from "./terminal-options.ts";
import type { TerminalOptions } from "./terminal-options.ts";
import type { TerminalState, TerminalView } from "./session/terminal-view.ts";
import { createViewKeys } from "./view-keys.ts";

/** Shows a terminal of a hub in an element. Its programs can act in this tab. */
export function mountTerminal(element: HTMLElement, options: TerminalOptions = {}): TerminalView {
  const { hub, actions, label, onError, ...checked } = checkTerminalOptions(options);
  const listeners = new Set<(state: TerminalState) => void>(options.onState && [options.onState]);
  const storage = createTokenStorage(hub);
  const copy = (text: string) => copyText(text, hub);
  let screen: Screen | undefined;
  let { screenReaderMode } = checked;
  /** Why the screen failed to load. */
  let failure: TerminalState | undefined;

  let isBlank = true;

  const face = createFace(element, {
    label,
    copy,
    codeCommand: codeCommandFor(hub),
    onCode: (code) => session.useCode(code),
    onRetry: () => (failure ? startAgain() : session.retry()),
    onDiscard: () => session.discard(),
    onFocus: () => session.tellPlace(),
  });
  const { notes } = face;
  const look = createLook(face.view, checked, () => screen);
  const onKey = createViewKeys({
    look,
    copySelection: () => void copySelection(),
    search: () => face.bar.open(screen?.selection),
    say: notes.say,
  });
  // The session opens no terminal until the screen reports its size.
  const output: TerminalScreen = {
    write(piece) {
      isBlank = false;
      screen?.write(piece);
    },
    reset() {
      isBlank = true;
      screen?.reset();
    },
    resize: (size) => screen?.resize(size),
  };
  const session = createTerminalSession(
    {
      hub,
      origin: location.origin,
      clock: systemClock,
      date: Date.now,
      random: Math.random,
      openLink: () => connectSocket({ url: `${hub.replace("http", "ws")}/ws/terminal`, WebSocket }),
      credentials: createShellCredentials({
        code: options.code,
        token: options.token,
        key: options.key,
        storage,
        onSignedIn: (token) => page.signedIn(token),
      }),
      screen: output,
      place: () => ({ tab: page.tabId, isConnected: page.isConnected, focused: face.hasFocus }),
      onChange: draw,
      onNote: notes.say,
    },
    wishOf(options),
  );
  const page = joinPage({
    hub,
    page: options.page,
    actions,
    onTab: session.tellPlace,
    onError: (error) => onError(error, { stage: "page" }),
  });
  const stopListening = storage.onElsewhere(session.signedInElsewhere);

  function stateNow(): TerminalState {
    return session.state.status === "closed" ? session.state : (failure ?? session.state);
  }

  function draw(): void {
    const state = stateNow();
    face.draw(state, { isBlank, waiting: session.waiting });
    for (const listener of [...listeners]) listener(state);
  }

  async function start(): Promise<void> {
    try {
      const xterm = await loadXterm();
      if (session.state.status === "closed") return;
      screen = createScreen(xterm, face.holder, {
        ...{ fontSize: look.fontSize, theme: look.theme, screenReaderMode, label },
        isMac: /Mac|iPhone|iPad/.test(navigator.platform),
        isCalm: matchMedia("(prefers-reduced-motion: reduce)").matches,
        onInput,
        onRoom,
        onKey,
        onPaste: paste,
        onLink: (link, isMeant) => openLink(link, isMeant, notes),
        onClipboard: createClipboardTaker({ hub, actions, notes }),
      });
      if (!screen.canDraw) throw new PagewireError("terminal-unavailable", policyText);
      face.take(screen);
    } catch (error) {
      // A closed screen reports no size, so no invisible shell is opened.
      closeScreen();
      if (session.state.status === "closed") return;
      const problem = PagewireError.isInstance(error) ? error : new PagewireError("internal-error", messageOf(error));
      failure = refusedState(problem, location.origin);
      onError(error, { stage: "terminal" });
      draw();
    }
  }

  function startAgain(): void {
    failure = undefined;
    draw();
    started = start();
  }

  function closeScreen(): void {
    screen?.close();
    screen = undefined;
  }

  function onInput(text: string, isAnswer: boolean): void {
    const { status } = session.state;
    // An unreachable program does not wait for answers to its queries.
    if (status === "connected" || (status !== "ended" && !isAnswer)) session.input(text);
    else if (text === "\r") session.retry();
  }

  /** With several views, the hub decides the size; the focused view resizes at once, without lag. */
  function onRoom(size: Size): void {
    if (face.hasFocus || session.state.status !== "connected") screen?.resize(size);
    session.resize(size);
  }

  function paste(text: string): void {
    if (text.length > longestPaste) notes.say("What you pasted is too long for a terminal: it was not sent.");
    else if (screen) screen.paste(text);
    else session.input(cleanPaste(text));
  }

  async function copySelection(): Promise<boolean> {
    const text = screen?.selection ?? "";
    if (text === "") return false;
    const isCopied = await copy(text);
    notes.say(isCopied ? "Copied." : "The browser does not let this page copy.");
    return isCopied;
  }

  let started = start();
  return {
    get state() {
      return stateNow();
    },
    get terminal() {
      return session.terminal;
    },
    get terminals() {
      return session.terminals;
    },
    onState(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    open: (terminal, { name } = {}) => session.open(wishOf({ terminal, name })),
    rename: session.rename,
    end: session.end,
    signOut: session.signOut,
    focus: face.focus,
    async search(text, { backwards = false } = {}) {
      await started;
      face.bar.open(text);
      return screen?.search.find(text, { backwards }) ?? false;
    },
    clear: () => screen?.clear(),
    paste,
    copySelection,
    setTheme: look.setTheme,
    setFontSize: look.setFontSize,
    setScreenReaderMode(on) {
      screenReaderMode = on;
      screen?.setScreenReaderMode(on);
    },
    close() {
      if (session.state.status === "closed") return;
      stopListening();
      page.close();
      look.close();
      session.close();
      closeScreen();
      face.close();
      listeners.clear();
    },
  };
}

const policyText =
  "This page's Content-Security-Policy keeps terminals from being drawn. Let its style-src have 'unsafe-inline'.";

/** Codes are valid for the hub's own pages, or for the one origin they were made for. */
function codeCommandFor(hub: string): string {
  const isOwn = new URL(hub).origin === location.origin;
  return `npx pagewire terminal ${isOwn ? "--code" : `--for ${location.origin}`}`;
}

interface NamedWish {
  readonly terminal?: string | undefined;
  readonly name?: string | undefined;
}

function wishOf({ terminal, name }: NamedWish): Wish {
  return { ...(terminal === undefined ? {} : { terminal }), ...(name === undefined ? {} : { name }) };
}
