// How a hub proves to a client that it has the client's token, and the client then proves the same with a bearer in place of
// the token: the texts that each authenticates by HMAC-SHA256 under the token. A token that the hub issued is itself sent
// after the hub's proof, because the hub stores only digests of it.

/** The endpoint where a hub proves that it has a secret. */
export const proofPath = "/api/proof";

/** A hub's lasting secrets: the agents' token, the key to terminals, and the tokens that it issued. */
export const provenSecrets = ["agent", "shell", "given"] as const;

export type ProvenSecret = (typeof provenSecrets)[number];

/** The values that both sides know before a proof. */
export interface ProofRound {
  readonly secret: ProvenSecret;
  /** The client's random nonce. */
  readonly nonce: string;
  /** Derived from the other values by a random key of the hub's process: no other process can give it. */
  readonly answer: string;
  /** When the proof expires, in milliseconds since 1970 by the hub's clock. */
  readonly expiresAt: number;
}

/** 32 random bytes in base64url. */
export const noncePattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * The hub stores only digests of a token that it issued, such as a terminal's: one to look it up, which the question
 * contains, and the code of this text under the token, which is the key of the proof.
 */
export const givenKeyText = "pagewire/1 given";

/** The text of a hub's proof. It has the address that the hub was asked at, so the proof is worthless at any other. */
export function proofText({ secret, nonce, answer, expiresAt }: ProofRound, address: string): string {
  return JSON.stringify(["pagewire/1 hub", secret, address, nonce, answer, expiresAt]);
}

/** The text of the client's proof, which is sent in a bearer. */
export function bearerText({ secret, nonce, answer, expiresAt }: ProofRound): string {
  return JSON.stringify(["pagewire/1 bearer", secret, nonce, answer, expiresAt]);
}

const prefix = "pagewire-proven";

/** The bearer that is sent instead of a token. */
export function formatBearer({ nonce, expiresAt }: Pick<ProofRound, "nonce" | "expiresAt">, proof: string): string {
  return [prefix, expiresAt, nonce, proof].join(".");
}

/** The parts of a bearer; undefined if it is a plain token. */
export function parseBearer(text: string): (Pick<ProofRound, "nonce" | "expiresAt"> & { proof: string }) | undefined {
  const [, expiresAt, nonce, proof] = bearerForm.exec(text) ?? [];
  return nonce === undefined || proof === undefined ? undefined : { expiresAt: Number(expiresAt), nonce, proof };
}

const bearerForm = /^pagewire-proven\.(\d{1,15})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;

/** A socket's address in one form: IPv4 as it is, IPv6 in brackets. */
export function formatAddress(host: string, port: number): string {
  const plain = host.replace(/^::ffff:(?=\d+\.)/i, "");
  return `${plain.includes(":") ? `[${plain}]` : plain}:${port}`;
}
