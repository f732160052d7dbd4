// A server that proves that it has a token as a hub does; the test handles all other requests.
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { formatAddress, givenKeyText, proofText } from "../wire/index.ts";
import type { ProofRound, ProvenSecret } from "../wire/index.ts";

export interface ProvingServer {
  readonly url: string;
  readonly port: number;
  readonly sockets: WebSocketServer;
  close(): Promise<void>;
}

/** Answers a proof request as the token's hub does. */
export function answerProof(token: string, { url, socket }: IncomingMessage, response: ServerResponse): void {
  const asked = new URL(url ?? "", "http://hub").searchParams;
  const round: ProofRound = {
    secret: asked.get("secret") as ProvenSecret,
    nonce: asked.get("nonce") ?? "",
    answer: randomBytes(32).toString("base64url"),
    expiresAt: Date.now() + 60_000,
  };
  const address = formatAddress(socket.localAddress ?? "", socket.localPort ?? 0);
  const code = (key: string, text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const proof = code(round.secret === "given" ? code(token, givenKeyText) : token, proofText(round, address));
  response.end(JSON.stringify({ address, proof, answer: round.answer, expiresAt: round.expiresAt }));
}

export async function openServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  host = "127.0.0.1",
): Promise<ProvingServer> {
  const server = createServer(answer);
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  await once(server.listen(0, host), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${formatAddress(host, port)}`,
    port,
    sockets,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
