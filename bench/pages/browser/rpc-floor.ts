import { createRpcFloorSpeaker } from "../rpc-floor-speaker.ts";
import { openPage } from "./open-page.ts";

openPage(createRpcFloorSpeaker);
