// Seals texts for a place that others can read or write: they learn nothing from them, and every change is detected.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export interface Seal {
  /** The text is good for one place only, such as one record. */
  seal(text: string, place: string): string;
  /** Undefined for what was not sealed with this key for this place. */
  open(sealed: string, place: string): string | undefined;
}

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM with a key of 32 bytes. */
export function createSeal(key: Buffer): Seal {
  return {
    seal(text, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < nonceBytes + tagBytes) return undefined;
      const options = { authTagLength: tagBytes };
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), options);
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
