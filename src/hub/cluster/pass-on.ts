// A request that arrived here and is served by another hub: its bytes go there as they are, and the answer comes back so.
import { request as sendRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import type { Duplex } from "node:stream";
import { aboutPassed, hubHeaders } from "../http/tunnel-socket.ts";
import type { PassedAbout, TunnelSocket } from "../http/tunnel-socket.ts";

export interface Passing {
  readonly tunnel: TunnelSocket;
  readonly request: IncomingMessage;
  readonly about: PassedAbout;
}

/** Headers between two neighbours. */
const ofNeighbours = ["connection", "keep-alive", "upgrade", "expect", ...hubHeaders];

/** Passes a request on. `body` has what was read of it already: all. If the other hub is lost, so is the client's connection. */
export function passRequest({ tunnel, request, about }: Passing, response: ServerResponse, body?: Uint8Array): void {
  // Its client may have left meanwhile, and says that no more.
  if (response.destroyed) return void tunnel.destroy();
  const { method, url } = request;
  // A body that comes in chunks goes so: Node gives those of some methods no end otherwise.
  const said = joined(request.rawHeaders, body ? ["transfer-encoding"] : []);
  const headers = { ...Object.fromEntries(said), ...aboutPassed(about), connection: "close" };
  const passed = sendRequest({ method, path: url, headers, setHost: false, createConnection: () => tunnel });
  passed.on("error", () => response.destroy());
  passed.on("response", (answer) => {
    response.sendDate = false;
    const { statusCode = 502, statusMessage, rawHeaders } = answer;
    response.writeHead(statusCode, statusMessage, joined(rawHeaders, ["transfer-encoding"]).flat() as string[]);
    response.flushHeaders();
    pipeline(answer, response, () => {});
  });
  response.on("close", () => tunnel.destroy());
  if (body) passed.end(body);
  else request.pipe(passed);
}

/** Passes an upgrade on, with everything that follows on its socket. */
export function passUpgrade({ tunnel, request, about }: Passing, socket: Duplex, head: Uint8Array): void {
  const { method, url, rawHeaders } = request;
  const lines = pairs(rawHeaders).filter(([name]) => !hubHeaders.includes(name.toLowerCase()));
  const said = [...lines, ...Object.entries(aboutPassed(about))]
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  tunnel.write(Buffer.from(`${method} ${url} HTTP/1.1\r\n${said}\r\n`, "latin1"));
  if (head.length > 0) tunnel.write(head);
  pipeline(socket, tunnel, socket, () => {
    tunnel.destroy();
    socket.destroy();
  });
}

/** The headers of an answer or a request for the next neighbour, with all values of a name that is repeated. */
function joined(rawHeaders: readonly string[], dropped: readonly string[]): [string, string | string[]][] {
  const found = new Map<string, [string, string | string[]]>();
  for (const [name, value] of pairs(rawHeaders)) {
    const key = name.toLowerCase();
    if (ofNeighbours.includes(key) || dropped.includes(key)) continue;
    const before = found.get(key)?.[1];
    found.set(key, [name, before === undefined ? value : [before, value].flat()]);
  }
  return [...found.values()];
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, at) => [
    rawHeaders[2 * at] ?? "",
    rawHeaders[2 * at + 1] ?? "",
  ]);
}
