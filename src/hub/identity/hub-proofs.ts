// Mutual proof of a shared secret, so that a client never sends the secret itself to an unverified hub. Stateless: answers
// are derived from the question and a key that lives as long as this process, or is that of all hubs of a store.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import {
  PagewireError,
  bearerText,
  formatAddress,
  givenKeyText,
  noncePattern,
  parseBearer,
  proofText,
  provenSecrets,
} from "../../wire/index.ts";
import type { Limits, ProofRound, ProvenSecret } from "../../wire/index.ts";

export type HubSecret = Exclude<ProvenSecret, "given">;

export interface HubProofs {
  /** Proves that this hub, at the address of the request, has the secret. */
  answer(request: IncomingMessage): Promise<ProofAnswer>;
  /** Whether a text is a client's proof of the secret, given after the hub's own. */
  isProven(text: string, secret: HubSecret): boolean;
}

export interface ProofAnswer extends Pick<ProofRound, "answer" | "expiresAt"> {
  readonly address: string;
  readonly proof: string;
}

export interface HubProofsOptions {
  /** Whether the hub is in jwt mode, with tokens signed elsewhere. */
  readonly isSigned: boolean;
  /** Undefined or empty if the hub has no such secret, or may not use it; may throw the reason. */
  readonly secretOf: (secret: HubSecret) => string | undefined;
  /** The proof key of the issued token with this digest. */
  readonly givenKey: (digest: string) => Promise<string | undefined>;
  readonly limits: Pick<Limits, "proofTime">;
  readonly now: () => number;
  readonly hubsKey?: (() => string) | undefined;
}

export function createHubProofs({ isSigned, secretOf, givenKey, limits, now, hubsKey }: HubProofsOptions): HubProofs {
  const runKey = randomBytes(32).toString("base64url");
  const answerTo = ({ secret, nonce, expiresAt }: Omit<ProofRound, "answer">) =>
    code(hubsKey?.() ?? runKey, JSON.stringify([secret, nonce, expiresAt]));

  return {
    async answer({ url = "", socket: { localAddress = "", localPort = 0 } }) {
      const { secret, nonce, digest } = readQuestion(url);
      const key = await (secret === "given" ? givenKey(digest) : secretOf(secret));
      if (!key && isSigned && secret !== "given") throw new PagewireError("token-required", signedOnly);
      if (!key) throw new PagewireError("route-not-found", nothingToProve);
      const expiresAt = now() + limits.proofTime;
      const answer = answerTo({ secret, nonce, expiresAt });
      const address = formatAddress(localAddress, localPort);
      const proof = code(key, proofText({ secret, nonce, answer, expiresAt }, address));
      return { address, answer, expiresAt, proof };
    },
    isProven(text, secret) {
      const brought = parseBearer(text);
      const key = secretOf(secret);
      if (!brought || !key || brought.expiresAt <= now()) return false;
      const { nonce, expiresAt, proof } = brought;
      const answer = answerTo({ secret, nonce, expiresAt });
      const expected = code(key, bearerText({ secret, nonce, answer, expiresAt }));
      return timingSafeEqual(Buffer.from(expected), Buffer.from(proof));
    },
  };
}

const nothingToProve =
  "This hub has no such secret to prove that it knows. A terminal of an older hub has to be opened again.";
const signedOnly =
  "This hub is in jwt mode: it has no secret to prove that it knows, and takes only tokens that the app's server signed.";

interface Question extends Pick<ProofRound, "secret" | "nonce"> {
  /** The digest of an issued token; empty otherwise. */
  readonly digest: string;
}

function readQuestion(url: string): Question {
  const { searchParams } = new URL(url, "http://hub");
  const secret = provenSecrets.find((each) => each === searchParams.get("secret"));
  const [nonce, digest] = [searchParams.get("nonce") ?? "", searchParams.get("digest") ?? ""];
  const isWhole = secret !== "given" || noncePattern.test(digest);
  if (secret !== undefined && isWhole && noncePattern.test(nonce)) return { secret, nonce, digest };
  throw new PagewireError(
    "request-malformed",
    `Ask for a proof with secret=${provenSecrets.join(" or secret=")}, and with a nonce of 32 random bytes in base64url; for a token that the hub gave with its digest, too.`,
  );
}

/** Stored for each issued token, to prove later that the hub issued it. It is not a credential. */
export function proofKeyOf(token: string): string {
  return code(token, givenKeyText);
}

function code(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
