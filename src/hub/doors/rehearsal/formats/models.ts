// The one model that is there, as each vendor lists its models.
import type { Json, JsonObject } from "../../../../wire/index.ts";
import { rehearsalModel } from "../model/about.ts";

/** 2026-01-01. */
const since = 1_767_225_600;
const title = "Pagewire's rehearsal model";
const about = "Built in and deterministic: it matches words with tools and is no language model.";

export const openAiModel: JsonObject = { id: rehearsalModel, object: "model", created: since, owned_by: "pagewire" };

export const anthropicModel: JsonObject = {
  type: "model",
  id: rehearsalModel,
  display_name: title,
  created_at: new Date(since * 1000).toISOString(),
  capabilities: null,
  deprecated_at: null,
  lifecycle: "active",
  line: null,
  max_input_tokens: null,
  max_tokens: null,
  retires_at: null,
};

export const googleModel: JsonObject = {
  name: `models/${rehearsalModel}`,
  version: "1",
  displayName: title,
  description: about,
  inputTokenLimit: 1_000_000,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
};

export const openAiModels: Json = { object: "list", data: [openAiModel] };
export const anthropicModels: Json = {
  data: [anthropicModel],
  has_more: false,
  first_id: rehearsalModel,
  last_id: rehearsalModel,
};
export const googleModels: Json = { models: [googleModel] };
