// The client that the command line is at a provider: a registered one, else one that the provider learns of by itself.
import { None, allowInsecureRequests, customFetch, dynamicClientRegistration } from "openid-client";
import type { ClientMetadata, Configuration, CustomFetch, ServerMetadata } from "openid-client";
import { PagewireError, commandLineClient, commandLineClientPath } from "../../wire/index.ts";
import { byEitherDocument, createClient, providerError } from "./provider.ts";

export interface ClientChoice {
  /** Given by the user, or registered at the last sign-in. */
  readonly given: string | undefined;
  /** Published by the hub. */
  readonly published: string | undefined;
  readonly hub: string;
  readonly fetch: typeof fetch;
}

export async function chooseClient(server: ServerMetadata, choice: ClientChoice): Promise<Configuration> {
  const { given = choice.published, hub, fetch } = choice;
  const id = given ?? (readsDocuments(server) ? hub + commandLineClientPath : undefined);
  if (id !== undefined) return createClient(server, id, fetch);
  if (server.registration_endpoint !== undefined) return register(server, fetch);
  throw new PagewireError(
    "token-required",
    `The identity provider ${server.issuer} lets no program register itself. Ask who runs ${hub} for the client id of the command line, and give it: --client-id ID`,
  );
}

/** Whether a client's id may be the address of a document about it. */
function readsDocuments(server: ServerMetadata): boolean {
  return server["client_id_metadata_document_supported"] === true;
}

async function register(server: ServerMetadata, fetch: typeof globalThis.fetch): Promise<Configuration> {
  const url = new URL(server.issuer);
  const execute = url.protocol === "http:" ? [allowInsecureRequests] : [];
  try {
    const client = JSON.parse(JSON.stringify(commandLineClient)) as Partial<ClientMetadata>;
    const made = await byEitherDocument((algorithm) =>
      dynamicClientRegistration(url, client, None(), { algorithm, execute, [customFetch]: fetch as CustomFetch }),
    );
    return createClient(server, made.clientMetadata().client_id, fetch);
  } catch (error) {
    throw providerError(error, server.issuer);
  }
}
