import { linkContract } from "../testing/index.ts";
import { createPortLink } from "./port.ts";

linkContract(
  "port in Chromium",
  () => {
    const { port1, port2 } = new MessageChannel();
    return { left: createPortLink(port1), right: createPortLink(port2) };
  },
  { bytes: true },
);
