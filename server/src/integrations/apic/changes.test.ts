/** Reads of the audit log: the requests that they make, and what limits leave out. */
import { expect, it } from "vitest";
import {
	createErrorReply,
	createLoginReply,
	createReply,
	getPage,
	useBenches,
} from "../../../test/support/controllers.ts";
import type { ControllerChangesQuery } from "./port.ts";

const bench = useBenches();
const NOW = Date.UTC(2026, 0, 1);

interface Log {
	/** Newest first. */
	readonly records: readonly object[];
	/** How many records are older than the window. */
	readonly older?: number;
	readonly date?: number;
}

const buildDateHeader = (at: number) => ({ date: new Date(at).toUTCString() });
const createRecord = (i: number, dn = `uni/tn-t/BD-${i}`, more: Record<string, string> = {}) => ({
	aaaModLR: {
		attributes: {
			dn: `subj-[${dn}]/mod-${i}`,
			affected: dn,
			created: new Date(NOW - i).toISOString().replace("Z", "+00:00"),
			ind: "modification",
			user: "eva",
			sessionId: "",
			changeSet: "descr (Old: , New: a)",
			...more,
		},
	},
});

async function readTestChanges({ records, older = 1, date = NOW }: Log, query: Partial<ControllerChangesQuery> = {}) {
	const { driver, target, fake } = await bench(
		(seen) => {
			const headers = buildDateHeader(date);
			const filter = seen.query.get("query-target-filter") ?? "";
			const isCount = seen.query.get("page-size") === "1" && filter.startsWith("lt(");
			const named = [...filter.matchAll(/eq\(aaaModLR\.affected,"([^"]*)"\)/g)].map(([, dn]) => dn);
			const isReversed = seen.query.get("order-by") === "aaaModLR.created|asc,aaaModLR.dn|asc";
			const sorted = isReversed ? [...records].reverse() : records;
			const wanted = sorted.filter(
				(one) =>
					named.length === 0 || named.includes((one as ReturnType<typeof createRecord>).aaaModLR.attributes.affected),
			);
			const reply = isCount ? createReply(older === 0 ? [] : [createRecord(9)], older) : getPage(wanted, seen);
			return typeof reply === "object" ? { ...reply, headers } : reply;
		},
		{
			auth: ({ path }) =>
				path.endsWith("aaaLogin.json")
					? { ...(createLoginReply("token") as object), headers: buildDateHeader(date) }
					: undefined,
		},
	);
	const wanted = { from: NOW - 60_000, to: NOW, dns: null, requests: 2, ...query };
	const found = await driver.changes(target, wanted);
	return { found, asked: fake.to("aaaModLR.json") };
}
const createRecords = (count: number) => Array.from({ length: count }, (_, i) => createRecord(i));

it("reads a window of time, the newest records first, and whether the log reaches back", async () => {
	const { found, asked } = await readTestChanges({ records: createRecords(3) });
	expect(found).toMatchObject({ complete: true, reachesBack: true });
	expect(found.records.map(({ dn }) => dn)).toEqual(["uni/tn-t/BD-0", "uni/tn-t/BD-1", "uni/tn-t/BD-2"]);
	expect(found.records[0]).toEqual({
		dn: "uni/tn-t/BD-0",
		user: "eva",
		at: NOW,
		action: "modified",
		session: null,
		attributes: ["descr"],
	});
	expect(asked.map(({ query }) => query.get("query-target-filter"))).toEqual([
		'and(gt(aaaModLR.created,"2025-12-31T23:58:55.000+00:00"),lt(aaaModLR.created,"2026-01-01T00:00:05.000+00:00"))',
		'lt(aaaModLR.created,"2025-12-31T23:58:55.000+00:00")',
	]);
});

it("does not ask how far the log reaches back where each object has a record", async () => {
	const { found, asked } = await readTestChanges({ records: createRecords(3) }, { dns: ["uni/tn-t/BD-0"] });
	expect(found).toMatchObject({ complete: true, reachesBack: null });
	expect(asked).toHaveLength(1);
	expect((await readTestChanges({ records: createRecords(3) }, { dns: [] })).asked).toHaveLength(0);
});

it("says that older records are gone", async () => {
	expect((await readTestChanges({ records: [], older: 0 })).found).toMatchObject({
		records: [],
		complete: true,
		reachesBack: false,
	});
});

it("reads the rest of a large window from its other end, each record once", async () => {
	const { found, asked } = await readTestChanges({ records: createRecords(12_000) }, { requests: 20 });
	expect(found).toMatchObject({ complete: true, reachesBack: true });
	expect(new Set(found.records.map(({ dn }) => dn)).size).toBe(12_000);
	expect(found.records).toHaveLength(12_000);
	expect(asked).toHaveLength(4);
});

it.each([
	[2, 7_000, 2, true],
	[2, 12_000, 2, false],
	[4, 12_000, 4, true],
	[4, 30_000, 4, false],
])("makes at most %d requests for %d records", async (requests, count, made, complete) => {
	const { found, asked } = await readTestChanges({ records: createRecords(count) }, { requests });
	expect(asked).toHaveLength(made);
	expect(found.complete).toBe(complete);
});

it("reads the records of the objects where those of the window take more requests", async () => {
	const quiet = Array.from({ length: 60 }, (_, i) => `uni/tn-t/BD-${29_000 + i}`);
	const { found, asked } = await readTestChanges({ records: createRecords(30_000) }, { requests: 6, dns: quiet });
	expect(found.complete).toBe(true);
	expect(found.records.filter(({ dn }) => quiet.includes(dn))).toHaveLength(60);
	expect(asked.length).toBeLessThanOrEqual(6);
	for (const { url } of asked) expect(url.length).toBeLessThan(4_096);
});

it("moves the window by the clock skew that the login shows", async () => {
	const { found, asked } = await readTestChanges(
		{ records: [createRecord(-3_600_000)], date: NOW + 3_600_000 },
		{ requests: 3 },
	);
	expect(found.clockSkewMs).toBe(3_600_500);
	expect(found.records).toHaveLength(1);
	expect(asked.at(-2)?.query.get("query-target-filter")).toContain(
		'gt(aaaModLR.created,"2026-01-01T00:58:55.500+00:00")',
	);
});

it("leaves out what is no record of a change, and what is outside of the window", async () => {
	const odd = [
		createRecord(1, "uni/a", { ind: "special" }),
		createRecord(2, "uni/b", { created: "never" }),
		createRecord(3, ""),
		createRecord(3_600_000, "uni/old"),
		createRecord(4, "uni/kept", { ind: "deletion", changeSet: "", sessionId: "s==" }),
	];
	const { found } = await readTestChanges({ records: odd });
	expect(found.records).toEqual([
		{ dn: "uni/kept", user: "eva", at: NOW - 4, action: "deleted", session: "s==", attributes: [] },
	]);
});

it("rejects where the controller refuses the log", async () => {
	const { driver, target } = await bench(() => createErrorReply(403, "403", "Access restricted for user"));
	const asked = driver.changes(target, { from: 0, to: 1, dns: null, requests: 2 });
	await expect(asked).rejects.toMatchObject({ kind: "permission" });
});
