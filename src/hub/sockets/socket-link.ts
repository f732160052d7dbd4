import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { createCarriedLink } from "../../link/index.ts";
import type { Carrier, Link, LinkEvents } from "../../link/index.ts";
import { batchFrames, closeReason, createBatch, cutOff } from "../../wire/index.ts";
import type { Batch, CloseReason, Limits, Message } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Queue, QueueBudget } from "../backpressure/queue-budget.ts";
import { readBytesOf } from "../backpressure/read-bytes.ts";

/**
 * Messages up to this size are handed on as text; larger ones stay bytes, which nobody then has to copy or decode. Bytes
 * keep what was read with them in memory, 64 KB at most: of smaller ones that would be many times what they are.
 */
const mostText = 8192;
/** How much may be written before it leaves, and be queued before it is looked at. */
const mostGathered = 16_384;
/** How long a peer may take to answer a close. */
const closeTime = 1000;

export interface ServerLinkOptions extends Pick<Limits, "queuedBytes"> {
  /** Bounds what waits for all peers together. */
  readonly budget: QueueBudget;
  /** On whose behalf the peer is there; undefined while that is not known. */
  readonly whose: () => Pick<Admitted, "principal" | "allowed"> | undefined;
  /** What is below the socket. */
  readonly below: Duplex;
  /** Whether what is sent in one turn of the event loop is gathered there. */
  readonly gathers: boolean;
}

export interface ServerLink extends Link {
  /** Sends one message, whose second part is not copied behind the first. */
  sendParts(head: string, rest: Uint8Array): void;
}

/** A link over a socket that a hub accepted. It keeps large messages as bytes and cuts off a peer that does not read. */
export function createServerLink(socket: WebSocket, options: ServerLinkOptions): ServerLink {
  const { queuedBytes, budget, below } = options;
  const stream = options.gathers ? below : undefined;
  /** What goes before the next bytes, in the same message. */
  let head: string | undefined;
  let isGathering = false;
  const leave = () => {
    isGathering = false;
    stream?.uncork();
  };
  const cut = () => {
    end(closeReason("too-slow"));
    socket.terminate();
  };
  /** Made when there is something to bound: most peers never need it. */
  let queue: Queue | undefined;
  const queueOf = (): Queue => ({
    get bytes() {
      return socket.bufferedAmount;
    },
    get principal() {
      return options.whose()?.principal ?? "";
    },
    get most() {
      return options.whose()?.allowed?.queuedBytesPerPrincipal;
    },
    get read() {
      return readBytesOf(below);
    },
    cut,
  });
  const { link, receive, end } = createCarriedLink(
    new SocketCarrier(socket, send, ({ code, reason }) => {
      socket.close(code, reason);
      const timer = setTimeout(() => socket.terminate(), closeTime);
      socket.on("close", () => clearTimeout(timer));
    }),
  );

  function send(message: Message): void {
    if (socket.bufferedAmount > queuedBytes) return cut();
    // Messages of one turn leave in one write, and wake the peer once.
    if (stream && !isGathering) {
      isGathering = true;
      stream.cork();
      atEndOfTurn(leave);
    }
    if (head !== undefined) socket.send(head, { binary: false, fin: false });
    socket.send(message, { binary: false });
    // Much gains nothing by waiting. It leaves after the write and not before, where it would hide what the write puts
    // into the queue from a sender that compares `queuedBytes`.
    if (stream && stream.writableLength > Math.min(mostGathered, queuedBytes)) {
      stream.uncork();
      stream.cork();
    }
    // A peer that reads has less than this waiting, and is not looked at.
    if (socket.bufferedAmount > mostGathered) budget.grew((queue ??= queueOf()));
  }

  socket.on("message", (data: Buffer, isBinary) => {
    // Text was checked to be UTF-8. Other bytes are made so here: passed on as text, they would break the next socket.
    if (isBinary) return receive(data.toString());
    // A message of several frames is decoded frame by frame.
    receive(data.length <= mostText && data[0] !== SEPARATOR ? data.toString() : data);
  });
  socket.on("close", (code, reason) => {
    if (queue) budget.left(queue);
    end(code === cutOff.code ? cutOff : { code, reason: reason.toString() });
  });
  // The close event follows and says all that a link can say.
  socket.on("error", () => {});
  return Object.assign(link, {
    sendParts(first: string, rest: Uint8Array) {
      head = first;
      link.send(rest);
      head = undefined;
    },
  });
}

