// Sends one request by hand, in the form of either era.
import type { HubDoor } from "../../../test-support/http.test-helper.ts";
import { modern, openSession, sendRaw } from "./raw-mcp.test-helper.ts";
import type { RpcMessage } from "./raw-mcp.test-helper.ts";

export interface Asking {
  readonly hub: HubDoor;
  readonly revision: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly capabilities?: object;
}

export interface Asked extends RpcMessage {
  readonly status: number;
  readonly before: readonly RpcMessage[];
}

/** Sends one request and resolves with its response; for a revision with sessions it opens one. */
export async function askOnce(
  { hub, revision, headers = {}, ...options }: Asking,
  method: string,
  params: Readonly<Record<string, unknown>> & { readonly _meta?: object },
): Promise<Asked> {
  const exchange =
    revision === "2026-07-28"
      ? sendRaw(hub, modern(method, params, { ...options, headers, meta: params._meta ?? {} }))
      : (await openSession(hub, { ...options, version: revision })).send(
          { jsonrpc: "2.0", id: 1, method, params },
          headers,
        );
  const { status, messages } = await exchange.whole();
  return { status, ...messages.at(-1), before: messages.slice(0, -1) };
}
