/**
 * Search in a long audit log: frequent values are found by bitmaps, and every answer equals that of
 * a plain search.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { extendTermIndex } from "../../src/areas/audit/extend-term-index.ts";
import { purgeEntries } from "../../src/areas/audit/purge-entries.ts";
import { sealEntries } from "../../src/areas/audit/seal-entries.ts";
import type { Context } from "../../src/context.ts";
import { startTestApp, type TestApp, waitUntil } from "../support/harness.ts";

const LOGS = "/api/audit/logs/";
const NOW = Date.parse("2026-03-01T12:00:00Z");
const START = "2026-01-20T00:00:00Z";
const ENTRIES = 25_000;

let t: TestApp;
let node: Context;
beforeAll(async () => {
	t = await startTestApp();
	node = createNode(t);
	// Signs in, which makes an entry.
	await t.admin.api.get(LOGS);
	await plantEntries(1, ENTRIES);
	await sealAndIndex();
});
afterAll(() => t.close());

const createNode = (app: TestApp): Context => ({ ...app.app.context, clock: { ...app.clock, now: () => NOW } });

async function sealAndIndex(): Promise<void> {
	await sealEntries(node);
	await extendTermIndex(node);
}

/**
 * A minute apart; now and then two are in the other order than their ids, as when several write.
 */
const plantEntries = (from: number, to: number) =>
	t.pool.query(
		`insert into audit_unsealed (category, action, user_id, username, ip_address, description, created_at)
			select case when i % 3 = 0 then 'api_access' else 'time_machine' end, case when i % 2 = 0 then 'even' else 'odd' end,
				case when i % 7 = 0 then null else 1 + i % 4 end, 'User' || (1 + i % 4), '10.0.0.' || (i % 3),
				'user' || (i % 1500) || (array[' signed in', ' ran the query', ' captured Zürich/uni-' || (i % 9)])[1 + (i / 5) % 3]
					|| case when i % 997 = 0 then ' seldom' else '' end || case when i < 6000 then ' early' else '' end,
				$1::timestamptz + (i + case when i % 50 = 0 then 3 else 0 end) * interval '1 minute'
			from generate_series($2::int, $3::int) i`,
		[START, from, to],
	);

const WHERE: Readonly<Record<string, string>> = {
	"search=signed": "words @@ audit_search('signed')",
	"search=sig": "words @@ audit_search('sig')",
	"search=signed+captured": "words @@ audit_search('signed captured')",
	"search=in": "words @@ audit_search('in')",
	"search=ZÜR+user1": "words @@ audit_search('ZÜR user1')",
	"search=uni+7": "words @@ audit_search('uni 7')",
	"search=early+signed": "words @@ audit_search('early signed')",
	"search=early+signed&ordering=created_at": "words @@ audit_search('early signed')",
	"search=seldom": "words @@ audit_search('seldom')",
	"search=seldom+ran": "words @@ audit_search('seldom ran')",
	"search=seldom+ran&category=api_access": "words @@ audit_search('seldom ran') and category = 'api_access'",
	"search=never+ran": "words @@ audit_search('never ran')",
	"search=ran&category=api_access": "words @@ audit_search('ran') and category = 'api_access'",
	"search=ran&action=even&username=USER2": "words @@ audit_search('ran') and action = 'even' and username = 'User2'",
	"user=3&ip=10.0.0.1": "user_id = 3 and ip_address = '10.0.0.1'",
	"user=3&search=user77": "user_id = 3 and words @@ audit_search('user77')",
	"search=signed&created_after=2026-01-21T07:03:00Z&created_before=2026-01-30T11:00:00Z":
		"words @@ audit_search('signed') and created_at between '2026-01-21T07:03:00Z' and '2026-01-30T11:00:00Z'",
	"search=signed&created_after=2026-01-21T07:03:00Z&created_before=2026-01-21T07:33:00Z":
		"words @@ audit_search('signed') and created_at between '2026-01-21T07:03:00Z' and '2026-01-21T07:33:00Z'",
	"search=seldom&created_after=2026-01-25T00:00:00Z":
		"words @@ audit_search('seldom') and created_at >= '2026-01-25T00:00:00Z'",
	"search=signed&created_after=2027-01-01T00:00:00Z": "words @@ audit_search('signed') and created_at >= '2027-01-01'",
	"search=%3F%3F": "false",
	"search=user": "words @@ audit_search('user')",
	"search=user&ordering=created_at": "words @@ audit_search('user')",
	"action=even&created_before=2026-02-05T00:00:00Z": "action = 'even' and created_at <= '2026-02-05'",
	"category=time_machine": "category = 'time_machine'",
	"": "true",
};

