// Amazon Bedrock: Claude in Anthropic's own format, all other models by Converse.
import type { AiModel } from "../model.ts";
import type {
  AiFileForm,
  AiProviderRequest,
  AiProviderResponse,
  AiStreamChunkResult,
  AiStreamReader,
  IAiProvider,
} from "../provider.ts";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { validateOptions } from "../validate-options.ts";
import { AnthropicProvider } from "./anthropic.ts";
import { converseBody, converseFile, createConverseReader, readConverse } from "./converse.ts";
import { asServerSentEvents } from "./event-stream.ts";
import { fileForms } from "./file-forms.ts";
import { withFittedTools } from "./fit-tools.ts";
import { loose, objectIn } from "./read.ts";
import { endpointOf, post } from "./request.ts";
import { signRequest } from "./sigv4.ts";
import type { AwsCredentials } from "./sigv4.ts";

const home = "us-east-1";

/** A model, or an inference profile, that is Claude by its name. */
function isClaude(model: string): boolean {
  return /(^|[./])anthropic\./.test(model);
}

export class BedrockProvider implements IAiProvider {
  readonly #anthropic = new AnthropicProvider();
  readonly files: AiFileForm = (file, options) =>
    isClaude(options.model) ? (fileForms.anthropic(file, options) as object | undefined) : converseFile(file);

  buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    const claude = isClaude(options.model) ? this.#claudeBody(messages, options) : undefined;
    const { isStream, body } = claude ?? converseBody(messages, withFittedTools(options, "any"));
    const way = claude ? `invoke${isStream ? "-with-response-stream" : ""}` : `converse${isStream ? "-stream" : ""}`;
    const { apiKey, headers, baseUrl } = options;
    return post(
      // The body of the options is merged already.
      { model: options.model, ...(headers && { headers }), ...(!claude && options.body && { body: options.body }) },
      {
        url: endpointOf(runtimeOf(baseUrl), `/model/${encodeURIComponent(options.model)}/${way}`),
        headers: { Authorization: bearerOf(apiKey) },
        body,
      },
    );
  }

  #claudeBody(messages: AiMessage[], options: AiRequestOptions): { isStream: boolean; body: object } {
    const { body } = this.#anthropic.buildRequest(messages, withFittedTools(options, "anthropic"));
    const { model: _, stream, ...rest } = objectIn(body) ?? {};
    return { isStream: stream !== false, body: { anthropic_version: "bedrock-2023-05-31", ...rest } };
  }

  parseResponse(data: unknown): AiProviderResponse {
    return loose(data)?.output ? readConverse(data) : this.#anthropic.parseResponse(data);
  }

  parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null {
    return this.createStreamReader().read(event, data);
  }

  createStreamReader(): AiStreamReader {
    const claude = this.#anthropic.createStreamReader();
    const converse = createConverseReader();
    // Converse's events have names in camel case, Anthropic's have underscores.
    return { read: (event, data) => (/[A-Z]|^metadata$/.test(event ?? "") ? converse : claude).read(event, data) };
  }

  /** Signs, where the key is credentials, and reads AWS's own form of a stream. */
  createFetch({ apiKey = "", fetch: send = fetch }: AiRequestOptions): typeof fetch {
    const credentials = credentialsIn(apiKey);
    return async (url, init) => {
      const signed = credentials && { ...init, headers: await signedHeaders(url as string, init, credentials) };
      return asServerSentEvents(await send(url, signed ?? init));
    };
  }

  /** Of the region: its control plane is at an address beside that for answers. */
  async models(options: AiRequestOptions): Promise<AiModel[]> {
    const { listBedrockModels } = await import("./bedrock-models.ts");
    const { apiKey, baseUrl, headers, signal } = options;
    const authorization = bearerOf(apiKey);
    const sent = { ...(authorization && { Authorization: authorization }), ...headers };
    const send = this.createFetch(options);
    return listBedrockModels(runtimeOf(baseUrl), (url) => send(url, { headers: sent, ...(signal && { signal }) }));
  }
}

function runtimeOf(baseUrl: string | undefined): string {
  return baseUrl?.replace(/\/model\/[^?]*/, "") || `https://bedrock-runtime.${home}.amazonaws.com`;
}

function bearerOf(apiKey: string | undefined): string | undefined {
  return apiKey && !credentialsIn(apiKey) ? `Bearer ${apiKey}` : undefined;
}

/** `<access key id>:<secret access key>`, and for a session `:<its token>`. */
function credentialsIn(apiKey: string): AwsCredentials | undefined {
  const [accessKeyId = "", secretAccessKey, ...token] = apiKey.split(":");
  return secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken: token.join(":") || undefined } : undefined;
}

async function signedHeaders(address: string, init: RequestInit | undefined, credentials: AwsCredentials) {
  const { host, pathname, search } = new URL(address);
  // Such as bedrock-runtime.eu-central-1.amazonaws.com.
  const region = /[.-]([a-z]{2}(-[a-z]+)+-\d)\./.exec(host)?.[1] ?? home;
  const headers = { ...(init?.headers as Record<string, string> | undefined) };
  const type = headers["Content-Type"];
  const added = await signRequest(
    {
      method: init?.method ?? "GET",
      host,
      path: pathname,
      query: search,
      headers: type ? { "Content-Type": type } : {},
      body: String(init?.body ?? ""),
    },
    { credentials, region, service: "bedrock", now: new Date() },
  );
  return { ...headers, ...added };
}
