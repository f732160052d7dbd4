import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readCluster } from "./read-cluster.ts";

const none = {
  nats: undefined,
  "nats-creds": undefined,
  cluster: undefined,
  database: undefined,
  "hub-name": undefined,
};
const nats = "nats://127.0.0.1:4222";
const database = "postgres://hub@db.example/pagewire";

test("a hub without --nats is alone, and takes no other option of several", () => {
  expect(readCluster({ environment: {} }, none)).toBeUndefined();
  expect(() => readCluster({ environment: {} }, { ...none, cluster: "eu" })).toThrow("give --nats too");
  expect(() => readCluster({ environment: {} }, { ...none, "nats-creds": "file" })).toThrow("give --nats too");
});

test("several hubs need a PostgreSQL, which the environment may name, too", () => {
  expect(() => readCluster({ environment: {} }, { ...none, nats })).toThrow("a database that they share");
  expect(() => readCluster({ environment: {} }, { ...none, nats, database: "hub.db" })).toThrow(
    "a database that they share",
  );
  expect(readCluster({ environment: {} }, { ...none, nats, database })).toEqual({ nats });
  expect(readCluster({ environment: { PAGEWIRE_DATABASE: database } }, { ...none, nats, cluster: "eu" })).toEqual({
    nats,
    name: "eu",
  });
});

test("an address with a password may be in PAGEWIRE_NATS, where no list of processes shows it", () => {
  const environment = { PAGEWIRE_NATS: "nats://hub:secret@127.0.0.1:4222", PAGEWIRE_DATABASE: database };
  expect(readCluster({ environment }, none)).toEqual({ nats: environment.PAGEWIRE_NATS });
  expect(readCluster({ environment }, { ...none, nats })).toEqual({ nats });
});

test("--nats-creds is a file whose contents the server gets", () => {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-creds-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "hub.creds");
  writeFileSync(file, "-----BEGIN NATS USER JWT-----");
  const cluster = readCluster({ environment: {} }, { ...none, nats, database, "nats-creds": file });
  expect(String(cluster?.credentials?.())).toBe("-----BEGIN NATS USER JWT-----");
});

test("what an option says may be in the environment; the option counts", () => {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-creds-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "hub.creds");
  writeFileSync(file, "creds");
  const environment = {
    ...{ PAGEWIRE_NATS: nats, PAGEWIRE_DATABASE: database, PAGEWIRE_NATS_CREDS: file },
    ...{ PAGEWIRE_CLUSTER: "eu", PAGEWIRE_HUB_NAME: "hub-1" },
  };
  const cluster = readCluster({ environment }, none);
  expect(cluster).toEqual({ nats, name: "eu", hubName: "hub-1", credentials: expect.any(Function) as unknown });
  expect(String(cluster?.credentials?.())).toBe("creds");
  expect(readCluster({ environment }, { ...none, cluster: "us", "hub-name": "hub-2" })).toMatchObject({
    name: "us",
    hubName: "hub-2",
  });
});
