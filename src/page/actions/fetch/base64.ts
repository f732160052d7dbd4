/** The bytes that a text of base64 stands for; undefined where it is none. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** So many bytes at once: a function takes no more arguments than a few ten thousand. */
const stride = 0x8000;

/** These bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += stride) {
    text += String.fromCharCode(...bytes.subarray(from, from + stride));
  }
  return btoa(text);
}
