/** 128 bits that nobody guesses. `randomUUID` is missing where the page's address is not a secure one. */
export function newToken(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
