import { extensionApi } from "../common/extension-api.ts";
import { openStore } from "../common/open-store.ts";
import { show } from "../common/show.ts";
import { OptionsPage } from "./options-page.tsx";

show(<OptionsPage store={openStore(extensionApi())} />);
