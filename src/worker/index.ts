export { createCarrier } from "./carrier.ts";
export type { Carrier, CarrierOptions, ControlPort } from "./carrier.ts";
