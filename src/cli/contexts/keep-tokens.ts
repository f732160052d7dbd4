// The place of a context's tokens. Their file is for its user alone; if the operating system has a place for secrets,
// the file's content is sealed with a key from there. The tokens themselves are longer than some of these places take.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { ContextFiles } from "../../state/index.ts";
import { PagewireError, messageOf, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { loginCommand, parseTokens, signedOut } from "./context.ts";
import type { HubContext, KeptTokens, Tokens } from "./context.ts";
import type { Keyring } from "./keyring.ts";

export interface TokenPlace {
  readonly files: ContextFiles;
  readonly keyring: () => Promise<Keyring | undefined>;
}

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/** Seals the tokens if that is possible here, and says where they are. */
export async function keepTokens(
  context: HubContext,
  tokens: Tokens,
  { files, keyring }: TokenPlace,
): Promise<{ readonly kept: KeptTokens; readonly where: string }> {
  const path = files.path(context.name);
  const plain = JSON.parse(JSON.stringify(tokens)) as JsonObject;
  const place = await keyring();
  const key = place && (await newKey(place, path).catch(() => undefined));
  if (place === undefined || key === undefined) return { kept: { plain }, where: `the file ${path}, for you alone` };
  const where = `the file ${path}, sealed with a key in ${place.name}`;
  return { kept: { sealed: seal(key, context, JSON.stringify(plain)) }, where };
}

/**
 * The tokens in the place of those that a context has, kept as they were. Where the key cannot be had any more they are in the
 * file itself: a new refresh token that is not kept ends the sign-in.
 */
export async function replaceTokens(context: HubContext, tokens: Tokens, place: TokenPlace): Promise<KeptTokens> {
  const plain = JSON.parse(JSON.stringify(tokens)) as JsonObject;
  if (context.kept === undefined || "plain" in context.kept) return { plain };
  try {
    return { sealed: seal(await keyOf(context, place), context, JSON.stringify(plain)) };
  } catch {
    return { plain };
  }
}

export async function tokensOf(context: HubContext, place: TokenPlace): Promise<Tokens> {
  const { kept } = context;
  if (kept === undefined) throw signedOut(context);
  const tokens = "plain" in kept ? kept.plain : unseal(await keyOf(context, place), context, kept.sealed);
  return parseTokens(tokens) ?? unreadable(context, "What is in it is no token");
}

/** Removes the key of what was sealed; without it the file is worth nothing. */
export async function forgetKey(context: HubContext, { files, keyring }: TokenPlace): Promise<void> {
  if (context.kept === undefined || "plain" in context.kept) return;
  const place = await keyring();
  await place?.remove(files.path(context.name)).catch(() => {});
}

async function newKey(keyring: Keyring, account: string): Promise<Buffer> {
  const key = randomBytes(32);
  await keyring.set(account, key.toString("base64"));
  return key;
}

async function keyOf(context: HubContext, { files, keyring }: TokenPlace): Promise<Buffer> {
  const place = await keyring();
  if (place === undefined) return unreadable(context, "There is no place for secrets here, where its key is");
  const key = await place.get(files.path(context.name)).catch((error: unknown) => {
    return unreadable(context, `${place.name} could not be asked for its key (${messageOf(error)})`);
  });
  return key === undefined ? unreadable(context, `${place.name} has no key of it`) : Buffer.from(key, "base64");
}

/** Tokens are good for this hub and this provider, even if the file names others. */
function boundTo({ hub, issuer, clientId }: HubContext): Buffer {
  return Buffer.from(JSON.stringify(["pagewire/1 context", hub, issuer ?? null, clientId ?? null]));
}

function seal(key: Buffer, context: HubContext, text: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv).setAAD(boundTo(context));
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

function unseal(key: Buffer, context: HubContext, sealed: string): JsonObject | undefined {
  const bytes = Buffer.from(sealed, "base64");
  try {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
    decipher.setAAD(boundTo(context)).setAuthTag(bytes.subarray(-tagBytes));
    const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]);
    return parseJsonObject(text.toString("utf8"), 4);
  } catch {
    return unreadable(context, "It was changed, or its key is another one");
  }
}

function unreadable(context: HubContext, why: string): never {
  const message = `The sign-in of the context ${context.name} cannot be read: ${why}. Sign in again: ${loginCommand(context)}`;
  throw new PagewireError("token-required", message);
}
