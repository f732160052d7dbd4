// A client whose socket was accepted here, and whom another hub serves: its messages go there as they are, and come back so.
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import type { Link } from "../../link/index.ts";
import { closeReason, cutOff, linkCloseReason } from "../../wire/index.ts";
import type { CloseReason, Limits, Message } from "../../wire/index.ts";
import { aboutPassed } from "../http/tunnel-socket.ts";
import type { Passing } from "./pass-on.ts";

interface PassingMessages extends Passing {
  readonly limits: Pick<Limits, "queuedBytes" | "frameBytes">;
}

/** Headers that each socket has of its own. */
const ofSocket = /^(?:connection|upgrade|sec-websocket-.*|x-pagewire-.*)$/;
const openTime = 5000;

export function passMessages({ tunnel, request, about, limits }: PassingMessages, link: Link): void {
  const { headers, url = "", socket: below } = request;
  const own = Object.entries(headers).filter(([name]) => !ofSocket.test(name));
  const protocols = headers["sec-websocket-protocol"]?.split(",").map((protocol) => protocol.trim()) ?? [];
  const [address] = url.split("#");
  const home = new WebSocket(`ws://${headers.host}${address}`, protocols, {
    headers: { ...Object.fromEntries(own), ...aboutPassed(about) },
    createConnection: () => tunnel as unknown as Socket,
    perMessageDeflate: false,
    maxPayload: limits.frameBytes,
    handshakeTimeout: openTime,
  });
  const early: Message[] = [];
  let earlyBytes = 0;

  function send(message: Message): void {
    if (home.readyState === home.OPEN) home.send(message, { binary: false });
    else earlyBytes += early.push(message) && message.length;
    if (home.bufferedAmount + earlyBytes > limits.queuedBytes) link.close(closeReason("too-slow"));
  }

  home.on("open", () => {
    earlyBytes = 0;
    for (const message of early.splice(0)) send(message);
  });
  home.on("message", (data: Buffer) => {
    link.send(data);
    if (!below.writableNeedDrain || home.isPaused) return;
    // A client that reads slowly holds its conversation's hub back, as if it were connected to that.
    home.pause();
    below.once("drain", () => home.resume());
  });
  home.on("error", () => {});
  home.on("close", (code, reason) => {
    link.close(code === cutOff.code ? closeReason("going-away") : sayable({ code, reason: reason.toString() }));
  });
  link.start({
    message: send,
    closed({ code, reason }) {
      if (home.readyState !== home.OPEN || code === cutOff.code) return home.terminate();
      const said = sayable({ code, reason });
      home.close(said.code, said.reason);
    },
  });
}

/** A close message without a code is read as one with this code. */
const noCode = 1005;

function sayable(reason: CloseReason): CloseReason {
  return reason.code === noCode ? linkCloseReason("normal") : reason;
}
