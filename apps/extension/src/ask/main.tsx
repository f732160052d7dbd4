import { extensionApi } from "../common/extension-api.ts";
import { openStore } from "../common/open-store.ts";
import { show } from "../common/show.ts";
import { AskWindow } from "./ask-window.tsx";

show(<AskWindow store={openStore(extensionApi())} close={() => window.close()} />);
