// Makes a hub prove that it has a token before anything is sent to it, and derives the bearer that is sent instead of the
// token: a program that merely listens at the hub's address learns nothing that would authenticate it anywhere.
import {
  PagewireError,
  bearerText,
  formatBearer,
  isErrorCode,
  isJsonObject,
  messageOf,
  noncePattern,
  parseJsonObject,
  proofPath,
  proofText,
  givenKeyText,
  parseUrl,
} from "../wire/index.ts";
import type { JsonObject, ProofRound, ProvenSecret } from "../wire/index.ts";
import { codeOf, digestOf, newNonce } from "./authentication-code.ts";
import type { DelegateFetch } from "./hub-client.ts";
import { readAll } from "./delegate/read-body.ts";
import { hubAddress } from "./hub-address.ts";

export interface ProveHubOptions {
  /** The hub's address, such as http://127.0.0.1:7337. */
  readonly url: string;
  readonly token: string;
  /** The kind of the hub's secrets that the token is; the agents' token by default. */
  readonly secret?: ProvenSecret;
  /**
   * The address that the hub itself listens at, such as 172.17.0.2:7337, if it is reached through your own relay: a tunnel,
   * or a container's port. Of several hubs behind a load balancer: all their addresses, with commas.
   */
  readonly relayTo?: string | undefined;
  /** The runtime's own by default. */
  readonly fetch?: DelegateFetch | undefined;
}

/** The hub's address, and the credential for it. */
export interface ProvenHub {
  readonly url: string;
  readonly token: string;
}

const ANSWER_TIME = 10_000;
const MOST_ANSWER = 4096;

/**
 * Resolves with the credential for new connections in the next minutes, instead of the token; rejects with `hub-not-proven`
 * if another program answers. Over https the certificate authenticates the hub, and a JSON Web Token is not a secret of the
 * hub's: both are sent unchanged, and so is the token of one of the hub's own pages. A token that the
 * hub issued, such as a terminal's, is sent unchanged after the hub has proved itself.
 */
export async function proveHub({ secret = "agent", ...options }: ProveHubOptions): Promise<ProvenHub> {
  const { token, relayTo } = options;
  const url = hubAddress(options.url);
  if (url.startsWith("https:") || isSigned(token) || isOwnPages(token)) return { url, token };
  const nonce = newNonce();
  const isGiven = secret === "given";
  const which = isGiven ? `&digest=${await digestOf(token)}` : "";
  const key = isGiven ? await codeOf(token, givenKeyText) : token;
  const asked: Asked = { url, secret, query: `secret=${secret}&nonce=${nonce}${which}` };
  const { address, proof, ...rest } = await ask(asked, options.fetch);
  const round: ProofRound = { secret, nonce, ...rest };
  if (proof !== (await codeOf(key, proofText(round, address)))) throw notProven(asked, another);
  const place = placeOf(url, address, relayTo);
  if (place === undefined) throw notProven(asked, relayed(address));
  // The hub does not store this token, so it could not check a bearer derived from it.
  if (isGiven) return { url: place, token };
  return { url: place, token: formatBearer(round, await codeOf(token, bearerText(round))) };
}

interface HubsProof extends Pick<ProofRound, "answer" | "expiresAt"> {
  readonly address: string;
  readonly proof: string;
}

interface Asked {
  readonly url: string;
  readonly secret: ProvenSecret;
  readonly query: string;
}

async function ask(asked: Asked, given: DelegateFetch | undefined): Promise<HubsProof> {
  const { url, query } = asked;
  const send: DelegateFetch = given ?? ((address, request) => fetch(address, request));
  const signal = AbortSignal.timeout(ANSWER_TIME);
  let status: number;
  let answer: JsonObject | undefined;
  try {
    const sent = { method: "GET", headers: {}, signal, redirect: "manual" } as const;
    const response = await send(`${url}${proofPath}?${query}`, sent);
    ({ status } = response);
    answer = parseJsonObject(await readAll(response.body, MOST_ANSWER), 2);
  } catch (error) {
    const { cause = error } = Object(error) as { readonly cause?: unknown };
    const message = `No hub answers at ${url}: ${messageOf(cause)}. Start it with: npx pagewire`;
    throw new PagewireError("hub-unreachable", message, { cause });
  }
  const proof = readProof(answer);
  if (status === 200 && proof) return proof;
  const { code } = isJsonObject(answer?.["error"]) ? answer["error"] : {};
  if (code === "terminal-unavailable") throw new PagewireError(code, `The hub at ${url} runs without terminals.`);
  if (code === "token-required" && asked.secret !== "given") throw signedOnly(asked);
  if (code === "host-refused") throw notProven(asked, otherName);
  // A reverse proxy answers for a hub that is restarting.
  if (status >= 500 && code === undefined)
    throw new PagewireError("hub-unreachable", `Something answers at ${url}, but not as a hub: it says ${status}.`);
  throw notProven(asked, isErrorCode(code) ? unable : notAHub);
}

