/** Decodes base64; undefined if it is invalid. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Chunk size: a function takes only some ten thousand arguments. */
const stride = 0x8000;

export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += stride) {
    text += String.fromCharCode(...bytes.subarray(from, from + stride));
  }
  return btoa(text);
}
