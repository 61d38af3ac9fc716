/** A change of the secret key, beside a running service, killed in the middle and begun again. */
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningController, startController } from "@weft/lab";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { SEALED_COLUMNS } from "../../src/rotate-key.ts";
import { attachEmbeddedPostgres, startEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { openKeyFile } from "../../src/storage/secrets/key-file.ts";
import { createSecrets } from "../../src/storage/secrets/secrets.ts";
import { runAdminCommand } from "../support/admin.ts";
import { startTestApp, waitUntil } from "../support/harness.ts";
import { type LocalService, type RunningProcess, runBuiltProgram, startLocalService } from "../support/process.ts";

const CONNECTIONS = "/api/controller/connections/";
const keys = generateKeyPairSync("rsa", {
	modulusLength: 2_048,
	publicKeyEncoding: { type: "spki", format: "pem" },
	privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const processes: RunningProcess[] = [];
const services: LocalService[] = [];
let dataDir: string;
let lab: RunningController;
beforeAll(async () => {
	const certificates = [{ user: "weft", name: "ci", pem: keys.publicKey }];
	[dataDir, lab] = await Promise.all([
		mkdtemp(join(tmpdir(), "weft rotate ")),
		startController({ size: "small", certificates }),
	]);
});
afterEach(async () => {
	for (const { child, ended } of processes.splice(0)) {
		child.kill("SIGKILL");
		await ended;
	}
	for (const service of services.splice(0)) await service.stop("the test has ended");
});
afterAll(async () => {
	const left = await startEmbeddedPostgres({ dataDir, log: () => {} });
	await left.stop();
	await Promise.all([rm(dataDir, { recursive: true, force: true }), lab.close()]);
});

const readKeysOnDisk = async () => (await readFile(join(dataDir, "secret.key"), "utf8")).trim().split("\n");

function startRotation(): RunningProcess {
	const command = runBuiltProgram("admin", dataDir, {}, ["rotate-key"]);
	processes.push(command);
	return command;
}

async function launchService(): Promise<LocalService> {
	const service = await startLocalService(dataDir);
	services.push(service);
	return service;
}

describe("rotate-key", () => {
	it("knows every column with a sealed secret", async () => {
		const t = await startTestApp();
		try {
			const { rows } = await t.pool.query(
				`select table_name, column_name from information_schema.columns
					where table_schema = 'public' and column_name like '%\\_sealed' order by 1, 2`,
			);
			const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
			expect(known.sort()).toEqual(rows.map((row) => `${row.table_name}.${row.column_name}`));
		} finally {
			await t.close();
		}
	});

	it("seals all anew; nothing is unreadable before, during and after, whenever it is killed", async () => {
		const service = await launchService();
		const { url, username, password } = lab;
		const connect = async (name: string) => {
			const made = await service.call("POST", CONNECTIONS, { name, url, username, password });
			expect(made.status).toBe(201);
			return (made.body as { id: string }).id;
		};
		const works = async (id: string, by = service) => (await by.call("POST", `${CONNECTIONS}${id}/test/`)).status;
		const first = await connect("first");
		const signed = await service.call("POST", CONNECTIONS, {
			name: "signed",
			url,
			auth_method: "certificate",
			certificate_dn: "uni/userext/user-weft/usercert-ci",
			private_key: keys.privateKey,
		});
		const { id: second } = signed.body as { id: string };
		await service.call("POST", "/api/auth/mfa/setup/");
		expect(await readKeysOnDisk()).toHaveLength(1);
		const [oldKey = ""] = await readKeysOnDisk();
		// Enough rows for several batches.
		const old = createSecrets([oldKey]);
		const attached = await attachEmbeddedPostgres({ dataDir, log: () => {} });
		const client = new pg.Client({ ...attached.connection });
		await client.connect();
		const ids = Array.from({ length: 450 }, (_, i) => `ffffffff-ffff-7fff-8fff-${String(i).padStart(12, "0")}`);
		await client.query(
			`insert into controller_connections select (jsonb_populate_record(c, v)).* from controller_connections c,
				jsonb_array_elements($1::jsonb) v where c.id = $2`,
			[
				JSON.stringify(
					ids.map((id, i) => ({
						id,
						name: `many ${i}`,
						password_sealed: old.seal(password, `controller_connection:${id}:password`),
					})),
				),
				first,
			],
		);
		const sealedUnder = async (key: string): Promise<number> => {
			const id = createSecrets([key]).seal("", "").split(".")[1];
			const { rows } = await client.query(
				`select count(*)::int as n from (select password_sealed as sealed from controller_connections
					union all select private_key_sealed from controller_connections
					union all select secret_sealed from user_mfa union all select backup_key_sealed from user_mfa
					union all select key_sealed from audit_chain where key_sealed <> '') s where split_part(sealed, '.', 2) = $1`,
				[id],
			);
			return rows[0].n;
		};
		await waitUntil("the audit log has its key", async () =>
			Boolean((await client.query("select from audit_chain where key_sealed <> ''")).rowCount),
		);
		const all = await sealedUnder(oldKey);
		expect(all).toBe(1 + 1 + 450 + 2 + 1);

		// A lock on a row of the third batch stops the command there, and it is killed.
		await client.query("begin");
		await client.query("select from controller_connections where id = $1 for update", [ids[250]]);
		const killed = startRotation();
		const [newKey = ""] = await waitUntil("there is another key", async () => {
			const keys = await readKeysOnDisk();
			return keys.length === 2 ? keys : null;
		});
		await waitUntil("some are under it", async () => (await sealedUnder(newKey)) >= 200);
		expect(await works(first)).toBe(200);
		expect(await works(second)).toBe(200);
		expect(await works(ids[0] ?? "")).toBe(200);
		expect(await works(ids[449] ?? "")).toBe(200);
		const between = await connect("made meanwhile");
		killed.child.kill("SIGKILL");
		await killed.ended;
		await client.query("commit");
		expect(await sealedUnder(oldKey)).toBeGreaterThan(0);
		expect(await readKeysOnDisk()).toEqual([newKey, oldKey]);
		expect(await sealedUnder(newKey)).toBeGreaterThan(200);
		expect(await works(between)).toBe(200);

		// Again: it goes on with the same key.
		const done = startRotation();
		expect([await done.ended, done.output.stderr]).toEqual([0, ""]);
		expect(done.output.stdout).toMatch(/^\d+ secrets were sealed under the current key, 0 are not under it\./);
		expect(await readKeysOnDisk()).toEqual([newKey, oldKey]);
		expect([await sealedUnder(newKey), await sealedUnder(oldKey)]).toEqual([all + 1, 0]);
		expect(await works(ids[300] ?? "")).toBe(200);
		expect(await works(second)).toBe(200);

		await client.end();
		await attached.stop();

		// A service that was started anew takes what either key signed, until the old one is forgotten.
		await service.stop("it is started anew");
		const later = await launchService();
		const profile = async (by: typeof later, authorization: string) =>
			(await fetch(`${by.url}/api/auth/profile/`, { headers: { authorization } })).status;
		expect(await profile(later, service.authorization())).toBe(200);
		expect(await works(ids[449] ?? "", later)).toBe(200);
		expect(await runAdminCommand(dataDir, ["audit-verify"])).toMatchObject({ code: 0, stderr: "" });
		const logged = await later.call("GET", "/api/audit/logs/?action=key_rotate");
		expect(logged.body).toMatchObject({ count: 1, results: [{ category: "admin_action", username: "command line" }] });
		expect(JSON.stringify(logged.body)).not.toContain(newKey);

		expect(await runAdminCommand(dataDir, ["rotate-key", "--forget"])).toMatchObject({ code: 0 });
		expect(await readKeysOnDisk()).toEqual([newKey]);
		await later.stop("it is started anew");
		const last = await launchService();
		expect(await profile(last, service.authorization())).toBe(401);
		expect(await profile(last, later.authorization())).toBe(200);
		expect(await works(between, last)).toBe(200);
	}, 180_000);

	it("tells which secrets no key opens, and keeps the earlier keys then", async () => {
		const service = await launchService();
		const { body } = await service.call("POST", CONNECTIONS, {
			name: "broken",
			url: lab.url,
			username: "u",
			password: "p",
		});
		const { id } = body as { id: string };
		const attached = await attachEmbeddedPostgres({ dataDir, log: () => {} });
		const client = new pg.Client({ ...attached.connection });
		await client.connect();
		const foreign = createSecrets(["a key that nobody has any more"]).seal("p", `controller_connection:${id}:password`);
		await client.query("update controller_connections set password_sealed = $1 where id = $2", [foreign, id]);
		const before = await readKeysOnDisk();
		expect(await runAdminCommand(dataDir, ["rotate-key", "--forget"])).toMatchObject({
			code: 1,
			stderr: `No key opens controller_connections.password_sealed of ${id}.\n`,
		});
		expect(await readKeysOnDisk()).toEqual(before);
		await client.end();
		await attached.stop();
	});
});

describe("the key file", () => {
	it("is read anew when it changed, is for its owner only, and is not lost when it is taken away", async () => {
		const folder = await mkdtemp(join(tmpdir(), "weft-keys-"));
		const [mine, other] = await Promise.all([
			openKeyFile(folder, { hasStore: false }),
			openKeyFile(folder, { hasStore: false }),
		]);
		expect(mine.keys()).toEqual(other.keys());
		const sealed = createSecrets(() => other.keys()).seal("x", "c");
		const secrets = createSecrets(() => mine.keys());
		await other.write(["a new key of 22 characters", ...other.keys()]);
		expect(secrets.isCurrent(sealed)).toBe(false);
		expect(secrets.open(sealed, "c")).toBe("x");
		expect(secrets.isCurrent(secrets.seal("y", "c"))).toBe(true);
		expect(secrets.deriveAll("p")).toHaveLength(2);
		await rm(folder, { recursive: true });
		expect(mine.keys()).toHaveLength(2);
	});
});
