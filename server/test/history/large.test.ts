/**
 * Snapshots that a thread works on: one of 100,000 objects, captured, listed, compared, followed
 * and exported; and ones that follow each other.
 */
import { compareAnswer } from "@weft/contracts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../support/harness.ts";

const TM = "/api/time-machine/";
const OBJECTS = 100_000;
let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

it("answers about 100,000 objects, whatever is asked", async () => {
	const ada = await t.user("ada");
	await ada.api.put(`${TM}settings/`, { max_snapshot_size_mb: 50 });
	const made = await ada.api.post("/api/queries/saved-queries/", {
		name: "large",
		flow_data: { nodes: [], edges: [] },
		enable_time_machine: true,
	});
	const id = made.body.id as string;
	const answer = (drift: number) => {
		const rows = Array.from({ length: OBJECTS }, (_, i) => {
			const state = i % 100 === 0 ? `down ${drift}` : "up";
			return `{"fvCEp":{"attributes":{"dn":"uni/tn-${i % 40}/cep-${i}","flags":"${state}","modTs":"${i % 2 ? drift : 0}"}}}`;
		});
		return `{"saved_query_id":"${id}","result_data":{"imdata":[${rows.join(",")}]}}`;
	};
	const ids: string[] = [];
	for (const drift of [1, 2]) {
		await t.clock.advance(1000);
		const { body } = await ada.api.send("POST", `${TM}capture/`, answer(drift), { "content-type": "application/json" });
		expect(body).toMatchObject({ success: true, result_count: OBJECTS });
		ids.push(body.snapshot_id);
	}
	const list = await ada.api.get(`${TM}snapshots/?saved_query_id=${id}`);
	expect(list.body).toMatchObject({ total_count: 2, snapshots: [{ id: ids[1], has_changes: true }, { id: ids[0] }] });

	const body = { snapshot_from_id: ids[0], snapshot_to_id: ids[1] };
	const counts = await ada.api.post(`${TM}compare/?format=summary`, body);
	expect(counts.body.summary).toEqual({ fvCEp: { added: 0, deleted: 0, modified: OBJECTS / 2 + OBJECTS / 100 } });
	const { diff, ignored } = compareAnswer.parse(
		(await ada.api.post(`${TM}compare/`, { ...body, ignore_volatile: true })).body,
	);
	expect([diff.total_changes, diff.modified.length, ignored.objects]).toEqual([
		...[OBJECTS / 100, OBJECTS / 100, OBJECTS / 2],
	]);
	const csv = await ada.api.post(`${TM}compare/?format=csv`, { ...body, ignore_volatile: true });
	expect(csv.text.split("\r\n")).toHaveLength(1 + OBJECTS / 100 + 1);
	const blame = await ada.api.get(`${TM}blame/?saved_query_id=${id}&dn=uni/tn-0/cep-400`);
	const dns = encodeURIComponent(JSON.stringify(["uni/tn-0/cep-400", "uni/tn-1/cep-1"]));
	const { body: followed } = await ada.api.get(`${TM}timeline/?saved_query_id=${id}&dns=${dns}`);
	expect(followed.timelines.map(({ points }: { points: unknown[] }) => points.length)).toEqual([2, 2]);
	expect(blame.body.attributes[0]).toMatchObject({ attribute: "flags", previous: "down 1", snapshot_id: ids[1] });
});

it("gives back what follows a large capture, whatever came between the two", async () => {
	const eve = await t.user("eve");
	const made = await eve.api.post("/api/queries/saved-queries/", {
		name: "followed",
		flow_data: { nodes: [], edges: [] },
		enable_time_machine: true,
	});
	await eve.api.put(`${TM}settings/`, { retention_policy: "count", retention_count: 2 });
	const row = (i: number, state: unknown) => ({
		fvCEp: { attributes: { dn: `uni/cep-${i}`, state, pad: "x".repeat(90) } },
	});
	const rows = Array.from({ length: 4000 }, (_, i) => row(i, "up"));
	const kept = new Map<string, object[]>();
	const capture = async (imdata: object[]) => {
		await t.clock.advance(1000);
		const { body } = await eve.api.post(`${TM}capture/`, { saved_query_id: made.body.id, result_data: { imdata } });
		if (body.snapshot_id !== undefined) kept.set(body.snapshot_id, imdata);
		return body;
	};
	await capture(rows);
	await capture(rows.with(7, row(7, "down")).with(3999, row(3999, 1)));
	expect(await capture(rows.with(7, row(7, "down")).with(3999, row(3999, 1)))).toMatchObject({ reason: "duplicate" });
	await capture(rows.toSpliced(100, 1, row(9001, "new"), row(9002, "new")));
	await capture(rows.toSpliced(0, 50));
	expect(await capture(rows.toSpliced(0, 50).reverse())).toMatchObject({ reason: "duplicate" });
	await capture(rows.toSpliced(0, 49));
	// Deletes all but the latest two, which rewrites the history of the remaining ones.
	expect((await eve.api.post(`${TM}cleanup/execute/`, { query_id: made.body.id })).body.deleted_count).toBe(3);
	for (const id of [...kept.keys()].slice(0, 3)) kept.delete(id);
	await capture(rows.toSpliced(0, 48));
	await Promise.all([capture(rows.with(1, row(1, "a"))), capture(rows.with(2, row(2, "b")))]);
	await capture(rows.with(1, row(1, "a")).with(2, row(2, "b")));
	expect(kept.size).toBe(6);
	for (const [id, imdata] of kept) {
		const { body } = await eve.api.get(`${TM}snapshots/${id}/`);
		expect(body.result_data.imdata).toEqual(imdata);
	}
	const dns = await eve.api.get(`${TM}saved-queries/${made.body.id}/dns/?q=cep-900`);
	expect(dns.body.dns.map(({ dn }: { dn: string }) => dn)).toEqual(["uni/cep-900"]);
});
