// A hub that the test controls, over in-memory links.
import { createMemoryLinks } from "../../link/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { PagewireError } from "../../wire/index.ts";
import { HubEnd } from "./hub-end.test-helper.ts";
import type { TerminalState } from "./terminal-view.ts";
import { createShellCredentials } from "./shell-credentials.ts";
import type { ShellToken, TokenStorage } from "./shell-credentials.ts";
import type { Output, Size } from "./stream-reader.ts";
import { TerminalSession } from "./terminal-session.ts";
import type { Target } from "./shown-terminal.ts";

export interface ScriptOptions {
  readonly target?: Target;
  readonly kept?: string;
  readonly code?: string;
  readonly token?: ShellToken;
}

/** A session with such a hub, and with a screen that records its input. */
export function scriptSession({ target = {}, kept, code, token }: ScriptOptions = {}) {
  const clock = createFakeClock();
  const ends: HubEnd[] = [];
  const states: TerminalState[] = [];
  const notes: string[] = [];
  const shown: (string | Size)[] = [];
  const outputs: Output[] = [];
  const storage = memoryStorage(kept);
  const script = {
    clock,
    ends,
    states,
    notes,
    shown,
    outputs,
    storage,
    place: { tab: "tab1" as string | undefined, isConnected: true, focused: false },
    isDown: false,
    /** The end of the newest link. */
    get hub(): HubEnd {
      const end = ends.at(-1);
      if (!end) throw new Error("The view has not connected.");
      return end;
    },
    /** Waits until all effects have happened. */
    settle: () => clock.advance(0),
    /** Until the next attempt to connect is made. */
    reconnect: () => clock.advance(30_000),
    session: undefined as unknown as TerminalSession,
  };
  script.session = new TerminalSession(
    {
      hub: "http://hub.test",
      origin: "http://app.test",
      clock,
      date: () => 1000,
      random: () => 0.5,
      async openLink() {
        if (script.isDown) throw new PagewireError("hub-unreachable", "No hub.");
        const [link, other] = createMemoryLinks();
        ends.push(new HubEnd(other));
        return link;
      },
      credentials: createShellCredentials({ code, token, storage }),
      screen: {
        write(output) {
          shown.push(output.text);
          outputs.push(output);
        },
        reset: () => shown.push("(reset)"),
        resize: ({ columns, rows }) => shown.push({ columns, rows }),
      },
      place: () => script.place,
      onChange: () => states.push(script.session.state),
      onNote: (text) => notes.push(text),
    },
    target,
  );
  return script;
}

/** A session that shows a terminal, as it is after the first moments. */
export async function openSession(options: ScriptOptions = {}) {
  const script = scriptSession({ kept: "kept-token", ...options });
  script.session.resize({ columns: 100, rows: 30 });
  await script.settle();
  script.hub.welcome();
  await script.settle();
  script.hub.opened({ columns: 100, rows: 30 });
  await script.settle();
  return script;
}

function memoryStorage(first: string | undefined): TokenStorage & { kept: string | undefined } {
  return {
    kept: first,
    read() {
      return this.kept;
    },
    write(token) {
      this.kept = token;
    },
    onElsewhere: () => () => {},
  };
}
