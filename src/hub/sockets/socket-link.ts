import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { createCarriedLink } from "../../link/index.ts";
import type { Carrier, Link, LinkEvents } from "../../link/index.ts";
import { batchFrames, closeReason, createBatch, cutOff } from "../../wire/index.ts";
import type { Batch, CloseReason, Limits, Message } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Queue, QueueBudget } from "../backpressure/queue-budget.ts";
import { readBytesOf } from "../backpressure/queue-budget.ts";

/**
 * Messages up to this size are passed on as text; larger ones stay bytes, which saves copying and decoding. Small ones must not
 * stay bytes: a view keeps its whole read buffer of up to 64 KB in memory.
 */
const maxText = 8192;
/** Max bytes corked, and max bytes queued before the queue budget is consulted. */
const maxGathered = 16_384;
/** Timeout of the closing handshake. */
const closeTime = 1000;

export interface ServerLinkOptions extends Pick<Limits, "queuedBytes"> {
  /** Limits the queues of all peers together. */
  readonly budget: QueueBudget;
  /** Undefined while the peer is anonymous. */
  readonly whose: () => Pick<Admitted, "principal" | "allowed"> | undefined;
  /** The stream below the WebSocket. */
  readonly below: Duplex;
  /** Whether messages of one turn of the event loop are corked into one write. */
  readonly gathers: boolean;
}

export interface ServerLink extends Link {
  /** Sends one message in two parts, without concatenating them. */
  sendParts(head: string, rest: Uint8Array): void;
  /** Whether the peer is connected, as far as was read: `open` changes some turns later. */
  hasPeer(): boolean;
}

/** A link over a WebSocket. Large messages stay bytes, and a peer that does not read is cut off. */
export function createServerLink(socket: WebSocket, options: ServerLinkOptions): ServerLink {
  const { queuedBytes, budget, below } = options;
  const stream = options.gathers ? below : undefined;
  /** The first part of the next message. */
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
  /** Created lazily: most peers never need it. */
  let queue: Queue | undefined;
  const queueOf = (): Queue => ({
    get bytes() {
      return socket.bufferedAmount;
    },
    get principal() {
      return options.whose()?.principal ?? "";
    },
    get max() {
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
    // Messages of one turn are sent in one write, which wakes the peer once.
    if (stream && !isGathering) {
      isGathering = true;
      stream.cork();
      atEndOfTurn(leave);
    }
    if (head !== undefined) socket.send(head, { binary: false, fin: false });
    socket.send(message, { binary: false });
    // Large writes gain nothing by waiting. Uncorked after the write, not before, so that a sender which compares
    // `queuedBytes` sees what the write has queued.
    if (stream && stream.writableLength > Math.min(maxGathered, queuedBytes)) {
      stream.uncork();
      stream.cork();
    }
    // A peer that reads has a shorter queue, and needs no check.
    if (socket.bufferedAmount > maxGathered) budget.grew((queue ??= queueOf()));
  }

  socket.on("message", (data: Buffer, isBinary) => {
    // Text is valid UTF-8 already. Binary messages are converted: invalid UTF-8 would break the next socket.
    if (isBinary) return receive(data.toString());
    // Batches are decoded frame by frame.
    receive(data.length <= maxText && data[0] !== SEPARATOR ? data.toString() : data);
  });
  socket.on("close", (code, reason) => {
    if (queue) budget.left(queue);
    end(code === cutOff.code ? cutOff : { code, reason: reason.toString() });
  });
  // The close event follows.
  socket.on("error", () => {});
  return Object.assign(link, {
    sendParts(first: string, rest: Uint8Array) {
      head = first;
      link.send(rest);
      head = undefined;
    },
    hasPeer: () => socket.readyState === socket.OPEN,
  });
}

/** A class, because V8 turns an object with a getter of its own into a hash table. */
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

/** A link that unpacks batches of frames, and sends batches once the peer supports them. A class for the same reason. */
export class BatchedLink implements Link {
  readonly #link: Link;
  readonly #batch: Batch;
  #isBatching = false;
  #isDue = false;
  /** Closed by this side. Frames that arrived before the peer's own close still count. */
  #isClosed = false;

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

  /** From now on, frames of one turn of the event loop are sent in one message. */
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
        // A refused frame closes the link, and ends the batch.
        for (const frame of framesOf(whole)) if (!this.#isClosed) message(frame);
      },
    });
  }
}

/** The byte before each frame of a batch. It occurs nowhere else in valid UTF-8 JSON. */
const SEPARATOR = 0x1e;
/** A frame may be kept for long, so it is copied if its message is more than this many times larger. */
const maxKept = 8;

/** Splits a batch; large frames are views of its bytes. A batch with too many frames is returned whole, and so is invalid. */
function framesOf(whole: Message): readonly Message[] {
  if ((typeof whole === "string" ? whole.charCodeAt(0) : whole[0]) !== SEPARATOR) return [whole];
  const bytes =
    typeof whole === "string" ? Buffer.from(whole) : Buffer.from(whole.buffer, whole.byteOffset, whole.length);
  const frames: Message[] = [];
  for (let start = 1, end = 0; end < bytes.length; start = end + 1) {
    if (frames.length === batchFrames) return [whole];
    const next = bytes.indexOf(SEPARATOR, start);
    end = next < 0 ? bytes.length : next;
    if (end - start <= maxText) frames.push(bytes.toString("utf8", start, end));
    else if ((end - start) * maxKept < bytes.buffer.byteLength) frames.push(Buffer.from(bytes.subarray(start, end)));
    else frames.push(bytes.subarray(start, end));
  }
  return frames;
}

const due: (() => void)[] = [];

/** Runs a function after all input of this turn of the event loop was processed, in order. */
function atEndOfTurn(run: () => void): void {
  if (due.length === 0) setImmediate(endTurn);
  due.push(run);
}

/** Functions that are added meanwhile still run in this turn. */
function endTurn(): void {
  for (const run of due) run();
  due.length = 0;
}
