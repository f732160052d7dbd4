import { connectSocket, systemClock } from "../../link/index.ts";
import type { SocketClass } from "../../link/index.ts";
import { encodeText, pageLimits, parseText, textOf, toExtension } from "../../wire/index.ts";
import { siteOrigin } from "../origin-pattern.ts";
import type { PairedHub } from "../settings.ts";
import { pageSocketOf } from "./hub-sockets.ts";

export interface Pairing {
  /** With its scheme, which the page where the person typed it has settled. */
  readonly address: string;
  readonly code: string;
  /** The name that the person gave this browser. */
  readonly browser: string;
}

const answerTime = 10_000;

/** Exchanges a one-time code for this browser's token, in the first frame of a socket; rejects with a sentence for the person. */
export async function pair({ address, code, browser }: Pairing, WebSocket: SocketClass): Promise<PairedHub> {
  const hub = hubAddress(address);
  const link = await connectSocket({ url: pageSocketOf(hub), WebSocket });
  const answer = await new Promise<string>((resolve, reject) => {
    const stop = systemClock.after(answerTime, () => reject(new Error(`The hub at ${hub} does not answer. ${older}`)));
    link.start({
      message(message) {
        stop();
        resolve(textOf(message));
      },
      closed({ reason }) {
        stop();
        reject(new Error(`The hub at ${hub} ended the connection (${reason}). ${older}`));
      },
    });
    link.send(encodeText({ type: "pair", code: code.trim(), name: browser.trim() }));
  }).finally(() => link.close());
  return { ...readAnswer(answer), address: hub, pairedAt: Date.now() };
}

/** Gives this browser's token back. A hub that is away lists the browser until it is removed there. */
export async function unpair({ address, token }: PairedHub, WebSocket: SocketClass): Promise<void> {
  const link = await connectSocket({ url: pageSocketOf(address), WebSocket });
  await new Promise<void>((resolve) => {
    const stop = systemClock.after(answerTime, () => link.close());
    link.start({
      message() {},
      closed() {
        stop();
        resolve();
      },
    });
    link.send(encodeText({ type: "unpair", token }));
  });
}

const older = "It may be older than this extension: update it, and try again.";

function hubAddress(address: string): string {
  const origin = siteOrigin(address);
  if (origin === undefined) throw new Error("The address of the hub is none, such as http://127.0.0.1:7337.");
  return origin;
}

function readAnswer(text: string): Pick<PairedHub, "token" | "browser" | "expiresAt"> {
  const answer = parseText(toExtension, text, pageLimits);
  const frame = answer.kind === "frame" ? answer.frame : undefined;
  if (frame?.type === "refused") {
    // A hub that does not know pairing takes the extension for a page.
    if (frame.code === "origin-not-allowed") throw new Error(`The hub does not pair browsers. ${older}`);
    throw new Error(frame.command === undefined ? frame.message : `${frame.message} Run: ${frame.command}`);
  }
  if (frame?.type !== "paired") throw new Error(`The hub's answer cannot be read. ${older}`);
  const { token, name, expiresAt } = frame;
  return { token, browser: name, ...(expiresAt !== undefined && { expiresAt }) };
}
