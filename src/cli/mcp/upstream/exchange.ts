// One HTTP request and the start of its answer. Does not use fetch, which refuses some ports, and closes streams that
// are silent for long.
import { Agent as HttpAgent, request as requestHttp } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { noAnswer } from "../../reach-hub/no-answer.ts";

export interface ExchangeRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Called when all of it was given to the network. */
  onSent?(): void;
}

/** Connections to hubs. */
export interface Exchanges {
  /**
   * Resolves when an answer starts. Rejects with `hub-unreachable` if nothing was sent; with any other error if
   * something may have been sent.
   */
  open(url: URL, request: ExchangeRequest): Promise<IncomingMessage>;
  close(): void;
}

const connectTimeout = 10_000;
/** A hub, or a proxy in front of it, closes idle connections; a request sent at that moment would be lost. */
const idleTimeout = 2000;
/** Delay before the system checks whether a silent peer is still connected. */
const keepAliveProbe = 15_000;

/** `onAlone` is called when the last connection closes: after that, another program may listen at the address. */
export function createExchanges(onAlone = () => {}): Exchanges {
  const options = { keepAlive: true, keepAliveMsecs: keepAliveProbe, timeout: idleTimeout };
  const connected = new Set<Socket>();
  const secure = new HttpsAgent(options);
  const plain = new HttpAgent(options);

  function prepare(url: URL, { method, headers, body, signal }: ExchangeRequest): ClientRequest {
    const isSecure = url.protocol === "https:";
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const agent = isSecure ? secure : plain;
    try {
      return (isSecure ? requestHttps : requestHttp)(url, {
        method,
        headers: { ...headers, ...length },
        agent,
        signal,
      });
    } catch (error) {
      // For example, a token that is not a valid header value.
      throw noAnswer(url.origin, error);
    }
  }

  async function open(url: URL, given: ExchangeRequest): Promise<IncomingMessage> {
    const request = prepare(url, given);
    const { body, signal, onSent } = given;
    let isConnected = false;
    const tooSlow = new Error(`no connection within ${connectTimeout / 1000} seconds`);
    const timer = setTimeout(() => request.destroy(tooSlow), connectTimeout);
    // Over TLS, written data is buffered until the connection is open.
    const lookWhetherSent = () => isConnected && request.writableFinished && onSent?.();
    const onConnected = () => {
      isConnected = true;
      clearTimeout(timer);
      lookWhetherSent();
    };
    request.on("socket", (socket) => {
      if (request.reusedSocket) return onConnected();
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", onConnected);
      connected.add(socket);
      socket.once("close", () => connected.delete(socket) && connected.size === 0 && onAlone());
    });
    request.on("finish", lookWhetherSent);
    request.on("close", () => clearTimeout(timer));
    return new Promise((resolve, reject) => {
      request.on("response", resolve);
      request.on("error", (error) => reject(isConnected || signal.aborted ? error : noAnswer(url.origin, error)));
      request.end(body);
    });
  }

  return {
    open,
    close() {
      secure.destroy();
      plain.destroy();
    },
  };
}
