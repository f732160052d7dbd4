// Ends the sign-in of a context: at its provider where that can, and here in any case.
import type { ContextFiles } from "../../state/index.ts";
import { revoke } from "../sign-in/sign-in.ts";
import { readContext, writeContext } from "./context.ts";
import { whileHeld } from "./context-token.ts";
import type { TokenIo } from "./context-token.ts";
import { forgetKey, tokensOf } from "./keep-tokens.ts";

export interface Forgotten {
  readonly isRevoked: boolean;
  /** Why the provider does not know of it. */
  readonly problem: unknown;
}

export function forget(name: string, files: ContextFiles, io: TokenIo): Promise<Forgotten> {
  const place = { files, keyring: io.keyring };
  return whileHeld({ files, name, io }, async () => {
    const context = readContext(files, name);
    if (context?.kept === undefined) return { isRevoked: false, problem: undefined };
    let problem: unknown;
    const tokens = await tokensOf(context, place).catch((error: unknown) => void (problem = error));
    // This comes first: the machine is signed out even if the request fails.
    writeContext(files, { ...context, kept: undefined });
    await forgetKey(context, place);
    const isRevoked =
      tokens !== undefined && (await revoke(context, tokens, io).catch((error: unknown) => ((problem = error), false)));
    return { isRevoked, problem };
  });
}
