// The key of one of the hub's own pages, which signs what it sends.
import { formatSignedToken, pageKeyText } from "../../wire/index.ts";
import { askOwn } from "./own.test-helper.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const base64url = (bytes: ArrayBuffer) => Buffer.from(bytes).toString("base64url");

/** A page's key, and its signatures. */
export async function makeKey(hub: { readonly url: string }) {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const key = base64url(await crypto.subtle.exportKey("raw", publicKey));
  const challengeOf = async ({ url }: { readonly url: string }) =>
    String((await askOwn({ url }, "POST /api/challenge")).body?.["challenge"]);
  return {
    key,
    challengeOf,
    async bearer(token: string, { origin = hub.url, challenge = "" } = {}) {
      const asked = { token, challenge: challenge || (await challengeOf(hub)) };
      const text = new TextEncoder().encode(pageKeyText(origin, asked));
      return formatSignedToken({
        ...asked,
        signature: base64url(await crypto.subtle.sign(algorithm, privateKey, text)),
      });
    },
  };
}
