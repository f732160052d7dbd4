import { expectTypeOf, test } from "vitest";
import type { ProviderOptions } from "./pagewire-provider.ts";

test("a function that gets tokens compiles only with the user that they are for", () => {
  interface User {
    readonly id: string;
    readonly token: string;
  }
  expectTypeOf<{ app: string; token: () => string }>().not.toExtend<ProviderOptions>();
  expectTypeOf<{ app: string; token: () => string; user: string }>().toExtend<ProviderOptions>();
  expectTypeOf<{ app: string; token: (() => string) | null; user: string | null }>().toExtend<ProviderOptions>();
  expectTypeOf<{ app: string; token: User["token"] | null }>().toExtend<ProviderOptions>();
});
