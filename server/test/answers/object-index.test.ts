/** The index of objects follows captures, deletions, lost tasks and ended work. */
import { beforeAll, describe, expect, it } from "vitest";
import { indexHistory } from "../../src/areas/answers/find/update-index.ts";
import { eraseSnapshots } from "../../src/areas/history/erase-snapshots.ts";
import { waitUntil } from "../support/harness.ts";
import { createObject, useObjectIndex } from "../support/object-index.ts";

const index = useObjectIndex(["index-ada", "index-bob"]);
const { createQuery, captureRows, updateIndexes, listRows } = index;
let A: string;
beforeAll(() => {
	({ A } = index);
});

const createDomain = (name: string, more: object = {}) =>
	createObject("fvBD", `uni/tn-i/BD-${name}`, { name, ...more });
const findNames = async (q: string) =>
	(await index.ada.api.get(`/api/find/?q=${encodeURIComponent(q)}`)).body.objects.map(
		({ label, is_current }: { label: string; is_current: boolean }) => [label, is_current],
	);
const getHistoryId = async (query: string) =>
	(
		await index.t.app.context.store.db
			.selectFrom("snapshot_histories")
			.select("id")
			.where("saved_query_id", "=", query)
			.executeTakeFirstOrThrow()
	).id;

const deleteSnapshot = async (query: string, id: string) =>
	eraseSnapshots(index.t.app.context, await getHistoryId(query), [id], async () => undefined);

describe("the index of objects", () => {
	it("indexes what existed before it, one snapshot after another, and objects between them", async () => {
		const query = await createQuery();
		await captureRows(query, A, [createDomain("first-1"), createDomain("first-2")]);
		await captureRows(query, A, [createDomain("first-1"), createDomain("first-3")]);
		await captureRows(query, A, [createDomain("first-1"), createDomain("first-2", { descr: "back" })]);
		await updateIndexes();
		expect(await findNames("first-")).toEqual([
			["first-1", true],
			["first-2", true],
			["first-3", false],
		]);
		expect(await listRows(query)).toEqual([
			{ dn: "uni/tn-i/BD-first-1", presence: "{[1,)}" },
			{ dn: "uni/tn-i/BD-first-2", presence: "{[1,2),[3,)}" },
			{ dn: "uni/tn-i/BD-first-3", presence: "{[2,3)}" },
		]);
		await updateIndexes();
		expect(await findNames("back")).toEqual([["first-2", true]]);
	});

	it("forgets an object of no kept snapshot, and takes back what a deleted latest snapshot had", async () => {
		const query = await createQuery();
		const first = await captureRows(query, A, [createDomain("kept-1"), createDomain("kept-old")]);
		await captureRows(query, A, [createDomain("kept-1"), createDomain("kept-2")]);
		const last = await captureRows(query, A, [createDomain("kept-1", { descr: "renamed" }), createDomain("kept-3")]);
		await updateIndexes();
		await deleteSnapshot(query, last);
		expect(await findNames("kept-")).toEqual([
			["kept-1", true],
			["kept-2", true],
			["kept-old", false],
		]);
		await updateIndexes();
		expect(await findNames("renamed")).toEqual([]);
		await captureRows(query, A, [createDomain("kept-1"), createDomain("kept-4")]);
		await deleteSnapshot(query, first);
		await updateIndexes();
		expect((await listRows(query)).map(({ dn }) => dn)).toEqual([
			"uni/tn-i/BD-kept-1",
			"uni/tn-i/BD-kept-2",
			"uni/tn-i/BD-kept-4",
		]);
	});

	it("has no row of a deleted query", async () => {
		const query = await createQuery();
		await captureRows(query, A, [createDomain("gone-1")]);
		await updateIndexes();
		const history = await getHistoryId(query);
		expect((await index.ada.api.del(`/api/queries/saved-queries/${query}/`)).status).toBe(204);
		expect(await findNames("gone-1")).toEqual([]);
		await updateIndexes();
		const { db } = index.t.app.context.store;
		expect(await db.selectFrom("indexed_objects").select("id").where("history_id", "=", history).execute()).toEqual([]);
		expect(
			await db.selectFrom("object_indexes").select("history_id").where("history_id", "=", history).execute(),
		).toEqual([]);
	});

	it("goes on after work that ended in the middle of a snapshot", async () => {
		const query = await createQuery();
		await captureRows(query, A, [createDomain("half-1"), createDomain("half-2")]);
		await updateIndexes();
		const many = Array.from({ length: 2_500 }, (_, at) => createDomain(`half-many-${at}`));
		await captureRows(query, A, [createDomain("half-1"), ...many]);
		const { context } = index.t.app;
		let batches = 0;
		const failing = {
			...context,
			store: {
				...context.store,
				transaction: ((work) => {
					if (++batches > 3) throw new Error("The process dies.");
					return context.store.transaction(work);
				}) as typeof context.store.transaction,
			},
		};
		const history = await getHistoryId(query);
		await expect(indexHistory(failing, history, new AbortController().signal)).rejects.toThrow("dies");
		expect(await findNames("half-2")).toEqual([["half-2", true]]);
		expect(await findNames("half-many-7")).toEqual([]);
		await updateIndexes();
		expect(await findNames("half-2")).toContainEqual(["half-2", false]);
		expect(await listRows(query)).toHaveLength(2_502);
	});

	it("lets one worker at a time write the index", async () => {
		const query = await createQuery();
		for (let at = 0; at < 5; at++) await captureRows(query, A, [createDomain(`two-${at}`), createDomain("two-all")]);
		const history = await getHistoryId(query);
		const { context } = index.t.app;
		const { signal } = new AbortController();
		await Promise.all([1, 2, 3].map(() => indexHistory(context, history, signal)));
		expect((await listRows(query)).map(({ presence }) => presence)).toEqual([
			"{[1,2)}",
			"{[2,3)}",
			"{[3,4)}",
			"{[4,5)}",
			"{[5,)}",
			"{[1,)}",
		]);
	});
});

describe("a capture", () => {
	const working = useObjectIndex(["index-carl", "index-dora"], { work: true });

	it("indexes a capture through a task of its own transaction", async () => {
		const query = await working.createQuery();
		await working.captureRows(query, working.A, [createDomain("task-1")]);
		await waitUntil("the capture is indexed", async () => (await working.listRows(query)).length === 1);
	});
});
