import { expect, test } from "vitest";
import { AiCore } from "../index.ts";
import { secret, startBedrock } from "./bedrock.test-helper.ts";

const summary = (modelId: string, more: object = {}) => ({
  modelId,
  modelName: modelId.toUpperCase(),
  providerName: "Vendor",
  inputModalities: ["TEXT"],
  outputModalities: ["TEXT"],
  inferenceTypesSupported: ["ON_DEMAND"],
  modelLifecycle: { status: "ACTIVE" },
  ...more,
});
const offered = {
  modelSummaries: [
    summary("vendor.plain-v1:0"),
    summary("anthropic.far-v1:0", { inferenceTypesSupported: ["INFERENCE_PROFILE"] }),
    summary("vendor.draws", { outputModalities: ["IMAGE"] }),
    summary("vendor.embeds", { outputModalities: ["EMBEDDING"] }),
    summary("vendor.old", { modelLifecycle: { status: "LEGACY" } }),
    summary("vendor.rented", { inferenceTypesSupported: ["PROVISIONED"] }),
    null,
    { modelId: 7 },
  ],
};
const profileOf = (inferenceProfileId: string, model: string, more: object = {}) => ({
  inferenceProfileId,
  inferenceProfileName: `EU ${model}`,
  status: "ACTIVE",
  models: [{ modelArn: `arn:aws:bedrock:eu-central-1::foundation-model/${model}` }],
  ...more,
});
const profiles = {
  inferenceProfileSummaries: [
    profileOf("eu.anthropic.far-v1:0", "anthropic.far-v1:0"),
    profileOf("eu.vendor.draws", "vendor.draws"),
    profileOf("eu.gone", "vendor.plain-v1:0", { status: "GONE" }),
    3,
  ],
};
const plain = { id: "vendor.plain-v1:0", name: "Vendor VENDOR.PLAIN-V1:0" };

test.each(["ABSKkey", `AKIDEXAMPLE:${secret}`, `AKIDEXAMPLE:${secret}:token`])(
  "its models are those that answer in text, by their names or by the profiles that reach them: %s",
  async (apiKey) => {
    const { baseUrl, requests } = await startBedrock(({ path }) => ({
      json: path.startsWith("/foundation-models") ? offered : profiles,
    }));
    const core = new AiCore();
    core.provider = "bedrock";
    expect(await core.models({ apiKey, baseUrl: `${baseUrl}/model/any/converse` })).toEqual([
      { id: "eu.anthropic.far-v1:0", name: "EU anthropic.far-v1:0" },
      plain,
    ]);
    const paths = ["/foundation-models?byOutputModality=TEXT", "/inference-profiles?maxResults=1000"];
    expect(requests.map(({ path }) => path).toSorted()).toEqual(paths);
  },
);

test("its models are asked for beside the address for answers, and a key that may not list profiles has the others", async () => {
  const asked: string[] = [];
  const send: typeof fetch = async (url) => {
    asked.push((url as string).replace(/\?.*/, ""));
    return (url as string).includes("/inference-profiles")
      ? new Response("No.", { status: 403 })
      : Response.json(offered);
  };
  const core = new AiCore();
  core.provider = "bedrock";
  const baseUrl = "https://bedrock-runtime.eu-central-1.amazonaws.com/";
  expect(await core.models({ apiKey: "ABSKkey", baseUrl, fetch: send })).toEqual([plain]);
  await core.models({ apiKey: "ABSKkey", fetch: send });
  expect(asked).toEqual([
    "https://bedrock.eu-central-1.amazonaws.com/foundation-models",
    "https://bedrock.eu-central-1.amazonaws.com/inference-profiles",
    "https://bedrock.us-east-1.amazonaws.com/foundation-models",
    "https://bedrock.us-east-1.amazonaws.com/inference-profiles",
  ]);
});

test("an error says that a key may list no models, and an answer of another form is an error", async () => {
  const core = new AiCore();
  core.provider = "bedrock";
  const models = (respond: () => Response) => core.models({ apiKey: "ABSKkey", fetch: async () => respond() });
  await expect(models(() => new Response("No.", { status: 403 }))).rejects.toMatchObject({ status: 403, body: "No." });
  await expect(models(() => Response.json([]))).rejects.toThrow("no list of models");
  await expect(models(() => new Response("<html>"))).rejects.toThrow("no list of models");
});

test.each([
  ["vpce-0a1-b2.bedrock-runtime.eu-central-1.vpce.amazonaws.com", "bedrock.eu-central-1.amazonaws.com"],
  ["vpce-0a1-b2-eu-central-1a.bedrock-runtime.eu-central-1.vpce.amazonaws.com", "bedrock.eu-central-1.amazonaws.com"],
  ["vpce-0a1.bedrock-runtime.cn-north-1.vpce.amazonaws.com.cn", "bedrock.cn-north-1.amazonaws.com.cn"],
  ["bedrock-runtime-fips.us-east-1.amazonaws.com", "bedrock-fips.us-east-1.amazonaws.com"],
  ["gateway.example/aws", "gateway.example/aws"],
])(
  "the models of %s are asked for at %s; without a list there, the error has the address and another way",
  async (host, at) => {
    const core = new AiCore();
    core.provider = "bedrock";
    const asked: unknown[] = [];
    const models = (answer: () => Response) =>
      core.models({ apiKey: "ABSKkey", baseUrl: `https://${host}`, fetch: async (url) => (asked.push(url), answer()) });
    const url = `https://${at}/foundation-models`;
    await expect(models(() => new Response("No.", { status: 404 }))).rejects.toThrow(
      `${url} was not found (HTTP 404). Bedrock's models can be named without their list.`,
    );
    const fails = () => {
      throw new TypeError("fetch failed");
    };
    await expect(models(fails)).rejects.toThrow(
      `${url} could not be reached: fetch failed. Bedrock's models can be named without their list.`,
    );
    expect(asked).toContain(`${url}?byOutputModality=TEXT`);
  },
);
