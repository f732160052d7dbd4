// The models of a Bedrock region: those that take requests by their own names, and the profiles through which others are
// reached. Loaded when they are asked for.
import { readText } from "../list-models.ts";
import type { AiModel } from "../model.ts";
import { readHttpError } from "../whole-answer.ts";
import { messageOf } from "../../wire/index.ts";
import { endpointOf } from "./request.ts";
import { listOf, loose, parse, textOf } from "./read.ts";
import type { Loose } from "./read.ts";

/** Sends a signed request. */
export type AskBedrock = (url: string) => Promise<Response>;

const maxModels = 1000;
const maxName = 200;

/** Throws an `AiHttpError` where the key does not allow it to list models; it need not allow profiles. */
export async function listBedrockModels(runtime: string, send: AskBedrock): Promise<AiModel[]> {
  const plane = controlPlaneOf(runtime);
  const ask = async (path: string, query: string) => {
    const url = endpointOf(plane, path);
    const response = await send(`${url}${url.includes("?") ? "&" : "?"}${query}`).catch((cause: unknown) => {
      throw new Error(`${url} could not be reached: ${messageOf(cause)}. ${byName}`, { cause });
    });
    if (response.status !== 404) return response;
    void response.body?.cancel().catch(() => undefined);
    throw new Error(`${url} was not found (HTTP 404). ${byName}`);
  };
  const [models, profiles] = await Promise.all([
    ask("/foundation-models", "byOutputModality=TEXT").then(read),
    ask("/inference-profiles", "maxResults=1000")
      .then(read)
      .catch(() => undefined),
  ]);
  if (!Array.isArray(models?.modelSummaries)) throw new Error("Bedrock sent no list of models.");
  const usable = listOf(models.modelSummaries).filter(isForChat);
  const ids = new Set(usable.map((model) => textOf(model?.modelId)));
  const reached = listOf(profiles?.inferenceProfileSummaries).filter((profile) => {
    const isActive = (textOf(profile?.status) || "ACTIVE") === "ACTIVE";
    return (
      isActive && listOf(profile?.models).some((model) => ids.has(textOf(model?.modelArn).split("/").at(-1) ?? ""))
    );
  });
  const named = [
    ...reached.map((profile) => [textOf(profile?.inferenceProfileId), textOf(profile?.inferenceProfileName)] as const),
    ...usable.filter(isOnDemand).map((model) => [textOf(model?.modelId), nameOf(model)] as const),
  ];
  const found = new Map<string, AiModel>();
  for (const [id, name] of named) {
    const isTaken = id === "" || id.length > maxName || found.has(id);
    if (!isTaken && found.size < maxModels) found.set(id, { id, name: name.slice(0, maxName) || id });
  }
  return [...found.values()];
}

const byName = "Bedrock's models can be named without their list.";

/** Beside the address for answers. Endpoints of a VPC have no such neighbour: the region's own lists its models. */
function controlPlaneOf(runtime: string): string {
  const [, region, end] = /\.bedrock-runtime(?:-fips)?\.([\w-]+)\.vpce\.(amazonaws\.com(?:\.cn)?)/.exec(runtime) ?? [];
  return region ? `https://bedrock.${region}.${end}` : runtime.replace("//bedrock-runtime", "//bedrock");
}

async function read(response: Response): Promise<Loose> {
  if (!response.ok) throw await readHttpError(response);
  return loose(parse(await readText(response)));
}

function isForChat(model: Loose): boolean {
  const { status } = model?.modelLifecycle ?? {};
  return (
    listOf(model?.outputModalities).some((kind) => (kind as unknown) === "TEXT") &&
    listOf(model?.inputModalities).some((kind) => (kind as unknown) === "TEXT") &&
    (textOf(status) || "ACTIVE") === "ACTIVE"
  );
}

function isOnDemand(model: Loose): boolean {
  return listOf(model?.inferenceTypesSupported).some((kind) => (kind as unknown) === "ON_DEMAND");
}

function nameOf(model: Loose): string {
  return [model?.providerName, model?.modelName].map(textOf).filter(Boolean).join(" ");
}
