/** Snapshots of scheduled runs: stored with the end of the run, and reported when they differ. */
import type { Snapshot } from "@weft/contracts";
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes } from "../support/canvases.ts";
import { refuseWrites } from "../support/failing-store.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { addQuery, TASKS, useTasks } from "../support/tasks.ts";

const tasks = useTasks();
const { add, ended, listExecutions } = tasks;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
beforeAll(() => {
	({ t, lab, ada } = tasks);
});

type CapturedSnapshot = Snapshot & { readonly result_data: unknown };

describe("snapshots", () => {
	it("are kept of queries that ask for them, and a change is told to the query's owner", async () => {
		const watched = await addQuery(ada.api, {
			flow_data: connectNodes(buildClassNode("fvBD")),
			enable_time_machine: true,
		});
		const made = await add(ada.api, { saved_query: watched });
		const next = async (count: number) => {
			await ada.api.post(`${TASKS}${made.id}/execute_now/`);
			return (await ended(made.id, count))[0];
		};
		const first = await next(1);
		expect(first).toMatchObject({ status: "success", snapshot_id: expect.any(String), error_message: null });
		const snapshot = await ada.api.get(`/api/time-machine/snapshots/${first.snapshot_id}/`);
		expect(snapshot.body).toMatchObject({ execution_type: "scheduled", executed_by: "ada", has_changes: false });
		expect(snapshot.body.result_count).toBe(first.result_count);
		expect((await next(2)).snapshot_id).toBe(first.snapshot_id);

		lab.advance({ steps: 5, change_rate: 0.3 });
		const third = await next(3);
		expect(third.snapshot_id).not.toBe(first.snapshot_id);
		const [drift, ...more] = await waitUntil("the owner is notified of the change", async () => {
			const { rows } = await t.pool.query("select * from notifications where category = 'time_machine'");
			return rows.length > 0 ? rows : null;
		});
		expect([drift.user_id, drift.severity, more]).toEqual([ada.id, "warning", []]);
		expect(drift.link).toBe(`/time-machine/compare?from=${first.snapshot_id}&to=${third.snapshot_id}&rules=query`);
		expect(drift.facts).toMatchObject({
			event: "drift_found",
			objects: [{ kind: "saved_query", before: first.snapshot_id, after: third.snapshot_id }],
		});
		const kept = (await ada.api.get(`/api/time-machine/snapshots/${third.snapshot_id}/`)).body;
		const counts = (["added", "deleted", "modified"] as const)
			.filter((kind) => kept.drift[kind] > 0)
			.map((kind) => `${kept.drift[kind]} ${kind}`);
		const [found, ...examples] = drift.body.split("\n");
		expect(found).toBe(
			`The scheduled task "${made.name}" found differences from the run before: ${counts.join(", ")}.`,
		);
		expect(examples.length).toBeGreaterThan(0);
		for (const example of examples) expect(example).toMatch(/^(added|deleted|modified): fvBD uni\/tn-\S+/);
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("of clients count for no drift: neither do they cause a notification, nor keep one back", async () => {
		const getQuery = () =>
			addQuery(ada.api, { flow_data: connectNodes(buildClassNode("fvBD")), enable_time_machine: true });
		const [watched, other] = [await getQuery(), await getQuery()];
		const made = await add(ada.api, { saved_query: watched });
		const copy = await add(ada.api, { saved_query: other });
		const getSnapshot = async (task: string, count: number) => {
			await ada.api.post(`${TASKS}${task}/execute_now/`);
			const [execution] = await ended(task, count);
			return (await ada.api.get(`/api/time-machine/snapshots/${execution.snapshot_id}/`)).body;
		};
		const captured = async ({ result_data, class_name, controller_connection_id }: CapturedSnapshot) =>
			(
				await ada.api.post("/api/time-machine/capture/", {
					saved_query_id: watched,
					class_name,
					controller_connection_id,
					result_data,
				})
			).body.snapshot_id;
		const listNotices = async (id: string) =>
			(await t.pool.query("select id from notifications where link like $1", [`%&to=${id}&%`])).rows.length;

		const first = await getSnapshot(made.id, 1);
		expect(first.origin).toBe("run");
		const planted = await captured({
			...first,
			result_data: [{ fvBD: { attributes: { dn: "uni/tn-x/BD-planted" } } }],
		});
		const listed = (await ada.api.get(`/api/time-machine/snapshots/?saved_query_id=${watched}`)).body.snapshots;
		expect(listed.map(({ origin }: CapturedSnapshot) => origin)).toEqual(["client", "run"]);
		const compared = await ada.api.post("/api/time-machine/compare/", {
			snapshot_from_id: first.id,
			snapshot_to_id: planted,
		});
		expect([compared.body.snapshot_from.origin, compared.body.snapshot_to.origin]).toEqual(["run", "client"]);
		const second = await getSnapshot(made.id, 2);
		expect([second.id === first.id, second.has_changes, await listNotices(second.id)]).toEqual([false, true, 0]);

		lab.advance({ steps: 5, change_rate: 0.3 });
		await captured(await getSnapshot(copy.id, 1));
		const third = await getSnapshot(made.id, 3);
		expect(third).toMatchObject({ origin: "run", is_duplicate: true });
		await waitUntil("the owner is notified of the change", async () => (await listNotices(third.id)) === 1);
		for (const { id } of [made, copy]) await ada.api.del(`${TASKS}${id}/`);
	});

	it("carry the version that ran, although the query was edited meanwhile", async () => {
		const edited = await addQuery(ada.api, {
			flow_data: connectNodes(buildClassNode("fvAp")),
			enable_time_machine: true,
		});
		const made = await add(ada.api, { saved_query: edited });
		const { current_version_hash } = (await ada.api.get(`/api/queries/saved-queries/${edited}/`)).body;
		lab.setFaults({ latency: { ms: 500, match: "fvAp" } });
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		await waitUntil("it runs", async () => (await listExecutions(made.id))[0].status === "running");
		await ada.api.patch(`/api/queries/saved-queries/${edited}/`, { flow_data: connectNodes(buildClassNode("fvBD")) });
		const [execution] = await ended(made.id, 1);
		lab.setFaults({ latency: false });
		expect((await ada.api.get(`/api/time-machine/snapshots/${execution.snapshot_id}/`)).body).toMatchObject({
			query_version: "v1.0",
			query_version_hash: current_version_hash,
			class_name: "fvAp",
		});
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("and the end of the run are stored together: what fails between them loses no change", async () => {
		const watched = await addQuery(ada.api, {
			flow_data: connectNodes(buildClassNode("fvBD")),
			enable_time_machine: true,
		});
		const made = await add(ada.api, { saved_query: watched });
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		const [first] = await ended(made.id, 1);
		lab.advance({ steps: 5, change_rate: 0.3 });
		const refusal = await refuseWrites(t.pool, {
			table: "scheduled_executions",
			event: "update",
			as: "refuse_end",
			when: "new.status = 'success'",
		});
		const snapshots = async () =>
			(await t.pool.query("select count(*)::int as n from snapshots where saved_query_id = $1", [watched])).rows[0].n;
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		await waitUntil("the end could not be recorded", async () => (await refusal.count("query_runs.record")) > 0);
		expect(await snapshots()).toBe(1);
		await refusal.stop();
		const [second] = await ended(made.id, 2);
		expect(second).toMatchObject({ status: "success", error_message: null });
		expect(second.snapshot_id).not.toBe(first.snapshot_id);
		await waitUntil("the owner is notified of the change", async () => {
			const { rows } = await t.pool.query("select * from notifications where link like $1", [
				`%&to=${second.snapshot_id}&%`,
			]);
			return rows.length === 1;
		});
		await ada.api.del(`${TASKS}${made.id}/`);
	});

	it("that are too large are missed, and the execution says so", async () => {
		const watched = await addQuery(ada.api, { enable_time_machine: true });
		const limit = (max_snapshot_size_mb: number) =>
			ada.api.put("/api/time-machine/settings/", { max_snapshot_size_mb });
		const many = await addQuery(ada.api, {
			flow_data: connectNodes(buildClassNode("fvCEp")),
			enable_time_machine: true,
		});
		expect((await limit(0.1)).status).toBe(200);
		const made = await add(ada.api, { saved_query: many });
		await ada.api.post(`${TASKS}${made.id}/execute_now/`);
		const [execution] = await ended(made.id, 1);
		expect(execution).toMatchObject({ status: "success", snapshot_id: null, error_type: "snapshot" });
		expect(execution.error_message).toMatch(/^No snapshot was kept. The result has [\d.]+ MB; the limit is/);
		await limit(10);
		await ada.api.del(`${TASKS}${made.id}/`);
		await ada.api.del(`/api/queries/saved-queries/${watched}/`);
	});
});
