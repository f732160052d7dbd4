import { linkContract } from "../testing/index.ts";
import { createMemoryLinks } from "./memory.ts";

linkContract(
  "memory",
  () => {
    const [left, right] = createMemoryLinks();
    return { left, right };
  },
  { bytes: true },
);
