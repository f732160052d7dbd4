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
  const id = given ?? (readsDocument(server) ? hub + commandLineClientPath : undefined);
  if (id !== undefined) return createClient(server, id, fetch);
  if (server.registration_endpoint !== undefined) return register(server, fetch);
  throw new PagewireError(
    "token-required",
    `The identity provider ${server.issuer} lets no program register itself. Who runs ${hub} registers a public client there, with the redirect URI ${commandLineClient.redirect_uris[0]}, and names it in team.json: "commandLineClientId". Or give one here: --client-id ID`,
  );
}

/** Whether a client's id may be the address of the document about this one, which has more than some providers take. */
function readsDocument(server: ServerMetadata): boolean {
  return server["client_id_metadata_document_supported"] === true && grantsAt(server).length === grants.length;
}

const grants = commandLineClient.grant_types;

/** The command line's ways to tokens that this provider has. */
function grantsAt({ grant_types_supported: supported }: ServerMetadata): readonly string[] {
  return supported === undefined ? grants : grants.filter((each) => supported.includes(each));
}

async function register(server: ServerMetadata, fetch: typeof globalThis.fetch): Promise<Configuration> {
  const url = new URL(server.issuer);
  const execute = url.protocol === "http:" ? [allowInsecureRequests] : [];
  try {
    const about = { ...commandLineClient, grant_types: grantsAt(server) };
    const client = JSON.parse(JSON.stringify(about)) as Partial<ClientMetadata>;
    const made = await byEitherDocument((algorithm) =>
      dynamicClientRegistration(url, client, None(), { algorithm, execute, [customFetch]: fetch as CustomFetch }),
    );
    return createClient(server, made.clientMetadata().client_id, fetch);
  } catch (error) {
    throw providerError(error, server.issuer);
  }
}
