/**
 * The chain of the audit log: when entries are sealed, which tampering is detected, and the state
 * after a purge.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { purgeEntries } from "../../src/areas/audit/purge-entries.ts";
import { renewChainKey, sealEntries } from "../../src/areas/audit/seal-entries.ts";
import { verifyChain } from "../../src/areas/audit/verify-chain.ts";
import type { Context } from "../../src/context.ts";
import type { Log } from "../../src/core/ports/log.ts";
import { createSecrets } from "../../src/storage/secrets/secrets.ts";
import { startTestApp, type TestApp, waitUntil, waitUntilAfter } from "../support/harness.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

const SETTINGS = "/api/audit/settings/";
const NOON = Date.parse("2026-01-15T12:00:00Z");

/** The context of another node. */
const createNode = (app: TestApp, options: { now?: number; log?: Log } = {}): Context => ({
	...app.app.context,
	clock: { ...app.clock, now: () => options.now ?? NOON },
	log: options.log ?? app.deps.logger,
});

/** A node of the version before writes into the log itself. */
const insertEntries = (app: TestApp, at: string, category = "time_machine", count = 1, table = "audit_unsealed") =>
	app.pool.query(
		`insert into ${table} (category, action, username, description, metadata, content, content_size_bytes, created_at)
			select $1, 'planted', 'u', 'entry ' || i, '{"n": 1.50, "a": [1e3]}', '{"x":1}', 7, $2::timestamptz + i * interval '1 ms'
			from generate_series(1, $3::int) i`,
		[category, at, count],
	);
const verifyAppChain = (app: TestApp, heads: string[] = []) =>
	verifyChain({ db: app.deps.store.db, secrets: app.deps.secrets }, heads);
const countRows = async (app: TestApp, what: string): Promise<number> =>
	(await app.pool.query(`select count(*)::int as n from ${what}`)).rows[0].n;

describe("sealing", () => {
	it("takes every entry once, by day, in the order in which they were written", async () => {
		await insertEntries(t, "2026-01-13T23:59:59.998Z", "time_machine", 5);
		await insertEntries(t, "2026-01-12T10:00:00Z", "admin_action", 3, "audit_log");
		const before = await verifyAppChain(t);
		expect(before.waiting).toBeGreaterThanOrEqual(8);
		await sealEntries(createNode(t));
		const after = await verifyAppChain(t);
		expect(after).toMatchObject({ problems: [], waiting: 0, entries: before.waiting, purged: 0 });
		const head = expect.stringMatching(/^[0-9a-f]{64}$/);
		expect(after.days.slice(0, 3)).toEqual([
			{ day: "2026-01-12", entries: 3, head },
			{ day: "2026-01-13", entries: 1, head },
			{ day: "2026-01-14", entries: 4, head },
		]);
		const blocks = await countRows(t, "audit_blocks");
		await sealEntries(createNode(t));
		expect(await countRows(t, "audit_blocks")).toBe(blocks);
	});

	it("neither waits for a transaction that is under way, nor forgets it", async () => {
		await sealEntries(createNode(t));
		const slow = await t.pool.connect();
		await slow.query("begin");
		await slow.query(
			"insert into audit_unsealed (category, action, username, created_at) values ('mim_registry', 'slow', 'u', now())",
		);
		await insertEntries(t, "2026-01-15T12:00:00Z", "mim_registry");
		await sealEntries(createNode(t));
		expect(await verifyAppChain(t)).toMatchObject({ problems: [], waiting: 0 });
		await slow.query("commit");
		slow.release();
		expect(await verifyAppChain(t)).toMatchObject({ problems: [], waiting: 1 });
		await sealEntries(createNode(t));
		expect(await verifyAppChain(t)).toMatchObject({ problems: [], waiting: 0 });
	});

	it("is done once by several nodes at the same time, while others write", async () => {
		const before = (await verifyAppChain(t)).entries;
		const nodes = [createNode(t), createNode(t), createNode(t)];
		const writers = Array.from({ length: 6 }, async (_, i) => {
			const table = i === 0 ? "audit_log" : "audit_unsealed";
			for (let j = 0; j < 20; j++) await insertEntries(t, `2026-01-15T1${i}:00:00Z`, "mim_registry", 1 + j, table);
		});
		const sealing = nodes.map(async (node) => {
			for (let i = 0; i < 10; i++) await sealEntries(node);
		});
		await Promise.all([...writers, ...sealing]);
		await sealEntries(createNode(t));
		expect(await verifyAppChain(t)).toMatchObject({ problems: [], waiting: 0, entries: before + 6 * 210 });
		const { rows } = await t.pool.query(
			"select sum(entries)::int as days, (select count(*)::int from audit_log) as all from audit_days",
		);
		expect(rows[0].days).toBe(rows[0].all);
	});

	it("goes on by itself in a process that does background work", async () => {
		const own = await startTestApp({ work: true });
		try {
			await own.admin.api.get("/api/audit/logs/");
			await waitUntilAfter(
				own.clock,
				5_000,
				"everything is sealed",
				async () => (await verifyAppChain(own)).waiting === 0,
			);
			expect(await verifyAppChain(own)).toMatchObject({ problems: [], entries: await countRows(own, "audit_log") });
		} finally {
			await own.close();
		}
	});

	it("tells the log the code with which a day ended, so that it is known outside of the store", async () => {
		const told: { fields: object; text: string }[] = [];
		const log = { ...t.deps.logger, info: (fields: object, text: string) => void told.push({ fields, text }) } as Log;
		await insertEntries(t, "2026-02-01T10:00:00Z");
		await sealEntries(createNode(t));
		await insertEntries(t, "2026-02-02T10:00:00Z");
		await sealEntries(createNode(t, { log }));
		const { days } = await verifyAppChain(t);
		const head = days.find(({ day }) => day === "2026-02-01")?.head ?? "";
		await waitUntil("the line is logged", () => told.length > 0);
		expect(told).toEqual([{ fields: expect.objectContaining({ day: "2026-02-01", head }), text: expect.any(String) }]);
		expect((await verifyAppChain(t, [head, head.toUpperCase()])).problems).toEqual([]);
	});
});

