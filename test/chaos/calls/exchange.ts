// One HTTP request, whose caller can hang up at any time.
import { request } from "node:http";
import type { Agent, IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";

export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly agent: Agent | false;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Exchange {
  /** Rejects when the connection breaks. */
  readonly answer: Promise<WholeAnswer>;
  /** Whether the first part of an answer has arrived. */
  readonly hasBegun: boolean;
  hangUp(): void;
}

export function post({ url, headers, body, agent }: Sending): Exchange {
  const sent = request(url, { method: "POST", headers, agent });
  let hasBegun = false;
  const answer = new Promise<WholeAnswer>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      hasBegun = true;
      const { statusCode: status = 0, headers: answered } = response;
      text(response).then((whole) => resolve({ status, headers: answered, text: whole }), reject);
    });
  });
  sent.end(body);
  return {
    answer,
    get hasBegun() {
      return hasBegun;
    },
    hangUp: () => void sent.destroy(new Error("The caller hung up.")),
  };
}
