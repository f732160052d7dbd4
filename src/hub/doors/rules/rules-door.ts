// The rules over HTTP: the policy and the allowed origins. Agents read them and try calls against them; only the hub's owner
// changes them, in the files where the command line does.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError, isExtensionOrigin, messageOf, pairInstead, parseJsonObject } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import { parsePolicy } from "../../../policy/index.ts";
import type { Organisations } from "../../../policy/index.ts";
import type { Audit } from "../../audit/audit.ts";
import type { Passed } from "../../guard/guard.ts";
import { checkJson, pathOf, readBody } from "../../http/exchange.ts";
import { respondText } from "../../http/respond.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { HubSettings, ResolvedOptions, SavedSettings } from "../../options/options.ts";
import type { KeptPolicy } from "../../reload/keep-policy.ts";
import { readFilters } from "../read/read-filters.ts";
import { digestOf, showPolicy, testCall } from "./show-policy.ts";

export interface RulesDoor {
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
}

export interface RulesDoorOptions {
  readonly options: Pick<ResolvedOptions, "settings" | "allowedOrigins" | "jwt">;
  readonly limits: Limits;
  readonly policy: Pick<KeptPolicy, "current" | "problem">;
  readonly record: Audit["record"];
  /** In team mode. */
  readonly organisations: Organisations | undefined;
  /** Applies what has changed in the files. */
  readonly review: () => void;
}

interface Asked {
  readonly request: IncomingMessage;
  readonly admitted: Admitted;
}

/** Max characters of a policy's file. */
const maxPolicy = 1024 * 1024;

export function createRulesDoor(parts: RulesDoorOptions): RulesDoor {
  const rules = new Rules(parts);
  const answers: Readonly<Record<string, (asked: Asked) => object | Promise<object>>> = {
    "GET /api/policy": ({ admitted }) => rules.policy(admitted),
    "POST /api/policy/test": (asked) => rules.test(asked),
    "PUT /api/policy": (asked) => rules.setPolicy(asked),
    "DELETE /api/policy": (asked) => rules.removePolicy(asked),
    "GET /api/origins": ({ admitted }) => rules.origins(admitted),
    "POST /api/origins": (asked) => rules.allow(asked),
    "DELETE /api/origins/": (asked) => rules.disallow(asked),
  };
  return {
    async serve(request, response, { admitted }) {
      if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
      const method = request.method === "HEAD" ? "GET" : (request.method ?? "");
      const path = pathOf(request).replace(/^(\/api\/origins\/).*$/, "$1");
      const answer = answers[`${method} ${path}`];
      if (!answer) throw new PagewireError("route-not-found", "There is nothing here.");
      const found = await answer({ request, admitted });
      respondText(response, { text: JSON.stringify(found), type: "application/json" });
    },
  };
}

class Rules {
  readonly #parts: RulesDoorOptions;

  constructor(parts: RulesDoorOptions) {
    this.#parts = parts;
  }

  policy(admitted: Admitted): object {
    const { options, policy } = this.#parts;
    const { settings } = options;
    const { current, problem } = policy;
    return showPolicy({
      policy: current,
      problem,
      settings,
      ...this.#readerOf(admitted),
      mayChange: this.#may(admitted),
    });
  }

