import { Agent } from "node:http";
import type { CallerDoor, DoorOptions, Told } from "./door.ts";
import { post } from "./exchange.ts";

/** `POST /api/call/<tool>`, over keep-alive connections. */
export function createHttpDoor({ url, token, name }: DoorOptions): CallerDoor {
  const agent = new Agent({ keepAlive: true });
  return {
    async send({ tool, input, key, seconds }) {
      const exchange = post({
        url: `${url}/api/call/${tool}`,
        agent,
        body: JSON.stringify(input),
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          "User-Agent": name,
          ...(key !== undefined && { "Idempotency-Key": key }),
          ...(seconds !== undefined && { "Pagewire-Timeout": String(seconds) }),
        },
      });
      return { exchange, cancel: exchange.hangUp };
    },
    read({ text }) {
      const { outcome, ran, replay, error, result } = JSON.parse(text) as HttpAnswer;
      return {
        outcome,
        ran,
        isReplay: replay,
        code: error?.code,
        message: error?.message,
        result: result?.structuredContent,
      };
    },
  };
}

interface HttpAnswer {
  readonly outcome: string;
  readonly ran: string;
  readonly replay: boolean;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly result?: { readonly structuredContent?: Told["result"] };
}