describe("a key that is lost", () => {
	let own: TestApp;
	let lost: Context;
	beforeAll(async () => {
		own = await startTestApp();
		for (const day of ["10", "11"]) await insertEntries(own, `2026-01-${day}T10:00:00Z`, "time_machine", 4);
		await sealEntries(createNode(own));
		lost = { ...createNode(own), secrets: createSecrets(["another key of at least thirty-two characters"]) };
	});
	afterAll(() => own.close());

	const renew = (ctx: Context) => own.deps.store.transaction((tx) => renewChainKey(ctx, tx));
	const verify = () => verifyChain({ db: own.deps.store.db, secrets: lost.secrets });

	it("is named with the remedy where entries are sealed and verified", async () => {
		await insertEntries(own, "2026-01-12T10:00:00Z");
		await expect(sealEntries(lost)).rejects.toThrow(/audit-renew-key/);
		await expect(verify()).rejects.toThrow(/audit-renew-key/);
	});

	it("is not replaced where it can be read", async () => {
		expect(await renew(createNode(own))).toBeNull();
		expect(await verifyAppChain(own)).toMatchObject({ problems: [] });
	});

	it("is replaced for the blocks after it, and verification names those before it", async () => {
		const last = await countRows(own, "audit_blocks");
		expect(await renew(lost)).toBe(last);
		await sealEntries(lost);
		const after = await verify();
		expect(after.problems).toEqual([expect.stringMatching(`^Blocks 1 to ${last} are not verifiable`)]);
		expect(after).toMatchObject({ waiting: 0, blocks: last + 1 });
		expect(await renew(lost)).toBeNull();
	});

	it("excuses no entry that was sealed after it", async () => {
		const statements = [
			"alter table audit_log disable trigger user",
			"alter table audit_blocks disable trigger user",
			`update audit_blocks set kind = 'purge', day = '2030-01-01',
				groups = array(select distinct unnest(groups) from audit_blocks) where number = 1`,
			"delete from audit_log where created_at >= '2026-01-12' and action = 'planted'",
		];
		for (const statement of statements) await own.pool.query(statement);
		expect((await verify()).problems).toContainEqual(expect.stringMatching(/^Entry \d+ of 2026-01-12 is gone/));
	});
});

