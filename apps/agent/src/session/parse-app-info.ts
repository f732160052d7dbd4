import { PagewireError } from "pagewire/wire";
import type { AppInfo, HubModel } from "./session.ts";

/** Reads what the hub says of itself; throws where that has not the form that it must have. */
export function parseAppInfo(value: unknown): AppInfo {
  const { version, mode, principal, model, parentOrigins, demo } = Object(value) as Record<string, unknown>;
  const isMode = mode === "local" || mode === "jwt";
  if (!isText(version) || !isMode || !isText(principal) || !isTexts(parentOrigins)) {
    throw new PagewireError("internal-error", "The hub did not say who it is. Reload this page: it may be newer.");
  }
  return { version, mode, principal, model: parseModel(model), parentOrigins, demo: isText(demo) ? demo : null };
}

function parseModel(value: unknown): HubModel | null {
  const { provider, models, isRehearsal } = Object(value) as Record<string, unknown>;
  return isText(provider) && isTexts(models) ? { provider, models, isRehearsal: isRehearsal === true } : null;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
