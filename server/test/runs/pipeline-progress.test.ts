/** Progress of runs, and runs on a controller that misbehaves. */
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, connectNodes, output, RUNS, UNKNOWN, waitForRun } from "../support/canvases.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { useRuns } from "../support/runs.ts";

const runs = useRuns();
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
beforeAll(() => {
	({ t, lab, ada } = runs);
});

const { start } = runs;
const DROPPED = /^127\.0\.0\.1:\d+ dropped the connection before the answer was complete\./;

describe("a controller that misbehaves fails this run alone, in clear words", () => {
	it.each([
		["is busy", { busy: true }, /busy/i],
		["answers HTML", { html_error: { status: 502 } }, /^The web server of 127\.0\.0\.1:\d+ failed \(HTTP 502\)/],
		["finds the answer too big", { too_big: true }, /too big/i],
		["resets connections", { reset: true }, DROPPED],
		["cuts answers off", { truncated_body: true }, DROPPED],
		["hides errors behind a success", { error_with_200: { text: "Unable to process the query" } }, /Unable to process/],
		[
			"refuses access",
			{ access_denied: true },
			/does not allow this to the user: "Access restricted for user" \(code 403\)/,
		],
	] as const)("%s", async (_what, faults, message) => {
		lab.setFaults(
			Object.fromEntries(
				Object.entries(faults).map(([name, setting]) => [
					name,
					{ ...(setting === true ? {} : setting), match: "fvCtx" },
				]),
			),
		);
		const bad = await start(connectNodes(buildClassNode("fvCtx"), output));
		const good = await start(connectNodes(buildClassNode("fvTenant"), output));
		const job = await waitForRun(ada.api, bad);
		expect(job).toMatchObject({ status: "failed", failed_stages: 1, completed_stages: 0, total_rows: null });
		expect(job.errors).toEqual([{ stage_index: 0, node_id: "fvCtx", message: expect.stringMatching(message) }]);
		expect(job.stages[0]).toMatchObject({ status: "failed", error: job.errors[0].message });
		expect((await ada.api.get(job.results_url)).status).toBe(409);
		expect(await waitForRun(ada.api, good)).toMatchObject({ status: "completed" });
	});

	it("counts a class that it never lists: the node may say that it is empty then", async () => {
		lab.setFaults({ busy: { match: "fvCtx" } });
		const node = buildClassNode("fvCtx");
		const allowed = { ...node, data: { ...node.data, allowEmpty: true } };
		const job = await waitForRun(ada.api, await start(connectNodes(allowed, output)));
		expect(job).toMatchObject({ status: "completed", total_rows: 0 });
		const refused = await waitForRun(ada.api, await start(connectNodes(node, output)));
		expect(refused.errors[0].message).toContain("lists none of them");
	});

	it("fails a run when no controller listens at the address", async () => {
		const gone = await addConnection(ada.api, { ...lab, url: "http://127.0.0.1:9" });
		const job = await waitForRun(
			ada.api,
			await start(connectNodes(buildClassNode("fvTenant")), { controller_connection_id: gone }),
		);
		const message = expect.stringContaining("127.0.0.1:9 refused the connection: nothing listens there");
		expect(job).toMatchObject({ status: "failed", errors: [{ stage_index: 0, node_id: "fvTenant", message }] });
	});
});

describe("progress", () => {
	const types = (frames: readonly { type: string }[]) => frames.map(({ type }) => type);

	it("is sent from the first node to the end, to those who follow from the start", async () => {
		lab.setFaults({ latency: { ms: 200, match: "fvBD" } });
		const id = await start(connectNodes(buildClassNode("fvBD"), output));
		const socket = await ada.api.open(`/ws/chain-execution/${id}/`);
		expect(await socket.closed).toMatchObject({ code: 1000 });
		expect(types(socket.frames)).toEqual(["node_start", "node_result", "node_complete", "execution_complete"]);
		const job = await waitForRun(ada.api, id);
		expect(socket.frames.map(({ data }) => data)).toEqual([
			{ node_id: "fvBD", class_name: "fvBD" },
			{ node_id: "fvBD", row_count: job.total_rows },
			{ node_id: "fvBD", duration_ms: expect.any(Number) },
			{ status: "completed", total_rows: job.total_rows, results_url: job.results_url },
		]);
	});

	it("sends only the last frame of a run that has ended", async () => {
		const job = await waitForRun(ada.api, await start(connectNodes(buildClassNode("fvTenant"))));
		const socket = await ada.api.open(`/ws/chain-execution/${job.id}/`);
		expect(await socket.closed).toMatchObject({ code: 1000 });
		expect(types(socket.frames)).toEqual(["execution_complete"]);
	});

	it("reports failures, and a run that was cancelled", async () => {
		lab.setFaults({ error: { match: "fvCtx", text: "no such thing" } });
		const failed = await start(connectNodes(buildClassNode("fvCtx")));
		const watching = await ada.api.open(`/ws/chain-execution/${failed}/`);
		expect((await watching.closed).code).toBe(1000);
		expect(watching.frames.at(-1)).toMatchObject({ type: "execution_failed", data: { failed_node: "fvCtx" } });

		lab.setFaults({ hang: { match: "fvBD" } });
		const id = await start(connectNodes(buildClassNode("fvBD")));
		const socket = await ada.api.open(`/ws/chain-execution/${id}/`);
		await waitUntil("it is under way", () => socket.frames.length > 0);
		const { status, body } = await ada.api.post(`${RUNS}${id}/cancel/`);
		expect(status).toBe(200);
		expect(body).toMatchObject({ id, status: "cancelled" });
		expect((await socket.closed).code).toBe(1000);
		expect(socket.frames.at(-1)).toMatchObject({
			type: "execution_failed",
			data: { error: "cancelled", failed_node: null },
		});
		expect((await ada.api.get(`${RUNS}${id}/`)).body.stages[0].status).toBe("cancelled");
		expect((await ada.api.get(`${RUNS}${id}/results/`)).status).toBe(409);
		expect((await ada.api.post(`${RUNS}${id}/cancel/`)).status).toBe(400);
	});

	it("is sent to nobody else", async () => {
		const job = await waitForRun(ada.api, await start(connectNodes(buildClassNode("fvTenant"))));
		const fay = await t.user("fay", ["Editor"]);
		for (const [api, id, code] of [
			[fay.api, job.id, 4003],
			[ada.api, UNKNOWN, 4004],
			[ada.api, "nonsense", 4004],
			[t.admin.api, job.id, 1000],
			[t.anonymous, job.id, 4001],
		] as const) {
			expect((await (await api.open(`/ws/chain-execution/${id}/`)).closed).code).toBe(code);
		}
	});
});
