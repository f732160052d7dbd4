// A page without a browser: it keeps its promises about calls as the page's script does, and counts what it ran. Hundreds of
// them run in one process.
import { WebSocket } from "ws";

export interface NodePage {
  readonly tab: string;
  /** The id of the tab, once a hub has welcomed it. */
  readonly tabId: string | undefined;
  readonly isConnected: boolean;
  close(): void;
}

export interface NodePageOptions {
  readonly tab: string;
  /** The hubs' addresses, such as ws://127.0.0.1:7337. */
  readonly url: string;
  readonly origin: string;
  /** In jwt mode: the page's token. */
  readonly token?: string;
  /** A certificate to trust. */
  readonly ca?: string;
  /** Called when a call's handler begins, with the tag in its arguments. */
  readonly onRun: (tag: string) => void;
}

interface Frame {
  readonly type: string;
  readonly id: string;
  readonly key?: string;
  readonly left: number;
  readonly at: number;
  readonly resume?: boolean;
  readonly tab: string;
}

interface Known {
  id: string;
  answer?: (id: string) => string;
}

const firstWait = 500;
const longestWait = 5000;
const offer = JSON.stringify({ tools: [{ name: "work", inputSchema: { type: "object" } }] });

export function openNodePage({ tab, url, origin, onRun, token, ca }: NodePageOptions): NodePage {
  const memory = new Map<string, Known>();
  let socket: WebSocket | undefined;
  let tabId: string | undefined;
  let isConnected = false;
  let isClosed = false;
  let attempt = 0;
  /** The quickest frame so far, as the page's script compares clocks. */
  let quickest = Infinity;

  const lateness = (at: number) => {
    const journey = performance.now() - at;
    quickest = Math.min(quickest, journey);
    return journey - quickest;
  };
  const send = (frame: object, payload = "") =>
    socket?.readyState === WebSocket.OPEN &&
    socket.send(payload === "" ? JSON.stringify(frame) : `${JSON.stringify(frame)}\n${payload}`);
  const failure = (outcome: string, ran: string) => (id: string) =>
    JSON.stringify({ type: "failure", id, outcome, ran, code: outcome, message: outcome });

  function call({ id, key, left, at, resume }: Frame, payload: string): void {
    const known = memory.get(key ?? id);
    if (known) {
      known.id = id;
      send({ type: "ack", id });
      if (known.answer) socket?.send(known.answer(id));
      return;
    }
    if (resume) return socket?.send(failure("outcome-unknown", "maybe")(id));
    if (left - lateness(at) <= 0) return socket?.send(failure("deadline-exceeded", "no")(id));
    const { tag, work } = JSON.parse(payload) as { tag: string; work: number };
    const entry: Known = { id };
    memory.set(key ?? id, entry);
    send({ type: "ack", id });
    onRun(tag);
    setTimeout(() => {
      const result = JSON.stringify({ content: [], structuredContent: { tag } });
      entry.answer ??= (current) => `${JSON.stringify({ type: "result", id: current })}\n${result}`;
      if (socket?.readyState === WebSocket.OPEN) socket.send(entry.answer(entry.id));
    }, work);
  }

  function take(text: string): void {
    const end = text.indexOf("\n");
    const frame = JSON.parse(end < 0 ? text : text.slice(0, end)) as Frame;
    if (frame.type === "call") return call(frame, end < 0 ? "{}" : text.slice(end + 1));
    if (frame.type === "heartbeat") return void send({ type: "heartbeat" });
    if (frame.type === "cancel") {
      const known = [...memory.values()].find(({ id }) => id === frame.id);
      if (known && !known.answer) {
        known.answer = failure("cancelled", "maybe");
        socket?.send(known.answer(frame.id));
      }
    }
    if (frame.type !== "welcome") return;
    ({ tab: tabId } = frame);
    isConnected = true;
    attempt = 0;
    quickest = Infinity;
    lateness(frame.at);
    send({ type: "offer" }, offer);
  }

  function connect(): void {
    if (isClosed) return;
    const made = new WebSocket(`${url}/page`, {
      ...(ca !== undefined && { ca }),
      headers: { Origin: origin },
      perMessageDeflate: false,
    });
    socket = made;
    made.on("open", () => {
      const running = [...memory.values()].flatMap(({ id, answer }) => (answer ? [] : id));
      const about = { versions: [1], tab, app: "shop", title: tab, focused: false, epochs: [`epoch-${tab}`], running };
      send({ type: "hello", token, ...about });
    });
    made.on("message", (data: Buffer) => take(data.toString()));
    made.on("error", () => {});
    made.on("close", () => {
      isConnected = false;
      const most = Math.min(longestWait, firstWait * 2 ** attempt++);
      setTimeout(connect, Math.random() * most);
    });
  }

  connect();
  return {
    tab,
    get tabId() {
      return tabId;
    },
    get isConnected() {
      return isConnected;
    },
    close() {
      isClosed = true;
      socket?.close();
    },
  };
}