  async test({ request, admitted }: Asked): Promise<object> {
    const { policy } = this.#parts;
    const asked = parseJsonObject((await this.#body(request, "The call")).toString(), 8);
    if (!asked) throw malformed('The body must be a JSON object, such as { "tool": "delete_order" }.');
    return testCall(asked, { policy: policy.current, ...this.#readerOf(admitted) });
  }

  /** Undefined for the hub's owner, who sees all. */
  #readerOf({ principal }: Admitted) {
    const { options, organisations } = this.#parts;
    const groups = organisations?.groupsOf(principal);
    return { reader: options.jwt && { principal, groups }, organisations: organisations?.policyOf(principal) };
  }

  async setPolicy({ request, admitted }: Asked): Promise<object> {
    const settings = this.#settings();
    checkJson(request, "The policy");
    const text = (await readBody(request, this.#parts.limits.frameBytes)).toString();
    if (text.length > maxPolicy) throw malformed(`A policy has at most ${maxPolicy} characters.`);
    try {
      parsePolicy(text);
    } catch (error) {
      throw malformed(messageOf(error));
    }
    const { replaces = digestOf(settings.policyText()) } = readFilters(request, ["replaces"]);
    if (replaces !== digestOf(settings.policyText()))
      throw malformed("The policy was changed by somebody else meanwhile. Load it again, and make your change there.");
    await this.#save(admitted, { name: "policy.json", outcome: "set" }, () => settings.setPolicy(text));
    return this.policy(admitted);
  }

  async removePolicy({ admitted }: Asked): Promise<object> {
    const settings = this.#settings();
    await this.#save(admitted, { name: "policy.json", outcome: "removed" }, () => settings.removePolicy());
    return this.policy(admitted);
  }

  origins(admitted: Admitted): object {
    const { options } = this.#parts;
    const { settings, jwt } = options;
    const saved = settings?.savedOrigins() ?? [];
    const all = [...new Set(options.allowedOrigins())];
    const refused = (jwt ? undefined : settings?.refusedOrigins()) ?? [];
    return {
      origins: all.map((origin) => ({ origin, isSaved: saved.includes(origin) })),
      refused: refused.filter(({ origin }) => !all.includes(origin)),
      mayChange: this.#may(admitted),
    };
  }

  async allow({ request, admitted }: Asked): Promise<object> {
    const settings = this.#settings();
    const body = parseJsonObject((await this.#body(request, "The origin")).toString(), 1);
    const origin = originIn(settings, body?.["origin"]);
    if (isExtensionOrigin(origin)) throw new PagewireError("option-refused", pairInstead);
    await this.#save(admitted, { name: "allowed-origins", origin, outcome: "added" }, () =>
      settings.allowOrigin(origin),
    );
    return this.origins(admitted);
  }

  async disallow({ request, admitted }: Asked): Promise<object> {
    const settings = this.#settings();
    const origin = originIn(settings, decode(pathOf(request).slice("/api/origins/".length)));
    await this.#save(admitted, { name: "allowed-origins", origin, outcome: "removed" }, () =>
      settings.disallowOrigin(origin),
    );
    return this.origins(admitted);
  }

  #may({ isOwner = false }: Admitted): boolean {
    return isOwner && this.#parts.options.settings !== undefined;
  }

  #settings(): SavedSettings {
    const { settings } = this.#parts.options;
    if (settings) return settings;
    throw new PagewireError("option-refused", "The program that started this hub decides its rules.");
  }

  async #save(
    { principal }: Admitted,
    about: { readonly name: string; readonly outcome: string; readonly origin?: string },
    save: () => void,
  ): Promise<void> {
    try {
      save();
    } catch (error) {
      throw new PagewireError("not-saved", `This could not be saved: ${messageOf(error)}`, { cause: error });
    }
    this.#parts.record({ kind: "policy", principal, ...about, decidedBy: "user" });
    this.#parts.review();
    await this.#settings().saved?.();
  }

  #body(request: IncomingMessage, what: string): Promise<Buffer> {
    checkJson(request, what);
    return readBody(request, this.#parts.limits.headerBytes, { limit: "headerBytes" });
  }
}

function originIn(settings: HubSettings, text: unknown): string {
  if (typeof text !== "string" || text.length > 300)
    throw malformed('Name an origin, a scheme, a host and perhaps a port: { "origin": "https://app.example.com" }.');
  try {
    return settings.parseOrigin(text);
  } catch (error) {
    throw malformed(messageOf(error));
  }
}

function malformed(message: string): PagewireError {
  return new PagewireError("request-malformed", message);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
