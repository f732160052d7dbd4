import { expect, test } from "vitest";
import { parsePairing } from "./parse-pairing.ts";

const local = "http://127.0.0.1:7337";

test.each([
  ["http://127.0.0.1:7337#K7QX-2MBA", local, "K7QX-2MBA"],
  [" http://127.0.0.1:7337/#code=K7QX-2MBA\n", local, "K7QX-2MBA"],
  ["http://127.0.0.1:7337 K7QX-2MBA", local, "K7QX-2MBA"],
  ["localhost:9000#K7QX-2MBA", "http://localhost:9000", "K7QX-2MBA"],
  ["[::1]:9000#K7QX-2MBA", "http://[::1]:9000", "K7QX-2MBA"],
  ["hub.example.com:8443#K7QX-2MBA", "https://hub.example.com:8443", "K7QX-2MBA"],
  ["192.168.1.7:7337#K7QX-2MBA", "https://192.168.1.7:7337", "K7QX-2MBA"],
  ["http://192.168.1.7:7337#K7QX-2MBA", "http://192.168.1.7:7337", "K7QX-2MBA"],
  ["https://hub.example.com#pagewire-code.a~b_c", "https://hub.example.com", "pagewire-code.a~b_c"],
])("%j pairs with %s", (pasted, address, code) => {
  expect(parsePairing(pasted)).toEqual({ address, code });
});

test.each([
  "",
  "   ",
  "K7QX-2MBA",
  "http://127.0.0.1:7337",
  "http://127.0.0.1:7337#",
  "http://127.0.0.1:7337#a b c",
  "ftp://127.0.0.1#K7QX-2MBA",
  "javascript:alert(1)#K7QX-2MBA",
  "https://me:secret@hub.example.com#K7QX-2MBA",
  "https://hub.example.com/path#K7QX-2MBA",
  "https://[#K7QX-2MBA",
  "npx pagewire extension",
])("%j is refused", (pasted) => {
  expect(parsePairing(pasted)).toBeUndefined();
});