describe("tampering", () => {
	/** Returns the problems found after the statements ran with all rights in the store. */
	async function findProblems(app: TestApp, ...statements: string[]): Promise<readonly string[]> {
		let problems: readonly string[] = [];
		const undone = new Error("undone");
		await app.deps.store
			.transaction(async (tx) => {
				const { CompiledQuery } = await import("kysely");
				for (const table of ["audit_log", "audit_blocks"]) {
					await tx.db.executeQuery(CompiledQuery.raw(`alter table ${table} disable trigger user`));
				}
				for (const statement of statements) await tx.db.executeQuery(CompiledQuery.raw(statement));
				({ problems } = await verifyChain({ db: tx.db, secrets: app.deps.secrets }));
				throw undone;
			})
			.catch((error: unknown) => {
				if (error !== undone) throw error;
			});
		return problems;
	}

	let own: TestApp;
	let id: number;
	beforeAll(async () => {
		own = await startTestApp();
		for (const day of ["10", "11", "12"]) {
			await insertEntries(own, `2026-01-${day}T10:00:00Z`, "time_machine", 4);
			await sealEntries(createNode(own));
		}
		id = (await own.pool.query("select min(id) as id from audit_log where action = 'planted'")).rows[0].id;
		expect((await verifyAppChain(own)).problems).toEqual([]);
	});
	afterAll(() => own.close());

	it.each([
		["description = 'nothing'"],
		["username = 'another user'"],
		["user_id = 1"],
		["category = 'admin_action'"],
		["action = 'x'"],
		["ip_address = '192.0.2.9'"],
		["user_agent = 'x'"],
		["target_type = 'x'"],
		["target_id = 'x'"],
		["request_id = 'x'"],
		["metadata = '{}'"],
		[`metadata = '{"n": 1.5, "a": [1e3]}'`],
		["content = '{}'"],
		["content = null"],
		["content_compressed = true"],
		["content_size_bytes = 8"],
		["created_at = created_at + interval '1 microsecond'"],
	])("of an entry is found: %s", async (change) => {
		expect(await findProblems(own, `update audit_log set ${change} where id = ${id}`)).toEqual([
			`Entry ${id} of 2026-01-10 was changed.`,
		]);
	});

	it("by removing or adding an entry is found", async () => {
		expect(await findProblems(own, `delete from audit_log where id = ${id}`)).toEqual([
			`Entry ${id} of 2026-01-10 is gone.`,
		]);
		const added = await findProblems(
			own,
			"insert into audit_log (id, category, action, username, created_at) values (900000, 'admin_action', 'x', 'x', now())",
			"delete from audit_pending",
		);
		expect(added).toEqual(["Entry 900000 is in no block, and does not wait for one."]);
	});

	it("with the blocks is found, whatever else is changed along with them", async () => {
		const gone = `delete from audit_log where id = ${id}`;
		const relisted =
			"update audit_blocks set entry_ids = entry_ids[2:], entry_groups = entry_groups[2:], entry_hashes = substring(entry_hashes from 33)";
		expect(await findProblems(own, gone, `${relisted} where ${id} = any(entry_ids)`)).toEqual([
			"The list of entries of block 1 of 2026-01-10 was changed.",
		]);
		// The digest too: then the code of the block is wrong, which nobody can make without the key.
		const digest = `update audit_blocks set digest = sha256('x') where number = 1`;
		expect(await findProblems(own, digest)).toEqual([
			"Block 1 of 2026-01-10 does not carry the code that belongs to it.",
			"The list of entries of block 1 of 2026-01-10 was changed.",
		]);
		expect((await findProblems(own, "update audit_blocks set day = day - 1 where number = 2"))[0]).toMatch(
			/^Block 2 of/,
		);
		expect((await findProblems(own, "update audit_blocks set mac = sha256('x') where number = 2")).length).toBe(2);
		expect((await findProblems(own, "delete from audit_blocks where number = 2"))[0]).toBe("Block 2 is missing.");
		expect((await findProblems(own, "delete from audit_blocks where number = 1"))[0]).toBe("Block 1 is missing.");
		const emptied = "update audit_blocks set entry_ids = '{}', entry_groups = '{}', entry_hashes = '' where number = 1";
		expect(await findProblems(own, "delete from audit_log where id <= 4", emptied)).toContain(
			"Block 1 of 2026-01-10 was emptied before its entries' time was over.",
		);
	});

	it("cannot be passed off as a purge, nor hidden by a key of one's own", async () => {
		const forged = `insert into audit_blocks select max(number) + 1, 'purge', '2026-12-31', '{time_machine}', sha256('x'),
			sha256('y'), '{}', '{}', '', now() from audit_blocks`;
		expect(await findProblems(own, `delete from audit_log where id = ${id}`, forged)).toEqual([
			expect.stringMatching(/^Block \d+ of 2026-12-31 does not carry the code/),
			`Entry ${id} of 2026-01-10 is gone.`,
		]);
		await expect(findProblems(own, "update audit_chain set key_sealed = 'w1.x.x.x.x'")).rejects.toThrow(
			/cannot be read/,
		);
		expect((await findProblems(own, "update audit_chain set key_sealed = ''")).length).toBeGreaterThan(0);
	});

	it("a log whose end was cut off fails the verification with a code that was noted on an earlier day", async () => {
		const { days } = await verifyAppChain(own);
		const head = days.at(-1)?.head ?? "";
		expect((await verifyAppChain(own, [head])).problems).toEqual([]);
		expect((await verifyAppChain(own, ["ab".repeat(32)])).problems).toEqual([
			expect.stringContaining("the end of the chain was cut off or replaced"),
		]);
	});
});

