import { commonOptions } from "../common/command.ts";
import type { OptionSpecs, OptionValues } from "../common/command.ts";
import { defaultPort } from "../reach-hub/find-hub.ts";
import { limitOption } from "./read-limits.ts";

/** The options of every command that may start a hub. */
export const startOptions = {
  port: { type: "string", value: "N", summary: `The port, ${defaultPort} by default; 0 takes a free one.` },
  "allow-origin": {
    type: "string",
    multiple: true,
    value: "ORIGIN",
    summary: "Let pages of this origin offer tools, for this run.",
  },
  model: {
    type: "string",
    value: "MODEL",
    summary: "<provider/model>, rehearsal or none; else PAGEWIRE_MODEL, else what can be found.",
  },
  "no-model": { type: "boolean", summary: "Use no model, even if there is a key." },
  "demo-port": {
    type: "string",
    value: "N",
    summary: "The demo's port, by default the next one; if taken, a free one.",
  },
  "no-demo": { type: "boolean", summary: "Serve no demo." },
  limit: limitOption,
  klangk: { type: "boolean", summary: "Give terminals the commands and variables that klangk's programs know, too." },
  "terminal-fetch": {
    type: "string",
    multiple: true,
    value: "ORIGIN",
    summary: "Let terminals' programs fetch from this origin through the hub's terminal page, which asks you first.",
  },
} as const satisfies OptionSpecs;

/** The options of `pagewire hub`. */
export const hubRunOptions = {
  ...startOptions,
  host: {
    type: "string",
    value: "ADDRESS",
    summary: "127.0.0.1 by default; others than loopback need jwt mode, and TLS, a proxy or --insecure.",
  },
  "tls-cert": {
    type: "string",
    value: "PATH",
    summary: "Serve https only, with this certificate and its chain (PEM).",
  },
  "tls-key": { type: "string", value: "PATH", summary: "The certificate's key (PEM)." },
  "behind-proxy": {
    type: "string",
    multiple: true,
    value: "ADDRESS",
    summary: "A TLS proxy, or a network of them, whose X-Forwarded-For, -Host and -Proto are trusted.",
  },
  insecure: { type: "boolean", summary: "Let other machines reach the hub without TLS." },
  "public-host": {
    type: "string",
    multiple: true,
    value: "NAME",
    summary: "A public host name of this hub, such as hub.example.com.",
  },
  database: {
    type: "string",
    value: "PLACE",
    summary: "A file, or postgres://user@host/name; else PAGEWIRE_DATABASE, else a file in the state directory.",
  },
  nats: {
    type: "string",
    value: "URL",
    summary: "Share pages with other hubs over NATS; else PAGEWIRE_NATS. Needs a PostgreSQL that they share.",
  },
  "nats-creds": { type: "string", value: "PATH", summary: "The NATS credentials file; else PAGEWIRE_NATS_CREDS." },
  cluster: {
    type: "string",
    value: "NAME",
    summary: "Which hubs on these NATS servers belong together; else PAGEWIRE_CLUSTER.",
  },
  "hub-name": {
    type: "string",
    value: "NAME",
    summary: "This hub's name among others and in the audit; else PAGEWIRE_HUB_NAME, else the machine's.",
  },
  "metrics-port": {
    type: "string",
    value: "N",
    summary: "Serve /metrics, /readyz and /healthz on this port, too: in clear and to all that reach it.",
  },
  "audit-contents": {
    type: "string",
    multiple: true,
    value: "TOOL",
    summary: "Keep the beginning of arguments and results of this tool in the audit, masked; or of all.",
  },
  pin: {
    type: "boolean",
    summary:
      "Show agents the tools of pages only as they were first seen, until you accept others: pagewire help pins.",
  },
  terminal: { type: "boolean", summary: "Let terminals be opened. Each is a shell of yours: see below." },
  open: { type: "boolean", summary: "Open the assistant in the browser, signed in." },
  background: { type: "boolean", summary: "Return once it runs. See it with: status, logs; end it with: stop." },
  "no-code": { type: "boolean", summary: "Do not print a sign-in address: for logs that are kept." },
  "jwt-secret-file": { type: "string", value: "PATH", summary: "jwt mode: the file with the shared secret (HS256)." },
  jwks: { type: "string", value: "URL", summary: "jwt mode: the address of the public keys." },
  issuer: { type: "string", value: "NAME", summary: "jwt mode: who must have issued the tokens." },
  team: {
    type: "string",
    value: "PATH",
    summary: "Team mode: the file that names the identity providers of your people.",
  },
  ...commonOptions,
} as const satisfies OptionSpecs;

/** They are for one start, and not for the next. */
const once: readonly string[] = ["background", "json", "no-code", "open"];

/** The arguments that start a hub with these values again. */
export function hubArguments(values: OptionValues<typeof hubRunOptions>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || value === false || once.includes(name)) return [];
    return value === true ? [`--${name}`] : [value].flat().map((each) => `--${name}=${each}`);
  });
}
