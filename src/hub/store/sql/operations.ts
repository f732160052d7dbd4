// All operations of the store's thread, by name.
import { auditOperations } from "./audit.ts";
import { conversationOperations } from "./conversations.ts";
import { homeOperations } from "./homes.ts";
import { keyOperations } from "./keys.ts";
import { recordOperations, usageOperations } from "./records.ts";
import { statusOperations } from "./status.ts";

export const operations = {
  ...conversationOperations,
  ...recordOperations,
  ...usageOperations,
  ...keyOperations,
  ...homeOperations,
  ...auditOperations,
  ...statusOperations,
};

export type OperationName = keyof typeof operations;

type Run<Name extends OperationName> = (typeof operations)[Name]["run"];

export type Given<Name extends OperationName> = Parameters<Run<Name>>[1];

export type Value<Name extends OperationName> = Awaited<ReturnType<Run<Name>>>;