/** A class, for its getter is shared: V8 keeps each object that has one of its own as a hash table. */
class SocketCarrier implements Carrier {
  readonly socket: WebSocket;
  readonly send: Carrier["send"];
  readonly close: Carrier["close"];

  constructor(socket: WebSocket, send: Carrier["send"], close: Carrier["close"]) {
    this.socket = socket;
    this.send = send;
    this.close = close;
  }

  get queuedBytes(): number {
    return this.socket.bufferedAmount;
  }
}

/** A link that takes messages of several frames, and sends them once it may. A class as the carrier is. */
export class BatchedLink implements Link {
  readonly #link: Link;
  readonly #batch: Batch;
  #isBatching = false;
  #isDue = false;
  /** Closed by this side: what a peer sent before its own close counts. */
  #isClosed = false;

  /** Wraps the link of a peer that sends several frames in one message only where it is sent such itself. */
  constructor(link: Link) {
    this.#link = link;
    this.#batch = createBatch((message) => link.send(message));
  }

  get open(): boolean {
    return this.#link.open;
  }

  get queuedBytes(): number {
    return this.#link.queuedBytes;
  }

  /** From now on, frames of one turn of the event loop leave in one message. */
  startBatching(): void {
    this.#isBatching = true;
  }

  send(message: Message): void {
    if (!this.#isBatching) return this.#link.send(message);
    this.#batch.add(message);
    if (this.#isDue) return;
    this.#isDue = true;
    atEndOfTurn(() => {
      this.#isDue = false;
      this.#batch.flush();
    });
  }

  close(reason?: CloseReason): void {
    this.#isClosed = true;
    this.#batch.flush();
    this.#link.close(reason);
  }

  start({ message, closed }: LinkEvents): void {
    this.#link.start({
      closed,
      message: (whole) => {
        if (!this.#isBatching) return message(whole);
        // The first frame that is refused closes the link.
        for (const frame of framesOf(whole)) if (!this.#isClosed) message(frame);
      },
    });
  }
}

/** The code of the character before each frame of a batch. UTF-8 has this byte for nothing else. */
const SEPARATOR = 0x1e;
/** A payload may be kept for long. It keeps the message that it came in only where that is not many times its size. */
const mostKept = 8;

/** The frames of a message, with large ones as parts of its bytes. One with too many is given whole, which is no frame. */
function framesOf(whole: Message): readonly Message[] {
  if ((typeof whole === "string" ? whole.charCodeAt(0) : whole[0]) !== SEPARATOR) return [whole];
  const bytes =
    typeof whole === "string" ? Buffer.from(whole) : Buffer.from(whole.buffer, whole.byteOffset, whole.length);
  const frames: Message[] = [];
  for (let start = 1, end = 0; end < bytes.length; start = end + 1) {
    if (frames.length === batchFrames) return [whole];
    const next = bytes.indexOf(SEPARATOR, start);
    end = next < 0 ? bytes.length : next;
    if (end - start <= mostText) frames.push(bytes.toString("utf8", start, end));
    else if ((end - start) * mostKept < bytes.buffer.byteLength) frames.push(Buffer.from(bytes.subarray(start, end)));
    else frames.push(bytes.subarray(start, end));
  }
  return frames;
}

const due: (() => void)[] = [];

/** Runs when all that came in this turn of the event loop has been read, after what was asked for before. */
function atEndOfTurn(run: () => void): void {
  if (due.length === 0) setImmediate(endTurn);
  due.push(run);
}

/** What is asked for meanwhile still belongs to this turn. */
function endTurn(): void {
  for (const run of due) run();
  due.length = 0;
}
