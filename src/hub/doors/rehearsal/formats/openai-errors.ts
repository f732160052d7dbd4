import type { Json } from "../../../../wire/index.ts";
import type { Vendor } from "./format.ts";
import type { Refusal, RefusalKind } from "./refusal.ts";

const codes: Partial<Record<RefusalKind, string>> = {
  unknown: "unknown_parameter",
  missing: "missing_required_parameter",
  type: "invalid_type",
  value: "invalid_value",
  credential: "invalid_api_key",
  "not-found": "not_found",
  rate: "rate_limit_exceeded",
};

const types: Partial<Record<RefusalKind, string>> = {
  rate: "requests",
  stopping: "server_error",
  internal: "server_error",
};

function messageOf({ kind, path = "", message }: Refusal): string {
  if (kind === "unknown") return `Unknown parameter: '${path}'.`;
  if (kind === "missing") return `Missing required parameter: '${path}'.`;
  if (kind === "type") return `Invalid type for '${path}': expected ${message}.`;
  return message;
}

function errorOf(refusal: Refusal): Json {
  const { kind, path, code } = refusal;
  return {
    error: {
      message: messageOf(refusal),
      type: types[kind] ?? "invalid_request_error",
      param: path ?? null,
      code: code ?? codes[kind] ?? null,
    },
  };
}

export const openAi: Vendor = { error: errorOf };

/** Azure answers from before the model in a shape of its own. */
export const azure: Vendor = {
  error(refusal) {
    if (refusal.kind === "credential") return { error: { code: "401", message: refusal.message } };
    if (refusal.kind === "not-found") return { error: { code: refusal.code ?? "404", message: refusal.message } };
    return errorOf(refusal);
  },
};
