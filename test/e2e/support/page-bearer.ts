import type { Tab } from "./tab.ts";

/** The credential of the hub's own page in a tab: its token, and a signature by its browser's key. */
export function bearerOf(tab: Tab): Promise<string> {
  return tab.evaluate(async () => {
    const token = localStorage.getItem("pagewire.app-token") ?? "";
    const done = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve) => (request.onsuccess = () => resolve(request.result)));
    const database = await done(indexedDB.open("pagewire"));
    const keys = (await done(database.transaction("keys").objectStore("keys").get("page"))) as CryptoKeyPair;
    const { challenge } = (await (await fetch("/api/challenge", { method: "POST" })).json()) as { challenge: string };
    const text = new TextEncoder().encode(JSON.stringify(["pagewire/1 page", location.origin, token, challenge]));
    const signed = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, keys.privateKey, text);
    const base64 = btoa(String.fromCharCode(...new Uint8Array(signed)));
    return `${token}.${challenge}.${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  });
}
