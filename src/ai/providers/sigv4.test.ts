import { expect, test } from "vitest";
import { signRequest } from "./sigv4.ts";
import type { Unsigned } from "./sigv4.ts";

/** AWS's published vectors: its Signature Version 4 test suite. */
const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const scope = { credentials, region: "us-east-1", service: "service", now: new Date("2015-08-30T12:36:00Z") };
const sessionToken =
  "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";
const request: Unsigned = { method: "GET", host: "example.amazonaws.com", path: "/", body: "" };
const post = { ...request, method: "POST" };
const form = { "Content-Type": "application/x-www-form-urlencoded" };

test.each<[name: string, given: Partial<Unsigned>, ...signed: [names: string, signature: string]]>([
  ["get-vanilla", {}, "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  ["post-vanilla", post, "host;x-amz-date", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
  [
    "get-vanilla-query-order-key-case",
    { query: "?Param2=value2&Param1=value1" },
    "host;x-amz-date",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  [
    "get-vanilla-utf8-query",
    { query: "?ሴ=bar" },
    "host;x-amz-date",
    "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
  ],
  ["get-utf8", { path: "/ሴ" }, "host;x-amz-date", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"],
  [
    "get-space",
    { path: "/example space/" },
    "host;x-amz-date",
    "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
  ],
  [
    "get-header-value-trim",
    { headers: { "My-Header1": " value1", "My-Header2": ' "a   b   c"' } },
    "host;my-header1;my-header2;x-amz-date",
    "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
  ],
  [
    "post-x-www-form-urlencoded",
    { ...post, headers: form, body: "Param1=value1" },
    "content-type;host;x-amz-date",
    "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  ],
])("AWS's vector %s has its signature", async (_, given, ...[signed, signature]) => {
  expect(await signRequest({ ...request, ...given }, scope)).toEqual({
    "X-Amz-Date": "20150830T123600Z",
    Authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signed}, Signature=${signature}`,
  });
});

test("AWS's vector post-sts-header-before: the token of a session is signed, and sent", async () => {
  expect(await signRequest(post, { ...scope, credentials: { ...credentials, sessionToken } })).toMatchObject({
    "X-Amz-Security-Token": sessionToken,
    Authorization: expect.stringContaining(
      "host;x-amz-date;x-amz-security-token, Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
    ),
  });
});