/** Every answer as a plain statement would have it; the pages in the middle and at the end, too. */
async function expectPlainAnswers(): Promise<void> {
	for (const [query, where] of Object.entries(WHERE)) {
		const direction = query.includes("ordering=created_at") ? "asc" : "desc";
		const { rows } = await t.pool.query(
			`select id from audit_entries where ${where} order by created_at ${direction}, id ${direction}`,
		);
		const ids = rows.map(({ id }) => id);
		const pages = Math.max(1, Math.ceil(ids.length / 20));
		for (const page of new Set(
			[1, Math.ceil(pages / 3), Math.ceil(pages / 2), pages - 1, pages].filter((page) => page > 0),
		)) {
			const { body } = await t.admin.api.get(`${LOGS}?${query}&page=${page}&page_size=20`);
			const answer = [query, page, body.count, body.results.map(({ id }: { id: number }) => id)];
			expect(answer).toEqual([query, page, ids.length, ids.slice((page - 1) * 20, page * 20)]);
		}
	}
}

const listIndexedTerms = async (): Promise<string[]> =>
	(await t.pool.query("select term from audit_terms where indexed")).rows.map(({ term }) => term);

describe("a long audit log", () => {
	it("is searched by bits where all that is asked for is frequent", async () => {
		const terms = await listIndexedTerms();
		expect(terms).toEqual(expect.arrayContaining(["sig", "signed", "in", "zür", "early", "action=even", "user=3"]));
		expect(terms).not.toContain("seldom");
		await expectPlainAnswers();
	});

	it("counts what came since, and entries that appear late among older ones", async () => {
		await t.pool.query("select setval(pg_get_serial_sequence('audit_log', 'id'), (select max(id) + 1 from audit_log))");
		const { rows } = await t.pool.query("select max(id) as last from audit_log");
		await plantEntries(ENTRIES + 1, ENTRIES + 700);
		await expectPlainAnswers();
		await sealAndIndex();
		await expectPlainAnswers();
		await plantEntries(ENTRIES + 701, ENTRIES + 6_000);
		await sealAndIndex();
		// As a node of the version before writes it.
		await t.pool.query(
			`insert into audit_log (id, category, action, username, description, created_at)
				values ($1, 'api_access', 'even', 'User2', 'user1 signed in and ran early', $2)`,
			[rows[0].last + 1, START],
		);
		await expectPlainAnswers();
		await plantEntries(ENTRIES + 6_001, ENTRIES + 10_000);
		await sealAndIndex();
		await expectPlainAnswers();
	});

	it("is the same to several nodes that put entries in at a time", async () => {
		await plantEntries(ENTRIES + 10_001, ENTRIES + 16_000);
		await sealEntries(node);
		await Promise.all([extendTermIndex(node), extendTermIndex(createNode(t)), extendTermIndex(createNode(t))]);
		await expectPlainAnswers();
	});

	it("is exported in the order of the list, from whatever index its entries are found", async () => {
		for (const query of [
			"search=early+signed",
			"search=early+signed+user1",
			"search=user&ordering=created_at",
			"search=seldom+ran",
		]) {
			const direction = query.includes("ordering") ? "asc" : "desc";
			const { rows } = await t.pool.query(
				`select id from audit_entries where ${WHERE[query] ?? "words @@ audit_search('early signed user1')"}
					order by created_at ${direction}, id ${direction} limit 10000`,
			);
			const { text } = await t.admin.api.get(`${LOGS}export/?${query}`);
			const ids = text
				.trimEnd()
				.split("\r\n")
				.slice(1)
				.map((line) => Number(line.split(",")[0]));
			expect([query, ids]).toEqual([query, rows.map(({ id }) => id)]);
		}
	});

	it("forgets what a purge removes", async () => {
		const segments = async () => (await t.pool.query("select count(*)::int as n from audit_segments")).rows[0].n;
		const before = await segments();
		await purgeEntries(node);
		const { rows } = await t.pool.query(
			"select count(*)::int as n from audit_log where category = 'api_access' and created_at < '2026-01-30'",
		);
		expect(rows[0].n).toBe(0);
		await expectPlainAnswers();
		await t.admin.api.patch("/api/audit/settings/", { time_machine_retention_days: 30 });
		await waitUntil("the purge has heard of it, and segments are gone", async () => {
			await purgeEntries(node);
			return (await segments()) < before;
		});
		await expectPlainAnswers();
	});
});
