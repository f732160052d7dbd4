// How a hub and whoever has a token of its show each other that both have it, before the token itself is sent: what they
// make a message authentication code of (HMAC-SHA256, with the token as the key), and what is brought instead of the token.

/** Where a hub proves that it has a secret. */
export const proofPath = "/api/proof";

/** The secrets of a hub that last: the agents' token, the key to terminals, and the tokens that it gave to others. */
export const provenSecrets = ["agent", "shell", "given"] as const;

export type ProvenSecret = (typeof provenSecrets)[number];

/** What both know before anything is proved. */
export interface ProofRound {
  readonly secret: ProvenSecret;
  /** Random, of whoever asks. */
  readonly nonce: string;
  /** Of this run of the hub, and of no other. */
  readonly answer: string;
  /** How long what is proved holds, in milliseconds since 1970 by the hub's clock. */
  readonly expiresAt: number;
}

/** 32 random bytes in base64url. */
export const noncePattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Of a token that it gave, such as a terminal's, the hub keeps only digests: one by which it is found, which is said in the
 * question, and the code of this text, which is the key of the proof.
 */
export const givenKeyText = "pagewire/1 given";

/** The text of a hub's proof, which names the address that the hub was asked at: it is worth nothing at any other. */
export function proofText({ secret, nonce, answer, expiresAt }: ProofRound, address: string): string {
  return JSON.stringify(["pagewire/1 hub", secret, address, nonce, answer, expiresAt]);
}

/** The text of the proof that is brought to the hub instead of the token. */
export function bearerText({ secret, nonce, answer, expiresAt }: ProofRound): string {
  return JSON.stringify(["pagewire/1 bearer", secret, nonce, answer, expiresAt]);
}

const prefix = "pagewire-proven";

/** What is brought instead of a token. */
export function formatBearer({ nonce, expiresAt }: Pick<ProofRound, "nonce" | "expiresAt">, proof: string): string {
  return [prefix, expiresAt, nonce, proof].join(".");
}

/** The parts of what was brought; undefined where it is a token itself. */
export function parseBearer(text: string): (Pick<ProofRound, "nonce" | "expiresAt"> & { proof: string }) | undefined {
  const [, expiresAt, nonce, proof] = bearerForm.exec(text) ?? [];
  return nonce === undefined || proof === undefined ? undefined : { expiresAt: Number(expiresAt), nonce, proof };
}

const bearerForm = /^pagewire-proven\.(\d{1,15})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;

/** An address of a socket in one form: an IPv4 address as such, one of IPv6 in brackets. */
export function formatAddress(host: string, port: number): string {
  const plain = host.replace(/^::ffff:(?=\d+\.)/i, "");
  return `${plain.includes(":") ? `[${plain}]` : plain}:${port}`;
}
