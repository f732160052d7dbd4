import { PagewireError } from "../../../wire/index.ts";

/** The requests that programs may make through a page. The default of each rule is the strictest useful value. */
export interface FetchPolicy {
  /**
   * Origins besides the page's own: "https://api.example.com" exactly, "https://*.example.com" with all its subdomains,
   * or "*" for every public one.
   */
  readonly origins?: readonly string[];
  /** Whether requests to other origins carry their cookies; "omit" by default. Those to the page's own always may. */
  readonly credentials?: "same-origin" | "include" | "omit";
  /** GET, HEAD, POST, PUT, PATCH and DELETE by default. */
  readonly methods?: readonly string[];
  /** Guarded request headers that are allowed anyway, such as "Authorization". */
  readonly headers?: readonly string[];
  /** Most bytes of a request's body, and of an answer's: 5 MiB by default. */
  readonly maxRequestBytes?: number;
  readonly maxResponseBytes?: number;
  /** Max milliseconds for the server to answer: 30,000 by default. */
  readonly timeout?: number;
  /** Whether redirects are followed; an error by default. */
  readonly redirects?: "error" | "follow";
  /**
   * Whether all addresses of this computer and its network are allowed; by default only those that `origins` lists
   * exactly.
   */
  readonly privateNetworks?: boolean;
  /** When the user is asked: for each request, for the first of an origin and method (the default), or never. */
  readonly ask?: "each" | "first" | "never";
  /** Which agents may fetch: only programs in a terminal (the default), or all. */
  readonly agents?: "terminal" | "all";
}

export type FetchRules = Required<FetchPolicy>;

const MIB = 1024 * 1024;

const strictest: FetchRules = {
  origins: [],
  credentials: "omit",
  methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  headers: [],
  maxRequestBytes: 5 * MIB,
  maxResponseBytes: 5 * MIB,
  timeout: 30_000,
  redirects: "error",
  privateNetworks: false,
  ask: "first",
  agents: "terminal",
};

/** Fills in the defaults. Throws on an unknown or malformed rule, which would otherwise be ignored silently. */
export function readFetchPolicy(policy: FetchPolicy): FetchRules {
  for (const name of Object.keys(policy)) {
    if (!Object.hasOwn(strictest, name)) throw invalid(name, `one of ${Object.keys(strictest).join(", ")}`);
  }
  const rules: FetchRules = { ...strictest, ...policy };
  for (const origin of rules.origins) if (!isOriginPattern(origin)) throw invalid("origins", originForm, origin);
  for (const name of ["maxRequestBytes", "maxResponseBytes", "timeout"] as const) {
    if (!(Number.isFinite(rules[name]) && rules[name] > 0)) throw invalid(name, "a number above zero", rules[name]);
  }
  for (const [name, known] of words) {
    const word = rules[name];
    if (!known.some((one) => one === word)) throw invalid(name, `one of ${known.join(", ")}`, word);
  }
  return {
    ...rules,
    methods: rules.methods.map((method) => method.toUpperCase()),
    headers: rules.headers.map((header) => header.toLowerCase()),
  };
}

const originForm = 'an origin such as "https://api.example.com", "https://*.example.com" or "*"';

const words = [
  ["credentials", ["same-origin", "include", "omit"]],
  ["redirects", ["error", "follow"]],
  ["ask", ["each", "first", "never"]],
  ["agents", ["terminal", "all"]],
  ["privateNetworks", [true, false]],
] as const satisfies readonly (readonly [keyof FetchRules, readonly unknown[]])[];

function isOriginPattern(text: string): boolean {
  if (text === "*") return true;
  const sample = text.replace("://*.", "://any.");
  return /^https?:[^*]+$/.test(sample) && URL.canParse(sample) && new URL(sample).origin === sample;
}

function invalid(name: string, form: string, given?: unknown): PagewireError {
  const detail = given === undefined ? "" : ` It is ${JSON.stringify(given)}.`;
  return new PagewireError("options-invalid", `The rule "${name}" of the fetch policy must be ${form}.${detail}`);
}

/** The rules of a policy, and those that always apply. */
type FetchRule = Exclude<keyof FetchPolicy, "agents"> | "url" | "schemes" | "hub" | "body";

/** A request that one of the page's rules does not allow. */
export function refusal(rule: FetchRule, why: string): PagewireError {
  return new PagewireError("action-refused", `The page's rule \`${rule}\` does not allow this request: ${why}`);
}
