// Why TLS does not trust a hub's certificate in this program, and what its user can do.
import { messageOf } from "../../wire/index.ts";

/** The start of the message. */
export const untrusted = "Its certificate is not trusted here: ";

const unknownAuthority =
  "If its authority is your own, name the file with that authority's certificate: NODE_EXTRA_CA_CERTS=ca.pem";
const otherName = "Use the name that the certificate is for, one of the hub's --public-host.";
const ended = "The hub needs a renewed certificate in the files of --tls-cert and --tls-key, or its proxy does.";

/** By Node's error codes. */
const adviceFor: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  CERT_HAS_EXPIRED: ended,
  CERT_NOT_YET_VALID: ended,
};

/** As sentences; undefined if a connection failed for another reason. */
export function certificateProblem(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const advice = adviceFor["code" in at ? String(at.code) : ""];
    if (advice !== undefined) return `${untrusted}${messageOf(at)}. ${advice}`;
  }
  return undefined;
}
