import { closedTab } from "./closed-tab.ts";
import { doctor } from "./doctor.ts";
import { hubRuleAsks } from "./hub-rule-asks.ts";
import { instructions } from "./instructions.ts";
import { interrupted } from "./interrupted.ts";
import type { Journey } from "./journey.ts";
import { lateTool } from "./late-tool.ts";
import { lateToolByPair } from "./late-tool-by-pair.ts";
import { longCall } from "./long-call.ts";
import { longResult } from "./long-result.ts";
import { mendedCall } from "./mended-call.ts";
import { namedResource } from "./named-resource.ts";
import { newTool } from "./new-tool.ts";
import { noHub } from "./no-hub.ts";
import { oddNames } from "./odd-names.ts";
import { oddSchemas } from "./odd-schemas.ts";
import { oneCallByHttp } from "./one-call-by-http.ts";
import { oneCall } from "./one-call.ts";
import { pagePrompt } from "./page-prompt.ts";
import { pageResource } from "./page-resource.ts";
import { picture } from "./picture.ts";
import { refusedInput } from "./refused-input.ts";
import { restartedHub } from "./restarted-hub.ts";
import { resultWithResources } from "./result-with-resources.ts";
import { terminalCall } from "./terminal-call.ts";
import { terminalDestructive, terminalOnlyRuleAsks, terminalRuleAsks } from "./terminal-destructive.ts";
import { terminalInterrupted } from "./terminal-interrupted.ts";
import { terminalQuestion } from "./terminal-question.ts";
import { thousandTools } from "./thousand-tools.ts";
import { twoPrograms } from "./two-programs.ts";
import { twoTabs } from "./two-tabs.ts";
import { unapproved } from "./unapproved.ts";

/** Every journey, in the order of the reference. */
export const journeyTable: readonly Journey[] = [
  doctor,
  instructions,
  oneCall,
  oneCallByHttp,
  mendedCall,
  refusedInput,
  newTool,
  lateTool,
  lateToolByPair,
  closedTab,
  twoTabs,
  longCall,
  interrupted,
  unapproved,
  hubRuleAsks,
  picture,
  resultWithResources,
  pageResource,
  namedResource,
  pagePrompt,
  longResult,
  terminalCall,
  terminalQuestion,
  terminalDestructive,
  terminalRuleAsks,
  terminalOnlyRuleAsks,
  terminalInterrupted,
  restartedHub,
  noHub,
  twoPrograms,
  thousandTools,
  oddNames,
  oddSchemas,
];
