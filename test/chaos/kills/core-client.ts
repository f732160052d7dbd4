// A conversation with the hub's model, by hand: a minimal client of `/ai-agent`.
import { once } from "node:events";
import { WebSocket } from "ws";

export interface CoreMessage {
  readonly role: string;
  readonly content: unknown;
}

export interface WaitingCall {
  readonly id: string;
  readonly status: string;
}

export interface CoreClient {
  /** The conversation's id. */
  readonly session: string;
  readonly messages: readonly CoreMessage[];
  /** Runs a command; rejects with the core's error, or when the connection closes. */
  run(name: string, ...args: readonly unknown[]): Promise<unknown>;
  /** The pending call that its user must decide about; undefined when the connection closes. */
  waitingCall(): Promise<WaitingCall | undefined>;
  close(): void;
}

type Came = Readonly<Record<string, unknown>>;

export interface CoreOptions {
  readonly url: string;
  readonly token: string;
  /** The conversation to continue; by default a new one. */
  readonly session?: string | undefined;
}

let clients = 0;

export async function openCore({ url, token, session }: CoreOptions): Promise<CoreClient> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ai-agent`, {
    headers: { Authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  const over = new Promise<string>((resolve) => {
    socket.on("close", (code, reason) => resolve(`closed (${code}) ${reason.toString()}`));
    socket.on("error", (error) => resolve(String(error)));
  });
  const values: Record<string, unknown> = {};
  const answers = new Map<string, (answer: Came) => void>();
  const looks = new Set<() => void>();
  let count = 0;

  function take(message: Came): void {
    if (message["type"] === "sync") Object.assign(values, message["values"], { synced: message["capabilities"] });
    else if (message["type"] === "update") Object.assign(values, { [String(message["name"])]: valueOf(message) });
    else answers.get(String(message["id"]))?.(message);
  }

  /** The whole value, or the known beginning with the new rest. */
  function valueOf({ name, value, keep, rest }: Came): unknown {
    if (typeof keep !== "number") return value;
    const before = values[String(name)];
    return typeof before === "string"
      ? before.slice(0, keep) + String(rest)
      : [...(before as readonly unknown[]).slice(0, keep), ...(rest as readonly unknown[])];
  }

  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Came | readonly unknown[];
    // Arrays are pieces of growing texts, which this client reads only when they are complete.
    if (!Array.isArray(message)) take(message as Came);
    for (const look of looks) look();
  });

  /** Resolves with the first value that `find` returns, or with undefined when the connection closes. */
  function until<Found>(find: () => Found | undefined): Promise<Found | undefined> {
    const found = new Promise<Found>((resolve) => {
      const look = () => {
        const one = find();
        if (one === undefined) return;
        looks.delete(look);
        resolve(one);
      };
      looks.add(look);
      look();
    });
    return Promise.race([found, over.then(() => undefined)]);
  }

  const opened = await Promise.race([once(socket, "open"), over]);
  if (typeof opened === "string") throw new Error(opened);
  const pagewire = { client: `chaos-${++clients}`, ...(session !== undefined && { session }) };
  socket.send(JSON.stringify({ type: "sync", pagewire }));
  const synced = await until(() => values["synced"] as { readonly pagewire?: { readonly session: string } });
  if (synced?.pagewire === undefined) throw new Error(`No conversation: ${await over}`);

  return {
    session: synced.pagewire.session,
    get messages() {
      return (values["messages"] ?? []) as readonly CoreMessage[];
    },
    run(name, ...args) {
      const id = `call-${count++}`;
      socket.send(JSON.stringify({ type: "cmd", name, args, id }));
      const answered = new Promise((resolve, reject) => {
        answers.set(id, (answer) => {
          answers.delete(id);
          socket.send(JSON.stringify({ type: "got", ids: [id] }));
          if (answer["type"] === "throw") reject(new Error(JSON.stringify(answer["error"])));
          else resolve(answer["value"]);
        });
      });
      const lost = over.then((reason) => {
        throw new Error(reason);
      });
      return Promise.race([answered, lost]);
    },
    waitingCall: () =>
      until(() => ((values["toolCalls"] ?? []) as readonly WaitingCall[]).find(({ status }) => status === "waiting")),
    close: () => socket.terminate(),
  };
}
