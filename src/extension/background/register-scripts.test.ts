import { expect, test } from "vitest";
import { createFakeExtension } from "../fake-extension-api.test-helper.ts";
import { defaultSite, noSettings } from "../settings.ts";
import { registerScripts } from "./register-scripts.ts";

const shop = "https://shop.example";

test("scripts are registered for the sites that the browser allows, and go with its permission", async () => {
  const { api, granted, scripts } = createFakeExtension();
  await registerScripts(api, noSettings, []);
  expect(scripts.size).toBe(0);
  granted.add(`${shop}/*`);
  await registerScripts(api, noSettings, []);
  expect([...scripts.values()]).toMatchObject([
    { id: "probe", js: ["probe.js"], matches: [`${shop}/*`], world: "ISOLATED", runAt: "document_start" },
    { id: "main-world", js: ["main-world.js"], matches: [`${shop}/*`], world: "MAIN", runAt: "document_start" },
  ]);
  granted.clear();
  await registerScripts(api, noSettings, []);
  expect(scripts.size).toBe(0);
});

test("under a wide permission a site without a polyfill, one that is read and one that was removed each get their own scripts", async () => {
  const { api, granted, scripts } = createFakeExtension();
  granted.add("https://*/*");
  const [plain, read, removed] = ["https://plain.example", "https://read.example", "https://removed.example"];
  const sites = { [plain]: { ...defaultSite, polyfill: false }, [read]: { ...defaultSite, reading: true } };
  await registerScripts(api, { ...noSettings, sites, removed: [removed] }, []);
  expect(scripts.get("probe")?.excludeMatches).toEqual([`${removed}:443/*`]);
  expect(scripts.get("main-world")?.excludeMatches).toEqual([`${removed}:443/*`, `${plain}:443/*`]);
  expect(scripts.get("page")).toMatchObject({ js: ["page.js"], matches: [`${read}:443/*`], world: "ISOLATED" });
});

test("a change touches the scripts that it is about, and no others: a worker that is stopped leaves no site without", async () => {
  const { api, granted, scripts } = createFakeExtension();
  granted.add("https://*/*");
  await registerScripts(api, noSettings, []);
  const steps: string[] = [];
  for (const name of ["registerContentScripts", "updateContentScripts", "unregisterContentScripts"] as const) {
    const run = api.scripting[name] as (given: unknown) => Promise<void>;
    api.scripting[name] = async (given: unknown) => {
      steps.push(
        `${name} ${JSON.stringify(given)
          .match(/"(probe|main-world|page)"/g)
          ?.join()}`,
      );
      await run(given);
    };
  }
  await registerScripts(api, noSettings, []);
  expect(steps).toEqual([]);
  await registerScripts(
    api,
    { ...noSettings, sites: { [shop]: { ...defaultSite, polyfill: false, reading: true } } },
    [],
  );
  expect(steps.splice(0)).toEqual([`updateContentScripts "main-world"`, `registerContentScripts "page"`]);
  await registerScripts(api, noSettings, []);
  expect(steps).toEqual([`updateContentScripts "main-world"`, `unregisterContentScripts "page"`]);
  expect(scripts.get("main-world")).toMatchObject({ excludeMatches: [], persistAcrossSessions: true });
});

test("a site that is allowed in a tab has them too, and no site is without them while another one changes", async () => {
  const { api, granted, scripts } = createFakeExtension();
  granted.add(`${shop}/*`);
  await registerScripts(api, noSettings, []);
  const scripting: typeof api.scripting = {
    ...api.scripting,
    unregisterContentScripts: () => Promise.reject(new Error("The worker was stopped.")),
  };
  const tea = "https://tea.example";
  await registerScripts({ ...api, scripting }, { ...noSettings, removed: [shop] }, [tea]);
  expect([...scripts.values()]).toMatchObject([
    { id: "probe", matches: [`${shop}/*`, `${tea}:443/*`], excludeMatches: [`${shop}:443/*`] },
    { id: "main-world", matches: [`${shop}/*`, `${tea}:443/*`], excludeMatches: [`${shop}:443/*`] },
  ]);
  await registerScripts({ ...api, scripting }, noSettings, []);
  expect(scripts.get("probe")).toMatchObject({ matches: [`${shop}/*`], excludeMatches: [] });
});
