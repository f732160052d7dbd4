// A page at its own address, whose requests are recorded and answered by the test.
import { vi } from "vitest";
import type { CallToolResult } from "../../../wire/index.ts";
import { hub, run } from "../actions.test-helper.ts";
import type { ActionContext } from "../registration/action.ts";
import { forgetFetchConsents } from "./consents.ts";
import { fetchAction } from "./fetch-action.ts";
import type { FetchPolicy } from "./fetch-policy.ts";
import type { FetchPowers } from "./run-fetch.ts";

export const own = "https://shop.example";

export interface FetchPage {
  readonly sent: (readonly [url: string, init: RequestInit])[];
  readonly ask: ReturnType<typeof vi.fn<FetchPowers["ask"]>>;
  fetch(input: object, given?: Partial<ActionContext>): Promise<FetchedResult>;
}

interface FetchedResult extends CallToolResult {
  readonly structuredContent: {
    readonly status: number;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly encoding: string;
  };
}

/** The server's answer; a short text by default. */
export type Answer = (url: string, init: RequestInit) => Response | Promise<Response>;

export function makeFetchPage(policy: FetchPolicy = {}, answer: Answer = () => new Response("hello")): FetchPage {
  forgetFetchConsents();
  const sent: (readonly [string, RequestInit])[] = [];
  const ask = vi.fn<FetchPowers["ask"]>(async () => "accept");
  const powers: FetchPowers = {
    location: { origin: own, href: `${own}/terminal?x=1` },
    ask,
    async fetch({ href }, init) {
      sent.push([href, init]);
      return answer(href, init);
    },
  };
  const action = fetchAction(policy, powers);
  return { sent, ask, fetch: (input, given) => run(action, input, { hub, ...given }) as Promise<FetchedResult> };
}

/** Why a request was refused: the rule's name, or the message of another error. */
export async function ruleOf(fetched: Promise<unknown>): Promise<string> {
  try {
    await fetched;
    return "allowed";
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return code === "action-refused" ? (/rule `(\w+)`/.exec(message)?.[1] ?? message) : `${code}: ${message}`;
  }
}
