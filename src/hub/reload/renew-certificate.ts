import type { Server } from "node:http";
import { messageOf } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import { checkCertificate } from "../options/reach.ts";
import type { Certificate } from "../options/reach.ts";

/**
 * Returns a function to call when the certificate may have changed. A valid new one is served to new connections; an invalid
 * one, such as a half-written file, is ignored and logged.
 */
export function createRenewal(server: Server, tls: (() => Certificate) | undefined, note: Note): () => void {
  if (!tls || !("setSecureContext" in server)) return () => {};
  const secure = server as Server & { setSecureContext(certificate: Certificate): void };
  const textOf = ({ cert, key }: Certificate) => `${cert}\n${key}`;
  let served = textOf(tls());
  return () => {
    try {
      const next = tls();
      if (textOf(next) === served) return;
      checkCertificate(next);
      secure.setSecureContext(next);
      served = textOf(next);
      note("info", "certificate-renewed");
    } catch (error) {
      note("error", "certificate-refused", { message: messageOf(error) });
    }
  };
}
