/** What a hub calls a tab of this principal: where there is none, the worker calls it the same. */
export async function tabIdOf(subject: string, origin: string, tab: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([subject, origin, tab]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text)).subarray(0, 12);
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/^-/, "0");
}