describe("the purge", () => {
	it("removes what is older than its group's retention, and nothing else; the chain still holds", async () => {
		const own = await startTestApp();
		try {
			const count = async (query: string) =>
				(await own.admin.api.get(`/api/audit/logs/?page_size=1&${query}`)).body.count;
			await own.admin.api.patch(SETTINGS, { time_machine_retention_days: 10, query_retention_days: 3 });
			await insertEntries(own, "2026-01-04T23:59:59.990Z", "time_machine", 5);
			await insertEntries(own, "2026-01-05T00:00:00Z", "time_machine", 4);
			await insertEntries(own, "2026-01-04T10:00:00Z", "query_management", 3);
			await insertEntries(own, "2026-01-04T10:00:00Z", "admin_action", 2);
			await insertEntries(own, "2024-12-31T10:00:00Z", "admin_action", 2);
			await own.pool.query(
				`insert into login_attempts (id, username, username_key, success, ip_address, attempted_at) values
					(gen_random_uuid(), 'old', 'old', false, '', '2025-01-14T23:59:59Z'), (gen_random_uuid(), 'old', 'old', false, '', '2025-01-15T00:00:00Z')`,
			);
			// Counts that are cached in memory must follow too.
			expect(await count("username=u")).toBe(16);
			await purgeEntries(createNode(own));
			expect(await count("username=u")).toBe(16);
			await sealEntries(createNode(own));
			expect(await count("username=u&search=entry")).toBe(16);
			await Promise.all([purgeEntries(createNode(own)), purgeEntries(createNode(own))]);
			expect(await count("username=u")).toBe(6);
			expect(await count("username=u&search=entry")).toBe(6);
			expect(await count("category=time_machine")).toBe(4);
			expect(await count("category=query_management")).toBe(0);
			expect(await count("category=admin_action&action=planted")).toBe(2);
			expect(await count("created_before=2026-01-05T00:00:00Z&action=planted")).toBe(2);
			const { body } = await own.admin.api.get("/api/audit/logs/?action=audit_purge&ordering=created_at");
			expect(body.results.map(({ metadata }: { metadata: object }) => metadata)).toEqual([
				{ group: "query", before: "2026-01-12" },
				{ group: "time_machine", before: "2026-01-05" },
				{ group: "admin_action", before: "2025-01-15" },
			]);
			expect(body.results[0]).toMatchObject({ category: "admin_action", username: "system", user_id: null });
			expect(await countRows(own, "login_attempts where username = 'old'")).toBe(1);
			await sealEntries(createNode(own));
			expect(await verifyAppChain(own)).toMatchObject({
				problems: [],
				waiting: 0,
				entries: await countRows(own, "audit_log"),
			});
			// A day later nothing is removed twice, and blocks without any entry left are emptied.
			await purgeEntries(createNode(own, { now: NOON + 86_400_000 }));
			await sealEntries(createNode(own));
			const later = await verifyAppChain(own);
			expect(later.problems).toEqual([]);
			expect(await countRows(own, "audit_blocks where kind = 'entries' and entry_ids = '{}'")).toBeGreaterThan(0);
			expect(await count("category=time_machine")).toBe(0);
			await expect(own.pool.query("delete from audit_log")).rejects.toThrow(/append-only/);
		} finally {
			await own.close();
		}
	});
});