function readProof(answer: JsonObject | undefined): HubsProof | undefined {
  const { address, answer: nonce, expiresAt, proof } = answer ?? {};
  const isProof =
    typeof address === "string" &&
    typeof nonce === "string" &&
    noncePattern.test(nonce) &&
    Number.isSafeInteger(expiresAt) &&
    typeof proof === "string";
  return isProof ? { address, answer: nonce, expiresAt: expiresAt as number, proof } : undefined;
}

/** Whether it is a JSON Web Token, which another party signed for one audience, with its own expiry. */
function isSigned(token: string): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

/** Whether one of the hub's own pages signed in with it. Such a page came from this server, and could not detect a fake. */
function isOwnPages(token: string): boolean {
  return token.startsWith("pagewire-app.");
}

/**
 * The address for requests after a hub proved itself there; undefined if the proof is for another address. A name of this
 * machine may resolve to other programs at its other addresses, so from now on the hub's own address is used.
 */
export function placeOf(url: string, address: string, relayTo: string | undefined): string | undefined {
  const asked = new URL(url);
  const proven = parseUrl(`http://${address}`);
  if (proven === undefined) return undefined;
  if (relayTo?.split(",").some((each) => each.trim() === address)) return url;
  const isSamePort = asked.port === proven.port;
  if (isSamePort && asked.hostname === proven.hostname) return url;
  if (isNameOfThisMachine(asked.hostname)) {
    return isSamePort && isThisMachine(proven.hostname) ? url.replace(asked.host, proven.host) : undefined;
  }
  // Over plain http, the server that a name resolves to is trusted to be at that address.
  return isNumeric(asked.hostname) ? undefined : url;
}

function isNameOfThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

function isThisMachine(hostname: string): boolean {
  return hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function isNumeric(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname);
}

function notProven({ url, secret }: Asked, problem: string): PagewireError {
  const name = names[secret];
  const message = `What answers at ${url} did not prove that it is the hub of this ${name}. ${problem} The ${name} was not sent.`;
  return new PagewireError("hub-not-proven", message);
}

function signedOnly({ url, secret }: Asked): PagewireError {
  const [audience, variable] =
    secret === "shell" ? ["pagewire:terminal", "PAGEWIRE_SHELL_KEY"] : ["pagewire:agent", "PAGEWIRE_TOKEN"];
  const message = `What answers at ${url} says that it takes only tokens that the app's server signed (jwt mode). Bring one for the audience ${audience}: put it into ${variable}. The ${names[secret]} was not sent.`;
  return new PagewireError("token-required", message);
}

const names: Readonly<Record<ProvenSecret, string>> = {
  agent: "token",
  shell: "shell key",
  given: "token",
};

const notAHub =
  "It is no hub. End that program, or start the hub on another port: npx pagewire --port 7338, and give that address.";
const unable =
  "It seems to be a hub that is older than this program, or one that did not give this token. Update it and start it again.";
const another =
  "It seems to be the hub of another user or of another state directory, or yours, and this was changed since by: npx pagewire token rotate. With its PAGEWIRE_HOME, show what it takes by: npx pagewire token show. Or start your own on another port: npx pagewire --port 7338.";
const otherName =
  "It is a hub that does not go by this address, so that something in between passes on what it is sent. Use the hub's own address.";
const relayed = (address: string) =>
  `Something passes on what it is sent to the hub at ${address}, and could keep it. Use the hub's own address; if that relay is yours, say where it leads with PAGEWIRE_RELAY_TO=${address} (in a program, the option relayTo).`;
