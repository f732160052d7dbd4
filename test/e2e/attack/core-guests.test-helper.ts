// Clients of the hub's model: Alice in her page, who must not be disturbed, and attackers, who must learn nothing about her
// or the hub.
import { expect } from "vitest";
import { openCore, startCore } from "../../../src/hub/doors/core/core.test-helper.ts";
import type { CoreClient, CoreClientOptions } from "../../../src/hub/doors/core/core.test-helper.ts";
import { shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import { secret } from "./besieged-hub.test-helper.ts";
import { apiKey } from "./model-hub.test-helper.ts";
import type { ModelHub } from "./model-hub.test-helper.ts";

const ownWords = "what-alice-says-to-nobody-else";

export interface CoreGuests {
  readonly alice: CoreClient;
  readonly mallory: CoreClient;
  /** The connection options of this person's page. */
  inPage(person: string): Promise<CoreClientOptions>;
  /** Opens an attacker's socket, which sends nothing yet. */
  open(options: CoreClientOptions): Promise<CoreClient>;
  /** Opens an attacker's conversation, in a page. */
  enter(person: string, more?: CoreClientOptions): Promise<CoreClient>;
  /** Asks for a conversation. Returns the code of the refusal, or of the close; "let in" if there is neither. */
  verdictOn(options: CoreClientOptions, announced: object): Promise<Verdict>;
  /** Fails unless Alice's conversation goes on, no attacker received a secret, and the internal server got no request. */
  expectUnharmed(): Promise<void>;
}

export interface Verdict {
  readonly code: string;
  readonly client: CoreClient;
}

export async function invite(hub: ModelHub): Promise<CoreGuests> {
  const { url, home } = hub.hub;
  const strangers: CoreClient[] = [];
  const alice = await startCore(url, await inPage("alice"));
  expect(await alice.run("send", ownWords, {})).toBe("Noted.");

  async function inPage(person: string): Promise<CoreClientOptions> {
    return { origin: shop, protocols: [`pagewire.bearer.${await hub.pageToken(person)}`] };
  }

  async function open(options: CoreClientOptions): Promise<CoreClient> {
    const client = await openCore(url, options);
    strangers.push(client);
    return client;
  }

  async function enter(person: string, more: CoreClientOptions = {}): Promise<CoreClient> {
    const client = await startCore(url, { ...(await inPage(person)), ...more });
    strangers.push(client);
    return client;
  }

  return {
    alice,
    mallory: await enter("mallory"),
    inPage,
    open,
    enter,
    async verdictOn(options, announced) {
      const client = await open(options);
      client.say({ type: "sync", pagewire: { client: "one", ...announced } });
      const isIn = client.until(() => client.session !== "").then(() => ["let in"]);
      const [name = ""] = await Promise.race([isIn, client.closed]);
      const refusal = client.came.find(({ type }) => type === "refused");
      return { code: (refusal?.["error"] as { code: string } | undefined)?.code ?? name, client };
    },
    async expectUnharmed() {
      expect(await alice.run("send", "And now?", {})).toBe("Noted.");
      const [first, second] = alice.values["messages"] as readonly { readonly content: string }[];
      expect([first?.content, second?.content]).toEqual([ownWords, "Noted."]);
      const told = JSON.stringify(strangers.map(({ came }) => came));
      for (const text of [ownWords, apiKey, secret, hub.modelHost, home, "node:internal", ".js:"])
        expect(told).not.toContain(text);
      expect(hub.inside.requests).toEqual([]);
    },
  };
}

/** The answer, or the code of the refusal, or "refused" if the core has no code for it. */
export function outcomeOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.catch(({ code }: { code?: string }) => (code === "WC_BINDABLE_REMOTE_THROW" ? "refused" : code));
}
