import { startCore } from "../../doors/core/core.test-helper.ts";
import type { CoreClient, CoreClientOptions } from "../../doors/core/core.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { pageTokenOf } from "./team-world.test-helper.ts";

/** A person's page in a conversation with the hub's model. */
export async function talkAs(
  hub: { readonly url: string },
  principal: string,
  options: CoreClientOptions = {},
): Promise<CoreClient> {
  const protocols = [`pagewire.bearer.${await pageTokenOf(principal)}`];
  return startCore(hub.url, { origin: shop, protocols, ...options });
}
